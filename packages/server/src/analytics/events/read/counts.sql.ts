// The SQL that reads the counts of events: by name and time, and what other features need to know of a game's launches.
import { OTHER_EVENTS, STANDARD_EVENTS } from '@chauffeur/contract/operations/events';
import { type RawBuilder, sql } from 'kysely';
import { type Db, onlyRow, rows } from '../../../kernel/database/db.ts';
import type { ChartSpan, Point } from './chart.ts';

/** All names under which the game's events are counted. Joining with them makes the planner use the index on names. */
function namesOf(gameId: string): RawBuilder<{ name: string }> {
  const fixedNames = [...Object.keys(STANDARD_EVENTS), OTHER_EVENTS];
  return sql`(select name from event_names where game_id = ${gameId} union all select * from unnest(${fixedNames}::text[])) as names`;
}

type NameRow = { name: string; count: number; last_hour: Date };

export function listNames(db: Db, gameId: string, since: Date): Promise<NameRow[]> {
  return rows(
    db,
    sql<NameRow>`select name, count, last_hour from ${namesOf(gameId)} cross join lateral (
        select sum(count)::bigint as count, max(hour) as last_hour from event_hours
        where game_id = ${gameId} and event_hours.name = names.name and hour >= ${since}
        group by event_hours.name
      ) as counted
      where count > 0 order by count desc, name`,
  );
}

type Selection = {
  gameId: string;
  name: string | undefined;
  buildId: string | undefined;
  os: string | undefined;
  by: 'build' | 'os' | 'name' | undefined;
};

const KEYS: Readonly<Record<'build' | 'os' | 'name' | 'all', RawBuilder<string>>> = {
  build: sql`build_id::text`,
  // Deleted builds have no OS.
  os: sql`coalesce(builds.os, 'unknown')`,
  name: sql`event_hours.name`,
  all: sql`''`,
};

/** The counts by hour or day and key. Keys after the `max` largest are summed up under null. */
export function countByTime(
  db: Db,
  { gameId, name, buildId, os, by }: Selection,
  { from, to, step }: ChartSpan,
  max: number,
) {
  const conditions = [sql`event_hours.game_id = ${gameId} and hour >= ${from} and hour < ${to}`];
  if (buildId !== undefined) conditions.push(sql`build_id = ${buildId}`);
  if (os !== undefined) conditions.push(sql`builds.os = ${os}`);
  const names = name === undefined ? namesOf(gameId) : sql`(select ${name}::text as name) as names`;
  return rows(
    db,
    sql<Point>`
      with counted as (
        select ${KEYS[by ?? 'all']} as key, date_trunc(${step}, hour, 'UTC') as at, sum(count) as count
        from ${names} join event_hours on event_hours.name = names.name
          left join build_names as builds using (game_id, build_id)
        where ${sql.join(conditions, sql` and `)}
        group by 1, 2
      ), ranked as (
        select key, row_number() over (order by sum(count) desc, key) as rank from counted group by key
      ), limited as (
        select case when rank <= ${max}::integer then nullif(key, '') end as key, at, sum(count)::bigint as count
        from counted join ranked using (key) group by 1, 2
      )
      select key, case when ${by ?? 'all'} = 'build' then
          (select version || ' ' || os || ' ' || arch from build_names where game_id = ${gameId} and build_id::text = key)
        end as label, at, count
      from limited order by at`,
  );
}

type LaunchRow = { game_id: string; devices: number; first_boot_at: Date | null };

export function readLaunches(db: Db, gameIds: readonly string[]): Promise<LaunchRow[]> {
  return rows(
    db,
    sql<LaunchRow>`select game_id, sum(devices) as devices, min(first_boot_at) as first_boot_at
      from event_games where game_id = any(${gameIds}::uuid[]) group by game_id`,
  );
}

/**
 * The number of devices that sent events or sessions with the build, as long as their counts are kept. Both mostly know
 * the same devices.
 */
export async function countDevicesOfBuild(db: Db, gameId: string, buildId: string): Promise<number> {
  const { devices } = await onlyRow(
    db,
    sql<{ devices: number }>`select coalesce(greatest(
        (select sum(devices) from event_device_days where game_id = ${gameId} and build_id = ${buildId}),
        (select sum(devices) from sdk_session_days where game_id = ${gameId} and build_id = ${buildId})), 0)::bigint as devices`,
  );
  return devices;
}
