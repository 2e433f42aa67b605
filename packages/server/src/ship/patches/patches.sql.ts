// The SQL of patches: which files need them, and what was made.
import { sql } from 'kysely';
import { type Db, row } from '../../kernel/database/db.ts';

export type Pair = { readonly gameId: string; readonly fileId: string; readonly fromFileId: string };

/** Selects the blobs that rows refer to. */
export const patchBlobs = sql`select difference_key as key, difference_size as size, difference_sha256 as sha256, null::text as packing
  from file_differences where difference_key is not null
  union all select pack_key, pack_size, pack_sha256, null from file_differences where pack_key is not null`;

export type StoredBlob = { key: string; size: number; sha256: string };

/** Undefined if there is none. */
export function findPack(db: Db, { gameId, fileId, fromFileId }: Pair): Promise<StoredBlob | undefined> {
  return row(
    db,
    sql<StoredBlob>`select pack_key as key, pack_size as size, pack_sha256 as sha256 from file_differences
      where game_id = ${gameId} and file_id = ${fileId} and from_file_id = ${fromFileId} and pack_key is not null`,
  );
}

/** Undefined if there is none. */
export function findDifference(db: Db, { gameId, fileId, fromFileId }: Pair): Promise<StoredBlob | undefined> {
  return row(
    db,
    sql<StoredBlob>`select difference_key as key, difference_size as size, difference_sha256 as sha256
      from file_differences
      where game_id = ${gameId} and file_id = ${fileId} and from_file_id = ${fromFileId} and difference_key is not null`,
  );
}

export type SizesRow = { patch: number | null; blocks: number | null };

/** What a client with the newest file of a build that has them downloads for another file. Undefined if it is unknown. */
export function findSizes(
  db: Db,
  { gameId, fileId, fromBuildId }: { gameId: string; fileId: string; fromBuildId: string },
): Promise<SizesRow | undefined> {
  return row(
    db,
    sql<SizesRow>`select pack_size as patch, blocks_size + difference_size as blocks
      from file_differences join files on files.game_id = file_differences.game_id and files.file_id = from_file_id
      where file_differences.game_id = ${gameId} and file_differences.file_id = ${fileId} and build_id = ${fromBuildId}
        and difference_key is not null
      order by uploaded_at desc, from_file_id desc limit 1`,
  );
}
