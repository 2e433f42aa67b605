// The SQL of symbols from symbol servers, which belong to no game.
import type { ModuleIdentity } from '@chauffeur/minidump/symbols/module-identity';
import { sql } from 'kysely';
import { changed, type Db, keepPlan, onlyRow, row, rows, type Tx } from '../../../kernel/database/db.ts';
import type { TextFacts } from '../symbol-rows.ts';

export type SystemSymbols = {
  symbol_id: string;
  cache_key: string | null;
  cache_size: number | null;
  cache_version: number | null;
  used_at: Date;
};
type FoundSystemSymbols = { [Column in keyof SystemSymbols]: SystemSymbols[Column] | null };

/**
 * Returns the symbols of each module, in order: those with its debug id, or else with its code id. All columns are null
 * if there are none.
 */
export function findSystemModules(db: Db, modules: readonly ModuleIdentity[]): Promise<FoundSystemSymbols[]> {
  return rows(
    db,
    keepPlan(sql<FoundSystemSymbols>`
      select matching.*
      from unnest(${modules.map(({ name }) => name)}::text[], ${modules.map(({ debugId }) => debugId)}::text[],
        ${modules.map(({ codeId }) => codeId)}::text[]) with ordinality as requested (name, debug_id, code_id, no)
      left join lateral (
        select symbol_id, cache_key, cache_size, cache_version, used_at
        from (
          select * from system_symbols where requested.debug_id <> '' and debug_id = requested.debug_id
          union all
          select * from system_symbols where requested.code_id <> '' and code_id = requested.code_id and code_id <> ''
        ) found
        order by debug_id = requested.debug_id desc, cache_key is not null desc, detail desc,
          lower(debug_file) = lower(requested.name) desc, fetched_at desc
        limit 1
      ) matching on true
      order by no`),
  );
}

/** Notes that symbols are used, so that they are kept. */
export async function touchSystemSymbols(db: Db, symbolIds: readonly string[], now: Date): Promise<void> {
  await changed(db, sql`update system_symbols set used_at = ${now} where symbol_id = any(${symbolIds}::uuid[])`);
}

export type NewSystemSymbols = {
  symbolId: string;
  source: string;
  debugFile: string;
  debugId: string;
  codeId: string;
  checksum: string;
  size: number;
  storedSize: number;
  blobKey: string;
} & Omit<TextFacts, 'unwind'>;

/** Returns the row with this text, which is another one if the text was already there. */
export function insertSystemSymbols(tx: Tx, symbols: NewSystemSymbols, now: Date): Promise<SystemSymbols> {
  const { symbolId, source, debugFile, debugId, codeId, checksum, size, storedSize, blobKey } = symbols;
  return onlyRow(
    tx,
    sql<SystemSymbols>`insert into system_symbols (symbol_id, source, debug_file, debug_id, code_id, checksum, size,
        stored_size, blob_key, functions, detail, records, fetched_at, used_at)
      values (${symbolId}, ${source}, ${debugFile}, ${debugId}, ${codeId}, ${checksum}, ${size}, ${storedSize},
        ${blobKey}, ${symbols.functions}, ${symbols.detail}, ${symbols.records}, ${now}, ${now})
      on conflict (checksum) do update set used_at = excluded.used_at
      returning symbol_id, cache_key, cache_size, cache_version, used_at`,
  );
}

export type SystemText = {
  debug_file: string;
  source: string;
  blob_key: string;
  cache_key: string | null;
  cache_version: number | null;
};

export function findSystemText(db: Db, symbolId: string): Promise<SystemText | undefined> {
  return row(
    db,
    sql<SystemText>`select debug_file, source, blob_key, cache_key, cache_version from system_symbols
      where symbol_id = ${symbolId}`,
  );
}

/** False if the text was compiled or deleted in the meantime. */
export async function recordSystemCache(
  tx: Tx,
  symbolId: string,
  problem: string | null,
  cache: { key: string; size: number; version: number },
): Promise<boolean> {
  const count = await changed(
    tx,
    sql`update system_symbols set problem = ${problem}, cache_key = ${cache.key}, cache_size = ${cache.size},
        cache_version = ${cache.version}
      where symbol_id = ${symbolId} and cache_version is distinct from ${cache.version}`,
  );
  return count === 1;
}

/** The bytes in the blob store. */
export async function sumSystemBytes(db: Db): Promise<number> {
  const { bytes } = await onlyRow(
    db,
    sql<{ bytes: number }>`select coalesce(sum(stored_size + coalesce(cache_size, 0)), 0)::bigint as bytes
      from system_symbols`,
  );
  return bytes;
}

type Blobs = { blob_key: string; cache_key: string | null };

export async function deleteSystemSymbols(db: Db, symbolIds: readonly string[]): Promise<string[]> {
  const deleted = await rows(
    db,
    sql<Blobs>`delete from system_symbols where symbol_id = any(${symbolIds}::uuid[]) returning blob_key, cache_key`,
  );
  return keysOf(deleted);
}

/** Deletes symbols of other sources, and symbols that were not used since. Returns the keys of their blobs. */
export async function deleteUnusedSystemSymbols(
  db: Db,
  { sources, usedBefore }: { sources: readonly string[]; usedBefore: Date },
): Promise<string[]> {
  const deleted = await rows(
    db,
    sql<Blobs>`delete from system_symbols where source <> all(${sources}::text[]) or used_at < ${usedBefore}
      returning blob_key, cache_key`,
  );
  return keysOf(deleted);
}

/**
 * Deletes the least recently used until the rest takes at most `maxBytes`, but none that were used since. Returns the
 * keys of their blobs.
 */
export async function shrinkSystemSymbols(
  db: Db,
  { maxBytes, usedBefore }: { maxBytes: number; usedBefore: Date },
): Promise<string[]> {
  const deleted = await rows(
    db,
    sql<Blobs>`delete from system_symbols
      where used_at < ${usedBefore} and symbol_id in (
        select symbol_id from (
          select symbol_id, sum(stored_size + coalesce(cache_size, 0)) over (order by used_at desc, symbol_id) as bytes
          from system_symbols
        ) summed where bytes > ${maxBytes}
      )
      returning blob_key, cache_key`,
  );
  return keysOf(deleted);
}

function keysOf(blobs: readonly Blobs[]): string[] {
  return blobs.flatMap(({ blob_key, cache_key }) => (cache_key === null ? [blob_key] : [blob_key, cache_key]));
}
