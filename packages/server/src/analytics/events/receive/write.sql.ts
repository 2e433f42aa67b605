// Writes events, and everything that is counted from them. A batch has one statement, which `insertEvents` runs in one
// of two forms:
//
// - plain: the statement also checks that the hour and the games of the batch are open. It is a transaction by itself,
//   unless clients gave the events ids: these are claimed first, in the same transaction.
// - distributed: Citus keeps the events in the shards of their games, and what the batch is checked against on the
//   coordinator. So one transaction checks it, and then claims and writes in each shard.
import { type RawBuilder, sql } from 'kysely';
import { HOUR, utcDayOf } from '../../../kernel/clock.ts';
import {
  arrayLiteral,
  BulkRows,
  type Column,
  insertedNames,
  insertedValues,
} from '../../../kernel/database/bulk-rows.ts';
import { type Db, keepPlan, onlyRow, rows, transact } from '../../../kernel/database/db.ts';
import { rowsInShard, runForm, type Shard, type Shards } from '../../../kernel/database/shards.ts';
import type { BuildEvents } from './accept-events.ts';
import { type Batch, EVENT_COLUMNS, layOut } from './batch.ts';
import type { GameEvent } from './event.ts';

export type EventsToWrite = {
  readonly perBuild: readonly BuildEvents[];
  /** The time at which the events count as received. */
  readonly now: Date;
  /** The rows of counts that no other writer of this process changes. */
  readonly slot: number;
  /** The name under which an event is counted. */
  readonly countedName: (gameId: string, name: string) => string;
};

/**
 * Writes events, all or none, except for events that had been sent before, which it returns. Throws
 * ClosedHourError if the hour is closed, and DeletedGamesError if a game is deleted.
 */
export function insertEvents(db: Db, events: EventsToWrite): Promise<ReadonlySet<GameEvent>> {
  return runForm(db, {
    plain: () => writePlain(db, events),
    distributed: (shards) => writeDistributed(db, shards, events),
  });
}

function writePlain(db: Db, events: EventsToWrite): Promise<ReadonlySet<GameEvent>> {
  const hasIds = events.perBuild.some((ofBuild) => ofBuild.events.some(({ event_id }) => event_id != null));
  return hasIds ? transact(db, (tx) => claimAndWrite(tx, events, null)) : claimAndWrite(db, events, null);
}

async function writeDistributed(db: Db, shards: Shards, events: EventsToWrite): Promise<ReadonlySet<GameEvent>> {
  const groups = await groupByShard(db, shards, events.perBuild);
  return transact(db, async (tx) => {
    await requireOpen(tx, [...new Set(events.perBuild.map(({ gameId }) => gameId))], events.now);
    const repeated = new Set<GameEvent>();
    for (const { shard, perBuild } of groups)
      for (const event of await claimAndWrite(tx, { ...events, perBuild }, shard)) repeated.add(event);
    return repeated;
  });
}

type ShardEvents = { readonly shard: Shard; readonly perBuild: readonly BuildEvents[] };

/** Groups the events by shard, in the order of the shards' ids, so that two transactions cannot deadlock. */
async function groupByShard(db: Db, shards: Shards, perBuild: readonly BuildEvents[]): Promise<readonly ShardEvents[]> {
  const found = await Promise.all(
    perBuild.map(async (ofBuild) => ({ ofBuild, shard: await shards.of(db, ofBuild.gameId) })),
  );
  return [...Map.groupBy(found, ({ shard }) => shard.id)]
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, group]) => ({ shard: group[0]!.shard, perBuild: group.map(({ ofBuild }) => ofBuild) }));
}

/** Returns the repeated events. */
async function claimAndWrite(
  db: Db,
  { perBuild, now, slot, countedName }: EventsToWrite,
  shard: Shard | null,
): Promise<ReadonlySet<GameEvent>> {
  const repeated = await claim(db, perBuild, utcDayOf(now), shard);
  await writeBatch(db, layOut(perBuild, now, countedName, repeated), slot, shard);
  return repeated;
}

/**
 * Claims the ids of the events for this transaction. Returns the events whose id was used before, in this batch or an
 * earlier one.
 */
async function claim(
  db: Db,
  perBuild: readonly BuildEvents[],
  day: string,
  shard: Shard | null,
): Promise<Set<GameEvent>> {
  const [first, repeated] = [new Map<string, { id: ClientId; event: GameEvent }>(), new Set<GameEvent>()];
  for (const { gameId, events } of perBuild) {
    for (const event of events) {
      if (event.event_id == null) continue;
      const key = `${gameId}/${event.event_id}`;
      if (first.has(key)) repeated.add(event);
      else first.set(key, { id: { gameId, eventId: event.event_id }, event });
    }
  }
  const claims = [...first.values()];
  if (claims.length === 0) return repeated;
  const ids = claims.map(({ id }) => id);
  for (const index of await claimIds(db, ids, day, shard)) repeated.add(claims[index]!.event);
  return repeated;
}

/** An event's id, chosen by the client. */
type ClientId = { gameId: string; eventId: string };

const ID_COLUMNS: readonly Column<ClientId>[] = [
  { name: 'game_id', type: 'uuid', value: ({ gameId }) => gameId },
  { name: 'event_id', type: 'text', value: ({ eventId }) => eventId },
];

/**
 * Claims the ids for the events of this transaction and returns the indexes of ids that were claimed before. Ids are
 * inserted in the order of the key, so two transactions with the same ids cannot deadlock.
 */
async function claimIds(db: Db, ids: readonly ClientId[], day: string, shard: Shard | null): Promise<number[]> {
  const requested = new BulkRows(ID_COLUMNS);
  for (const id of ids) requested.add(id);
  const repeated = await rowsIn(
    db,
    shard,
    sql<{ index: number }>`
      with requested as materialized (
        select game_id, event_id collate "C" as event_id, no from ${requested.unnest('requested')}
      ), claimed as (
        insert into event_ids (game_id, event_id, day)
        select game_id, event_id, ${day}::date from requested order by game_id, event_id
        on conflict do nothing returning game_id, event_id
      )
      select no::integer - 1 as index from requested where (game_id, event_id) not in (select game_id, event_id from claimed)`,
  );
  return repeated.map(({ index }) => index);
}

/** Some games of a batch are deleted, so the batch was not written. */
export class DeletedGamesError extends Error {
  override readonly name = 'DeletedGamesError';
  readonly gameIds: readonly string[];

  constructor(gameIds: readonly string[]) {
    super('Games of the batch are deleted');
    this.gameIds = gameIds;
  }
}

/** The hour of a batch was closed before the batch was written, so it was not written (keep/close-hours.sql.ts). */
export class ClosedHourError extends Error {
  override readonly name = 'ClosedHourError';
  /** The start of the first hour that is not closed. */
  readonly openFrom: Date;

  constructor(openFrom: Date) {
    super('The hour of the batch is closed');
    this.openFrom = openFrom;
  }
}

type Obstacles = { deleted_games: string[]; open_from: Date | null };

function throwIfAny({ deleted_games, open_from }: Obstacles): void {
  if (open_from !== null) throw new ClosedHourError(open_from);
  if (deleted_games.length > 0) throw new DeletedGamesError(deleted_games);
}

/**
 * Keeps the hour of `time` open until the transaction ends. Throws ClosedHourError if it is closed, and
 * DeletedGamesError if one of the games is deleted.
 */
async function requireOpen(tx: Db, gameIds: readonly string[], time: Date): Promise<void> {
  throwIfAny(
    await onlyRow(
      tx,
      keepPlan(sql<Obstacles>`select array(select game_id::text from all_games where ${isDeleted(sql`${gameIds}`)}) as deleted_games,
        ${closedHour(time)} as open_from`),
    ),
  );
}

function closedHour(time: Date): RawBuilder<Date | null> {
  return sql`closed_event_hour(${Math.floor(time.getTime() / HOUR)}::integer)`;
}

function isDeleted(gameIds: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`deleted_at is not null and game_id = any(${gameIds}::uuid[])`;
}

/**
 * Writes events, the state of their devices, and all counts, in one statement; the plain form throws ClosedHourError
 * and DeletedGamesError. Only rows of devices whose state changes are written, in the order of the key. They return the
 * days on which the devices were counted before, and the same statement subtracts the devices from those days. All
 * other rows belong to the `slot`, which no other writer of this process uses.
 */
async function writeBatch(db: Db, batch: Batch, slot: number, shard: Shard | null): Promise<void> {
  const { at, day, hour, events, devices, names, times } = batch;
  const [games, builds] = [arrayLiteral(batch.games), arrayLiteral(batch.builds)];
  const given = sql`${games}::uuid[], ${builds}::uuid[], ${devices.arrays()}, ${day}::date`;
  const { deleted, closed, changing } =
    shard === null
      ? {
          deleted: sql`select game_id from all_games where ${isDeleted(sql`${games}`)}`,
          closed: sql`select ${closedHour(hour)} as open_from`,
          changing: sql`changing_devices(${given})`,
        }
      : {
          // `requireOpen` has checked both, with tables that are on the coordinator.
          deleted: sql`select null::uuid as game_id where false`,
          closed: sql`select null::timestamptz as open_from`,
          changing: changingDevices(batch),
        };
  // Both are checked once for the statement, and everything that it writes depends on them.
  const isOpen = sql`not exists (select from deleted) and not exists (select from closed where open_from is not null)`;
  const [result] = await rowsIn(
    db,
    shard,
    sql<Obstacles>`
      with deleted as materialized (
        ${deleted}
      ), closed as materialized (
        ${closed}
      ), written as (
        insert into events (game_id, build_id, received_at, ${insertedNames(EVENT_COLUMNS)})
        select (${games}::uuid[])[build_no], (${builds}::uuid[])[build_no], ${at}::timestamptz + (no - 1) * interval '1 microsecond',
          ${insertedValues(EVENT_COLUMNS, 'event')}
        from ${events.unnest('event')} where ${isOpen}
      ), folded as (
        insert into event_devices as existing (game_id, device_uid, build_id, first_seen, last_day, first_boot_at, boot_day, crash_day, any_crash_day)
        select game_id, device_uid collate "C", build_id, ${at}::timestamptz, ${day}::date,
          case when booted then ${at}::timestamptz end, case when booted then ${day}::date end, case when crashed then ${day}::date end,
          case when any_crashed then ${day}::date end
        from ${changing} as changing where ${isOpen}
        order by game_id, device_uid collate "C", build_id
        on conflict (game_id, device_uid, build_id) do update set
          was_last_day = existing.last_day, was_boot_day = existing.boot_day, was_crash_day = existing.crash_day,
          was_any_crash_day = existing.any_crash_day, any_crash_day = greatest(existing.any_crash_day, excluded.any_crash_day),
          last_day = greatest(existing.last_day, excluded.last_day),
          boot_day = greatest(existing.boot_day, excluded.boot_day),
          crash_day = case when existing.first_boot_at is null then greatest(existing.crash_day, excluded.crash_day) else existing.crash_day end,
          first_boot_at = coalesce(existing.first_boot_at, excluded.first_boot_at)
        returning game_id, device_uid, build_id, last_day, boot_day, crash_day, any_crash_day,
          was_last_day, was_boot_day, was_crash_day, was_any_crash_day
      ), days as (
        insert into event_device_days as existing
          (game_id, day, build_id, slot, devices, booted, crashed, any_crashed, active, active_crashed)
        select game_id, moved.day, build_id, ${slot}::smallint, sum(devices), sum(booted), sum(crashed), sum(any_crashed),
          sum(active), sum(active_crashed)
        from (
          select game_id, build_id, last_day, was_last_day, boot_day, was_boot_day, crash_day, was_crash_day,
            any_crash_day, was_any_crash_day, count(*) as size
          from folded group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
        ) as moves cross join lateral (values
          (last_day, size, 0, 0, 0, case when last_day is distinct from was_last_day then size else 0 end, 0),
          (was_last_day, -size, 0, 0, 0, 0, 0),
          (boot_day, 0, size, 0, 0, 0, 0),
          (was_boot_day, 0, -size, 0, 0, 0, 0),
          (crash_day, 0, 0, size, 0, 0, 0),
          (was_crash_day, 0, 0, -size, 0, 0, 0),
          (any_crash_day, 0, 0, 0, size, 0, case when any_crash_day is distinct from was_any_crash_day then size else 0 end),
          (was_any_crash_day, 0, 0, 0, -size, 0, 0)
        ) as moved (day, devices, booted, crashed, any_crashed, active, active_crashed)
        where moved.day is not null
        group by game_id, moved.day, build_id
        having sum(devices) <> 0 or sum(booted) <> 0 or sum(crashed) <> 0 or sum(any_crashed) <> 0 or sum(active) <> 0
          or sum(active_crashed) <> 0
        order by game_id, moved.day, build_id
        on conflict (game_id, day, build_id, slot) do update set devices = existing.devices + excluded.devices,
          booted = existing.booted + excluded.booted, crashed = existing.crashed + excluded.crashed,
          any_crashed = existing.any_crashed + excluded.any_crashed, active = existing.active + excluded.active,
          active_crashed = existing.active_crashed + excluded.active_crashed
      ), new_devices as (
        insert into game_devices (game_id, device_uid, first_seen)
        select distinct game_id, device_uid, ${at}::timestamptz from folded where was_last_day is null
        order by game_id, device_uid
        on conflict do nothing returning game_id
      ), games as (
        insert into event_games as existing (game_id, slot, devices, first_boot_at)
        select game_id, ${slot}::smallint, sum(devices), case when bool_or(booted) then ${at}::timestamptz end
        from (
          select game_id, 1 as devices, false as booted from new_devices
          union all select game_id, 0, true from folded where boot_day is not null and was_boot_day is null
        ) as changes
        group by game_id order by game_id
        on conflict (game_id, slot) do update set devices = existing.devices + excluded.devices,
          first_boot_at = least(existing.first_boot_at, excluded.first_boot_at)
      ), hours as (
        insert into event_hours as existing (game_id, name, hour, build_id, slot, count)
        select (${games}::uuid[])[build_no], name collate "C", ${hour}::timestamptz, (${builds}::uuid[])[build_no], ${slot}::smallint, count
        from ${names.unnest('counted')} where ${isOpen}
        order by 1, 2, 4
        on conflict (game_id, name, hour, build_id, slot) do update set count = existing.count + excluded.count
      ), times as (
        insert into event_times as existing (game_id, build_id, day, what, bucket, slot, count)
        select (${games}::uuid[])[build_no], (${builds}::uuid[])[build_no], ${day}::date, what collate "C", bucket, ${slot}::smallint, count
        from ${times.unnest('timed')} where ${isOpen}
        order by 1, 2, 4, 5
        on conflict (game_id, build_id, day, what, bucket, slot) do update set count = existing.count + excluded.count
      )
      select array(select game_id::text from deleted) as deleted_games, (select open_from from closed) as open_from`,
  );
  throwIfAny(result!);
}

/**
 * Selects what the function `changing_devices` returns, but in a shard, where the table has another name. There, the
 * statement is planned for each batch, so the plan fits the size of the table.
 */
function changingDevices({ games, builds, devices, day }: Batch): RawBuilder<unknown> {
  const gameIds = sql`(${arrayLiteral(games)}::uuid[])[build_no]`;
  const buildIds = sql`(${arrayLiteral(builds)}::uuid[])[build_no]`;
  const today = sql`${day}::date`;
  return sql`(
    select ${gameIds} as game_id, ${buildIds} as build_id, device as device_uid, crashed, booted,
      any_crashed
    from unnest(${devices.arrays()}) as given (build_no, device, crashed, booted, any_crashed)
      left join lateral (
        select last_day, boot_day, crash_day, any_crash_day, first_boot_at from event_devices
        where game_id = ${gameIds} and device_uid = given.device collate "C" and build_id = ${buildIds} limit 1
      ) as known on true
    where known.last_day is null or known.last_day < ${today}
      or (given.booted and (known.boot_day is null or known.boot_day < ${today}))
      or (given.crashed and known.first_boot_at is null and (known.crash_day is null or known.crash_day < ${today}))
      or (given.any_crashed and (known.any_crash_day is null or known.any_crash_day < ${today}))
  )`;
}

function rowsIn<Row>(db: Db, shard: Shard | null, statement: RawBuilder<Row>): Promise<Row[]> {
  return shard === null ? rows(db, keepPlan(statement)) : rowsInShard(db, shard, statement);
}
