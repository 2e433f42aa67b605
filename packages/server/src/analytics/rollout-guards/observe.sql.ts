// The SQL that follows what the devices of a rollout do, and counts them.
//
// Each event is read once or a few times, soon after it arrived. That gives the same rows however often it is read,
// because a row has the earliest and latest times of what happened. The selects read only tables of events, which can be
// on other servers (ADR 0022), so their rows pass through this process.
import { sql } from 'kysely';
import { changed, type Db, onlyRow, rows } from '../../kernel/database/db.ts';
import { PLACES } from '../../ship/rollout-places/rollout-places.ts';

export type RolloutRef = { readonly gameId: string; readonly rolloutId: string };

/** What a device did with the builds of one side in a span of time. Times are in microseconds since 1970. */
export type SeenRow = {
  device_uid: string;
  is_new: boolean;
  first_us: number;
  last_us: number;
  start_us: number | null;
  boot_us: number | null;
  crash_us: number | null;
  /** The first crash after the first start of the span; without one, the first crash. */
  started_crash_us: number | null;
};

type Span = { readonly gameId: string; readonly from: Date; readonly to: Date };

const us = (time: string) => sql.raw(`(extract(epoch from ${time}) * 1000000)::bigint`);

/** Reads the events of the builds of both sides. */
export function readSeen(
  db: Db,
  span: Span,
  { newIds, baseIds }: { newIds: readonly string[]; baseIds: readonly string[] },
): Promise<SeenRow[]> {
  return seenOf(db, span, newIds, sql`build_id = any(${[...newIds, ...baseIds]}::uuid[]) and device_uid is not null`);
}

/** Reads the events of these devices with any build; all others than those of the rollout count as the other side. */
export function readSeenOf(
  db: Db,
  span: Span,
  { newIds, deviceUids }: { newIds: readonly string[]; deviceUids: readonly string[] },
): Promise<SeenRow[]> {
  return seenOf(db, span, newIds, sql`device_uid = any(${deviceUids}::text[])`);
}

function seenOf(
  db: Db,
  { gameId, from, to }: Span,
  newIds: readonly string[],
  condition: ReturnType<typeof sql>,
): Promise<SeenRow[]> {
  return rows(
    db,
    sql<SeenRow>`with seen as (
        select device_uid, build_id = any(${newIds}::uuid[]) as is_new, received_at, name,
          min(received_at) filter (where name = 'session_start')
            over (partition by device_uid, build_id = any(${newIds}::uuid[])) as start_at
        from events
        where game_id = ${gameId} and received_at >= ${from}::timestamptz and received_at < ${to}::timestamptz
          and ${condition}
      )
      select device_uid, is_new, ${us('min(received_at)')} as first_us, ${us('max(received_at)')} as last_us,
        ${us('min(start_at)')} as start_us, ${us(`min(received_at) filter (where name = 'boot_ok')`)} as boot_us,
        ${us(`min(received_at) filter (where name = 'crash')`)} as crash_us,
        ${us(`min(received_at) filter (where name = 'crash' and (start_at is null or received_at > start_at))`)} as started_crash_us
      from seen group by device_uid, is_new order by device_uid, is_new`,
  );
}

const timeOf = (column: string) => sql.raw(`(timestamptz 'epoch' + ${column} * interval '1 microsecond')`);

/**
 * Adds what devices did to their rows. A crash is one on boot if it came after a start of the game that was seen, and
 * before the first boot_ok.
 */
export async function mergeSeen(
  db: Db,
  { gameId, rolloutId }: RolloutRef,
  seen: readonly (SeenRow & { readonly place: number })[],
): Promise<void> {
  if (seen.length === 0) return;
  const column = <Value>(pick: (row: (typeof seen)[number]) => Value) => seen.map(pick);
  await changed(
    db,
    sql`insert into rollout_devices as old (game_id, rollout_id, device_uid, is_new, place, first_at, last_at, start_at,
        boot_at, crash_at, boot_crashed)
      select ${gameId}, ${rolloutId}, device_uid, is_new, place, ${timeOf('first_us')}, ${timeOf('last_us')},
        ${timeOf('start_us')}, ${timeOf('boot_us')}, ${timeOf('crash_us')},
        start_us is not null and started_crash_us is not null and (boot_us is null or started_crash_us < boot_us)
      from unnest(${column((row) => row.device_uid)}::text[], ${column((row) => row.is_new)}::boolean[],
        ${column((row) => row.place)}::smallint[], ${column((row) => row.first_us)}::bigint[],
        ${column((row) => row.last_us)}::bigint[], ${column((row) => row.start_us)}::bigint[],
        ${column((row) => row.boot_us)}::bigint[], ${column((row) => row.crash_us)}::bigint[],
        ${column((row) => row.started_crash_us)}::bigint[])
        as seen (device_uid, is_new, place, first_us, last_us, start_us, boot_us, crash_us, started_crash_us)
      on conflict (game_id, rollout_id, device_uid, is_new) do update set
        first_at = least(old.first_at, excluded.first_at), last_at = greatest(old.last_at, excluded.last_at),
        start_at = least(old.start_at, excluded.start_at), boot_at = least(old.boot_at, excluded.boot_at),
        crash_at = least(old.crash_at, excluded.crash_at),
        boot_crashed = old.boot_crashed or (excluded.boot_crashed and (old.boot_at is null or old.boot_at > excluded.first_at))
          or (old.boot_at is null and old.start_at < excluded.crash_at
            and (excluded.boot_at is null or excluded.crash_at < excluded.boot_at))`,
  );
}

/** Notes how far events were read. */
export async function setObserved(db: Db, { gameId, rolloutId }: RolloutRef, until: Date): Promise<void> {
  await changed(
    db,
    sql`update rollouts set observed_until = greatest(observed_until, ${until}::timestamptz)
      where game_id = ${gameId} and rollout_id = ${rolloutId}`,
  );
}

export async function setFigures(db: Db, { gameId, rolloutId }: RolloutRef, figures: object): Promise<void> {
  await changed(
    db,
    sql`update rollouts set figures = ${JSON.stringify(figures)}::jsonb
      where game_id = ${gameId} and rollout_id = ${rolloutId}`,
  );
}

export type CountsRow = {
  is_new: boolean;
  devices: number;
  on_it: number;
  crashed: number;
  /** Devices that were seen to start, with any of the events of a start. */
  started: number;
  booted: number;
  crashed_on_boot: number;
  /** Devices with a crash before boot_ok, whether or not their start was seen. */
  crashed_early: number;
  has_starts: boolean;
};

type Counted = {
  /** Devices within it count for the version, and the others for the current one. */
  readonly share: number;
  /** Devices that were first seen later are left out: they may still be starting. */
  readonly settled: Date;
};

/**
 * Counts the devices of both sides. A crash counts within a day of the device's first event, so that devices which got
 * the version early don't have more time to crash than others.
 */
export function countSides(
  db: Db,
  { gameId, rolloutId }: RolloutRef,
  { share, settled }: Counted,
): Promise<CountsRow[]> {
  return rows(
    db,
    sql<CountsRow>`select is_new, count(*) as devices,
        count(*) filter (where other_last_at is null or other_last_at < last_at) as on_it,
        count(*) filter (where crash_at <= first_at + interval '1 day') as crashed,
        count(*) filter (where start_at is not null or boot_at is not null) as started,
        count(*) filter (where boot_at is not null) as booted,
        count(*) filter (where boot_crashed) as crashed_on_boot,
        count(*) filter (where crash_at < boot_at or (crash_at is not null and boot_at is null)) as crashed_early,
        coalesce(bool_or(start_at is not null), false) as has_starts
      from (
        select *, case when is_new then max(last_at) filter (where not is_new) over device
          else max(last_at) filter (where is_new) over device end as other_last_at
        from rollout_devices where game_id = ${gameId} and rollout_id = ${rolloutId}
        window device as (partition by device_uid)
      ) as followed
      where is_new = (place < ${(share * PLACES) / 100}::integer) and first_at <= ${settled}::timestamptz
      group by is_new`,
  );
}

/** How many of these devices are counted on each side. */
export function countAmong(
  db: Db,
  { gameId, rolloutId }: RolloutRef,
  { share, settled }: Counted,
  { newUids, baseUids }: { newUids: readonly string[]; baseUids: readonly string[] },
): Promise<{ side: number; base: number }> {
  return onlyRow(
    db,
    sql<{
      side: number;
      base: number;
    }>`select count(*) filter (where is_new) as side, count(*) filter (where not is_new) as base
      from rollout_devices
      where game_id = ${gameId} and rollout_id = ${rolloutId} and first_at <= ${settled}::timestamptz
        and is_new = (place < ${(share * PLACES) / 100}::integer)
        and ((is_new and device_uid = any(${newUids}::text[])) or (not is_new and device_uid = any(${baseUids}::text[])))`,
  );
}

/** The devices of which the last known build is one of the rollout. */
export async function listOnIt(db: Db, { gameId, rolloutId }: RolloutRef, limit: number): Promise<string[]> {
  const found = await rows(
    db,
    sql<{ device_uid: string }>`select device_uid from rollout_devices as own
      where game_id = ${gameId} and rollout_id = ${rolloutId} and is_new and not exists (
        select from rollout_devices as other
        where other.game_id = ${gameId} and other.rollout_id = ${rolloutId} and other.device_uid = own.device_uid
          and not other.is_new and other.last_at > own.last_at)
      order by device_uid limit ${limit}`,
  );
  return found.map(({ device_uid }) => device_uid);
}

export type StoredCheck = { guard: string; checked_at: Date; result: Record<string, unknown> };

export async function writeChecks(
  db: Db,
  { gameId, rolloutId }: RolloutRef,
  checkedAt: Date,
  checks: readonly { guard: string; result: object }[],
): Promise<void> {
  for (const { guard, result } of checks)
    await changed(
      db,
      sql`insert into rollout_checks (game_id, rollout_id, guard, checked_at, result)
        values (${gameId}, ${rolloutId}, ${guard}, ${checkedAt}, ${JSON.stringify(result)}::jsonb)
        on conflict (game_id, rollout_id, guard) do update set checked_at = excluded.checked_at, result = excluded.result`,
    );
}

export function readChecks(db: Db, { gameId, rolloutId }: RolloutRef): Promise<StoredCheck[]> {
  return rows(
    db,
    sql<StoredCheck>`select guard, checked_at, result from rollout_checks
      where game_id = ${gameId} and rollout_id = ${rolloutId}`,
  );
}

/** Deletes what is known of devices of rollouts that ended before a time. Their figures stay. */
export async function deleteDevices(db: Db, endedBefore: Date): Promise<void> {
  await changed(
    db,
    sql`delete from rollout_devices using rollouts
      where rollouts.game_id = rollout_devices.game_id and rollouts.rollout_id = rollout_devices.rollout_id
        and rollouts.ended_at < ${endedBefore}::timestamptz`,
  );
}
