// Reads and deletes the data of a device. Its events have no index, so there is a statement for each day, which reads
// all events of the game on that day.
import { type RawBuilder, sql } from 'kysely';
import { DAY } from '../../../kernel/clock.ts';
import { changed, type Db, rows } from '../../../kernel/database/db.ts';
import { listPartitions } from '../../../kernel/database/partitions.ts';
import { rowsOfGame } from '../../../kernel/database/shards.ts';
import { dayOfPartition } from '../keep/event-partitions.job.ts';
import type { Properties } from '../receive/event.ts';

type DeviceRef = { gameId: string; deviceUid: string };

export type DeviceRow = {
  build_id: string;
  first_seen: Date;
  last_day: string;
  first_boot_at: Date | null;
  boot_day: string | null;
  crash_day: string | null;
};

/** The device's progress with each build, the most recently used build first. */
export function readDevice(db: Db, { gameId, deviceUid }: DeviceRef): Promise<DeviceRow[]> {
  return rows(
    db,
    sql<DeviceRow>`select build_id, first_seen, last_day::text, first_boot_at, boot_day::text, crash_day::text from event_devices
      where game_id = ${gameId} and device_uid = ${deviceUid} order by first_seen desc, build_id`,
  );
}

export async function readFirstSeen(db: Db, { gameId, deviceUid }: DeviceRef): Promise<Date | null> {
  const [device] = await rows(
    db,
    sql<{
      first_seen: Date;
    }>`select first_seen from game_devices where game_id = ${gameId} and device_uid = ${deviceUid}`,
  );
  return device?.first_seen ?? null;
}

export type DeviceEventRow = {
  received_at: Date;
  /** Microseconds since 1970. */
  received_us: number;
  build_id: string;
  name: string;
  anonymous: boolean;
  session_id: string | null;
  event_id: string | null;
  ms: number | null;
  seconds: number | null;
  client_time: Date | null;
  properties: Properties | null;
};

/** A period in microseconds since 1970, including its start and excluding its end. */
type Period = { fromUs: number; toUs: number };

/**
 * The newest events of the period. Returns more than `limit` if several events have the same time as the last one,
 * because the next page only has events from before that time.
 */
function readEvents(
  db: Db,
  { gameId, deviceUid }: DeviceRef,
  { fromUs, toUs }: Period,
  limit: number,
): Promise<DeviceEventRow[]> {
  return rows(
    db,
    sql<DeviceEventRow>`select received_at, (extract(epoch from received_at) * 1000000)::bigint as received_us, build_id, name,
        anonymous, session_id, event_id, ms, seconds, client_time, properties
      from events
      where game_id = ${gameId} and device_uid = ${deviceUid}
        and received_at >= ${timeOf(fromUs)} and received_at < ${timeOf(toUs)}
      order by received_at desc fetch first (${limit}::integer) rows with ties`,
  );
}

/** Converts exactly, unlike a float of seconds. */
function timeOf(us: number): RawBuilder<Date> {
  return sql`(timestamptz 'epoch' + ${us}::bigint * interval '1 microsecond')`;
}

/** Removes the device from all counts of devices and returns the number of builds that it had used. */
export async function forgetDeviceEvents(db: Db, { gameId, deviceUid }: DeviceRef): Promise<number> {
  const ofDevice = sql`game_id = ${gameId}::uuid and device_uid = ${deviceUid}::text`;
  const [forgotten] = await rowsOfGame(
    db,
    gameId,
    sql<{ builds: number }>`
      with deleted as (
        delete from event_devices where ${ofDevice}
        returning build_id, last_day, boot_day, crash_day, any_crash_day
      ), days as (
        insert into event_device_days as existing (game_id, day, build_id, slot, devices, booted, crashed, any_crashed)
        select ${gameId}::uuid, counted_day.day, build_id, 0, sum(devices), sum(booted), sum(crashed), sum(any_crashed)
        from deleted cross join lateral (values (last_day, -1, 0, 0, 0), (boot_day, 0, -1, 0, 0), (crash_day, 0, 0, -1, 0),
          (any_crash_day, 0, 0, 0, -1)) as counted_day (day, devices, booted, crashed, any_crashed)
        where counted_day.day is not null group by counted_day.day, build_id order by counted_day.day, build_id
        on conflict (game_id, day, build_id, slot) do update set devices = existing.devices + excluded.devices,
          booted = existing.booted + excluded.booted, crashed = existing.crashed + excluded.crashed,
          any_crashed = existing.any_crashed + excluded.any_crashed
      ), deleted_device as (
        delete from game_devices where ${ofDevice} returning 1
      ), ever as (
        insert into event_games as existing (game_id, slot, devices) select ${gameId}::uuid, 0, -1 from deleted_device
        on conflict (game_id, slot) do update set devices = existing.devices + excluded.devices
      )
      select count(*)::integer as builds from deleted`,
  );
  return forgotten!.builds;
}

function deleteEvents(db: Db, { gameId, deviceUid }: DeviceRef, partition: string): Promise<number> {
  return changed(db, sql`delete from ${sql.table(partition)} where game_id = ${gameId} and device_uid = ${deviceUid}`);
}

/** After this time, a request does not start to read another day. */
const MAX_READ_MS = 2000;
const DAY_US = DAY * 1000;

/**
 * The newest events first. `next`, in microseconds since 1970, is where the next page starts; null on the last page.
 */
type EventPage = { events: DeviceEventRow[]; next: number | null };

/** Reads about `limit` events from before `before`. */
export async function readEventPage(db: Db, device: DeviceRef, before: number, limit: number): Promise<EventPage> {
  const deadline = performance.now() + MAX_READ_MS;
  const events: DeviceEventRow[] = [];
  for (const fromUs of await daysBefore(db, before)) {
    const period = { fromUs, toUs: Math.min(before, fromUs + DAY_US) };
    events.push(...(await readEvents(db, device, period, limit - events.length)));
    if (events.length >= limit) return { events, next: events.at(-1)!.received_us };
    if (performance.now() > deadline) return { events, next: fromUs };
  }
  return { events, next: null };
}

/** The starts of days with a partition, the newest first. */
async function daysBefore(db: Db, before: number): Promise<number[]> {
  const days = (await listPartitions(db, 'events')).map((name) => dayOfPartition(name).getTime() * 1000);
  return days.filter((day) => day < before).reverse();
}

/** Deletes the device's events day by day and returns their number. Safe to repeat after an interruption. */
export async function deleteAllEvents(db: Db, device: DeviceRef): Promise<number> {
  let deleted = 0;
  for (const partition of [...(await listPartitions(db, 'events')), 'events_default'])
    deleted += await deleteEvents(db, device, partition);
  return deleted;
}
