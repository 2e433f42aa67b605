// The SQL of patches: which files need them, and what was made.
import { sql } from 'kysely';
import { changed, type Db, row, rows, type Tx } from '../../kernel/database/db.ts';
import { offered } from '../files/files.ts';

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
      where game_id = ${gameId} and file_id = ${fileId} and from_file_id = ${fromFileId}
        and pack_key is not null and pack_size is not null and pack_sha256 is not null`,
  );
}

/** Undefined if there is none. */
export function findDifference(db: Db, { gameId, fileId, fromFileId }: Pair): Promise<StoredBlob | undefined> {
  return row(
    db,
    sql<StoredBlob>`select difference_key as key, difference_size as size, difference_sha256 as sha256
      from file_differences
      where game_id = ${gameId} and file_id = ${fileId} and from_file_id = ${fromFileId}
        and difference_key is not null and difference_size is not null and difference_sha256 is not null`,
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

/** Patches are made from so many versions that a channel offered before. */
const SOURCES = 3;

/**
 * The files that the channels and rollouts of a game offer, each with files that a client which followed them has: the
 * newest of each of the versions that were offered before on the platform. `rank` is 1 for the version before.
 */
const wantedPairs = (gameId: string, now: Date) => sql`with places as (
    select pointers.channel, pointers.os, pointers.arch, moves.build_id
    from channel_pointers as pointers join channel_moves as moves
      on moves.game_id = pointers.game_id and moves.move_id = pointers.move_id
    where pointers.game_id = ${gameId} and (moves.expires_at is null or moves.expires_at > ${now}::timestamptz)
    union
    select channel, os, arch, build_id from rollout_builds where game_id = ${gameId} and active
  ), history as (
    select channel, os, arch, build_id, max(at) as at from (
      select channel, os, arch, build_id, moved_at as at from channel_moves
      where game_id = ${gameId} and action <> 'delete'
      union all
      select rollout_builds.channel, os, arch, build_id, started_at
      from rollout_builds join rollouts using (game_id, rollout_id)
      where game_id = ${gameId} and not active
    ) as offers group by channel, os, arch, build_id
  ), newest as (
    select distinct on (build_id) build_id, file_id from files
    where game_id = ${gameId} and ${offered}
      and build_id in (select build_id from places union all select build_id from history)
    order by build_id, uploaded_at desc, file_id desc
  ), described as (
    select newest.build_id, newest.file_id, builds.version
    from newest join builds on builds.game_id = ${gameId} and builds.build_id = newest.build_id
      join file_manifests on file_manifests.game_id = ${gameId} and file_manifests.file_id = newest.file_id
  ), sources as (
    select distinct on (channel, os, arch, target.file_id, source.version)
      channel, os, arch, target.file_id, source.file_id as from_file_id, history.at
    from places join described as target on target.build_id = places.build_id
      join history using (channel, os, arch) join described as source on source.build_id = history.build_id
    where source.build_id <> target.build_id
    order by channel, os, arch, target.file_id, source.version, history.at desc, source.file_id
  ), ranked as (
    select file_id, from_file_id,
      row_number() over (partition by channel, os, arch, file_id order by at desc, from_file_id) as rank
    from sources
  )
  select file_id, from_file_id, min(rank)::integer as rank from ranked where rank <= ${SOURCES} group by 1, 2`;

/** Records which pairs a game needs from now on. `now` decides which channels have expired. */
export async function updateWanted(tx: Tx, gameId: string, now: Date, isOn: boolean): Promise<void> {
  const wanted = isOn ? wantedPairs(gameId, now) : sql`${wantedPairs(gameId, now)} limit 0`;
  await changed(
    tx,
    sql`with wanted as materialized (${wanted}), added as (
        insert into file_differences (game_id, file_id, from_file_id, rank)
          select ${gameId}, file_id, from_file_id, rank from wanted
        on conflict (game_id, file_id, from_file_id) do update set unwanted_since = null, rank = excluded.rank
      )
      update file_differences set unwanted_since = ${now}
      where game_id = ${gameId} and unwanted_since is null
        and (file_id, from_file_id) not in (select file_id, from_file_id from wanted)`,
  );
}

export type WaitingRow = { file_id: string; from_file_id: string; rank: number };

/** The pairs that still have to be made. */
export function listWaiting(db: Db, gameId: string): Promise<WaitingRow[]> {
  return rows(
    db,
    sql<WaitingRow>`select file_id, from_file_id, rank from file_differences
      where game_id = ${gameId} and state = 'waiting' and unwanted_since is null order by rank, file_id`,
  );
}

/** Serializes what decides about the pairs of a game. */
export async function lockPairs(tx: Tx, gameId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`patches/${gameId}`}, 0))`);
}

/** What was given up because the game had no room is tried again. */
export async function retryWithoutRoom(tx: Tx, gameId: string): Promise<void> {
  await changed(
    tx,
    sql`update file_differences set state = 'waiting', reason = null, tries = 0
      where game_id = ${gameId} and reason = 'no_room' and unwanted_since is null`,
  );
}

type BlobColumns<Name extends string> = { [Column in `${Name}_${'zip_key' | 'key'}`]: string } & {
  [Column in `${Name}_size`]: number;
};

export type MakingRow = {
  tries: number;
  difference_key: string | null;
  difference_size: number | null;
  blocks_size: number | null;
} & BlobColumns<'from'> &
  BlobColumns<'to'>;

/** Counts a try. Undefined if nothing is to be made, or a file was deleted. */
export function beginMaking(db: Db, { gameId, fileId, fromFileId }: Pair): Promise<MakingRow | undefined> {
  return row(
    db,
    sql<MakingRow>`update file_differences set tries = tries + 1
      from files as to_file, file_manifests as to_manifest, files as from_file, file_manifests as from_manifest
      where file_differences.game_id = ${gameId} and file_differences.file_id = ${fileId}
        and from_file_id = ${fromFileId} and state = 'waiting' and unwanted_since is null
        and to_file.game_id = ${gameId} and to_file.file_id = ${fileId}
        and to_manifest.game_id = ${gameId} and to_manifest.file_id = ${fileId}
        and from_file.game_id = ${gameId} and from_file.file_id = ${fromFileId}
        and from_manifest.game_id = ${gameId} and from_manifest.file_id = ${fromFileId}
      returning tries, difference_key, difference_size, blocks_size,
        to_file.blob_key as to_zip_key, to_manifest.blob_key as to_key, to_manifest.size as to_size,
        from_file.blob_key as from_zip_key, from_manifest.blob_key as from_key, from_manifest.size as from_size`,
  );
}

/** A try that ended without a result, but not with the process, doesn't count. */
export async function forgetTry(db: Db, { gameId, fileId, fromFileId }: Pair): Promise<void> {
  await changed(
    db,
    sql`update file_differences set tries = tries - 1
      where game_id = ${gameId} and file_id = ${fileId} and from_file_id = ${fromFileId} and tries > 0`,
  );
}

export async function isStillWanted(db: Db, { gameId, fileId, fromFileId }: Pair): Promise<boolean> {
  const found = await row(
    db,
    sql`select from file_differences
      where game_id = ${gameId} and file_id = ${fileId} and from_file_id = ${fromFileId} and unwanted_since is null
        and state = 'waiting'`,
  );
  return found !== undefined;
}

/** Returns false if it is not needed any more. */
export async function setDifference(
  tx: Tx,
  { gameId, fileId, fromFileId }: Pair,
  { key, size, sha256 }: StoredBlob,
  blocksSize: number,
): Promise<boolean> {
  const count = await changed(
    tx,
    sql`update file_differences set difference_key = ${key}, difference_size = ${size}, difference_sha256 = ${sha256},
        blocks_size = ${blocksSize}
      where game_id = ${gameId} and file_id = ${fileId} and from_file_id = ${fromFileId} and state = 'waiting'
        and difference_key is null`,
  );
  return count === 1;
}

/** Returns false if it is not needed any more. */
export async function setPack(
  tx: Tx,
  { gameId, fileId, fromFileId }: Pair,
  { key, size, sha256 }: StoredBlob,
): Promise<boolean> {
  const count = await changed(
    tx,
    sql`update file_differences set state = 'made', pack_key = ${key}, pack_size = ${size}, pack_sha256 = ${sha256}
      where game_id = ${gameId} and file_id = ${fileId} and from_file_id = ${fromFileId} and state = 'waiting'`,
  );
  return count === 1;
}

export type Reason = 'not_smaller' | 'too_large' | 'no_room' | 'failed';

export async function setNone(db: Db, { gameId, fileId, fromFileId }: Pair, reason: Reason): Promise<void> {
  await changed(
    db,
    sql`update file_differences set state = 'none', reason = ${reason}
      where game_id = ${gameId} and file_id = ${fileId} and from_file_id = ${fromFileId} and state = 'waiting'`,
  );
}

/** Deletes the pairs that no channel needs since before a time. Returns the keys of their blobs. */
export async function deleteUnwanted(db: Db, before: Date): Promise<string[]> {
  const deleted = await rows(
    db,
    sql<{ difference_key: string | null; pack_key: string | null }>`delete from file_differences
      where unwanted_since < ${before} returning difference_key, pack_key`,
  );
  return deleted.flatMap(({ difference_key, pack_key }) => [difference_key, pack_key].filter((key) => key !== null));
}

/** The games whose channels offer anything, and others that have pairs. */
export async function listGames(db: Db): Promise<string[]> {
  const games = await rows(
    db,
    sql<{ game_id: string }>`select game_id from channel_pointers union select game_id from file_differences`,
  );
  return games.map(({ game_id }) => game_id);
}

export async function referencedKeys(db: Db, keys: readonly string[]): Promise<Set<string>> {
  const found = await rows(
    db,
    sql<{ key: string }>`select difference_key as key from file_differences where difference_key = any(${keys}::text[])
      union all select pack_key from file_differences where pack_key = any(${keys}::text[])`,
  );
  return new Set(found.map(({ key }) => key));
}

export type UpdateRow = { file_id: string; from_version: string; bytes: number };

/** What clients with an older file download for each file that channels offer, the newest older version first. */
export function listUpdates(db: Db, gameId: string): Promise<UpdateRow[]> {
  return rows(
    db,
    sql<UpdateRow>`select file_differences.file_id, version as from_version,
        coalesce(pack_size, blocks_size + difference_size, 0) as bytes
      from file_differences
        join files on files.game_id = file_differences.game_id and files.file_id = from_file_id
        join builds on builds.game_id = files.game_id and builds.build_id = files.build_id
      where file_differences.game_id = ${gameId} and unwanted_since is null and difference_key is not null
      order by rank, builds.created_at desc, from_file_id`,
  );
}
