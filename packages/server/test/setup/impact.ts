// Counts whom crashes hit from the stored reports, to compare it with what the server keeps.
import { sql } from 'kysely';
import { type Db, rows } from '../../src/kernel/database/db.ts';

type Counted = Record<string, string>;

async function read(db: Db, statement: ReturnType<typeof sql>): Promise<Counted> {
  const counted = await rows(db, statement as ReturnType<typeof sql<{ key: string; counts: string }>>);
  return Object.fromEntries(counted.map(({ key, counts }) => [key, counts]));
}

/**
 * Reports, devices and sessions by group, by group and build, by group and value, and of the game and its builds: kept,
 * and counted again.
 */
export async function readCounts(db: Db, gameId: string): Promise<{ kept: Counted; recounted: Counted }> {
  const kept = await read(
    db,
    sql`select 'group ' || group_id as key, devices || ' ' || sessions as counts from crash_groups
        where game_id = ${gameId} and (devices, sessions) <> (0, 0)
      union all
      select 'build ' || group_id || ' ' || build_id, reports || ' ' || devices || ' ' || sessions
        from crash_group_builds where game_id = ${gameId}
      union all
      select 'value ' || group_id || ' ' || facet || ' ' || value, reports || ' ' || devices
        from crash_group_values left join crash_facet_values using (game_id, value_id) where game_id = ${gameId}
      union all
      select 'total ' || scope_id, sum(reports) || ' ' || sum(devices) || ' ' || sum(sessions)
        from crash_totals where game_id = ${gameId} group by scope_id having sum(reports) > 0
      union all
      select 'total ' || scope_id || ' ' || facet || ' ' || value, sum(reports) || ' ' || sum(devices)
        from crash_total_values left join crash_facet_values using (game_id, value_id) where game_id = ${gameId}
        group by scope_id, facet, value having sum(reports) > 0
      union all
      select 'slot ' || scope_id || ' ' || slot, reports || ' ' || devices || ' ' || sessions from crash_totals
        where game_id = ${gameId} and least(reports, devices, sessions) < 0`,
  );
  const recounted = await read(
    db,
    sql`with report as (
        select coalesce(merged_into, group_id) as place, report_id, build_id, device_uid, session_id
        from crash_reports join crash_groups using (game_id, group_id) where game_id = ${gameId}
      ), valued as (
        select place, build_id, facet, value, report.device_uid from report
          join (select report_id, value_ids from crash_impact where game_id = ${gameId}) as counted_report using (report_id)
          cross join unnest(value_ids) as counted (id)
          join crash_facet_values on crash_facet_values.game_id = ${gameId} and value_id = counted.id
      )
      select 'group ' || place as key, count(distinct report.device_uid) || ' '
        || count(distinct (coalesce(report.device_uid, ''), report.session_id)) filter (where report.session_id is not null) as counts
        from report group by place having count(report.device_uid) + count(report.session_id) > 0
      union all
      select 'build ' || place || ' ' || build_id, count(*) || ' ' || count(distinct device_uid) || ' '
        || count(distinct (coalesce(device_uid, ''), session_id)) filter (where session_id is not null)
        from report group by place, build_id
      union all
      select 'value ' || place || ' ' || facet || ' ' || value, count(*) || ' ' || count(distinct device_uid)
        from valued group by place, facet, value
      union all
      select 'total ' || scope, count(*) || ' ' || count(distinct device_uid) || ' '
        || count(distinct (coalesce(device_uid, ''), session_id)) filter (where session_id is not null)
        from report cross join unnest(array[build_id, ${gameId}]) as counted (scope) group by scope
      union all
      select 'total ' || scope || ' ' || facet || ' ' || value, count(*) || ' ' || count(distinct device_uid)
        from valued cross join unnest(array[build_id, ${gameId}]) as counted (scope) group by scope, facet, value`,
  );
  return { kept, recounted };
}
