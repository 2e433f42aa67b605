// The SQL that finds symbols, for the modules of a dump and for other stackwalkers.
import { sql } from 'kysely';
import { type Db, keepPlan, row, rows } from '../../kernel/database/db.ts';

export type FoundSymbols = {
  /** Null if the game has no symbols for this module and debug id. */
  checksum: string | null;
  state: 'stored' | 'compiled' | 'unreadable';
  problem: string | null;
  cache_key: string | null;
  cache_size: number | null;
  cache_version: number | null;
  /** If there are none: another debug id of this file for which the game has symbols. */
  other_debug_id: string | null;
};

/**
 * Returns the game's symbols for each module, in order. Symbols of the given build are preferred, then readable ones of
 * others. One round trip, with one or two index lookups per module.
 */
export function findModules(
  db: Db,
  gameId: string,
  buildId: string,
  modules: readonly { debugFile: string; debugId: string }[],
): Promise<FoundSymbols[]> {
  return rows(
    db,
    keepPlan(sql<FoundSymbols>`
      select matching.*, other.debug_id as other_debug_id
      from unnest(${modules.map(({ debugFile }) => debugFile)}::text[], ${modules.map(({ debugId }) => debugId)}::text[])
        with ordinality as requested (debug_file, debug_id, place)
      left join lateral (
        select checksum, state, problem, cache_key, cache_size, cache_version
        from symbols join symbol_texts using (game_id, checksum)
        where symbols.game_id = ${gameId} and symbols.debug_id = requested.debug_id
          and lower(symbols.debug_file) = lower(requested.debug_file)
        order by state <> 'unreadable' desc, symbols.build_id = ${buildId} desc, state = 'compiled' desc, uploaded_at desc
        limit 1
      ) matching on true
      left join lateral (
        select debug_id from symbols
        where matching.checksum is null and game_id = ${gameId} and lower(debug_file) = lower(requested.debug_file)
        order by build_id = ${buildId} desc, uploaded_at desc
        limit 1
      ) other on true
      order by place`),
  );
}

export type ReadableText = { checksum: string; blob_key: string; token_hash: Buffer };

/** The newest text of a module in the game of the token, in any state, because the reader has its own parser. */
export function findReadable(
  db: Db,
  tokenHash: Buffer,
  module: { debugFile: string; debugId: string },
): Promise<ReadableText | undefined> {
  return row(
    db,
    sql<ReadableText>`
      select checksum, blob_key, token_hash
      from symbol_tokens join symbols using (game_id) join symbol_texts using (game_id, checksum)
      where token_hash = ${tokenHash} and debug_id = ${module.debugId} and lower(debug_file) = lower(${module.debugFile})
      order by state <> 'unreadable' desc, uploaded_at desc
      limit 1`,
  );
}
