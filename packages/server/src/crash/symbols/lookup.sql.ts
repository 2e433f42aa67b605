// The SQL that finds symbols, for the modules of a dump and for other stackwalkers.
import type { ModuleIdentity } from '@chauffeur/minidump/symbols/module-identity';
import { type RawBuilder, sql } from 'kysely';
import { type Db, keepPlan, row, rows } from '../../kernel/database/db.ts';

export type FoundSymbols = {
  /** Null, like the other columns of the symbols, if the game has none with the ids of this module. */
  checksum: string | null;
  state: 'stored' | 'compiled' | 'unreadable' | null;
  problem: string | null;
  cache_key: string | null;
  cache_size: number | null;
  cache_version: number | null;
  /** If there are none: another debug id of this file for which the game has symbols. */
  other_debug_id: string | null;
};

/**
 * How well a symbol file matches, the best last: the order in which files with the id of a module are chosen. One that
 * can be read comes before all others, then a debug id before a code id, then detail, because a stripped program and its
 * debug file have one id and often two names. Names only break ties.
 */
const match = (debugId: RawBuilder<unknown>, name: RawBuilder<unknown>) =>
  sql`state <> 'unreadable' desc, debug_id = ${debugId} desc, detail desc nulls last, lower(debug_file) = lower(${name}) desc`;

/**
 * Returns the game's symbols for each module, in order: those with its debug id, or else with its code id. Symbols of the
 * given build are preferred to equal ones of others. An id is '' if the module has none. One round trip, with two or
 * three index lookups per module.
 */
export function findModules(
  db: Db,
  gameId: string,
  buildId: string,
  modules: readonly ModuleIdentity[],
): Promise<FoundSymbols[]> {
  return rows(
    db,
    keepPlan(sql<FoundSymbols>`
      select matching.*, other.debug_id as other_debug_id
      from unnest(${modules.map(({ name }) => name)}::text[], ${modules.map(({ debugId }) => debugId)}::text[],
        ${modules.map(({ codeId }) => codeId)}::text[]) with ordinality as requested (name, debug_id, code_id, place)
      left join lateral (
        select checksum, state, problem, cache_key, cache_size, cache_version
        from (
          select * from symbols
          where game_id = ${gameId} and requested.debug_id <> '' and debug_id = requested.debug_id
          union all
          select * from symbols
          where game_id = ${gameId} and requested.code_id <> '' and code_id = requested.code_id and code_id <> ''
        ) found join symbol_texts using (game_id, checksum)
        order by ${match(sql`requested.debug_id`, sql`requested.name`)}, build_id = ${buildId} desc,
          state = 'compiled' desc, records desc nulls last, uploaded_at desc
        limit 1
      ) matching on true
      left join lateral (
        select debug_id from symbols
        where matching.checksum is null and game_id = ${gameId} and lower(debug_file) = lower(requested.name)
          and debug_id !~ '^0*$'
        order by build_id = ${buildId} desc, uploaded_at desc
        limit 1
      ) other on true
      order by place`),
  );
}

export type ReadableText = { checksum: string; blob_key: string; token_hash: Buffer };

/** The text of a module in the game of the token, in any state, because the reader has its own parser. */
export function findReadable(
  db: Db,
  tokenHash: Buffer,
  { name, debugId, codeId }: ModuleIdentity,
): Promise<ReadableText | undefined> {
  return row(
    db,
    sql<ReadableText>`
      select checksum, blob_key, token_hash
      from symbol_tokens join symbols using (game_id) join symbol_texts using (game_id, checksum)
      where token_hash = ${tokenHash} and (debug_id = nullif(${debugId}, '') or code_id = nullif(${codeId}, ''))
      order by ${match(sql`${debugId}::text`, sql`${name}::text`)}, records desc nulls last, uploaded_at desc
      limit 1`,
  );
}
