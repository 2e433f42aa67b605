// The SQL that counts the devices, sessions and facets of a game and of each of its builds, over all groups: exactly
// those of the stored reports that are counted in a group. Errors that a game handled count in their groups only.
//
// A device is counted in one of a few slots, so the counts of the slots can be added up. A transaction locks the slots
// of its devices before it counts them, so that two reports of a device don't both count as its first. It locks groups
// before that, and slots in their order, so that transactions cannot deadlock.
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../../kernel/database/db.ts';
import { rowsOfGame } from '../../../kernel/database/shards.ts';

/** A power of two. With more, fewer transactions wait for each other, and more rows are read. */
const SLOTS = 4;
/** Reports of one device, in one group or game, that are compared with others. What further ones add is not counted. */
const MAX_OF_DEVICE = 1000;

/** How a report is counted in totals. */
const TOTALLED = { not: 0, withoutDevice: 1, withDevice: 2 } as const;

/** The slot of a report, by its device or else its session. */
function slotOf(device: RawBuilder<unknown>, session: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(hashtext(coalesce(nullif(${device}, ''), nullif(${session}, ''), report_id::text)) & ${sql.lit(SLOTS - 1)})::smallint`;
}

/** Locks the slots of these reports. Call it before they are counted anywhere, and after their groups are locked. */
export async function lockSlots(tx: Tx, gameId: string, reportIds: readonly string[]): Promise<void> {
  await rowsOfGame(tx, gameId, slotLock(gameId, reportIds));
}

/** The statement of `lockSlots`, to be part of another one. The reports can be counted in the next statement. */
export function slotLock(gameId: string, reportIds: readonly string[]): RawBuilder<unknown> {
  return lock(
    gameId,
    sql`select distinct ${slotOf(sql`device_uid`, sql`session_id`)} as slot from crash_reports
      where game_id = ${gameId}::uuid and report_id = any(${reportIds}::uuid[])`,
  );
}

/** Locks all slots of the game, for reports whose device may have changed. */
export async function lockAllSlots(tx: Tx, gameId: string): Promise<void> {
  await rowsOfGame(tx, gameId, lock(gameId, sql`select generate_series(0, ${sql.lit(SLOTS - 1)})::smallint as slot`));
}

/** A row that does not exist cannot be locked, so it is created. */
function lock(gameId: string, slots: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`insert into crash_totals as counted (game_id, scope_id, slot, reports, devices, sessions)
    select ${gameId}::uuid, ${gameId}::uuid, slot, 0, 0, 0 from (${slots}) as wanted order by slot
    on conflict (game_id, scope_id, slot) do update set reports = counted.reports
    returning slot`;
}

/**
 * SQL of whether further reports of the device `sent.device_uid` are compared with others: whether fewer reports of it
 * than the limit are counted under this condition.
 */
export function isCompared(gameId: string, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select count(*) from (
      select from crash_impact other where other.game_id = ${gameId}::uuid and other.device_uid = sent.device_uid
        and ${condition} limit ${sql.lit(MAX_OF_DEVICE)}
    ) as others) < ${sql.lit(MAX_OF_DEVICE)}`;
}

/** The condition for reports that are compared in totals. In this form the planner recognizes the index on them. */
export const OF_TOTALS = sql`other.device_uid <> '' and other.totalled = ${sql.lit(TOTALLED.withDevice)}`;

/** SQL of how to count a row `report` of crash_reports that joins the totals. `sender` has what `isCompared` says. */
export const TOTALLED_OF_REPORT = sql`case
    when report.kind = 'error' then ${sql.lit(TOTALLED.not)}
    when report.device_uid is null and report.session_id is null then ${sql.lit(TOTALLED.withoutDevice)}
    when coalesce(is_compared_in_totals, true) then ${sql.lit(TOTALLED.withDevice)}
    else ${sql.lit(TOTALLED.withoutDevice)} end`;

/**
 * Subtracts these reports from the totals of their game and builds, as they are in `crash_impact`: before they are
 * deleted there. Their slots must be locked.
 */
export async function subtractTotals(tx: Tx, gameId: string, reportIds: readonly string[]): Promise<void> {
  if (reportIds.length === 0) return;
  const leaving = sql`(select ${totalledColumns} from crash_impact
    where game_id = ${gameId}::uuid and report_id = any(${reportIds}::uuid[])) as leaving`;
  await rowsOfGame(
    tx,
    gameId,
    sql`with ${totalsChange(gameId, leaving, { reportIds, sign: -1 })} select slot from totals_changed`,
  );
}

/** The columns of `crash_impact` that `totalsChange` reads. */
export const totalledColumns = sql.raw('report_id, build_id, device_uid, session_id, totalled, value_ids');

/**
 * CTEs that add reports, the rows of `source` with `totalledColumns`, to the totals of their game and builds, or
 * subtract them. Their slots must be locked. `reportIds` are those reports that the statement may still see in
 * `crash_impact`.
 */
export function totalsChange(
  gameId: string,
  source: RawBuilder<unknown>,
  { reportIds, sign }: { reportIds: readonly string[]; sign: 1 | -1 },
): RawBuilder<unknown> {
  return sql`${sharesOf(gameId, source, reportIds)},
    total_values_changed as (
      insert into crash_total_values as counted (game_id, scope_id, value_id, slot, reports, devices)
      select ${gameId}::uuid, scope_id, value_id, slot, ${sign}::integer * reports, ${sign}::integer * devices from total_by_value
      order by scope_id, value_id, slot
      on conflict (game_id, scope_id, value_id, slot) do update
        set reports = counted.reports + excluded.reports, devices = counted.devices + excluded.devices
    ), totals_changed as (
      insert into crash_totals as counted (game_id, scope_id, slot, reports, devices, sessions)
      select ${gameId}::uuid, scope_id, slot, ${sign}::integer * reports, ${sign}::integer * devices,
        ${sign}::integer * sessions
      from total_of_scope order by scope_id, slot
      on conflict (game_id, scope_id, slot) do update set reports = counted.reports + excluded.reports,
        devices = counted.devices + excluded.devices, sessions = counted.sessions + excluded.sessions
      returning slot
    )`;
}

/** CTEs with what the reports add to the totals: `total_of_scope` and `total_by_value`, by scope and slot. */
function sharesOf(gameId: string, source: RawBuilder<unknown>, reportIds: readonly string[]): RawBuilder<unknown> {
  // If it is a subquery of one value, the planner cannot choose to read all reports of the game.
  const others = (condition: RawBuilder<unknown>) => sql`(
    select true from crash_impact other where other.game_id = ${gameId}::uuid and other.device_uid = sent.device_uid
      and (other.device_uid <> '' or other.session_id <> '') and other.totalled = ${sql.lit(TOTALLED.withDevice)}
      and other.report_id <> all(${reportIds}::uuid[])
      and (sent.is_game or other.build_id = sent.scope_id) and ${condition} limit 1) is null`;
  return sql`totalled as materialized (
      select report_id, scope_id, is_game, device_uid, session_id, totalled = ${sql.lit(TOTALLED.withDevice)} as is_distinct,
        value_ids, ${slotOf(sql`device_uid`, sql`session_id`)} as slot
      from ${source} cross join lateral (values (${gameId}::uuid, true), (build_id, false)) as scopes (scope_id, is_game)
      where totalled > ${sql.lit(TOTALLED.not)}
    ), total_device as materialized (
      select scope_id, slot, device_uid, ${others(sql`true`)} as is_alone
      from (select distinct scope_id, is_game, slot, device_uid from totalled where is_distinct and device_uid <> '') as sent
    ), total_session as materialized (
      select scope_id, slot, ${others(sql`other.session_id = sent.session_id`)} as is_alone
      from (select distinct scope_id, is_game, slot, device_uid, session_id from totalled
        where is_distinct and session_id <> '') as sent
    ), total_value_device as (
      select scope_id, slot, value_id, is_alone or ${others(sql`other.value_ids @> array[sent.value_id]`)} as is_alone
      from (select distinct scope_id, is_game, slot, value_id, device_uid
        from totalled cross join unnest(value_ids) as facet (value_id) where is_distinct and device_uid <> '') as sent
        join total_device using (scope_id, slot, device_uid)
    ), total_of_scope as (
      select scope_id, slot, count(*) as reports,
        (select count(*) from total_device as device where device.scope_id = totalled.scope_id and device.slot = totalled.slot and is_alone) as devices,
        (select count(*) from total_session as session where session.scope_id = totalled.scope_id and session.slot = totalled.slot and is_alone) as sessions
      from totalled group by scope_id, slot
    ), total_by_value as materialized (
      select scope_id, slot, value_id, reports, coalesce(devices, 0) as devices from (
        select scope_id, slot, value_id, count(*) as reports from totalled cross join unnest(value_ids) as facet (value_id)
        group by scope_id, slot, value_id
      ) as valued left join (
        select scope_id, slot, value_id, count(*) as devices from total_value_device where is_alone group by scope_id, slot, value_id
      ) as sent using (scope_id, slot, value_id)
    )`;
}
