// The SQL that counts the devices, sessions and facets of crash groups: exactly those of the stored reports that are
// counted in the group. A report is counted in its group or, if that is merged into another one, there.
//
// Devices cannot be added up: a device may have sent many reports. So what some reports add to a group is what the
// other reports of the group don't have already: the same when they join it and when they leave it.
import { type RawBuilder, sql } from 'kysely';
import { changed, rows, type Tx } from '../../../kernel/database/db.ts';
import { rowsOfGame } from '../../../kernel/database/shards.ts';
import type { FacetIds } from './facet-ids.ts';
import {
  isCompared,
  lockAllSlots,
  lockSlots,
  OF_TOTALS,
  subtractTotals,
  TOTALLED_OF_REPORT,
  totalledColumns,
  totalsChange,
} from './totals.sql.ts';

/** Where reports are counted. */
type Counted = { report_id: string; place_id: string };

/** What is kept of reports that are counted in another group: their values, and how they are counted in totals. */
type Kept = { readonly facets: FacetIds; readonly totalled: ReadonlyMap<string, number> };

/**
 * Counts the reports in `placeId`, and no longer where they were counted before. Without `facets`, those of before are
 * kept. The group must be locked by the caller; the groups of before are locked here. `isNew` if none was counted
 * before; their slots can be locked by the caller then.
 */
export async function countReports(
  tx: Tx,
  gameId: string,
  placeId: string,
  reportIds: readonly string[],
  { facets, isNew, hasSlots = false }: { facets: FacetIds | undefined; isNew: boolean; hasSlots?: boolean },
): Promise<void> {
  if (isNew) return join(tx, gameId, placeId, reportIds, { facets: facets ?? new Map(), hasSlots });
  const counted = await findCounted(tx, gameId, reportIds);
  if (facets !== undefined) {
    await leave(tx, gameId, counted);
    return join(tx, gameId, placeId, reportIds, { facets });
  }
  await move(
    tx,
    gameId,
    placeId,
    counted.filter(({ place_id }) => place_id !== placeId),
  );
  const known = new Set(counted.map(({ report_id }) => report_id));
  return join(
    tx,
    gameId,
    placeId,
    reportIds.filter((id) => !known.has(id)),
    { facets: new Map() },
  );
}

/** Counts reports that are counted nowhere. */
async function join(
  tx: Tx,
  gameId: string,
  placeId: string,
  reportIds: readonly string[],
  { facets, hasSlots = false }: { facets: FacetIds; hasSlots?: boolean },
): Promise<void> {
  if (reportIds.length === 0) return;
  if (!hasSlots) await lockSlots(tx, gameId, reportIds);
  await insert(tx, gameId, placeId, reportIds, { facets, totals: 'added' });
}

/** Counts reports nowhere. */
async function leave(tx: Tx, gameId: string, counted: readonly Counted[]): Promise<void> {
  if (counted.length === 0) return;
  await lockAllSlots(tx, gameId);
  await subtractTotals(tx, gameId, idsOf(counted));
  await uncount(tx, gameId, counted);
}

/** Counts reports in another group, which is the same for the totals of their game and builds. */
async function move(tx: Tx, gameId: string, placeId: string, counted: readonly Counted[]): Promise<void> {
  if (counted.length === 0) return;
  const { facets, totalled } = await readKept(tx, gameId, counted);
  await uncount(tx, gameId, counted);
  await insert(tx, gameId, placeId, idsOf(counted), { facets, totals: totalled });
}

/** Counts the reports nowhere. Locks their groups. */
export async function uncountReports(tx: Tx, gameId: string, reportIds: readonly string[]): Promise<void> {
  await leave(tx, gameId, await findCounted(tx, gameId, reportIds));
}

/** Counts these reports as they are now, where they are counted. Locks their groups. */
export async function countAgain(tx: Tx, gameId: string, reportIds: readonly string[]): Promise<void> {
  const counted = await findCounted(tx, gameId, reportIds);
  const { facets } = await readKept(tx, gameId, counted);
  await leave(tx, gameId, counted);
  for (const [placeId, reports] of Map.groupBy(counted, ({ place_id }) => place_id))
    await join(tx, gameId, placeId, idsOf(reports), { facets });
}

function idsOf(counted: readonly Counted[]): string[] {
  return counted.map(({ report_id }) => report_id);
}

/** Where these reports are counted, after locking these groups: until then a merge may move them. */
async function findCounted(tx: Tx, gameId: string, reportIds: readonly string[]): Promise<Counted[]> {
  const read = () =>
    rows(
      tx,
      sql<Counted>`select report_id, place_id from crash_impact
        where game_id = ${gameId} and report_id = any(${reportIds}::uuid[])`,
    );
  for (let before = await read(); ; ) {
    if (before.length === 0) return before;
    await lockPlaces(tx, gameId, [...new Set(before.map(({ place_id }) => place_id))]);
    const after = await read();
    const places = new Set(before.map(({ place_id }) => place_id));
    if (after.every(({ place_id }) => places.has(place_id))) return after;
    before = after;
  }
}

/** Locks a group that others are merged into, before reports of these are counted there. */
export function lockPlace(tx: Tx, gameId: string, groupId: string): Promise<void> {
  return lockPlaces(tx, gameId, [groupId]);
}

async function lockPlaces(tx: Tx, gameId: string, groupIds: readonly string[]): Promise<void> {
  await rows(
    tx,
    sql`select from crash_groups where game_id = ${gameId} and group_id = any(${groupIds}::uuid[])
      order by group_id for update`,
  );
}

async function readKept(tx: Tx, gameId: string, counted: readonly Counted[]): Promise<Kept> {
  if (counted.length === 0) return { facets: new Map(), totalled: new Map() };
  const read = await rows(
    tx,
    sql<{ report_id: string; value_ids: string; totalled: number }>`
      select report_id, array_to_string(value_ids, ' ') as value_ids, totalled
      from crash_impact where game_id = ${gameId} and report_id = any(${idsOf(counted)}::uuid[])`,
  );
  return {
    facets: new Map(
      read.map(({ report_id, value_ids }) => [report_id, value_ids === '' ? [] : value_ids.split(' ').map(Number)]),
    ),
    totalled: new Map(read.map(({ report_id, totalled }) => [report_id, totalled])),
  };
}

async function uncount(tx: Tx, gameId: string, counted: readonly Counted[]): Promise<void> {
  for (const [placeId, reports] of Map.groupBy(counted, ({ place_id }) => place_id)) {
    const ids = idsOf(reports);
    await changed(
      tx,
      sql`with changed as materialized (
          delete from crash_impact where game_id = ${gameId}::uuid and report_id = any(${ids}::uuid[])
            and place_id = ${placeId}::uuid
          returning ${changedColumns}
        ), ${sharesOf(gameId, placeId, ids)},
        emptied_values as (
          delete from crash_group_values counted using by_value
          where counted.game_id = ${gameId}::uuid and counted.group_id = ${placeId}::uuid
            and counted.value_id = by_value.value_id and counted.reports <= by_value.reports
        ), fewer_values as (
          update crash_group_values counted
          set reports = counted.reports - by_value.reports, devices = counted.devices - by_value.devices
          from by_value where counted.game_id = ${gameId}::uuid and counted.group_id = ${placeId}::uuid
            and counted.value_id = by_value.value_id and counted.reports > by_value.reports
        ), emptied_builds as (
          delete from crash_group_builds counted using by_build
          where counted.game_id = ${gameId}::uuid and counted.group_id = ${placeId}::uuid
            and counted.build_id = by_build.build_id and counted.reports <= by_build.reports
        ), fewer_builds as (
          update crash_group_builds counted set reports = counted.reports - by_build.reports,
            devices = counted.devices - by_build.devices, sessions = counted.sessions - by_build.sessions
          from by_build where counted.game_id = ${gameId}::uuid and counted.group_id = ${placeId}::uuid
            and counted.build_id = by_build.build_id and counted.reports > by_build.reports
        )
        update crash_groups set devices = crash_groups.devices - total.devices, sessions = crash_groups.sessions - total.sessions
        from total where game_id = ${gameId} and group_id = ${placeId}`,
    );
  }
}

/**
 * Counts reports in their group. `totals` says how they are counted in the totals already, or that they are to be added
 * to them, for which their slots must be locked.
 */
async function insert(
  tx: Tx,
  gameId: string,
  placeId: string,
  reportIds: readonly string[],
  { facets, totals }: { facets: FacetIds; totals: ReadonlyMap<string, number> | 'added' },
): Promise<void> {
  const totalled: ReadonlyMap<string, number> = totals === 'added' ? new Map() : totals;
  const pairs = reportIds.flatMap((id) => (facets.get(id) ?? []).map((value) => [id, value] as const));
  await rowsOfGame(
    tx,
    gameId,
    sql`with sender as materialized (
        select device_uid, ${isCompared(gameId, sql`other.place_id = ${placeId}::uuid and other.is_distinct`)} as is_compared,
          ${isCompared(gameId, OF_TOTALS)} as is_compared_in_totals
        from (
          select distinct device_uid from crash_reports
          where game_id = ${gameId}::uuid and report_id = any(${reportIds}::uuid[]) and device_uid <> ''
        ) as sent
      ), changed as (
        insert into crash_impact (game_id, report_id, place_id, build_id, device_uid, session_id, is_distinct, totalled,
          value_ids)
        select game_id, report_id, ${placeId}::uuid, build_id, coalesce(device_uid, ''), coalesce(session_id, ''),
          (device_uid is not null or session_id is not null) and coalesce(is_compared, true),
          coalesce(kept.totalled, ${TOTALLED_OF_REPORT}), coalesce(value_ids, '{}')
        from crash_reports report left join sender using (device_uid) left join unnest(${[...totalled.keys()]}::uuid[], ${[...totalled.values()]}::smallint[])
          as kept (report_id, totalled) using (report_id)
        left join (
          select report_id, array_agg(value_id order by value_id) as value_ids
          from unnest(${pairs.map(([id]) => id)}::uuid[], ${pairs.map(([, value]) => value)}::bigint[])
            as facet (report_id, value_id) group by report_id
        ) as facets using (report_id)
        where report.game_id = ${gameId}::uuid and report_id = any(${reportIds}::uuid[])
        returning is_distinct, ${totalledColumns}
      ), ${sharesOf(gameId, placeId, [])},
      ${totals === 'added' ? sql`${totalsChange(gameId, sql`changed`, { reportIds: [], sign: 1 })},` : sql``}
      more_values as (
        insert into crash_group_values as counted (game_id, group_id, value_id, reports, devices)
        select ${gameId}::uuid, ${placeId}::uuid, value_id, reports, devices from by_value
        on conflict (game_id, group_id, value_id) do update
          set reports = counted.reports + excluded.reports, devices = counted.devices + excluded.devices
      ), more_builds as (
        insert into crash_group_builds as counted (game_id, group_id, build_id, reports, devices, sessions)
        select ${gameId}::uuid, ${placeId}::uuid, build_id, reports, devices, sessions from by_build
        on conflict (game_id, group_id, build_id) do update set reports = counted.reports + excluded.reports,
          devices = counted.devices + excluded.devices, sessions = counted.sessions + excluded.sessions
      )
      update crash_groups set devices = crash_groups.devices + total.devices, sessions = crash_groups.sessions + total.sessions
      from total where game_id = ${gameId}::uuid and group_id = ${placeId}::uuid returning group_id`,
  );
}

const changedColumns = sql.raw('report_id, build_id, device_uid, session_id, is_distinct, value_ids');

/**
 * CTEs after `changed`, reports that join or leave the group: `total`, `by_build` and `by_value` have what they add to
 * it. `leaving` are those reports that the statement still sees in the table.
 */
function sharesOf(gameId: string, placeId: string, leaving: readonly string[]): RawBuilder<unknown> {
  // If it is a subquery of one value, the planner cannot choose to read all reports of the group.
  const others = (condition: RawBuilder<unknown>) => sql`(
    select true from crash_impact other where other.game_id = ${gameId}::uuid and other.place_id = ${placeId}::uuid
      and other.is_distinct and other.report_id <> all(${leaving}::uuid[]) and ${condition} limit 1) is null`;
  return sql`device as materialized (
      select device_uid, ${others(sql`other.device_uid = sent.device_uid`)} as is_alone
      from (select distinct device_uid from changed where is_distinct and device_uid <> '') as sent
    ), session as materialized (
      select device_uid, session_id, ${others(
        sql`other.device_uid = sent.device_uid and other.session_id = sent.session_id`,
      )} as is_alone
      from (select distinct device_uid, session_id from changed where is_distinct and session_id <> '') as sent
    ), build_device as (
      select build_id, is_alone or ${others(
        sql`other.device_uid = sent.device_uid and other.build_id = sent.build_id`,
      )} as is_alone
      from (select distinct build_id, device_uid from changed where is_distinct and device_uid <> '') as sent
        join device using (device_uid)
    ), build_session as (
      select build_id, is_alone or ${others(
        sql`other.device_uid = sent.device_uid and other.session_id = sent.session_id and other.build_id = sent.build_id`,
      )} as is_alone
      from (select distinct build_id, device_uid, session_id from changed where is_distinct and session_id <> '') as sent
        join session using (device_uid, session_id)
    ), value_device as (
      select value_id, is_alone or ${others(
        sql`other.device_uid = sent.device_uid and other.value_ids @> array[sent.value_id]`,
      )} as is_alone
      from (select distinct value_id, device_uid from changed cross join unnest(value_ids) as facet (value_id)
        where is_distinct and device_uid <> '') as sent join device using (device_uid)
    ), total as (
      select (select count(*) from device where is_alone) as devices, (select count(*) from session where is_alone) as sessions
    ), by_build as materialized (
      select build_id, count(*) as reports,
        (select count(*) from build_device where build_device.build_id = changed.build_id and is_alone) as devices,
        (select count(*) from build_session where build_session.build_id = changed.build_id and is_alone) as sessions
      from changed group by build_id
    ), by_value as materialized (
      select value_id, reports, coalesce(devices, 0) as devices from (
        select value_id, count(*) as reports from changed cross join unnest(value_ids) as facet (value_id) group by value_id
      ) as valued left join (
        select value_id, count(*) as devices from value_device where is_alone group by value_id
      ) as sent using (value_id)
    )`;
}

export type Move = {
  readonly groupId: string;
  /** The last report of the previous batch; null for the first batch. */
  readonly before: string | null;
  readonly limit: number;
};

/**
 * Counts reports of a group where they belong, after it was merged or separated. Returns the last report of the batch;
 * null if there are no more. Safe to repeat.
 */
export async function moveCounts(tx: Tx, gameId: string, { groupId, before, limit }: Move): Promise<string | null> {
  const [group] = await rows(
    tx,
    sql<{ place: string }>`select coalesce(merged_into, group_id) as place from crash_groups
      where game_id = ${gameId} and group_id = ${groupId} for update`,
  );
  if (group === undefined) return null;
  await lockPlaces(tx, gameId, [group.place]);
  const reports = await rows(
    tx,
    sql<{
      report_id: string;
      is_elsewhere: boolean;
    }>`select batch.report_id, place_id is not null and place_id <> ${group.place}::uuid as is_elsewhere
      from (
        select report_id from crash_reports where game_id = ${gameId} and group_id = ${groupId}
          and (${before}::uuid is null or report_id < ${before}::uuid)
        order by report_id desc limit ${limit}
      ) as batch left join crash_impact on crash_impact.game_id = ${gameId} and crash_impact.report_id = batch.report_id
      order by batch.report_id desc`,
  );
  const moving = reports.filter(({ is_elsewhere }) => is_elsewhere).map(({ report_id }) => report_id);
  if (moving.length > 0) await countReports(tx, gameId, group.place, moving, { facets: undefined, isNew: false });
  return reports.length < limit ? null : reports.at(-1)!.report_id;
}
