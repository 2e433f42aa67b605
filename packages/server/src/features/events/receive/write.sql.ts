// The SQL that writes a batch of events and all that is folded from it.
import { sql } from 'kysely';
import { arrayLiteral } from '../../../kernel/array-literal.ts';
import { type Db, keepPlan, onlyRow, rows } from '../../../kernel/db.ts';
import type { Batch } from './batch.ts';

/** An id that a client gave an event of the game. */
export type ClientId = { gameId: string; eventId: string };

/**
 * Takes the ids for this transaction’s events; answers the indexes of those that were taken before. In the order of the key, so that two
 * transactions with some of the same wait for each other in one direction only.
 */
export async function claimIds(db: Db, ids: readonly ClientId[], day: string): Promise<number[]> {
  const [games, eventIds] = [
    arrayLiteral(ids.map(({ gameId }) => gameId)),
    arrayLiteral(ids.map(({ eventId }) => eventId)),
  ];
  const found = await rows(
    db,
    keepPlan(sql<{ index: number }>`
      with given as materialized (
        select game_id, event_id collate "C" as event_id, no
        from unnest(${games}::uuid[], ${eventIds}::text[]) with ordinality as given (game_id, event_id, no)
      ), claimed as (
        insert into event_ids (game_id, event_id, day)
        select game_id, event_id, ${day}::date from given order by game_id, event_id
        on conflict do nothing returning game_id, event_id
      )
      select no::integer - 1 as index from given where (game_id, event_id) not in (select game_id, event_id from claimed)`),
  );
  return found.map(({ index }) => index);
}

/**
 * Writes events, the state of their devices, and all counts, in one statement. A device’s row is changed only where the batch changes
 * something, in the order of the key. The row tells the days that it was counted on before, and the same statement takes it off them. All other
 * rows are of the `slot`, which no other writer of this process has.
 */
export async function writeBatch(db: Db, batch: Batch, slot: number): Promise<void> {
  const { at, day, hour, events, devices, counts, times } = batch;
  const [games, builds] = [arrayLiteral(batch.games), arrayLiteral(batch.builds)];
  await onlyRow(
    db,
    keepPlan(sql`
      with given as (
        insert into events (game_id, build_id, received_at, name, anonymous, device_uid, session_id, event_id, ms, seconds,
          client_time, properties)
        select (${games}::uuid[])[place], (${builds}::uuid[])[place], ${at}::timestamptz + (no - 1) * interval '1 microsecond',
          name, anonymous, device_uid, session_id, event_id, ms, seconds, to_timestamp(client_ms / 1000), properties::jsonb
        from unnest(${arrayLiteral(events.place)}::integer[], ${arrayLiteral(events.name)}::text[],
            ${arrayLiteral(events.anonymous)}::boolean[], ${arrayLiteral(events.device)}::text[],
            ${arrayLiteral(events.session)}::text[], ${arrayLiteral(events.eventId)}::text[], ${arrayLiteral(events.ms)}::integer[],
            ${arrayLiteral(events.seconds)}::integer[], ${arrayLiteral(events.clientTime)}::float8[],
            ${arrayLiteral(events.properties)}::text[])
          with ordinality as event (place, name, anonymous, device_uid, session_id, event_id, ms, seconds, client_ms, properties, no)
      ), folded as (
        insert into event_devices as known (game_id, device_uid, build_id, first_seen, last_day, first_boot_at, boot_day, crash_day)
        select game_id, device_uid collate "C", build_id, ${at}::timestamptz, ${day}::date,
          case when booted then ${at}::timestamptz end, case when booted then ${day}::date end, case when crashed then ${day}::date end
        from changing_devices(${games}::uuid[], ${builds}::uuid[], ${arrayLiteral(devices.place)}::integer[],
          ${arrayLiteral(devices.device)}::text[], ${arrayLiteral(devices.crashed)}::boolean[], ${arrayLiteral(devices.booted)}::boolean[],
          ${day}::date)
        order by game_id, device_uid collate "C", build_id
        on conflict (game_id, device_uid, build_id) do update set
          was_last_day = known.last_day, was_boot_day = known.boot_day, was_crash_day = known.crash_day,
          last_day = greatest(known.last_day, excluded.last_day),
          boot_day = greatest(known.boot_day, excluded.boot_day),
          crash_day = case when known.first_boot_at is null then greatest(known.crash_day, excluded.crash_day) else known.crash_day end,
          first_boot_at = coalesce(known.first_boot_at, excluded.first_boot_at)
        returning game_id, device_uid, build_id, last_day, boot_day, crash_day, was_last_day, was_boot_day, was_crash_day
      ), days as (
        insert into event_device_days as known (game_id, day, build_id, slot, devices, booted, crashed)
        select game_id, moved.day, build_id, ${slot}::smallint, sum(devices), sum(booted), sum(crashed)
        from (
          select game_id, build_id, last_day, was_last_day, boot_day, was_boot_day, crash_day, was_crash_day, count(*) as alike from folded
          group by 1, 2, 3, 4, 5, 6, 7, 8
        ) as moves cross join lateral (values
          (last_day, alike, 0, 0), (was_last_day, -alike, 0, 0), (boot_day, 0, alike, 0), (was_boot_day, 0, -alike, 0),
          (crash_day, 0, 0, alike), (was_crash_day, 0, 0, -alike)) as moved (day, devices, booted, crashed)
        where moved.day is not null
        group by game_id, moved.day, build_id having sum(devices) <> 0 or sum(booted) <> 0 or sum(crashed) <> 0
        order by game_id, moved.day, build_id
        on conflict (game_id, day, build_id, slot) do update set devices = known.devices + excluded.devices,
          booted = known.booted + excluded.booted, crashed = known.crashed + excluded.crashed
      ), met as (
        insert into game_devices (game_id, device_uid, first_seen)
        select distinct game_id, device_uid, ${at}::timestamptz from folded where was_last_day is null
        order by game_id, device_uid
        on conflict do nothing returning game_id
      ), games as (
        insert into event_games as known (game_id, slot, devices, first_boot_at)
        select game_id, ${slot}::smallint, sum(devices), case when bool_or(booted) then ${at}::timestamptz end
        from (
          select game_id, 1 as devices, false as booted from met
          union all select game_id, 0, true from folded where boot_day is not null and was_boot_day is null
        ) as news
        group by game_id order by game_id
        on conflict (game_id, slot) do update set devices = known.devices + excluded.devices,
          first_boot_at = least(known.first_boot_at, excluded.first_boot_at)
      ), hours as (
        insert into event_hours as known (game_id, name, hour, build_id, slot, count)
        select (${games}::uuid[])[place], name collate "C", ${hour}::timestamptz, (${builds}::uuid[])[place], ${slot}::smallint, count
        from unnest(${arrayLiteral(counts.place)}::integer[], ${arrayLiteral(counts.name)}::text[], ${arrayLiteral(counts.count)}::bigint[])
          as counted (place, name, count)
        order by 1, 2, 4
        on conflict (game_id, name, hour, build_id, slot) do update set count = known.count + excluded.count
      ), times as (
        insert into event_times as known (game_id, build_id, day, what, bucket, slot, count)
        select (${games}::uuid[])[place], (${builds}::uuid[])[place], ${day}::date, what collate "C", bucket, ${slot}::smallint, count
        from unnest(${arrayLiteral(times.place)}::integer[], ${arrayLiteral(times.what)}::text[], ${arrayLiteral(times.bucket)}::smallint[],
          ${arrayLiteral(times.count)}::bigint[]) as timed (place, what, bucket, count)
        order by 1, 2, 4, 5
        on conflict (game_id, build_id, day, what, bucket, slot) do update set count = known.count + excluded.count
      )
      select 1 as written`),
  );
}
