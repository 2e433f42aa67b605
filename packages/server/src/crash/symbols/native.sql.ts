// The SQL of native files: programs and debug files that were uploaded as symbols, until they are converted.
import { sql } from 'kysely';
import { changed, type Db, row, rows, type Tx } from '../../kernel/database/db.ts';
import { ofBuild, type SymbolRow, type TextFacts } from './symbol-rows.ts';

export type NewNative = { nativeUid: string; fileName: string; size: number; checksum: string; blobKey: string };

/**
 * Adds files to a build. One that is waiting already keeps its blob; one that was unreadable is tried again. Returns the
 * ids and blobs of the files that have to be converted.
 */
export function insertNatives(
  tx: Tx,
  { gameId, buildId, keyRef }: { gameId: string; buildId: string | null; keyRef: string },
  natives: readonly NewNative[],
): Promise<{ native_uid: string; blob_key: string }[]> {
  const column = (name: keyof NewNative) => natives.map((native) => native[name]);
  return rows(
    tx,
    sql<{ native_uid: string; blob_key: string }>`
      insert into native_symbols (game_id, build_id, key_ref, native_uid, file_name, size, checksum, blob_key)
      select ${gameId}, ${buildId}::uuid, ${keyRef}, new.*
      from unnest(${column('nativeUid')}::uuid[], ${column('fileName')}::text[], ${column('size')}::bigint[],
        ${column('checksum')}::text[], ${column('blobKey')}::text[]) as new
      on conflict (game_id, build_id, checksum) do update
        set file_name = excluded.file_name, key_ref = excluded.key_ref, blob_key = excluded.blob_key, problem = null,
          uploaded_at = excluded.uploaded_at
        where native_symbols.blob_key is null
      returning native_uid, blob_key`,
  );
}

export type NativeRow = {
  build_id: string | null;
  key_ref: string;
  file_name: string;
  size: number;
  checksum: string;
  blob_key: string;
};

/** Undefined for a file that was converted, found to be unreadable, or deleted. */
export function findNative(db: Db, gameId: string, nativeUid: string): Promise<NativeRow | undefined> {
  return row(
    db,
    sql<NativeRow>`select build_id, key_ref, file_name, size, checksum, blob_key from native_symbols
      where game_id = ${gameId} and native_uid = ${nativeUid} and blob_key is not null`,
  );
}

type Version = { nativeUid: string; blobKey: string };

/** Deletes a file that is converted; false if it was deleted or replaced in the meantime. */
export async function deleteConverted(tx: Tx, gameId: string, { nativeUid, blobKey }: Version): Promise<boolean> {
  const count = await changed(
    tx,
    sql`delete from native_symbols
      where game_id = ${gameId} and native_uid = ${nativeUid} and blob_key = ${blobKey}`,
  );
  return count === 1;
}

/** Records why a file can't be converted; false if it was deleted or replaced in the meantime. */
export async function recordUnreadable(
  db: Db,
  gameId: string,
  { nativeUid, blobKey }: Version,
  problem: string,
): Promise<boolean> {
  const count = await changed(
    db,
    sql`update native_symbols set blob_key = null, problem = ${problem}
      where game_id = ${gameId} and native_uid = ${nativeUid} and blob_key = ${blobKey}`,
  );
  return count === 1;
}

/** Deletes one or all files of a build. Returns the keys of their blobs. */
export async function deleteNatives(
  db: Db,
  gameId: string,
  buildId: string | null,
  nativeUid: string | null,
): Promise<{ blob_key: string | null }[]> {
  return rows(
    db,
    sql<{ blob_key: string | null }>`delete from native_symbols
      where game_id = ${gameId} and ${ofBuild(buildId)}
        and (${nativeUid}::uuid is null or native_uid = ${nativeUid}::uuid)
      returning blob_key`,
  );
}

/** The columns of a file in a list of symbols. Its module is not known yet. */
export const nativeColumns = sql.raw(
  `native_uid as symbol_uid, build_id, 'symbols' as kind, file_name as debug_file, '' as debug_id, '' as code_id, '' as os, '' as cpu, size,
  checksum, case when blob_key is null then 'unreadable' else 'stored' end as state, problem, null::integer as functions,
  null::smallint as detail, null::integer as unwind, checksum as native_checksum, uploaded_at,
  null::timestamptz as poorer_at,
  null::smallint as best_detail, null::integer as best_unwind`,
);

type NativeSymbolRow = SymbolRow & { native_checksum: string };

/** The build's files with these checksums, ordered by name. */
export function nativesOfBuild(
  db: Db,
  gameId: string,
  buildId: string | null,
  checksums: readonly string[],
): Promise<NativeSymbolRow[]> {
  return rows(
    db,
    sql<NativeSymbolRow>`select ${nativeColumns} from native_symbols
      where game_id = ${gameId} and ${ofBuild(buildId)} and checksum = any(${checksums}::text[])
      order by lower(file_name), checksum`,
  );
}

export type KnownText = TextFacts & {
  native_checksum: string;
  debug_file: string;
  debug_id: string;
  code_id: string;
  os: string;
  cpu: string;
  checksum: string;
  size: number;
  stored_size: number;
  blob_key: string;
};

/** The readable texts that were made of these native files, for any build of the game. Each module occurs once. */
export function textsOfNatives(tx: Tx, gameId: string, checksums: readonly string[]): Promise<KnownText[]> {
  return rows(
    tx,
    sql<KnownText>`
      select distinct on (native_checksum, lower(debug_file), debug_id) native_checksum, debug_file, debug_id, code_id,
        os, cpu, checksum, size, stored_size, blob_key, functions, detail, records, unwind
      from symbols join symbol_texts using (game_id, checksum)
      where game_id = ${gameId} and native_checksum = any(${checksums}::text[]) and state <> 'unreadable'
        and functions is not null and detail is not null and records is not null and unwind is not null
      order by native_checksum, lower(debug_file), debug_id, symbols.uploaded_at desc`,
  );
}

/** The blobs that rows refer to. */
export const nativeBlobs = sql`select blob_key as key, size, checksum as sha256, null as packing from native_symbols
  where blob_key is not null`;
