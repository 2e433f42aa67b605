// The debug ids of the scripts in a stack that a report has as text, or of the mapping of its Java. A game finds those of
// scripts in the page, and sends them with the URLs of the scripts.
import { LIMITS } from '@chauffeur/contract/limits';
import type { SentryImage } from '@chauffeur/sentry/event/event';
import { debugIdOf } from '@chauffeur/sentry/ids';
import { scriptUrlOf } from '@chauffeur/sentry/mappings/script-url';

/** The ids by the addresses of the scripts, such as `~/assets/game.js`; null without any. */
export type DebugIds = Readonly<Record<string, string>> | null;

/** The ids as they are stored. Invalid ones are left out, and scripts of two hosts with one path. */
export function storedDebugIds(sent: Readonly<Record<string, string>> | undefined): DebugIds {
  const ids = new Map<string, string | null>();
  for (const [place, text] of Object.entries(sent ?? {}).slice(0, LIMITS.debugIds)) {
    const [url, id] = [scriptUrlOf(place), debugIdOf(text)];
    if (url === '' || id === null) continue;
    ids.set(url, (ids.get(url) ?? id) === id ? id : null);
  }
  const usable = [...ids].filter((entry): entry is [string, string] => entry[1] !== null);
  // Keys such as `__proto__` can't be addresses, which begin with `~/`.
  return usable.length === 0 ? null : Object.fromEntries(usable);
}

/** The ids that an event of Sentry's SDKs says. */
export function debugIdsOfImages(images: readonly SentryImage[]): DebugIds {
  const ids = images.flatMap(({ type, file, debugId }, index) => {
    if (debugId === null) return [];
    if (type === 'proguard') return [[`mapping.${index}.txt`, debugId] as const];
    return type === 'sourcemap' ? [[file, debugId] as const] : [];
  });
  return storedDebugIds(Object.fromEntries(ids));
}

/** The id of the script at a place of a stack; empty without one. */
export function debugIdAt(ids: DebugIds, place: string): string {
  const url = ids === null ? '' : scriptUrlOf(place);
  return url === '' ? '' : (ids?.[url] ?? '');
}

/** The ids of everything but scripts, such as of `mapping.txt`. */
export function idsOfMappings(ids: DebugIds): string[] {
  return Object.entries(ids ?? {}).flatMap(([url, id]) => (SCRIPT.test(url) ? [] : id));
}

const SCRIPT = /\.(?:js|mjs|cjs|jsbundle|bundle)$/i;
