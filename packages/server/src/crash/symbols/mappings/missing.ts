// The names under which reports list the source maps and mappings that they miss, in the form of modules without symbols.
import type { MappingKind } from '@chauffeur/sentry/mappings/mapping-kind';
import { baseOf } from '@chauffeur/sentry/mappings/script-url';

/** The place of the debug id for a script without one. */
const NO_DEBUG_ID = 'sourcemap';
const PROGUARD_NAME = 'mapping.txt';

/** `game.js/8531…70`, or `game.js/sourcemap` for a script without a debug id. `url` is that of the script. */
export function formatMissing(
  kind: MappingKind,
  { url, debugId }: { readonly url: string; readonly debugId: string },
): string {
  if (kind === 'proguard') return `${PROGUARD_NAME}/${debugId}`;
  return `${baseOf(url)}/${debugId || NO_DEBUG_ID}`;
}

export type MissingMapping = {
  readonly kind: 'source_map' | 'proguard';
  readonly name: string;
  /** Empty for a script without one. */
  readonly debugId: string;
};

/** Null if the name is that of a module of native code. */
export function readMissing(text: string): MissingMapping | null {
  const slash = text.lastIndexOf('/');
  const [name, id] = [text.slice(0, slash), text.slice(slash + 1)];
  const debugId = id === NO_DEBUG_ID ? '' : id;
  if (name === PROGUARD_NAME) return { kind: 'proguard', name, debugId };
  return /\.(?:js|mjs|cjs|jsbundle|bundle)$/i.test(name) || debugId === ''
    ? { kind: 'source_map', name, debugId }
    : null;
}
