// The SQL that reads crash groups and their counts, and marks them resolved.
import { sql } from 'kysely';
import { changed, type Db, row, rows } from '../../../kernel/db.ts';

export type GroupStatus = 'open' | 'resolved';

export type GroupRow = {
  group_id: string;
  kind: 'stack' | 'message';
  title: string;
  reason: string | null;
  explanation: string[];
  count: number;
  first_seen: Date;
  last_seen: Date;
  /** `last_seen` in microseconds since 1970. */
  place: string;
  sample_report_id: string | null;
  status: GroupStatus;
  fixed_in_version: string | null;
  regressed_at: Date | null;
};

/** How many reports of a group have one thing in common. */
export type GroupCounts = {
  group_id: string;
  /** The version is that of the build; '' when the build is gone. */
  builds: { build_id: string; version: string; count: number }[];
  oses: { os: string; count: number }[];
  /** Days are such as `2026-11-21`, in UTC. */
  days: { day: string; count: number }[];
};

const columns = sql.raw(`group_id, kind, title, reason, explanation, count, first_seen, last_seen,
  (extract(epoch from last_seen) * 1000000)::bigint::text as place, sample_report_id, status, fixed_in_version, regressed_at`);

type Filters = { buildId: string | undefined; status: GroupStatus | undefined };
type Page = { before: { place: string; groupId: string } | null; limit: number };

/** Groups, those seen last first; with `buildId` those that have a report of the build. */
export function listGroups(db: Db, gameId: string, filters: Filters, { before, limit }: Page): Promise<GroupRow[]> {
  const all = [sql`game_id = ${gameId}`];
  if (filters.status !== undefined) all.push(sql`status = ${filters.status}`);
  if (filters.buildId !== undefined)
    all.push(
      sql`exists (select from crash_group_totals counts where counts.game_id = ${gameId}
        and counts.group_id = crash_groups.group_id and counts.build_id = ${filters.buildId})`,
    );
  if (before !== null)
    all.push(
      sql`(last_seen, group_id) <
        (timestamptz 'epoch' + ${before.place}::bigint * interval '1 microsecond', ${before.groupId}::uuid)`,
    );
  return rows(
    db,
    sql<GroupRow>`select ${columns} from crash_groups where ${sql.join(all, sql` and `)}
      order by last_seen desc, group_id desc limit ${limit}`,
  );
}

export function findGroup(db: Db, gameId: string, groupId: string): Promise<GroupRow | undefined> {
  return row(
    db,
    sql<GroupRow>`select ${columns} from crash_groups where game_id = ${gameId} and group_id = ${groupId}`,
  );
}

/**
 * The counts of all these groups at once: by build and by system ever since, by day from `firstDay` on. Builds and systems with the
 * most reports first, days in their order. One row for each group that has any: a hundred groups have thousands of counts, which cost
 * more to carry one by one than to find.
 */
export function countGroups(
  db: Db,
  gameId: string,
  groupIds: readonly string[],
  firstDay: string,
): Promise<GroupCounts[]> {
  const wanted = sql`game_id = ${gameId} and group_id = any(${groupIds}::uuid[])`;
  return rows(
    db,
    sql<GroupCounts>`
      with total as (
        select group_id, build_id, os, count from crash_group_totals where ${wanted}
      ), of_builds as (
        select group_id, json_agg(json_build_object('build_id', build_id, 'version', version, 'count', count)
          order by count desc, version desc) as builds
        from (
          select group_id, total.build_id, coalesce(version, '') as version, sum(count) as count
          from total left join builds on builds.game_id = ${gameId} and builds.build_id = total.build_id
          group by group_id, total.build_id, version
        ) counted group by group_id
      ), of_oses as (
        select group_id, json_agg(json_build_object('os', os, 'count', count) order by count desc, os) as oses
        from (select group_id, os, sum(count) as count from total group by group_id, os) counted group by group_id
      ), of_days as (
        select group_id, json_agg(json_build_object('day', day, 'count', count) order by day) as days
        from crash_group_days where ${wanted} and day >= ${firstDay}::date group by group_id
      )
      select group_id, builds, oses, coalesce(days, '[]') as days
      from of_builds join of_oses using (group_id) left join of_days using (group_id)`,
  );
}

/** Marks a group as resolved by `who`; answers whether there is one. */
export async function resolveGroup(
  db: Db,
  gameId: string,
  groupId: string,
  { fixedIn, who }: { fixedIn: string | null; who: string },
): Promise<boolean> {
  const count = await changed(
    db,
    sql`update crash_groups set status = 'resolved', fixed_in_version = ${fixedIn}, resolved_at = clock_timestamp(),
        resolved_by = ${who}, regressed_at = null
      where game_id = ${gameId} and group_id = ${groupId}`,
  );
  return count > 0;
}

export async function reopenGroup(db: Db, gameId: string, groupId: string): Promise<boolean> {
  const count = await changed(
    db,
    sql`update crash_groups set status = 'open', fixed_in_version = null, resolved_at = null, resolved_by = null, regressed_at = null
      where game_id = ${gameId} and group_id = ${groupId}`,
  );
  return count > 0;
}
