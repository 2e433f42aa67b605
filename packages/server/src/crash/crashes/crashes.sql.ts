// The SQL that other features read crashes with: those of a week, of two builds compared, new groups, the titles of
// groups, and the groups of reports. Errors that a game handled are in none of these counts.
import type { GroupStatus } from '@chauffeur/contract/operations/crash-groups';
import { sql } from 'kysely';
import { type Db, onlyRow, rows } from '../../kernel/database/db.ts';
import { shownTitle } from './groups/state.sql.ts';
import { seenFirstSince } from './read/group-list.sql.ts';

/** UTC days: from `first` up to, but without, `end`. */
export type ReportDays = { readonly first: string; readonly end: string };

export type TopGroupRow = { group_id: string; title: string; reports: number };

/** The groups with the most reports in these days. */
export function readTopGroups(
  db: Db,
  gameId: string,
  { first, end }: ReportDays,
  limit: number,
): Promise<TopGroupRow[]> {
  return rows(
    db,
    sql<TopGroupRow>`select group_id, ${shownTitle} as title, reports from (
        select coalesce(merged_into, group_id) as group_id, sum(days.count)::bigint as reports
        from crash_group_days days join crash_groups using (game_id, group_id)
        where game_id = ${gameId} and report_kind = 'crash' and day >= ${first}::date and day < ${end}::date
        group by 1
      ) as counted join crash_groups using (group_id)
      where crash_groups.game_id = ${gameId} and reports > 0 and status <> 'ignored'
      order by reports desc, group_id limit ${limit}`,
  );
}

export type WeekRow = { reports: number; new_groups: number; fixed_groups: number };

/** The reports of these days, the groups that they began, and the groups that were resolved and are not back. */
export function readWeek(db: Db, gameId: string, { first, end }: ReportDays): Promise<WeekRow> {
  const ofDays = (time: string) => sql`${sql.ref(time)} >= ${first}::date::timestamp at time zone 'utc'
    and ${sql.ref(time)} < ${end}::date::timestamp at time zone 'utc'`;
  return onlyRow(
    db,
    sql<WeekRow>`select
        (select coalesce(sum(days.count), 0)::bigint
          from crash_group_days days join crash_groups using (game_id, group_id)
          where game_id = ${gameId} and report_kind = 'crash' and day >= ${first}::date and day < ${end}::date) as reports,
        (select count(*) from crash_groups where game_id = ${gameId} and report_kind = 'crash' and merged_into is null
          and ${ofDays('first_seen')}) as new_groups,
        (select count(*) from crash_groups where game_id = ${gameId} and report_kind = 'crash' and status = 'resolved'
          and merged_into is null
          and ${ofDays('resolved_at')}) as fixed_groups`,
  );
}

export type ComparedGroupRow = {
  group_id: string;
  title: string;
  status: GroupStatus;
  reports: number;
  other_reports: number;
  /** Which of the builds have reports in the group, and how many such groups there are. */
  kind: 'only_build' | 'only_other' | 'both';
  groups: number;
};

/**
 * The groups with the most reports, up to `limit` of each kind. Reports of merged groups count in the group that is
 * shown.
 */
export function compareGroups(
  db: Db,
  gameId: string,
  { buildId, otherId }: { buildId: string; otherId: string },
  limit: number,
): Promise<ComparedGroupRow[]> {
  return rows(
    db,
    sql<ComparedGroupRow>`with counted as (
        select coalesce(merged_into, totals.group_id) as group_id,
          coalesce(sum(totals.count) filter (where build_id = ${buildId}), 0)::bigint as reports,
          coalesce(sum(totals.count) filter (where build_id = ${otherId}), 0)::bigint as other_reports
        from crash_group_totals totals join crash_groups members
          on members.game_id = ${gameId} and members.group_id = totals.group_id
        where totals.game_id = ${gameId} and report_kind = 'crash' and build_id in (${buildId}, ${otherId})
        group by 1
      ), compared as (
        select *, case when other_reports = 0 then 'only_build' when reports = 0 then 'only_other' else 'both' end as kind
        from counted where reports > 0 or other_reports > 0
      ), ranked as (
        select *, count(*) over (partition by kind) as groups,
          row_number() over (partition by kind order by reports + other_reports desc, group_id) as rank
        from compared
      )
      select ranked.group_id, ${shownTitle} as title, status, reports, other_reports, ranked.kind, groups
      from ranked join crash_groups heads on heads.game_id = ${gameId} and heads.group_id = ranked.group_id
      where rank <= ${limit} order by ranked.kind, rank`,
  );
}

export type VersionGroupRow = {
  /** new: no build that was registered before the version has reports. fixed: resolved in the version. */
  kind: 'new' | 'fixed';
  /** How many groups of this kind there are. */
  groups: number;
  group_id: string;
  title: string;
  status: GroupStatus;
  /** Those of the version. */
  reports: number;
  devices: number;
  first_seen: Date;
  last_seen: Date;
};

/**
 * The new and the fixed groups of a version, up to `limit` of each, those with the most reports first. Reports of
 * deleted builds count; reports of builds whose names are not known anymore count as earlier ones.
 */
export function readVersionGroups(
  db: Db,
  gameId: string,
  { version, limit }: { version: string; limit: number },
): Promise<VersionGroupRow[]> {
  return rows(
    db,
    sql<VersionGroupRow>`with own as materialized (
        select build_id from build_names where game_id = ${gameId} and version = ${version}
      ), counted as materialized (
        select coalesce(merged_into, totals.group_id) as group_id, sum(totals.count)::bigint as reports
        from crash_group_totals totals join crash_groups members
          on members.game_id = ${gameId} and members.group_id = totals.group_id
        where totals.game_id = ${gameId} and report_kind = 'crash' and build_id in (select build_id from own)
        group by 1 having sum(totals.count) > 0
      ), found as (
        select 'new' as kind, counted.group_id, reports, reports as weight from counted where not exists (
          select from crash_groups family join crash_group_totals earlier
            on earlier.game_id = ${gameId} and earlier.group_id = family.group_id and earlier.count > 0
            left join build_names names on names.game_id = ${gameId} and names.build_id = earlier.build_id
          where family.game_id = ${gameId}
            and (family.group_id = counted.group_id or family.merged_into = counted.group_id)
            and (names.build_id is null or (names.version <> ${version} and names.created_at < (
              select min(created_at) from builds where game_id = ${gameId} and version = ${version}))))
        union all
        select 'fixed', crash_groups.group_id, coalesce(reports, 0), count from crash_groups left join counted using (group_id)
        where game_id = ${gameId} and report_kind = 'crash' and status = 'resolved'
          and fixed_in_version = ${version} and merged_into is null
      ), ranked as (
        select *, count(*) over (partition by kind) as groups,
          row_number() over (partition by kind order by weight desc, group_id) as rank
        from found
      )
      select ranked.kind, groups, ranked.group_id, ${shownTitle} as title, status, reports, devices, first_seen, last_seen
      from ranked join crash_groups heads on heads.game_id = ${gameId} and heads.group_id = ranked.group_id
      where rank <= ${limit} order by ranked.kind, rank`,
  );
}

export type TopCrashRow = {
  group_id: string;
  title: string;
  devices: number;
  devices_last_day: number;
  reports: number;
  first_seen: Date;
  last_seen: Date;
  /** Whether there are more reports than are counted. */
  is_cut: boolean;
};

/** The open groups that hit the most devices with reports since the id `from`; `lastDay` is a later id. */
export function readTopCrashes(
  db: Db,
  gameId: string,
  { from, lastDay }: { from: string; lastDay: string },
  { limit, max }: { limit: number; max: number },
): Promise<TopCrashRow[]> {
  return rows(
    db,
    sql<TopCrashRow>`with newest as materialized (
        select report_id, place_id, device_uid from crash_impact
        where game_id = ${gameId} and report_id >= ${from}::uuid order by report_id desc limit ${max + 1}
      ), by_device as (
        select place_id, device_uid, count(*) as reports, bool_or(report_id >= ${lastDay}::uuid) as is_recent
        from (select * from newest order by report_id desc limit ${max}) as counted_reports
        group by place_id, device_uid
      ), counted as (
        select place_id as group_id, sum(reports)::bigint as reports,
          count(*) filter (where device_uid <> '') as devices,
          count(*) filter (where device_uid <> '' and is_recent) as devices_last_day
        from by_device group by place_id
      )
      select counted.group_id, ${shownTitle} as title, counted.devices, devices_last_day, reports, first_seen, last_seen,
        (select count(*) > ${max} from newest) as is_cut
      from counted join crash_groups heads on heads.game_id = ${gameId} and heads.group_id = counted.group_id
      where report_kind = 'crash' and status = 'open' and merged_into is null
      order by counted.devices desc, reports desc, counted.group_id limit ${limit}`,
  );
}

export type FreshGroupRow = { is_new: boolean; groups: number; group_id: string; title: string };

/** The open groups that are new since a time, or were resolved and came back: up to `limit` of each kind. */
export function readFreshGroups(db: Db, gameId: string, since: Date, limit: number): Promise<FreshGroupRow[]> {
  return rows(
    db,
    sql<FreshGroupRow>`select is_new, groups, group_id, title from (
        select first_seen >= ${since}::timestamptz as is_new, group_id, ${shownTitle} as title,
          count(*) over (partition by first_seen >= ${since}::timestamptz) as groups,
          row_number() over (partition by first_seen >= ${since}::timestamptz
            order by devices desc, count desc, group_id) as rank
        from crash_groups
        where game_id = ${gameId} and report_kind = 'crash' and status = 'open' and merged_into is null
          and last_seen >= ${since}::timestamptz
          and (first_seen >= ${since}::timestamptz or regressed_at >= ${since}::timestamptz)
      ) as fresh where rank <= ${limit} order by is_new desc, rank`,
  );
}

/**
 * The number of open groups of each game that were first seen after its newest build. Games without such groups are
 * left out.
 */
export async function countNewGroups(
  db: Db,
  gameIds: readonly string[],
): Promise<{ game_id: string; count: number }[]> {
  const newest = await rows(
    db,
    sql<{ game_id: string; registered_at: string }>`
      select game_id, newest.created_at::text as registered_at
      from unnest(${gameIds}::uuid[]) as requested (game_id)
      cross join lateral (
        select created_at from builds where builds.game_id = requested.game_id order by created_at desc limit 1
      ) newest`,
  );
  const [games, times] = [newest.map(({ game_id }) => game_id), newest.map(({ registered_at }) => registered_at)];
  return rows(
    db,
    sql<{ game_id: string; count: number }>`
      select game_id, count(*) as count
      from crash_groups join unnest(${games}::uuid[], ${times}::timestamptz[]) as newest (game_id, registered_at) using (game_id)
      where report_kind = 'crash' and status = 'open' and merged_into is null and ${seenFirstSince(sql`newest.registered_at`)}
      group by game_id`,
  );
}

export type ShownGroup = { readonly group_id: string; readonly title: string };

/** The groups with these ids, by these ids; for merged ones, the groups that they are shown in. */
export async function findShownGroups(
  db: Db,
  gameId: string,
  groupIds: readonly string[],
): Promise<Map<string, ShownGroup>> {
  if (groupIds.length === 0) return new Map();
  const found = await rows(
    db,
    sql<ShownGroup & { id: string }>`with wanted as (
        select group_id as id, coalesce(merged_into, group_id) as head_id from crash_groups
        where game_id = ${gameId} and group_id = any(${groupIds}::uuid[])
      )
      select id, group_id, ${shownTitle} as title from crash_groups join wanted on head_id = group_id
      where game_id = ${gameId}`,
  );
  return new Map(found.map(({ id, ...group }) => [id, group]));
}

/** The reports of the game with these ids, with their groups. */
export async function groupsOfReports(
  db: Db,
  gameId: string,
  reportIds: readonly string[],
): Promise<Map<string, string | null>> {
  if (reportIds.length === 0) return new Map();
  const existing = await rows(
    db,
    sql<{ report_id: string; group_id: string | null }>`select report_id, group_id from crash_reports
      where game_id = ${gameId} and report_id = any(${reportIds}::uuid[])`,
  );
  return new Map(existing.map(({ report_id, group_id }) => [report_id, group_id]));
}

export type RolloutGroupRow = {
  group_id: string;
  title: string;
  is_new: boolean;
  reports: number;
  devices: number;
  base_reports: number;
  base_devices: number;
};

/** Reports of two sets of builds since a report id, whose time is `since`. */
export type RolloutReports = {
  readonly newIds: readonly string[];
  readonly baseIds: readonly string[];
  readonly fromId: string;
  readonly since: Date;
};

/** The groups that hit the most devices with the new builds. Groups that are new since then come first. */
export function readRolloutGroups(
  db: Db,
  gameId: string,
  { newIds, baseIds, fromId, since }: RolloutReports,
  limit: number,
): Promise<RolloutGroupRow[]> {
  const [ofNew, ofBase] = [sql`build_id = any(${newIds}::uuid[])`, sql`build_id = any(${baseIds}::uuid[])`];
  return rows(
    db,
    sql<RolloutGroupRow>`with counted as (
        select place_id as group_id, count(*) filter (where ${ofNew}) as reports, count(*) filter (where ${ofBase}) as base_reports,
          count(distinct device_uid) filter (where ${ofNew} and device_uid <> '') as devices,
          count(distinct device_uid) filter (where ${ofBase} and device_uid <> '') as base_devices
        from crash_impact
        where game_id = ${gameId} and report_id >= ${fromId}::uuid and build_id = any(${[...newIds, ...baseIds]}::uuid[])
        group by place_id
      )
      select counted.group_id, ${shownTitle} as title, first_seen >= ${since}::timestamptz as is_new, reports,
        counted.devices, base_reports, base_devices
      from counted join crash_groups heads on heads.game_id = ${gameId} and heads.group_id = counted.group_id
      where report_kind = 'crash' and status <> 'ignored' and merged_into is null and reports > 0
      order by is_new desc, counted.devices desc, reports desc, counted.group_id limit ${limit}`,
  );
}

/** The devices with reports in groups that are new since then. `is_new` is whether the build is one of the new ones. */
export function listNewGroupDevices(
  db: Db,
  gameId: string,
  { newIds, baseIds, fromId, since }: RolloutReports,
): Promise<{ device_uid: string; is_new: boolean }[]> {
  return rows(
    db,
    sql<{ device_uid: string; is_new: boolean }>`select distinct device_uid, build_id = any(${newIds}::uuid[]) as is_new
      from crash_impact join crash_groups heads on heads.game_id = ${gameId} and heads.group_id = place_id
      where crash_impact.game_id = ${gameId} and report_id >= ${fromId}::uuid and device_uid <> ''
        and build_id = any(${[...newIds, ...baseIds]}::uuid[])
        and report_kind = 'crash' and first_seen >= ${since}::timestamptz and status <> 'ignored'
        and merged_into is null`,
  );
}
