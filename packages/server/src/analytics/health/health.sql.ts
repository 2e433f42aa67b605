// The SQL that sums up device counts, times and events of builds.
//
// Crashes and devices are known by events, by sessions of Sentry's SDKs, or by both. A game that sends both mostly counts
// the same runs twice, under ids that differ. So each is summed up alone, and the larger sum of a build counts (ADR
// 0039). Launches are known only by events.
import type { Band } from '@chauffeur/contract/operations/health';
import { type RawBuilder, sql } from 'kysely';
import type { Histogram } from '../../kernel/collections/sketch.ts';
import { changed, type Db, onlyRow, rows, type Tx } from '../../kernel/database/db.ts';
import { rowsOfAllGames } from '../../kernel/database/shards.ts';

export type BuildHealthRow = {
  build_id: string;
  version: string;
  build_type: string;
  os: string;
  arch: string;
  channel: string;
  created_at: Date;
  /** Microseconds since 1970, for a cursor. */
  created_us: string;
  devices: number;
  booted: number;
  crashed: number;
};

/** `since` is the first UTC day of the window. */
export type HealthWindow = { gameId: string; since: string };
export type HealthPosition = { createdUs: string; buildId: string };

const createdUs = sql`(extract(epoch from builds.created_at) * 1000000)::bigint`;

/** Devices by day and build, as one form of rows for both sources. Sums of them are numeric. */
function deviceDays({ gameId, since }: HealthWindow): RawBuilder<unknown> {
  return sql`(
      select 'events' as source, build_id, day, devices, any_crashed, active, active_crashed, crashed as boot_crashed
      from event_device_days where game_id = ${gameId} and day >= ${since}::date
      union all
      select 'sessions', build_id, day, devices, crashed_devices, active, active_crashed, 0
      from sdk_session_days where game_id = ${gameId} and day >= ${since}::date
    ) as device_days`;
}

/** The devices of each build over the window, and how many of them crashed. */
function devicesOfBuilds(window: HealthWindow): RawBuilder<unknown> {
  return sql`(
      select build_id, max(devices)::bigint as devices, max(crashed_devices)::bigint as crashed_devices from (
        select source, build_id, sum(devices) as devices, sum(any_crashed) as crashed_devices
        from ${deviceDays(window)} group by source, build_id
      ) as by_source group by build_id
    )`;
}

/** The devices of each build on each day, and how many of them crashed on it. */
function devicesOfDays(window: HealthWindow): RawBuilder<unknown> {
  return sql`(
      select build_id, day, max(active)::bigint as active, max(active_crashed)::bigint as active_crashed from (
        select source, build_id, day, sum(active) as active, sum(active_crashed) as active_crashed
        from ${deviceDays(window)} group by source, build_id, day
      ) as by_source group by build_id, day
    ) as active_days`;
}

/** Builds after `after` that had a device or a session in the window, the newest first. */
export function listBuildHealth(
  db: Db,
  { gameId, since }: HealthWindow,
  { after, limit }: { after: HealthPosition | null; limit: number },
): Promise<BuildHealthRow[]> {
  const afterCursor =
    after === null
      ? sql`true`
      : sql`(${createdUs}, builds.build_id) < (${after.createdUs}::bigint, ${after.buildId}::uuid)`;
  return rows(
    db,
    sql<BuildHealthRow>`${buildsWith(sql`${afterCursor} and (counted.devices > 0 or reported.sessions > 0)`, { gameId, since })}
      order by builds.created_at desc, builds.build_id desc limit ${limit}`,
  );
}

/** The build, with zeros if it had no device. Empty if there is no such build. */
export function findBuildHealth(db: Db, window: HealthWindow, buildId: string): Promise<BuildHealthRow[]> {
  return rows(db, sql<BuildHealthRow>`${buildsWith(sql`builds.build_id = ${buildId}`, window)}`);
}

function buildsWith(condition: RawBuilder<unknown>, { gameId, since }: HealthWindow): RawBuilder<BuildHealthRow> {
  return sql`select builds.build_id, version, build_type, os, arch, channel, created_at, ${createdUs}::text as created_us,
      coalesce(counted.devices, 0) as devices, coalesce(counted.booted, 0) as booted, coalesce(counted.crashed, 0) as crashed
    from builds left join (
      select build_id, sum(devices) as devices, sum(booted) as booted, sum(crashed) as crashed from event_device_days
      where game_id = ${gameId} and day >= ${since}::date group by build_id
    ) as counted using (build_id) left join (
      select build_id, sum(sessions) as sessions from sdk_session_days
      where game_id = ${gameId} and day >= ${since}::date group by build_id
    ) as reported using (build_id)
    where builds.game_id = ${gameId} and ${condition}`;
}

export type TimesRow = { build_id: string; what: 'boot_ms' | 'session_seconds'; histogram: Histogram };

/** Histograms of the builds' boot times and session lengths over the window. */
export function readTimes(db: Db, { gameId, since }: HealthWindow, buildIds: readonly string[]): Promise<TimesRow[]> {
  return rows(
    db,
    sql<TimesRow>`select build_id, what, json_agg(json_build_object('bucket', bucket, 'count', count)) as histogram
      from (
        select build_id, what, bucket, sum(count) as count from event_times
        where game_id = ${gameId} and build_id = any(${buildIds}::uuid[]) and day >= ${since}::date
        group by build_id, what, bucket
      ) as summed group by build_id, what`,
  );
}

export type DayTimesRow = TimesRow & { day: string };

/** Histograms of the times of one build on each day. */
export function readDayTimes(db: Db, { gameId, since }: HealthWindow, buildId: string): Promise<DayTimesRow[]> {
  return rows(
    db,
    sql<DayTimesRow>`select build_id, day::text, what, json_agg(json_build_object('bucket', bucket, 'count', count)) as histogram
      from event_times where game_id = ${gameId} and build_id = ${buildId} and day >= ${since}::date
      group by build_id, day, what`,
  );
}

export type CrashFreeRow = {
  build_id: string;
  devices: number;
  crashed_devices: number;
  sessions: number;
  crashes: number;
  /** Sessions that Sentry's SDKs reported. */
  sdk_sessions: number;
};

/** The first day of the window, or a later one if the crashes of the first days are not counted. */
export async function crashFreeSince(db: Db, since: string): Promise<string> {
  const [counted] = await rows(
    db,
    sql<{ since: string }>`select since::text from device_crashes_counted where since > ${since}::date`,
  );
  return counted?.since ?? since;
}

/** The devices and sessions of each build since a day, and how many of them had a crash. */
export function readCrashFree(
  db: Db,
  { gameId, since }: HealthWindow,
  buildIds: readonly string[],
): Promise<CrashFreeRow[]> {
  return rows(
    db,
    sql<CrashFreeRow>`select build_id, coalesce(devices, 0)::bigint as devices,
        coalesce(crashed_devices, 0)::bigint as crashed_devices,
        coalesce(greatest(events.sessions, reported.sessions), 0)::bigint as sessions,
        coalesce(greatest(events.crashes, reported.crashed), 0)::bigint as crashes,
        coalesce(reported.sessions, 0)::bigint as sdk_sessions
      from unnest(${buildIds}::uuid[]) as given (build_id)
      left join ${devicesOfBuilds({ gameId, since })} as counted using (build_id) left join (
        select build_id, sum(count) filter (where name = 'session_start') as sessions,
          sum(count) filter (where name = 'crash') as crashes
        from event_hours where game_id = ${gameId} and name in ('session_start', 'crash')
          and build_id = any(${buildIds}::uuid[]) and hour >= ${since}::date::timestamp at time zone 'utc'
        group by build_id
      ) as events using (build_id) left join (
        select build_id, sum(sessions) as sessions, sum(crashed) as crashed from sdk_session_days
        where game_id = ${gameId} and build_id = any(${buildIds}::uuid[]) and day >= ${since}::date group by build_id
      ) as reported using (build_id)`,
  );
}

/** The devices of all builds of a game since a day, and how many of them crashed. A device counts for each build. */
export function countHealthDevices(
  db: Db,
  window: HealthWindow,
): Promise<{ devices: number; crashed_devices: number }> {
  return onlyRow(
    db,
    sql<{ devices: number; crashed_devices: number }>`select coalesce(sum(devices), 0)::bigint as devices,
        coalesce(sum(crashed_devices), 0)::bigint as crashed_devices
      from ${devicesOfBuilds(window)} as counted`,
  );
}

export type OnlySessionsRow = { version: string; sessions: number; crashes: number };

/**
 * The versions with builds of which only sessions of Sentry's SDKs are known since a day, and the sessions of these
 * builds, the most first.
 */
export function readOnlySessions(db: Db, { gameId, since }: HealthWindow): Promise<OnlySessionsRow[]> {
  return rows(
    db,
    sql<OnlySessionsRow>`select version, sum(sessions)::bigint as sessions, sum(crashed)::bigint as crashes
      from (
        select build_id, sum(sessions) as sessions, sum(crashed) as crashed from sdk_session_days
        where game_id = ${gameId} and day >= ${since}::date group by build_id having sum(sessions) > 0
      ) as reported join builds using (build_id)
      where builds.game_id = ${gameId} and not exists (
        select from event_device_days sent where sent.game_id = ${gameId} and sent.build_id = reported.build_id
          and sent.day >= ${since}::date and sent.devices > 0)
      group by version order by sessions desc, version`,
  );
}

/** The versions that devices used on a day, the most used first. */
export function readVersions(db: Db, gameId: string, day: string): Promise<{ version: string; devices: number }[]> {
  return rows(
    db,
    sql<{ version: string; devices: number }>`select version, sum(active)::bigint as devices
      from ${devicesOfDays({ gameId, since: day })} join builds using (build_id)
      where builds.game_id = ${gameId} and day = ${day}::date
      group by version having sum(active) > 0 order by devices desc, version`,
  );
}

export type LaunchRow = { devices: number; booted: number; crashed: number };

const launches = sql`coalesce(sum(devices), 0)::bigint as devices, coalesce(sum(booted), 0)::bigint as booted,
  coalesce(sum(crashed), 0)::bigint as crashed`;

/** The devices of each version that had some in the window. A device counts for each build. */
export function readVersionLaunches(
  db: Db,
  { gameId, since }: HealthWindow,
  versions: readonly string[],
): Promise<(LaunchRow & { version: string })[]> {
  return rows(
    db,
    sql<LaunchRow & { version: string }>`select version, ${launches}
      from event_device_days join builds using (game_id, build_id)
      where game_id = ${gameId} and day >= ${since}::date and version = any(${versions}::text[]) group by version`,
  );
}

export type VersionCrashesRow = { version: string; devices: number; crashed_devices: number };

/** The devices of each version that had some since a day, and how many of them crashed. A device counts for each build. */
export function readVersionCrashes(
  db: Db,
  { gameId, since }: HealthWindow,
  versions: readonly string[],
): Promise<VersionCrashesRow[]> {
  return rows(
    db,
    sql<VersionCrashesRow>`select version, coalesce(sum(devices), 0)::bigint as devices,
        coalesce(sum(crashed_devices), 0)::bigint as crashed_devices
      from ${devicesOfBuilds({ gameId, since })} as counted join builds using (build_id)
      where builds.game_id = ${gameId} and version = any(${versions}::text[]) group by version`,
  );
}

/** The devices of each of the builds that had some in the window. */
export function readBuildLaunches(
  db: Db,
  { gameId, since }: HealthWindow,
  buildIds: readonly string[],
): Promise<(LaunchRow & { build_id: string })[]> {
  return rows(
    db,
    sql<LaunchRow & { build_id: string }>`select build_id, ${launches} from event_device_days
      where game_id = ${gameId} and day >= ${since}::date and build_id = any(${buildIds}::uuid[]) group by build_id`,
  );
}

export type LastSeenRow = { build_id: string; day: string; devices: number };

/** For each build of a game, how many devices were last seen with it on each day. Days without devices are left out. */
export function readLastSeen(db: Db, { gameId, since }: HealthWindow): Promise<LastSeenRow[]> {
  return rows(
    db,
    sql<LastSeenRow>`select build_id, day::text, sum(devices)::bigint as devices from event_device_days
      where game_id = ${gameId} and day >= ${since}::date group by build_id, day having sum(devices) <> 0`,
  );
}

export type AdoptionRow = { day: string; devices: number; crashed_devices: number; all_devices: number };

/** For each day, how many devices sent events with these builds and how many of them crashed, of all of the game. */
export function readAdoption(db: Db, window: HealthWindow, buildIds: readonly string[]): Promise<AdoptionRow[]> {
  const ofBuilds = sql`filter (where build_id = any(${buildIds}::uuid[]))`;
  return rows(
    db,
    sql<AdoptionRow>`select day::text, coalesce(sum(active) ${ofBuilds}, 0)::bigint as devices,
        coalesce(sum(active_crashed) ${ofBuilds}, 0)::bigint as crashed_devices, sum(active)::bigint as all_devices
      from ${devicesOfDays(window)}
      group by day having sum(active) <> 0 order by day`,
  );
}

export type GameDayRow = { day: string; devices: number; crashed_devices: number };

/** Counts, for each day, how many devices sent events with any build of the game, and how many crashed. */
export function readGameDays(db: Db, window: HealthWindow): Promise<GameDayRow[]> {
  return rows(
    db,
    sql<GameDayRow>`select day::text, sum(active)::bigint as devices, sum(active_crashed)::bigint as crashed_devices
      from ${devicesOfDays(window)}
      group by day having sum(active) <> 0`,
  );
}

export type DayDevicesRow = {
  day: string;
  last_seen: number;
  devices: number;
  crashed_devices: number;
  crashed_on_boot: number;
};

/** Counts, for each day, the build's devices that were last seen on it, how many sent events, and how many crashed. */
export function readDayDevices(db: Db, window: HealthWindow, buildId: string): Promise<DayDevicesRow[]> {
  return rows(
    db,
    sql<DayDevicesRow>`select day::text, max(last_seen)::bigint as last_seen, max(devices)::bigint as devices,
        max(crashed_devices)::bigint as crashed_devices, max(crashed_on_boot)::bigint as crashed_on_boot
      from (
        select source, day, sum(devices) as last_seen, sum(active) as devices, sum(active_crashed) as crashed_devices,
          sum(boot_crashed) as crashed_on_boot
        from ${deviceDays(window)} where build_id = ${buildId} group by source, day
        having sum(devices) <> 0 or sum(active) <> 0 or sum(boot_crashed) <> 0
      ) as by_source group by day`,
  );
}

export type DayEventsRow = { day: string; name: string; count: number };

/** The number of the build's events with these names on each day. */
export function readDayEvents(
  db: Db,
  { gameId, since }: HealthWindow,
  buildId: string,
  names: readonly string[],
): Promise<DayEventsRow[]> {
  return rows(
    db,
    sql<DayEventsRow>`select (hour at time zone 'utc')::date::text as day, name, sum(count)::bigint as count from event_hours
      where game_id = ${gameId} and name = any(${names}::text[]) and build_id = ${buildId} and hour >= ${since}::date::timestamp at time zone 'utc'
      group by 1, 2`,
  );
}

export type ListedRow = { game_id: string; build_id: string; devices: number; booted: number; crashed: number };

/**
 * For each game, the newest build on stable that had at least `minDevices` devices in the window. Builds are on stable
 * if they were registered for it or ever moved to it, unless they are newer than the current stable build of their
 * platform, which means that they were rolled back.
 */
export function readListed(
  db: Db,
  gameIds: readonly string[],
  { since, minDevices }: { since: string; minDevices: number },
): Promise<ListedRow[]> {
  return rows(
    db,
    sql<ListedRow>`
      with counted as (
        select game_id, build_id, sum(devices) as devices, sum(booted) as booted, sum(crashed) as crashed from event_device_days
        where game_id = any(${gameIds}::uuid[]) and day >= ${since}::date
        group by game_id, build_id having sum(devices) >= ${minDevices}
      )
      select distinct on (game_id) game_id, build_id, devices, booted, crashed
      from counted join builds using (game_id, build_id)
      where (builds.channel = 'stable' or exists (
          select from channel_moves moves
          where moves.game_id = builds.game_id and moves.channel = 'stable' and moves.build_id = builds.build_id
        ))
        and not exists (
          select from channel_pointers pointers join channel_moves moves using (game_id, move_id)
            join builds current on current.game_id = moves.game_id and current.build_id = moves.build_id
          where pointers.game_id = builds.game_id and pointers.channel = 'stable'
            and pointers.os = builds.os and pointers.arch = builds.arch
            and (current.created_at, current.build_id) < (builds.created_at, builds.build_id)
        )
      order by game_id, builds.created_at desc, build_id desc`,
  );
}

/** The games with devices that were counted since that UTC day. */
export async function gamesWithDevices(db: Db, since: string): Promise<string[]> {
  const found = await rowsOfAllGames(
    db,
    sql<{ game_id: string }>`with recursive found as (
        (select game_id as id from event_device_days order by game_id limit 1)
        union all
        select (select game_id from event_device_days where game_id > found.id order by game_id limit 1)
        from found where found.id is not null
      )
      select id as game_id from found
      where exists (select from event_device_days where game_id = found.id and day >= ${since}::date)`,
  );
  return found.map(({ game_id }) => game_id);
}

export type BandRow = { game_id: string; build_id: string; band: Band };

/** The bands that these games had when they were last recorded. */
export function readBands(db: Db, gameIds: readonly string[]): Promise<BandRow[]> {
  return rows(
    db,
    sql<BandRow>`select game_id, build_id, band from alert_bands where game_id = any(${gameIds}::uuid[])`,
  );
}

/** Does nothing if the game was deleted. */
export async function writeBand(tx: Tx, { game_id, build_id, band }: BandRow): Promise<void> {
  await changed(
    tx,
    sql`insert into alert_bands (game_id, build_id, band) select game_id, ${build_id}, ${band} from games
      where game_id = ${game_id}
      on conflict (game_id) do update set build_id = excluded.build_id, band = excluded.band`,
  );
}
