// The SQL of sessions. Everything that changes sessions of a game holds its lock until the end of the transaction, so
// that sessions can be read, counted by a pure function, and written (ADR 0039).
import { type RawBuilder, sql } from 'kysely';
import { BulkRows, type Column } from '../../kernel/database/bulk-rows.ts';
import { changed, type Db, keepPlan, onlyRow, rows, type Tx } from '../../kernel/database/db.ts';
import {
  type Change,
  countChanges,
  DAY_COUNTS,
  type DayChange,
  type DeviceDay,
  type Session,
} from './count-changes.ts';

/** Locks the sessions of these games, and returns the games that exist. */
export async function lockGames(tx: Tx, gameIds: readonly string[]): Promise<string[]> {
  const locked = await rows(
    tx,
    sql<{
      game_id: string;
    }>`select game_id, pg_advisory_xact_lock(hashtextextended('sdk sessions/' || game_id, 0))::text
      from (select game_id from games where game_id = any(${gameIds}::uuid[]) order by game_id) as live`,
  );
  return locked.map(({ game_id }) => game_id);
}

/** Has each row looked up by the index, also while PostgreSQL still takes the table for a small one. */
const BY_INDEX = sql`offset 0`;

const SESSION = sql`sid, build_id as "buildId", device_uid as "deviceUid", day::text, is_crashed as "isCrashed"`;

export function findSessions(tx: Tx, gameId: string, sids: readonly string[]): Promise<Session[]> {
  return rows(
    tx,
    keepPlan(
      sql<Session>`select ${SESSION} from unnest(${sids}::text[]) as given (sent_sid) cross join lateral (
          select * from sdk_sessions where game_id = ${gameId} and sid = sent_sid ${BY_INDEX}
        ) as stored`,
    ),
  );
}

/** Sessions that started on one of these days with a build, or with a release that no build has. */
export function listSessionsOfBuild(
  tx: Tx,
  { gameId, buildId, days }: { gameId: string; buildId: string; days: readonly string[] },
  limit: number,
): Promise<Session[]> {
  return rows(
    tx,
    sql<Session>`select ${SESSION} from sdk_sessions
      where day = any(${days}::date[]) and build_id = ${buildId} and game_id = ${gameId} limit ${limit}`,
  );
}

export function listSessionsOfDevice(tx: Tx, gameId: string, deviceUid: string, limit: number): Promise<Session[]> {
  return rows(
    tx,
    sql<Session>`select ${SESSION} from sdk_sessions where game_id = ${gameId} and device_uid = ${deviceUid} limit ${limit}`,
  );
}

/** Counts new sessions of a day, and returns how many of them are within the limit; 0 for no limit. */
export async function countNew(
  tx: Tx,
  gameId: string,
  { count, max, day }: { count: number; max: number; day: Date },
): Promise<number> {
  if (count === 0 || max === 0) return count;
  const { used } = await onlyRow(
    tx,
    sql<{ used: number }>`insert into rate_counters (subject, name, window_start, used)
      values (${gameId}, 'sdk sessions', ${day}::timestamptz, ${count}::bigint)
      on conflict (subject, name, window_start) do update set used = rate_counters.used + excluded.used returning used`,
  );
  return Math.min(count, Math.max(0, max - (used - count)));
}

/** Writes the sessions and their counts. The caller holds the lock. */
export async function writeChanges(tx: Tx, gameId: string, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  const { devices, days } = countChanges(changes, await findDevices(tx, gameId, changes));
  await writeSessions(
    tx,
    gameId,
    changes.flatMap(({ after }) => after ?? []),
  );
  if (devices.length > 0) await writeDevices(tx, gameId, devices);
  if (days.length > 0) await writeDays(tx, gameId, days);
}

const DEVICE_KEY: readonly Column<Pick<DeviceDay, 'deviceUid' | 'buildId'>>[] = [
  { name: 'device_uid', type: 'text', value: ({ deviceUid }) => deviceUid },
  { name: 'build_id', type: 'uuid', value: ({ buildId }) => buildId },
];

/** All rows of the devices in the changes, with their builds: one for each day that sessions are kept for. */
async function findDevices(tx: Tx, gameId: string, changes: readonly Change[]): Promise<DeviceDay[]> {
  const keys = new Map<string, { deviceUid: string; buildId: string }>();
  for (const session of changes.flatMap(({ before, after }) => [before, after]))
    if (session?.deviceUid != null)
      keys.set(`${session.buildId} ${session.deviceUid}`, { deviceUid: session.deviceUid, buildId: session.buildId });
  if (keys.size === 0) return [];
  const given = bulkOf(DEVICE_KEY, keys.values());
  return rows(
    tx,
    keepPlan(
      sql<DeviceDay>`select stored.device_uid as "deviceUid", stored.build_id as "buildId", day::text, sessions, crashed
        from ${given.unnest('given')} cross join lateral (
          select * from sdk_session_devices
          where game_id = ${gameId} and device_uid = given.device_uid and build_id = given.build_id ${BY_INDEX}
        ) as stored`,
    ),
  );
}

function bulkOf<Row>(columns: readonly Column<Row>[], items: Iterable<Row>): BulkRows<Row> {
  const bulk = new BulkRows(columns);
  for (const item of items) bulk.add(item);
  return bulk;
}

const SESSION_COLUMNS: readonly Column<Session>[] = [
  { name: 'sid', type: 'text', value: ({ sid }) => sid },
  { name: 'build_id', type: 'uuid', value: ({ buildId }) => buildId },
  { name: 'device_uid', type: 'text', value: ({ deviceUid }) => deviceUid },
  { name: 'day', type: 'text', value: ({ day }) => day },
  { name: 'is_crashed', type: 'boolean', value: ({ isCrashed }) => isCrashed },
];

async function writeSessions(tx: Tx, gameId: string, sessions: readonly Session[]): Promise<void> {
  await changed(
    tx,
    keepPlan(
      sql`insert into sdk_sessions (game_id, sid, build_id, device_uid, day, is_crashed)
        select ${gameId}::uuid, sid, build_id, device_uid, day::date, is_crashed
        from ${bulkOf(SESSION_COLUMNS, sessions).unnest('given')}
        on conflict (game_id, sid) do update set build_id = excluded.build_id, device_uid = excluded.device_uid,
          day = excluded.day, is_crashed = excluded.is_crashed`,
    ),
  );
}

const DEVICE_COLUMNS: readonly Column<DeviceDay>[] = [
  ...DEVICE_KEY,
  { name: 'day', type: 'text', value: ({ day }) => day },
  { name: 'sessions', type: 'integer', value: ({ sessions }) => sessions },
  { name: 'crashed', type: 'integer', value: ({ crashed }) => crashed },
];

async function writeDevices(tx: Tx, gameId: string, devices: readonly DeviceDay[]): Promise<void> {
  await changed(
    tx,
    keepPlan(
      sql`insert into sdk_session_devices (game_id, device_uid, build_id, day, sessions, crashed)
        select ${gameId}::uuid, device_uid, build_id, day::date, sessions, crashed
        from ${bulkOf(DEVICE_COLUMNS, devices).unnest('given')}
        on conflict (game_id, device_uid, build_id, day) do update set sessions = excluded.sessions, crashed = excluded.crashed`,
    ),
  );
  if (devices.every(({ sessions }) => sessions > 0)) return;
  const gone = devices.filter(({ sessions }) => sessions === 0);
  await changed(
    tx,
    sql`delete from sdk_session_devices using ${bulkOf(DEVICE_COLUMNS, gone).unnest('given')}
      where game_id = ${gameId} and sdk_session_devices.device_uid = given.device_uid
        and sdk_session_devices.build_id = given.build_id and sdk_session_devices.day = given.day::date`,
  );
}

const DAY_COLUMNS: readonly Column<DayChange>[] = [
  { name: 'build_id', type: 'uuid', value: ({ buildId }) => buildId },
  { name: 'day', type: 'text', value: ({ day }) => day },
  ...DAY_COUNTS.map((name): Column<DayChange> => ({ name, type: 'bigint', value: (change) => change[name] })),
];

async function writeDays(tx: Tx, gameId: string, days: readonly DayChange[]): Promise<void> {
  await changed(
    tx,
    keepPlan(
      sql`insert into sdk_session_days as existing
          (game_id, build_id, day, sessions, crashed, devices, crashed_devices, active, active_crashed)
        select ${gameId}::uuid, build_id, day::date, sessions, crashed, devices, crashed_devices, active, active_crashed
        from ${bulkOf(DAY_COLUMNS, days).unnest('given')}
        on conflict (game_id, day, build_id) do update set sessions = existing.sessions + excluded.sessions,
          crashed = existing.crashed + excluded.crashed, devices = existing.devices + excluded.devices,
          crashed_devices = existing.crashed_devices + excluded.crashed_devices,
          active = existing.active + excluded.active, active_crashed = existing.active_crashed + excluded.active_crashed`,
    ),
  );
}

export type AssignedRelease = { game_id: string; place_id: string; build_id: string };

/** Releases that got a build, and still have sessions. */
export function listAssigned(db: Db): Promise<AssignedRelease[]> {
  return rows(
    db,
    sql<AssignedRelease>`select game_id, place_id, build_id from assigned_releases
      where exists (select from sdk_session_days where sdk_session_days.game_id = assigned_releases.game_id
        and sdk_session_days.build_id = assigned_releases.place_id)
      order by game_id, place_id`,
  );
}

/** The days on which sessions of the release count. */
export async function listDaysOfBuild(tx: Tx, gameId: string, buildId: string): Promise<string[]> {
  const found = await rows(
    tx,
    sql<{ day: string }>`select day::text from sdk_session_days where game_id = ${gameId} and build_id = ${buildId}`,
  );
  return found.map(({ day }) => day);
}

/** Deletes the counts of a release whose sessions have all got a build, and moves what is left of older ones. */
export async function moveDays(tx: Tx, { game_id: gameId, place_id: placeId, build_id }: AssignedRelease) {
  const counts = sql.join(DAY_COUNTS.map((name) => sql.ref(name)));
  const added = sql.join(
    DAY_COUNTS.map((name) => sql`${sql.ref(name)} = existing.${sql.ref(name)} + excluded.${sql.ref(name)}`),
  );
  await changed(
    tx,
    sql`with moved as (
        delete from sdk_session_days where game_id = ${gameId} and build_id = ${placeId} returning *
      ) insert into sdk_session_days as existing (game_id, build_id, day, ${counts})
      select game_id, ${build_id}::uuid, day, ${counts} from moved
      on conflict (game_id, day, build_id) do update set ${added}`,
  );
}

export async function deleteAssignedBefore(db: Db, before: Date): Promise<void> {
  await changed(
    db,
    sql`delete from assigned_releases where assigned_at < ${before}::timestamptz
      and not exists (select from sdk_session_days where sdk_session_days.game_id = assigned_releases.game_id
        and sdk_session_days.build_id = assigned_releases.place_id)`,
  );
}

export type DeviceSessions = { build_id: string; day: string; sessions: number; crashed: number };

/** The sessions of a device, the newest day first. */
export function readSessionsOfDevice(db: Db, gameId: string, deviceUid: string): Promise<DeviceSessions[]> {
  return rows(
    db,
    sql<DeviceSessions>`select build_id, day::text, sessions, crashed from sdk_session_devices
      where game_id = ${gameId} and device_uid = ${deviceUid} order by day desc, build_id limit 1000`,
  );
}

/** Deletes what is left of a device whose sessions were deleted with their time. */
export async function deleteDevice(tx: Tx, gameId: string, deviceUid: string): Promise<void> {
  await changed(tx, sql`delete from sdk_session_devices where game_id = ${gameId} and device_uid = ${deviceUid}`);
}

/** How many rows are deleted at once: few enough for a short transaction. */
const DELETED_AT_ONCE = 10_000;

/** Deletes the rows of all games from before a UTC day. */
export async function deleteBefore(
  db: Db,
  table: 'sdk_sessions' | 'sdk_session_devices' | 'sdk_session_days',
  day: string,
): Promise<void> {
  const old: RawBuilder<unknown> = sql`select ctid from ${sql.table(table)} where day < ${day}::date
    limit ${DELETED_AT_ONCE} for update skip locked`;
  for (let deleted = DELETED_AT_ONCE; deleted >= DELETED_AT_ONCE; )
    deleted = await changed(db, sql`delete from ${sql.table(table)} where ctid = any(array(${old}))`);
}
