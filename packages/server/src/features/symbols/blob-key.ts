// Where the blobs of symbols lie: texts as `symbols/<game>/<id>.sym.gz`, compiled caches as `symbols/<game>/<id>.cache`.
import { newId } from '../../kernel/ids.ts';

export const SYMBOLS_PREFIX = 'symbols/';

/** A new key each time: what is being read under another one is never written over. */
export function newTextKey(gameId: string): string {
  return `${SYMBOLS_PREFIX}${gameId}/${newId()}.sym.gz`;
}

export function newCacheKey(gameId: string): string {
  return `${SYMBOLS_PREFIX}${gameId}/${newId()}.cache`;
}
