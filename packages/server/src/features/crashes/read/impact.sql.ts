// The SQL that reads whom crashes hit. What is counted when reports are stored is exact for any number of reports; other
// selections are counted from their newest reports.
import { type RawBuilder, sql } from 'kysely';
import { type Db, onlyRow, rows } from '../../../kernel/database/db.ts';
import { shownTitle } from '../groups/state.sql.ts';

export type Totals = { reports: number; devices: number; sessions: number };

/** A value of a facet; `values` and `all` count the values of the facet and the reports that have one. */
export type FacetRow = { facet: string; value: string; reports: number; devices: number; values: number; all: number };

export function readGroupTotals(db: Db, gameId: string, groupId: string): Promise<Totals> {
  return onlyRow(
    db,
    sql<Totals>`select coalesce((select sum(reports) from crash_group_builds
          where game_id = ${gameId} and group_id = ${groupId}), 0)::bigint as reports,
        coalesce(max(devices), 0)::bigint as devices, coalesce(max(sessions), 0)::bigint as sessions
      from crash_groups where game_id = ${gameId} and group_id = ${groupId}`,
  );
}

export function readGroupInBuild(db: Db, gameId: string, groupId: string, buildId: string): Promise<Totals> {
  return onlyRow(
    db,
    sql<Totals>`select coalesce(max(reports), 0)::bigint as reports, coalesce(max(devices), 0)::bigint as devices,
        coalesce(max(sessions), 0)::bigint as sessions
      from crash_group_builds where game_id = ${gameId} and group_id = ${groupId} and build_id = ${buildId}`,
  );
}

/** A device that hit several groups counts once, so its groups cannot be added up. */
export function readBuildTotals(db: Db, gameId: string, buildId: string): Promise<Totals> {
  const ofBuild = sql`game_id = ${gameId} and build_id = ${buildId}`;
  return onlyRow(
    db,
    sql<Totals>`select coalesce((select sum(reports) from crash_group_builds where ${ofBuild}), 0)::bigint as reports,
      (select count(*) from (
        select from crash_impact where ${ofBuild} and device_uid <> '' group by device_uid) as device) as devices,
      (select count(*) from (
        select from crash_impact where ${ofBuild} and session_id <> '' group by device_uid, session_id) as session) as sessions`,
  );
}

export type BuildRow = Totals & { build_id: string; version: string | null };

/** The builds with the most devices. */
export function listBuildsOfGroup(db: Db, gameId: string, groupId: string, limit: number): Promise<BuildRow[]> {
  return rows(
    db,
    sql<BuildRow>`select build_id, version, reports, devices, sessions from (
        select * from crash_group_builds where game_id = ${gameId} and group_id = ${groupId}
        order by devices desc, reports desc, build_id limit ${limit}
      ) as most left join build_names using (game_id, build_id) order by devices desc, reports desc, build_id`,
  );
}

export type GroupRow = Totals & { group_id: string; title: string };

/** The groups with the most devices. */
export function listGroupsOfBuild(db: Db, gameId: string, buildId: string, limit: number): Promise<GroupRow[]> {
  return rows(
    db,
    sql<GroupRow>`select group_id, ${shownTitle} as title, most.reports, most.devices, most.sessions from (
        select * from crash_group_builds where game_id = ${gameId} and build_id = ${buildId}
        order by devices desc, reports desc limit ${limit}
      ) as most join crash_groups using (game_id, group_id) order by most.devices desc, most.reports desc, group_id`,
  );
}

/** The values of a group, the most frequent of each facet. */
export function readGroupFacets(db: Db, gameId: string, groupId: string, limit: number): Promise<FacetRow[]> {
  return topValues(
    db,
    gameId,
    sql`select value_id, reports, devices from crash_group_values where game_id = ${gameId} and group_id = ${groupId}`,
    limit,
  );
}

export type Selection = { readonly reportIds: readonly string[] };

/** The totals of these reports. */
export function readTotalsOf(db: Db, gameId: string, { reportIds }: Selection): Promise<Totals> {
  return onlyRow(
    db,
    sql<Totals>`select count(*) as reports, count(distinct device_uid) filter (where device_uid <> '') as devices,
        count(distinct (device_uid, session_id)) filter (where session_id <> '') as sessions
      from crash_impact where game_id = ${gameId} and report_id = any(${reportIds}::uuid[])`,
  );
}

/** The values of these reports, the most frequent of each facet. */
export function readFacetsOf(db: Db, gameId: string, { reportIds }: Selection, limit: number): Promise<FacetRow[]> {
  return topValues(
    db,
    gameId,
    sql`select value_id, count(*) as reports, count(distinct device_uid) filter (where device_uid <> '') as devices
      from crash_impact cross join unnest(value_ids) as facet (value_id)
      where game_id = ${gameId} and report_id = any(${reportIds}::uuid[]) group by value_id`,
    limit,
  );
}

/** Values beyond the limit of the game have no name, and come last. */
function topValues(db: Db, gameId: string, counted: RawBuilder<unknown>, limit: number): Promise<FacetRow[]> {
  return rows(
    db,
    sql<FacetRow>`select facet, value, reports, devices, values, "all" from (
        select facet, value, reports, devices, count(*) over (partition by facet) as values,
          (sum(reports) over (partition by facet))::bigint as "all",
          row_number() over (partition by facet order by value = '', reports desc, value) as place
        from (${counted}) as counted join crash_facet_values named
          on named.game_id = ${gameId} and named.value_id = counted.value_id
      ) as placed where place <= ${limit} order by facet, place`,
  );
}

/** The newest reports that meet all conditions. */
export async function listNewest(
  db: Db,
  gameId: string,
  conditions: readonly RawBuilder<unknown>[],
  limit: number,
): Promise<string[]> {
  const all = sql.join([sql`game_id = ${gameId}`, ...conditions], sql` and `);
  const newest = await rows(
    db,
    sql<{ report_id: string }>`select report_id from crash_reports where ${all} order by report_id desc limit ${limit}`,
  );
  return newest.map(({ report_id }) => report_id);
}
