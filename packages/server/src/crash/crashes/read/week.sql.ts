// The SQL of the crashes of a week, for the summary of a game.
import { sql } from 'kysely';
import { type Db, onlyRow, rows } from '../../../kernel/database/db.ts';
import { shownTitle } from '../groups/state.sql.ts';

/** UTC days: from `first` up to, but without, `end`. */
export type Days = { readonly first: string; readonly end: string };

export type TopGroupRow = { group_id: string; title: string; reports: number };

/** The groups with the most reports in these days. */
export function readTopGroups(db: Db, gameId: string, { first, end }: Days, limit: number): Promise<TopGroupRow[]> {
  return rows(
    db,
    sql<TopGroupRow>`select group_id, ${shownTitle} as title, reports from (
        select coalesce(merged_into, group_id) as group_id, sum(days.count)::bigint as reports
        from crash_group_days days join crash_groups using (game_id, group_id)
        where game_id = ${gameId} and day >= ${first}::date and day < ${end}::date
        group by 1
      ) as counted join crash_groups using (group_id)
      where crash_groups.game_id = ${gameId} and reports > 0 and status <> 'ignored'
      order by reports desc, group_id limit ${limit}`,
  );
}

export type WeekRow = { reports: number; new_groups: number; fixed_groups: number };

/** The reports of these days, the groups that they began, and the groups that were resolved and are not back. */
export function readWeek(db: Db, gameId: string, { first, end }: Days): Promise<WeekRow> {
  const ofDays = (time: string) => sql`${sql.ref(time)} >= ${first}::date::timestamp at time zone 'utc'
    and ${sql.ref(time)} < ${end}::date::timestamp at time zone 'utc'`;
  return onlyRow(
    db,
    sql<WeekRow>`select
        (select coalesce(sum(count), 0)::bigint from crash_group_days
          where game_id = ${gameId} and day >= ${first}::date and day < ${end}::date) as reports,
        (select count(*) from crash_groups where game_id = ${gameId} and merged_into is null and ${ofDays('first_seen')}) as new_groups,
        (select count(*) from crash_groups where game_id = ${gameId} and status = 'resolved' and merged_into is null
          and ${ofDays('resolved_at')}) as fixed_groups`,
  );
}
