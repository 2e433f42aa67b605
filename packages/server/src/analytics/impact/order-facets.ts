// Decides in which order facets are shown: those of systems first, then metadata by its names.
import { FACETS } from '@chauffeur/contract/crash-facets';

const ORDER = Object.keys(FACETS);

export function orderFacets<T extends { readonly facet: string }>(facets: readonly T[]): T[] {
  const placeOf = (facet: string) => (ORDER.includes(facet) ? ORDER.indexOf(facet) : ORDER.length);
  return facets.toSorted((a, b) => placeOf(a.facet) - placeOf(b.facet) || (a.facet < b.facet ? -1 : 1));
}
