// The SQL that lists crash groups with their counts, resolves them and reopens them.
import { type RawBuilder, sql } from 'kysely';
import { changed, type Db, row, rows } from '../../../kernel/database/db.ts';

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

/**
 * The counts of a group's reports, as texts: a hundred groups have thousands of counts, and PostgreSQL concatenates
 * texts in half the time that rows or JSON would take.
 */
export type GroupCounts = {
  group_id: string;
  /** Over all time: `build_id count os`, separated by commas. */
  totals: string;
  /** For each day with reports, in order: `day count`, separated by commas. The first requested day is 0. */
  days: string;
};

const columns = sql.raw(`group_id, kind, title, reason, explanation, count, first_seen, last_seen,
  (extract(epoch from last_seen) * 1000000)::bigint::text as place, sample_report_id, status, fixed_in_version, regressed_at`);

type Filters = { buildId: string | undefined; sinceBuild: string | undefined; status: GroupStatus | undefined };
type Page = { before: { place: string; groupId: string } | null; limit: number };

/**
 * Groups, the most recently seen first. `buildId` selects groups with a report of that build, `sinceBuild` groups first
 * seen after it was registered.
 */
export function listGroups(db: Db, gameId: string, filters: Filters, { before, limit }: Page): Promise<GroupRow[]> {
  const conditions = [sql`game_id = ${gameId}`];
  if (filters.status !== undefined) conditions.push(sql`status = ${filters.status}`);
  if (filters.buildId !== undefined)
    conditions.push(
      sql`exists (select from crash_group_totals counts where counts.game_id = ${gameId}
        and counts.group_id = crash_groups.group_id and counts.build_id = ${filters.buildId})`,
    );
  if (filters.sinceBuild !== undefined)
    conditions.push(
      seenFirstSince(sql`(
    select created_at from builds where game_id = ${gameId} and build_id = ${filters.sinceBuild})`),
    );
  if (before !== null)
    conditions.push(
      sql`(last_seen, group_id) <
        (timestamptz 'epoch' + ${before.place}::bigint * interval '1 microsecond', ${before.groupId}::uuid)`,
    );
  return rows(
    db,
    sql<GroupRow>`select ${columns} from crash_groups where ${sql.join(conditions, sql` and `)}
      order by last_seen desc, group_id desc limit ${limit}`,
  );
}

/** A group first seen after a time was also last seen after it; the condition on `last_seen` can use the index. */
function seenFirstSince(time: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`last_seen >= ${time} and first_seen >= ${time}`;
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
      where status = 'open' and ${seenFirstSince(sql`newest.registered_at`)}
      group by game_id`,
  );
}

export function findGroup(db: Db, gameId: string, groupId: string): Promise<GroupRow | undefined> {
  return row(
    db,
    sql<GroupRow>`select ${columns} from crash_groups where game_id = ${gameId} and group_id = ${groupId}`,
  );
}

/** The counts of these groups, by day from `firstDay` on. Groups without counts are left out. */
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
      with of_builds as (
        select group_id, string_agg(build_id || ' ' || count || ' ' || os, ',') as totals
        from crash_group_totals where ${wanted} group by group_id
      ), of_days as (
        select group_id, string_agg((day - ${firstDay}::date) || ' ' || count, ',' order by day) as days
        from crash_group_days where ${wanted} and day >= ${firstDay}::date group by group_id
      )
      select group_id, totals, coalesce(days, '') as days from of_builds left join of_days using (group_id)`,
  );
}

/** The counts of a group by day, from `firstDay` on, and by version, which is null for deleted builds. */
export function countByVersion(
  db: Db,
  gameId: string,
  groupId: string,
  firstDay: string,
): Promise<{ day: string; version: string | null; count: number }[]> {
  return rows(
    db,
    sql<{ day: string; version: string | null; count: number }>`
      select day::text as day, version, sum(count)::bigint as count
      from crash_group_counts left join build_names using (game_id, build_id)
      where game_id = ${gameId} and group_id = ${groupId} and day >= ${firstDay}::date
      group by day, version order by day`,
  );
}

/** The versions of these builds, by their ids. */
export async function findVersions(
  db: Db,
  gameId: string,
  buildIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const versions = await rows(
    db,
    sql<{ build_id: string; version: string }>`select build_id, version from build_names
      where game_id = ${gameId} and build_id = any(${buildIds}::uuid[])`,
  );
  return new Map(versions.map(({ build_id, version }) => [build_id, version]));
}

/** Marks a group as resolved. Returns false if there is no such group. */
export async function resolveGroup(
  db: Db,
  gameId: string,
  groupId: string,
  { fixedIn, resolvedBy }: { fixedIn: string | null; resolvedBy: string },
): Promise<boolean> {
  const count = await changed(
    db,
    sql`update crash_groups set status = 'resolved', fixed_in_version = ${fixedIn}, resolved_at = now(),
        resolved_by = ${resolvedBy}, regressed_at = null
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
