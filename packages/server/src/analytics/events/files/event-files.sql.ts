// The SQL of event files: the games that have them, their rows, and the deleted devices whose events are still in them.
import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../../context.ts';
import {
  changed,
  type DatabaseSession,
  type Db,
  onlyRow,
  row,
  rows,
  type Tx,
  withSession,
} from '../../../kernel/database/db.ts';

/** Selects the blobs that rows refer to. */
export const eventFileBlobs = sql`select blob_key as key, size, sha256, null::text as packing from event_files`;

export type FilesState = {
  enabled: boolean;
  changed_at: Date;
  changed_by: string;
  next_hour: Date;
  is_full: boolean;
};

/** Undefined if event files were never turned on for the game. */
export function readFilesState(db: Db, gameId: string): Promise<FilesState | undefined> {
  return row(
    db,
    sql<FilesState>`select enabled, changed_at, changed_by, next_hour, is_full
      from event_file_games join games using (game_id) where game_id = ${gameId}`,
  );
}

export type Switch = { gameId: string; enabled: boolean; changedAt: Date; changedBy: string; firstHour: Date };

/**
 * Turns event files on or off, and returns whether that changed anything. When they are turned on for the first time,
 * they begin with `firstHour`.
 */
export async function writeSwitch(
  tx: Tx,
  { gameId, enabled, changedAt, changedBy, firstHour }: Switch,
): Promise<boolean> {
  const count = await changed(
    tx,
    sql`insert into event_file_games as existing (game_id, enabled, changed_at, changed_by, next_hour)
      select ${gameId}, ${enabled}, ${changedAt}, ${changedBy}, ${firstHour}
      where ${enabled} or exists (select from event_file_games where game_id = ${gameId})
      on conflict (game_id) do update set enabled = excluded.enabled, changed_at = excluded.changed_at,
        changed_by = excluded.changed_by, is_full = false
      where existing.enabled <> excluded.enabled`,
  );
  return count > 0;
}

export type BehindRow = { game_id: string; is_full: boolean };

/** The games whose events from before `before` are not all in files. */
export function listGamesBehind(db: Db, before: Date): Promise<BehindRow[]> {
  return rows(
    db,
    sql<BehindRow>`select game_id, is_full from event_file_games join games using (game_id)
      where enabled and next_hour < ${before}`,
  );
}

/** The games with something to do: events to write, or devices to remove. */
export async function listGamesWithWork(db: Db): Promise<string[]> {
  const games = await rows(
    db,
    sql<{ game_id: string }>`select game_id from games
      where game_id in (select game_id from event_file_games where enabled union select game_id from event_file_devices)
      order by game_id`,
  );
  return games.map(({ game_id }) => game_id);
}

/**
 * Runs `work` with the lock on the files of the game, so that only one process changes them. Skips it if another has
 * the lock.
 */
export async function withFiles(
  { pool }: Context,
  gameId: string,
  work: (session: DatabaseSession) => Promise<void>,
): Promise<void> {
  await withSession(pool, async (session) => {
    if (!(await tryLock(session.db, gameId))) return;
    await work(session);
    // The end of the session releases the lock as well, but only when the database notices.
    await unlock(session.db, gameId);
  });
}

/** Takes the lock until the session ends. False if another session has it. */
async function tryLock(db: Db, gameId: string): Promise<boolean> {
  const { locked } = await onlyRow(
    db,
    sql<{ locked: boolean }>`select pg_try_advisory_lock(${lockOf(gameId)}) as locked`,
  );
  return locked;
}

async function unlock(db: Db, gameId: string): Promise<void> {
  await rows(db, sql`select pg_advisory_unlock(${lockOf(gameId)})`);
}

function lockOf(gameId: string): RawBuilder<string> {
  return sql<string>`hashtextextended(${`event files/${gameId}`}, 0)`;
}

/**
 * Whether a backup holds back the deletion of a blob below `prefix`. Nothing must be written there until it is deleted.
 */
export async function isHeld(db: Db, prefix: string): Promise<boolean> {
  return (await row(db, sql`select from held_deletions where starts_with(blob_key, ${prefix}) limit 1`)) !== undefined;
}

/**
 * Notes that the events before `to` are in files. Returns false if the written files do not count, because event files
 * were turned off in the meantime, or because `from` is not the next hour.
 */
export async function advance(tx: Tx, gameId: string, { from, to }: { from: Date; to: Date }): Promise<boolean> {
  const count = await changed(
    tx,
    sql`update event_file_games set next_hour = ${to}, is_full = false
      where game_id = ${gameId} and enabled and next_hour = ${from}`,
  );
  return count > 0;
}

/** Goes back to the first hour that is not closed for games whose next hour was set while the clock was ahead. */
export async function correctNextHours(db: Db, openFrom: Date): Promise<void> {
  await changed(
    db,
    sql`update event_file_games set next_hour = ${openFrom}
      where next_hour > ${openFrom}::timestamptz + interval '1 hour'`,
  );
}

export async function setFull(db: Db, gameId: string): Promise<void> {
  await changed(db, sql`update event_file_games set is_full = true where game_id = ${gameId} and not is_full`);
}

export type NewEventFile = {
  fileId: string;
  hour: Date;
  part: number;
  key: string;
  size: number;
  sha256: string;
  events: number;
};

export async function insertEventFile(tx: Tx, gameId: string, file: NewEventFile, writtenAt: Date): Promise<void> {
  const { fileId, hour, part, key, size, sha256, events } = file;
  await changed(
    tx,
    sql`insert into event_files (game_id, file_id, hour, part, blob_key, size, sha256, events, written_at)
      values (${gameId}, ${fileId}, ${hour}, ${part}, ${key}, ${size}, ${sha256}, ${events}, ${writtenAt})`,
  );
}

export type EventFileRow = {
  file_id: string;
  hour: Date;
  part: number;
  blob_key: string;
  size: number;
  sha256: string;
  events: number;
  written_at: Date;
};

const columns = sql`file_id, hour, part, blob_key, size, sha256, events, written_at`;

type Span = { from: Date | null; to: Date | null };

/** The files of the hours from `from` to `to` (exclusive) that come after `after`, the newest first. */
export function listEventFiles(
  db: Db,
  gameId: string,
  { from, to, after, limit }: Span & { after: { hour: Date; part: number } | null; limit: number },
): Promise<EventFileRow[]> {
  const isAfter = after === null ? sql`true` : sql`(hour, part) < (${after.hour}::timestamptz, ${after.part}::integer)`;
  return rows(
    db,
    sql<EventFileRow>`select ${columns} from event_files where game_id = ${gameId}
      and hour >= coalesce(${from}::timestamptz, '-infinity') and hour < coalesce(${to}::timestamptz, 'infinity') and ${isAfter}
      order by hour desc, part desc limit ${limit}`,
  );
}

export function findEventFile(db: Db, gameId: string, fileId: string): Promise<EventFileRow | undefined> {
  return row(
    db,
    sql<EventFileRow>`select ${columns} from event_files where game_id = ${gameId} and file_id = ${fileId}`,
  );
}

export type EventFileTotals = { files: number; bytes: number; events: number };

export function readTotals(db: Db, gameId: string): Promise<EventFileTotals> {
  return onlyRow(
    db,
    sql<EventFileTotals>`select count(*) as files, coalesce(sum(size), 0)::bigint as bytes, coalesce(sum(events), 0)::bigint as events
      from event_files where game_id = ${gameId}`,
  );
}

export async function countFilesBefore(db: Db, gameId: string, before: Date): Promise<number> {
  const { files } = await onlyRow(
    db,
    sql<{ files: number }>`select count(*) as files from event_files where game_id = ${gameId} and hour < ${before}`,
  );
  return files;
}

/** Deletes the rows of files from `from` up to `to` that were written while the clock was ahead. */
export async function deleteRowsBetween(tx: Tx, gameId: string, { from, to }: { from: Date; to: Date }): Promise<void> {
  await changed(tx, sql`delete from event_files where game_id = ${gameId} and hour >= ${from} and hour < ${to}`);
}

type Content = { key: string; size: number; sha256: string; events: number };

/** Replaces the blob of a file. Returns false if the file has another blob by now, or was deleted. */
export async function replaceBlob(
  db: Db,
  { gameId, fileId, oldKey, writtenAt }: { gameId: string; fileId: string; oldKey: string; writtenAt: Date },
  { key, size, sha256, events }: Content,
): Promise<boolean> {
  const count = await changed(
    db,
    sql`update event_files set blob_key = ${key}, size = ${size}, sha256 = ${sha256}, events = ${events}, written_at = ${writtenAt}
      where game_id = ${gameId} and file_id = ${fileId} and blob_key = ${oldKey}`,
  );
  return count > 0;
}

/** Deletes the rows of files that still have these keys. */
export async function deleteFileRows(db: Db, gameId: string, keys: readonly string[]): Promise<void> {
  await changed(db, sql`delete from event_files where game_id = ${gameId} and blob_key = any(${keys}::text[])`);
}

/** The games with files of hours before `before`. */
export async function gamesWithFilesBefore(db: Db, before: Date): Promise<string[]> {
  const games = await rows(
    db,
    sql<{ game_id: string }>`select distinct game_id from event_files where hour < ${before}`,
  );
  return games.map(({ game_id }) => game_id);
}

/** Those of `keys` that a row refers to. */
export async function keysWithRows(db: Db, keys: readonly string[]): Promise<Set<string>> {
  const found = await rows(
    db,
    sql<{ blob_key: string }>`select blob_key from event_files where blob_key = any(${keys}::text[])`,
  );
  return new Set(found.map(({ blob_key }) => blob_key));
}

export type DeletedDevice = { device_uid: string; since: Date | null; deleted_at: Date };

/** Notes that the device's events until now must be removed from files, if the game has or had any. */
export async function insertDevice(
  tx: Tx,
  gameId: string,
  { device_uid, since, deleted_at }: DeletedDevice,
): Promise<boolean> {
  const count = await changed(
    tx,
    sql`insert into event_file_devices as existing (game_id, device_uid, since, deleted_at)
      select ${gameId}, ${device_uid}, ${since}::timestamptz, ${deleted_at}
      where exists (select from event_file_games where game_id = ${gameId})
      on conflict (game_id, device_uid) do update set deleted_at = excluded.deleted_at,
        since = case when existing.since is not null and excluded.since is not null
          then least(existing.since, excluded.since) end`,
  );
  return count > 0;
}

export function listDevices(db: Db, gameId: string): Promise<DeletedDevice[]> {
  return rows(
    db,
    sql<DeletedDevice>`select device_uid, since, deleted_at from event_file_devices
      where game_id = ${gameId} order by device_uid`,
  );
}

/** Forgets devices whose events were removed, unless they were deleted again in the meantime. */
export async function deleteDevices(db: Db, gameId: string, devices: readonly DeletedDevice[]): Promise<void> {
  const column = (name: 'device_uid' | 'deleted_at') => devices.map((device) => device[name]);
  await changed(
    db,
    sql`delete from event_file_devices where game_id = ${gameId} and (device_uid, deleted_at) in
      (select * from unnest(${column('device_uid')}::text[], ${column('deleted_at')}::timestamptz[]))`,
  );
}

/** The query whose result `parseEvents` reads: the events of a partition in the order in which they arrived. */
export function eventsQuery(partition: string, gameId: string, { from, to }: { from: Date; to: Date }): string {
  const us = (column: string) => `(extract(epoch from ${column}) * 1000000)::bigint`;
  const values = [
    us('received_at'),
    ...['build_id', 'name', 'device_uid', 'session_id', 'event_id', 'anonymous', 'ms', 'seconds'],
    us('client_time'),
    'properties::text',
  ];
  // COPY has no parameters. None of these values comes from a request.
  return `select json_build_array(${values.join()}) from "${partition}" where game_id = '${gameId}'
    and received_at >= '${from.toISOString()}' and received_at < '${to.toISOString()}' order by received_at`;
}
