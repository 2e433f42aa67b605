// The SQL that compares the crash groups of two builds.
import type { GroupStatus } from '@chauffeur/contract/operations/crash-groups';
import { sql } from 'kysely';
import { type Db, rows } from '../../../kernel/database/db.ts';
import { shownTitle } from '../groups/state.sql.ts';

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

/** The groups with the most reports, up to `limit` of each kind. Reports of merged groups count in the group that is shown. */
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
        where totals.game_id = ${gameId} and build_id in (${buildId}, ${otherId})
        group by 1
      ), placed as (
        select *, case when other_reports = 0 then 'only_build' when reports = 0 then 'only_other' else 'both' end as kind
        from counted where reports > 0 or other_reports > 0
      ), ranked as (
        select *, count(*) over (partition by kind) as groups,
          row_number() over (partition by kind order by reports + other_reports desc, group_id) as place
        from placed
      )
      select ranked.group_id, ${shownTitle} as title, status, reports, other_reports, ranked.kind, groups
      from ranked join crash_groups heads on heads.game_id = ${gameId} and heads.group_id = ranked.group_id
      where place <= ${limit} order by ranked.kind, place`,
  );
}
