// The keys of symbol blobs: `symbols/<game>/<id>.sym.gz` for texts, `symbols/<game>/<id>.cache` for compiled caches.
import { newId } from '../../kernel/secrets/ids.ts';

export const SYMBOLS_PREFIX = 'symbols/';

/** Keys are never reused, so a blob that is being read is never overwritten. */
export function newTextKey(gameId: string): string {
  return `${SYMBOLS_PREFIX}${gameId}/${newId()}.sym.gz`;
}

export function newCacheKey(gameId: string): string {
  return `${SYMBOLS_PREFIX}${gameId}/${newId()}.cache`;
}
