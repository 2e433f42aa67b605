// The SQL that reads and deletes the data of a device.
import { type RawBuilder, sql } from 'kysely';
import { changed, type Db, rows } from '../../../kernel/database/db.ts';
import { rowsOfGame } from '../../../kernel/database/shards.ts';
import type { Properties } from '../receive/event.ts';

export type DeviceRef = { gameId: string; deviceUid: string };

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
export type Period = { fromUs: number; toUs: number };

/**
 * The newest events of the period. Returns more than `limit` if several events have the same time as the last one,
 * because the next page only has events from before that time.
 */
export function readEvents(
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

/** Exact, unlike a float of seconds. */
function timeOf(us: number): RawBuilder<Date> {
  return sql`(timestamptz 'epoch' + ${us}::bigint * interval '1 microsecond')`;
}

/** Removes the device from all counts of devices and returns the number of builds that it had used. */
export async function forgetDevice(db: Db, { gameId, deviceUid }: DeviceRef): Promise<number> {
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

export function deleteEvents(db: Db, { gameId, deviceUid }: DeviceRef, partition: string): Promise<number> {
  return changed(db, sql`delete from ${sql.table(partition)} where game_id = ${gameId} and device_uid = ${deviceUid}`);
}
