// The SQL that reads whom crashes hit. What is counted when reports are processed is exact for any number of reports:
// of a game, a build, a group, and a group in a build except for its facets. Other selections are counted from their
// newest reports.
import type { ReportKind } from '@chauffeur/contract/operations/crash-groups';
import { type RawBuilder, sql } from 'kysely';
import { type Db, onlyRow, rows, transact } from '../../../kernel/database/db.ts';
import { shownTitle } from '../groups/state.sql.ts';
import { type FacetWindow, withValues } from './filters.sql.ts';
import { newestFirst, onlyIndexes, since, type Wanted } from './report-list.sql.ts';

export type ImpactTotals = { reports: number; devices: number; sessions: number };

/** A value of a facet; `values` and `all` count the values of the facet and the reports that have one. */
export type FacetRow = { facet: string; value: string; reports: number; devices: number; values: number; all: number };

export function readGroupTotals(db: Db, gameId: string, groupId: string): Promise<ImpactTotals> {
  return onlyRow(
    db,
    sql<ImpactTotals>`select coalesce((select sum(reports) from crash_group_builds
          where game_id = ${gameId} and group_id = ${groupId}), 0)::bigint as reports,
        coalesce(max(devices), 0)::bigint as devices, coalesce(max(sessions), 0)::bigint as sessions
      from crash_groups where game_id = ${gameId} and group_id = ${groupId}`,
  );
}

export function readGroupInBuild(db: Db, gameId: string, groupId: string, buildId: string): Promise<ImpactTotals> {
  return onlyRow(
    db,
    sql<ImpactTotals>`select coalesce(max(reports), 0)::bigint as reports, coalesce(max(devices), 0)::bigint as devices,
        coalesce(max(sessions), 0)::bigint as sessions
      from crash_group_builds where game_id = ${gameId} and group_id = ${groupId} and build_id = ${buildId}`,
  );
}

/** The totals of a game or of one of its builds, over all groups. */
export function readScopeTotals(db: Db, gameId: string, scopeId: string): Promise<ImpactTotals> {
  return onlyRow(
    db,
    sql<ImpactTotals>`select coalesce(sum(reports), 0)::bigint as reports, coalesce(sum(devices), 0)::bigint as devices,
        coalesce(sum(sessions), 0)::bigint as sessions
      from crash_totals where game_id = ${gameId} and scope_id = ${scopeId}`,
  );
}

export type AffectedBuild = ImpactTotals & { build_id: string; version: string | null };

/** The builds with the most devices. */
export function listBuildsOfGroup(db: Db, gameId: string, groupId: string, limit: number): Promise<AffectedBuild[]> {
  return rows(
    db,
    sql<AffectedBuild>`select build_id, version, reports, devices, sessions from (
        select * from crash_group_builds where game_id = ${gameId} and group_id = ${groupId}
        order by devices desc, reports desc, build_id limit ${limit}
      ) as most left join build_names using (game_id, build_id) order by devices desc, reports desc, build_id`,
  );
}

export type AffectedGroup = ImpactTotals & { group_id: string; title: string };

/** The groups with the most devices. */
export function listGroupsOfBuild(
  db: Db,
  gameId: string,
  { buildId, kind }: { buildId: string; kind: ReportKind },
  limit: number,
): Promise<AffectedGroup[]> {
  return rows(
    db,
    sql<AffectedGroup>`select group_id, ${shownTitle} as title, most.reports, most.devices, most.sessions
      from crash_group_builds most join crash_groups using (game_id, group_id)
      where game_id = ${gameId} and build_id = ${buildId} and report_kind = ${kind}
      order by most.devices desc, most.reports desc, group_id limit ${limit}`,
  );
}

/** The values of a group, the most frequent of each facet. */
export function readGroupFacets(db: Db, gameId: string, groupId: string, limit: number): Promise<FacetRow[]> {
  const counted = sql`select value_id, reports, devices from crash_group_values
    where game_id = ${gameId} and group_id = ${groupId}`;
  return rows(db, topValues(gameId, counted, limit));
}

/** The values of a game or of one of its builds. */
export function readScopeFacets(db: Db, gameId: string, scopeId: string, limit: number): Promise<FacetRow[]> {
  const counted = sql`select value_id, sum(reports)::bigint as reports, sum(devices)::bigint as devices
    from crash_total_values where game_id = ${gameId} and scope_id = ${scopeId}
    group by value_id having sum(reports) > 0`;
  return rows(db, topValues(gameId, counted, limit));
}

/** SQL of a `uuid[]` of reports, and how many of its first are counted. */
export type Selection = { readonly reportIds: RawBuilder<unknown>; readonly limit: number };

export type SelectionCounts = ImpactTotals & { readonly isCut: boolean; readonly facets: readonly FacetRow[] };

/** The totals of the selected reports, and their values, the most frequent of each facet. */
export async function countSelection(
  db: Db,
  gameId: string,
  { reportIds, limit }: Selection,
  values: number,
): Promise<SelectionCounts> {
  const found = await rows(
    db,
    sql<FacetRow | ({ facet: null; sessions: number; isCut: boolean } & ImpactTotals)>`with selected as materialized (
        select report_id from unnest((${reportIds})::uuid[]) as selected (report_id)
      ), picked as materialized (
        select device_uid, session_id, value_ids, device_uid = '' or count(*) over (partition by device_uid) = 1 as is_alone
        from crash_impact where game_id = ${gameId}
          and report_id = any(array(select report_id from selected order by report_id desc limit ${limit}))
      )
      select facet, value, reports, devices, values, "all", 0 as sessions, false as "isCut"
      from (${topValues(gameId, valuesOfPicked, values)}) as facets
      union all
      select null, null, count(*), count(distinct device_uid) filter (where device_uid <> ''), 0, 0,
        count(distinct (device_uid, session_id)) filter (where session_id <> ''), (select count(*) > ${limit} from selected)
      from picked`,
  );
  const facets = found.filter((each): each is FacetRow => each.facet !== null);
  const { reports, devices, sessions, isCut } = found.find((each) => each.facet === null) as ImpactTotals & {
    isCut: boolean;
  };
  return { reports, devices, sessions, isCut, facets };
}

/**
 * Most devices have one report, whose values are theirs; only those of the others are compared. Unnesting in the list
 * of columns takes two thirds of the time of a join.
 */
const valuesOfPicked = sql`select value_id, sum(reports)::bigint as reports, sum(devices)::bigint as devices from (
    select value_id, count(*) as reports, count(*) filter (where has_device) as devices
    from (select unnest(value_ids) as value_id, device_uid <> '' as has_device from picked where is_alone) as alone
    group by value_id
    union all
    select value_id, sum(reports), count(*) from (
      select value_id, count(*) as reports
      from (select unnest(value_ids) as value_id, device_uid from picked where not is_alone) as of_device
      group by value_id, device_uid
    ) as device group by value_id
  ) as both_kinds group by value_id`;

/** Values beyond the limit of the game have no name, and come last. */
function topValues(gameId: string, counted: RawBuilder<unknown>, limit: number): RawBuilder<FacetRow> {
  return sql<FacetRow>`select facet, value, reports, devices, values, "all" from (
      select facet, value, reports, devices, count(*) over (partition by facet) as values,
        (sum(reports) over (partition by facet))::bigint as "all",
        row_number() over (partition by facet order by value = '', reports desc, value) as rank
      from (${counted}) as counted join crash_facet_values named
        on named.game_id = ${gameId} and named.value_id = counted.value_id
    ) as ranked where rank <= ${limit} order by facet, rank`;
}

/** The reports of the game that have one of the values of each list, at most; the fewest of one list. */
export async function countWithValues(db: Db, gameId: string, lists: readonly (readonly number[])[]): Promise<number> {
  const counts = await Promise.all(
    lists.map((valueIds) =>
      onlyRow(
        db,
        sql<{ count: number }>`select coalesce(sum(reports), 0)::bigint as count from crash_total_values
          where game_id = ${gameId} and scope_id = ${gameId} and value_id = any(${valueIds}::bigint[])`,
      ),
    ),
  );
  return Math.min(...counts.map(({ count }) => count));
}

/** Ids as PostgreSQL writes a `uuid[]`: many are passed on as they are. */
export type PackedIds = { readonly ids: string; readonly count: number };

/** The newest reports of a window that meet all conditions and have one of the values of each list. */
export function listWithValues(
  db: Db,
  gameId: string,
  { conditions, lists }: { conditions: readonly RawBuilder<unknown>[]; lists: readonly (readonly number[])[] },
  { window, limit }: { window: FacetWindow; limit: number },
): Promise<PackedIds> {
  const newest =
    conditions.length === 0
      ? sql`select report_id from matching order by report_id desc limit ${limit}`
      : sql`select report_id from crash_reports where game_id = ${gameId}
          and report_id < ${window.to}::uuid and report_id >= ${window.from}::uuid and ${sql.join(conditions, sql` and `)}
          and report_id = any(array(select report_id from matching)) order by report_id desc limit ${limit}`;
  return onlyRow(
    db,
    sql<PackedIds>`with matching as materialized (${withValues(gameId, lists, window)})
      select coalesce(array_agg(report_id), '{}')::text as ids, count(*) as count from (${newest}) as newest`,
  );
}

/** SQL of a `uuid[]` of the newest reports. */
export function newestReports(gameId: string, wanted: Wanted, limit: number): RawBuilder<unknown> {
  return sql`array(${newestFirst(gameId, sql`report_id`, wanted, { before: null, limit })})`;
}

/** The newest reports of a window. */
export function listNewest(
  db: Db,
  gameId: string,
  wanted: Wanted,
  { window, limit }: { window: FacetWindow; limit: number },
): Promise<PackedIds> {
  const inWindow = newestFirst(gameId, sql`report_id`, since(wanted, window.from), { before: window.to, limit });
  return onlyRow(
    db,
    sql<PackedIds>`select coalesce(array_agg(report_id), '{}')::text as ids, count(*) as count from (${inWindow}) as newest`,
  );
}

/** The newest reports of a window that meet all conditions, which can use an index. */
export function listMatches(
  db: Db,
  gameId: string,
  conditions: readonly RawBuilder<unknown>[],
  { window, limit }: { window: FacetWindow; limit: number },
): Promise<PackedIds> {
  return transact(db, async (tx) => {
    await onlyIndexes(tx);
    return onlyRow(
      tx,
      sql<PackedIds>`with matching as materialized (select report_id from crash_reports where game_id = ${gameId}
          and report_id < ${window.to}::uuid and report_id >= ${window.from}::uuid and ${sql.join(conditions, sql` and `)})
        select coalesce(array_agg(report_id), '{}')::text as ids, count(*) as count
        from (select report_id from matching order by report_id desc limit ${limit}) as newest`,
    );
  });
}
