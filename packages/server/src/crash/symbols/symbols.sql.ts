// The SQL of symbols: texts, stored once per content, the modules and builds that use them, and the choice of a text
// for a module of a dump.
import type { SymbolState } from '@chauffeur/contract/operations/symbols';
import type { ModuleIdentity } from '@chauffeur/minidump/symbols/module-identity';
import { type RawBuilder, sql } from 'kysely';
import { changed, type Db, keepPlan, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';
import { mappingBlobs, mappingColumns } from './mappings/mappings.sql.ts';
import { nativeBlobs, nativeColumns } from './native.sql.ts';
import { ofBuild, type SymbolRow, type TextFacts } from './symbol-rows.ts';

export type TextRow = {
  blob_key: string;
  state: SymbolState;
  cache_key: string | null;
  cache_version: number | null;
};

export type NewText = { checksum: string; size: number; storedSize: number; blobKey: string } & TextFacts;
export type NewSymbol = {
  symbolUid: string;
  debugFile: string;
  debugId: string;
  codeId: string;
  os: string;
  cpu: string;
  checksum: string;
  nativeChecksum: string | null;
};

/** Serializes adding symbols and sweeping unused texts of one game. */
export async function lockSymbols(tx: Tx, gameId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`symbols/${gameId}`}, 0))`);
}

/**
 * Adds texts. An existing text keeps its blob unless it was unreadable, in which case it is retried with the new one.
 * Returns the checksums of the texts that use their new blob and have to be compiled.
 */
export async function insertTexts(tx: Tx, gameId: string, texts: readonly NewText[]): Promise<Set<string>> {
  const column = (name: keyof NewText) => texts.map((text) => text[name]);
  const inserted = await rows(
    tx,
    sql<{ checksum: string }>`
      insert into symbol_texts (game_id, checksum, size, stored_size, blob_key, functions, detail, records, unwind)
      select ${gameId}, new.*
      from unnest(${column('checksum')}::text[], ${column('size')}::bigint[], ${column('storedSize')}::bigint[],
        ${column('blobKey')}::text[], ${column('functions')}::integer[], ${column('detail')}::smallint[],
        ${column('records')}::integer[], ${column('unwind')}::integer[]) as new
      on conflict (game_id, checksum) do update
        set blob_key = excluded.blob_key, stored_size = excluded.stored_size, state = 'stored', problem = null, created_at = now()
        where symbol_texts.state = 'unreadable'
      returning checksum`,
  );
  return new Set(inserted.map(({ checksum }) => checksum));
}

/** Adds modules to a build, replacing those with the same file and debug id. */
export async function upsertSymbols(
  tx: Tx,
  { gameId, buildId, keyRef }: { gameId: string; buildId: string | null; keyRef: string },
  symbols: readonly NewSymbol[],
): Promise<void> {
  const column = (name: keyof NewSymbol) => symbols.map((symbol) => symbol[name]);
  await changed(
    tx,
    sql`
      insert into symbols (game_id, build_id, key_ref, symbol_uid, debug_file, debug_id, code_id, os, cpu, checksum,
        native_checksum)
      select ${gameId}, ${buildId}::uuid, ${keyRef}, new.*
      from unnest(${column('symbolUid')}::uuid[], ${column('debugFile')}::text[], ${column('debugId')}::text[],
        ${column('codeId')}::text[], ${column('os')}::text[], ${column('cpu')}::text[],
        ${column('checksum')}::text[], ${column('nativeChecksum')}::text[]) as new
      on conflict (game_id, build_id, lower(debug_file), debug_id) do update
        set debug_file = excluded.debug_file, code_id = excluded.code_id, os = excluded.os, cpu = excluded.cpu,
          checksum = excluded.checksum, native_checksum = excluded.native_checksum, key_ref = excluded.key_ref,
          uploaded_at = excluded.uploaded_at, poorer_at = null`,
  );
}

type Module = { debugFile: string; debugId: string };
/** The text that a build has for a module. Its facts are null if it comes from an earlier release. */
export type ModuleText = {
  /** The name of the debug file in lower case. */
  file_name: string;
  debug_id: string;
  symbol_uid: string;
  checksum: string;
  state: SymbolState;
} & { [Fact in keyof TextFacts]: TextFacts[Fact] | null };

/** The texts that a build has for these modules. Requires `lockSymbols` if they are to be replaced. */
export function textsOfModules(
  tx: Tx,
  gameId: string,
  buildId: string | null,
  modules: readonly Module[],
): Promise<ModuleText[]> {
  return rows(
    tx,
    sql<ModuleText>`
      select lower(debug_file) as file_name, debug_id, symbol_uid, checksum, state, functions, detail, records, unwind
      from symbols join symbol_texts using (game_id, checksum)
      where game_id = ${gameId} and ${ofBuild(buildId)} and (lower(debug_file), debug_id) in (
        select lower(file), id from unnest(${modules.map(({ debugFile }) => debugFile)}::text[],
          ${modules.map(({ debugId }) => debugId)}::text[]) as module (file, id))`,
  );
}

/** Renames a symbol file of a build. One that has the name already is deleted. */
export async function renameSymbol(
  tx: Tx,
  gameId: string,
  buildId: string | null,
  { symbolUid, debugFile, debugId }: { symbolUid: string; debugFile: string; debugId: string },
): Promise<void> {
  await changed(
    tx,
    sql`delete from symbols where game_id = ${gameId} and ${ofBuild(buildId)} and debug_id = ${debugId}
      and lower(debug_file) = lower(${debugFile}) and symbol_uid <> ${symbolUid}`,
  );
  await changed(
    tx,
    sql`update symbols set debug_file = ${debugFile}, poorer_at = null
      where game_id = ${gameId} and symbol_uid = ${symbolUid}`,
  );
}

/** Records that a poorer file of these modules was uploaded. */
export async function markPoorer(tx: Tx, gameId: string, symbolUids: readonly string[]): Promise<void> {
  await changed(
    tx,
    sql`update symbols set poorer_at = clock_timestamp()
      where game_id = ${gameId} and symbol_uid = any(${symbolUids}::uuid[])`,
  );
}

/** `sort_id` is the debug id, or what else distinguishes files of one name. */
type ListedSymbol = SymbolRow & { file_name: string; sort_id: string };

/**
 * A page of a build's symbols, of the native files that are not converted, and of its scripts and mappings, ordered by the
 * file name in lower case and the debug id.
 */
export function listSymbols(
  db: Db,
  gameId: string,
  buildId: string | null,
  { after, limit }: { after: { fileName: string; sortId: string } | null; limit: number },
): Promise<ListedSymbol[]> {
  const isAfter =
    after === null ? sql`true` : sql`(file_name, sort_id) > (${after.fileName}::text, ${after.sortId}::text)`;
  return rows(
    db,
    sql<ListedSymbol>`
      select * from (
        select ${symbolColumns}, lower(debug_file) as file_name, debug_id as sort_id
        from symbols join symbol_texts using (game_id, checksum)
        where game_id = ${gameId} and ${ofBuild(buildId)}
        union all
        select ${nativeColumns}, lower(file_name), checksum from native_symbols
        where game_id = ${gameId} and ${ofBuild(buildId)}
        union all
        select ${mappingColumns}, lower(case when url = '' then file_name else url end), mapping_uid::text from mappings
        where game_id = ${gameId} and ${ofBuild(buildId)}
      ) listed where ${isAfter} order by file_name, sort_id limit ${limit}`,
  );
}

/** The build's symbols with one of these texts, ordered by file name. */
export function symbolsOfTexts(
  db: Db,
  gameId: string,
  buildId: string | null,
  checksums: readonly string[],
): Promise<SymbolRow[]> {
  return rows(
    db,
    sql<SymbolRow>`
      select ${symbolColumns} from symbols join symbol_texts using (game_id, checksum)
      where game_id = ${gameId} and ${ofBuild(buildId)} and checksum = any(${checksums}::text[])
      order by lower(debug_file), debug_id`,
  );
}

const symbolColumns = sql.raw(
  `symbol_uid, build_id, 'symbols' as kind, debug_file, debug_id, code_id, os, cpu, size, checksum, state, problem, functions, detail,
  unwind, native_checksum, uploaded_at, poorer_at,
  (select max(texts.detail) from symbols same join symbol_texts texts using (game_id, checksum)
    where same.game_id = symbols.game_id and same.debug_id = symbols.debug_id) as best_detail,
  (select max(texts.unwind) from symbols same join symbol_texts texts using (game_id, checksum)
    where same.game_id = symbols.game_id and same.debug_id = symbols.debug_id) as best_unwind`,
);

/** Deletes one or all symbols of a build and returns their number. The sweep deletes texts that are no longer used. */
export function deleteSymbols(
  db: Db,
  gameId: string,
  buildId: string | null,
  symbolUid: string | null,
): Promise<number> {
  return changed(
    db,
    sql`delete from symbols where game_id = ${gameId} and ${ofBuild(buildId)}
      and (${symbolUid}::uuid is null or symbol_uid = ${symbolUid}::uuid)`,
  );
}

export function findText(db: Db, gameId: string, checksum: string): Promise<TextRow | undefined> {
  return row(
    db,
    sql<TextRow>`select blob_key, state, cache_key, cache_version from symbol_texts
      where game_id = ${gameId} and checksum = ${checksum}`,
  );
}

export type CompiledText = {
  problem: string | null;
  /** The compiled cache; null if the text is unreadable. */
  cache: { key: string; size: number; version: number } | null;
};

/**
 * Records the result of compiling the text with the blob `blobKey`; false if it was compiled or replaced in the
 * meantime.
 */
export async function recordCompiled(
  tx: Tx,
  gameId: string,
  text: { checksum: string; blobKey: string; cacheVersion: number },
  { problem, cache }: CompiledText,
): Promise<boolean> {
  const count = await changed(
    tx,
    sql`update symbol_texts set state = ${cache === null ? 'unreadable' : 'compiled'}, problem = ${problem},
        cache_key = ${cache?.key ?? null}, cache_size = ${cache?.size ?? null}, cache_version = ${cache?.version ?? null}
      where game_id = ${gameId} and checksum = ${text.checksum} and blob_key = ${text.blobKey}
        and state <> 'unreadable' and cache_version is distinct from ${text.cacheVersion}`,
  );
  return count === 1;
}

/** The modules of a text: usually one, unless builds spell its name differently. */
export function modulesOfText(
  db: Db,
  gameId: string,
  checksum: string,
): Promise<Pick<SymbolRow, 'debug_file' | 'debug_id' | 'code_id'>[]> {
  return rows(
    db,
    sql<
      Pick<SymbolRow, 'debug_file' | 'debug_id' | 'code_id'>
    >`select distinct debug_file, debug_id, code_id from symbols
      where game_id = ${gameId} and checksum = ${checksum}`,
  );
}

/** The newest builds that have symbols with one of the ids. */
export async function buildsWithIds(
  db: Db,
  gameId: string,
  { debugId, codeId }: { debugId: string; codeId: string },
  limit: number,
): Promise<string[]> {
  const builds = await rows(
    db,
    sql<{ build_id: string }>`select build_id from symbols
      where game_id = ${gameId} and (debug_id = ${debugId} or code_id = nullif(${codeId}, ''))
        and build_id is not null
      group by build_id order by max(uploaded_at) desc limit ${limit}`,
  );
  return builds.map(({ build_id }) => build_id);
}

export async function hasIdsWithoutBuild(
  db: Db,
  gameId: string,
  { debugId, codeId }: { debugId: string; codeId: string },
): Promise<boolean> {
  const { found } = await onlyRow(
    db,
    sql<{ found: boolean }>`select exists (select from symbols where game_id = ${gameId} and build_id is null
      and (debug_id = ${debugId} or code_id = nullif(${codeId}, ''))) as found`,
  );
  return found;
}

export async function replaceToken(db: Db, gameId: string, tokenHash: Buffer, prefix: string): Promise<void> {
  await changed(
    db,
    sql`insert into symbol_tokens (game_id, token_hash, prefix) values (${gameId}, ${tokenHash}, ${prefix})
      on conflict (game_id) do update set token_hash = excluded.token_hash, prefix = excluded.prefix, created_at = now()`,
  );
}

/** Revokes the URL for other stackwalkers, within a transaction. */
export async function revokeSymbolToken(tx: Tx, gameId: string): Promise<void> {
  await changed(tx, sql`delete from symbol_tokens where game_id = ${gameId}`);
}

/** The blobs that rows refer to. Sizes and checksums of texts are those of the unpacked text. */
export const symbolBlobs = sql`select blob_key as key, size, checksum as sha256, 'gzip' as packing from symbol_texts
  union all select cache_key, cache_size, null, null from symbol_texts where cache_key is not null
  union all select blob_key, size, checksum, 'gzip' from system_symbols
  union all select cache_key, cache_size, null, null from system_symbols where cache_key is not null
  union all select blob_key, size, null, null from sentry_chunks
  union all ${nativeBlobs} union all ${mappingBlobs}`;

/** The modules that wait to be looked up at the symbol servers. */
export async function countWaitingLookups(db: Db): Promise<number> {
  const { count } = await onlyRow(
    db,
    sql<{ count: number }>`select count(*) as count from symbol_lookups where state = 'waiting'`,
  );
  return count;
}

type SourceState = { source: string; failures: number; problem: string; paused_until: Date | null };

/** The symbol servers that have failed since they last responded. */
export function readFailingSources(db: Db): Promise<SourceState[]> {
  return rows(db, sql<SourceState>`select source, failures, problem, paused_until from symbol_sources`);
}

export type FoundSymbols = {
  /** Null, like the other columns of the symbols, if the game has none with the ids of this module. */
  checksum: string | null;
  state: 'stored' | 'compiled' | 'unreadable' | null;
  problem: string | null;
  cache_key: string | null;
  cache_size: number | null;
  cache_version: number | null;
  /** Null for a text of an earlier release that was not counted again. */
  has_functions: boolean | null;
  has_unwind: boolean | null;
  /** Another file of the module, which has more unwind rules; null if there is none. */
  unwind_checksum: string | null;
  unwind_key: string | null;
  unwind_size: number | null;
  unwind_version: number | null;
  /** Another debug id of this file for which the game has symbols, if it has none for this one. */
  other_debug_id: string | null;
};

/**
 * How well a symbol file matches, the best last: the order in which files with the id of a module are chosen. One that
 * can be read comes before all others, then a debug id before a code id, then detail, because a stripped program and
 * its debug file have one id and often two names. Names only break ties.
 */
const match = (debugId: RawBuilder<unknown>, name: RawBuilder<unknown>) =>
  sql`state <> 'unreadable' desc, debug_id = ${debugId} desc, detail desc nulls last, lower(debug_file) = lower(${name}) desc`;

/**
 * Returns the game's symbols for each module, in order: those with its debug id, or else with its code id, and another
 * file of the module if it has more unwind rules. Symbols of the given build are preferred to equal ones of others. An
 * id is '' if the module has none. One round trip, with a few index lookups per module.
 */
export function findModules(
  db: Db,
  gameId: string,
  buildId: string,
  modules: readonly ModuleIdentity[],
): Promise<FoundSymbols[]> {
  const found = sql`
          select * from symbols
          where game_id = ${gameId} and requested.debug_id <> '' and debug_id = requested.debug_id
          union all
          select * from symbols
          where game_id = ${gameId} and requested.code_id <> '' and code_id = requested.code_id and code_id <> ''`;
  return rows(
    db,
    keepPlan(sql<FoundSymbols>`
      select matching.checksum, state, problem, cache_key, cache_size, cache_version, has_functions,
        matching.unwind > 0 as has_unwind, unwinding.*,
        other.debug_id as other_debug_id
      from unnest(${modules.map(({ name }) => name)}::text[], ${modules.map(({ debugId }) => debugId)}::text[],
        ${modules.map(({ codeId }) => codeId)}::text[]) with ordinality as requested (name, debug_id, code_id, no)
      left join lateral (
        select checksum, state, problem, cache_key, cache_size, cache_version, detail >= 2 as has_functions, unwind
        from (${found}) found join symbol_texts using (game_id, checksum)
        order by ${match(sql`requested.debug_id`, sql`requested.name`)}, (build_id = ${buildId}) is true desc,
          state = 'compiled' desc, records desc nulls last, uploaded_at desc
        limit 1
      ) matching on true
      left join lateral (
        select checksum as unwind_checksum, cache_key as unwind_key, cache_size as unwind_size,
          cache_version as unwind_version
        from (${found}) found join symbol_texts texts using (game_id, checksum)
        where matching.state = 'compiled' and texts.state = 'compiled' and texts.unwind > coalesce(matching.unwind, 0)
        order by debug_id = requested.debug_id desc, texts.unwind desc, (build_id = ${buildId}) is true desc, uploaded_at desc
        limit 1
      ) unwinding on true
      left join lateral (
        select debug_id from symbols
        where matching.checksum is null and game_id = ${gameId} and lower(debug_file) = lower(requested.name)
          and debug_id !~ '^0*$'
        order by (build_id = ${buildId}) is true desc, uploaded_at desc
        limit 1
      ) other on true
      order by no`),
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
