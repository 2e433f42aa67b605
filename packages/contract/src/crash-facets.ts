// The facets of crash reports: what is known about the player's system, and the metadata of the game.
import { formatValue, METADATA_PREFIX } from './crash-query.ts';

/** The facets of systems, in the order in which they are shown. Each is a filter of the same name. */
export const FACETS = {
  os_version: 'OS version',
  gpu: 'GPU',
  driver: 'GPU driver',
  cpu: 'CPU',
  cores: 'CPU cores',
  ram: 'RAM',
  locale: 'Locale',
  store: 'Store',
} as const;

export type SystemFacet = keyof typeof FACETS;

/** The name of a facet for people: `GPU`, or the key for metadata. */
export function formatFacet(facet: string): string {
  if (Object.hasOwn(FACETS, facet)) return FACETS[facet as SystemFacet];
  return facet.startsWith(METADATA_PREFIX) ? facet.slice(METADATA_PREFIX.length) : facet;
}

/** Whether it is a facet: of systems, or of metadata. */
export function isFacet(name: string): boolean {
  return Object.hasOwn(FACETS, name) || name.startsWith(METADATA_PREFIX);
}

/** The filter for a value of a facet: `gpu:"RTX 3060"`. */
export function filterOfValue(facet: string, value: string): string {
  return `${facet}:${formatValue(value, '')}`;
}
