// The SQL that lists crash groups with their counts. A group is shown with the groups that were merged into it:
// together they are a family, of which the group that is shown is the head.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import type { GroupOrder, GroupStatus, Priority, ReportKind } from '@chauffeur/contract/operations/crash-groups';
import { type RawBuilder, sql } from 'kysely';
import { type Db, onlyRow, row, rows } from '../../../kernel/database/db.ts';
import { shownTitle } from '../groups/state.sql.ts';

export type GroupRow = {
  group_id: string;
  kind: 'stack' | 'message';
  report_kind: ReportKind;
  title: string;
  signature: string;
  reason: string | null;
  explanation: string[];
  count: number;
  devices: number;
  sessions: number;
  first_seen: Date;
  last_seen: Date;
  sample_report_id: string | null;
  status: GroupStatus;
  fixed_in_version: string | null;
  regressed_at: Date | null;
  snoozed_until: Date | null;
  snoozed_until_count: number | null;
  snoozed_until_build: boolean;
  assignee_id: string | null;
  priority: Priority | null;
  issue_url: string | null;
  split_from: string | null;
  split_function: string | null;
  /** The groups that were merged into it. */
  members: string[];
};

/** `position` is what the list is sorted by; times in microseconds since 1970. */
type ListedRow = GroupRow & { position: string };

/**
 * The counts of a group's reports, as texts: a hundred groups have thousands of counts, and PostgreSQL concatenates
 * texts in half the time that rows or JSON would take.
 */
export type GroupCounts = {
  group_id: string;
  /** The counts of all time: `build_id count os`, separated by commas. */
  totals: string;
  /** The counts of days with reports, in order: `day count`, separated by commas. The first requested day is 0. */
  days: string;
};

const columns = sql`group_id, kind, report_kind, ${shownTitle} as title, title as signature, reason, explanation, count, devices, sessions, first_seen,
  last_seen, sample_report_id, status,
  fixed_in_version, regressed_at, snoozed_until, snoozed_until_count, snoozed_until_build, assignee_id, priority,
  issue_url, split_from, split_function, members`;

function columnsWithPosition(order: RawBuilder<unknown>, isTime: boolean): RawBuilder<unknown> {
  const value = isTime ? sql`(extract(epoch from ${order}) * 1000000)::bigint` : order;
  return sql`${columns}, ${value}::text as position`;
}

/** The groups of a game that are not merged into another, without a sum over others: for games without merges. */
function plainGroups(gameId: string): RawBuilder<unknown> {
  return sql`(select *, '{}'::uuid[] as members from crash_groups where game_id = ${gameId}) as crash_groups`;
}

/** The groups of a game, each with the reports of the groups merged into it. `only` selects one of them. */
function groupsWithMembers(gameId: string, only: string | null = null): RawBuilder<unknown> {
  const [ofGroup, ofHead] =
    only === null ? [sql``, sql``] : [sql`and group_id = ${only}`, sql`and merged_into = ${only}`];
  return sql`(
    select game_id, group_id, kind, report_kind, title, reason, explanation, status, fixed_in_version, resolved_at, regressed_at,
      snoozed_until, snoozed_until_count, snoozed_until_build, assignee_id, priority, custom_title, issue_url, split_from,
      split_function, own.devices, own.sessions, own.count + coalesce(others.count, 0) as count,
      least(own.first_seen, others.first_seen) as first_seen, greatest(own.last_seen, others.last_seen) as last_seen,
      case when others.last_seen > own.last_seen then coalesce(others.sample_report_id, own.sample_report_id)
        else coalesce(own.sample_report_id, others.sample_report_id) end as sample_report_id,
      coalesce(others.members, '{}') as members
    from (select * from crash_groups where game_id = ${gameId} and merged_into is null ${ofGroup}) as own left join (
      select merged_into as head, sum(count)::bigint as count, min(first_seen) as first_seen,
        max(last_seen) as last_seen, array_agg(group_id order by count desc, group_id) as members,
        (array_agg(sample_report_id order by last_seen desc) filter (where sample_report_id is not null))[1]
          as sample_report_id
      from crash_groups where game_id = ${gameId} and merged_into is not null ${ofHead} group by merged_into
    ) as others on others.head = own.group_id
  ) as crash_groups`;
}

type Filters = {
  buildId?: string | undefined;
  sinceBuild?: string | undefined;
  status?: GroupStatus | undefined;
  kind: ReportKind;
  /** Further conditions, which may use `members`. */
  conditions: readonly RawBuilder<unknown>[];
  /** Conditions that are checked on groups in order until the page is full, after all others. */
  inOrder: readonly RawBuilder<unknown>[];
  order: GroupOrder;
};
type Page = { before: { position: string; groupId: string } | null; limit: number };

/** The values that groups are sorted by, as a number of which the cursor has the text. */
const ORDERS: Readonly<Record<GroupOrder, RawBuilder<unknown>>> = {
  last_seen: sql`last_seen`,
  first_seen: sql`first_seen`,
  reports: sql`count`,
  devices: sql`devices`,
};

/** The groups to select from, and the conditions on them, without those checked in order. */
async function selectGroups(
  db: Db,
  gameId: string,
  filters: Omit<Filters, 'inOrder' | 'order'>,
): Promise<{ groups: RawBuilder<unknown>; conditions: RawBuilder<unknown>[] }> {
  const merged = await hasMerges(db, gameId);
  const conditions = [sql`game_id = ${gameId}`, sql`report_kind = ${filters.kind}`, ...filters.conditions];
  if (filters.status !== undefined) conditions.push(sql`status = ${filters.status}`);
  if (filters.buildId !== undefined)
    conditions.push(
      merged
        ? sql`group_id in (
            select coalesce(merged_into, group_id) from crash_group_totals counts join crash_groups using (game_id, group_id)
            where counts.game_id = ${gameId} and counts.build_id = ${filters.buildId})`
        : sql`exists (select from crash_group_totals counts where counts.game_id = ${gameId}
            and counts.group_id = crash_groups.group_id and counts.build_id = ${filters.buildId})`,
    );
  if (filters.sinceBuild !== undefined)
    conditions.push(
      seenFirstSince(sql`(
    select created_at from builds where game_id = ${gameId} and build_id = ${filters.sinceBuild})`),
    );
  return { groups: merged ? groupsWithMembers(gameId) : plainGroups(gameId), conditions };
}

/** How many groups meet these conditions, up to `max`, and their reports. */
export async function countMatching(
  db: Db,
  gameId: string,
  filters: { kind: ReportKind; conditions: readonly RawBuilder<unknown>[] },
  max: number,
): Promise<{ groups: number; reports: number }> {
  const selected = await selectGroups(db, gameId, filters);
  return onlyRow(
    db,
    sql<{
      groups: number;
      reports: number;
    }>`select count(*) as groups, coalesce(sum(count), 0)::bigint as reports from (
      select count from ${selected.groups} where ${sql.join(selected.conditions, sql` and `)} limit ${max}) as matching`,
  );
}

export type SampleRow = { report_id: string; message: string; located: LocatedFrame[] };

/** A signature names one of the innermost frames. */
const SAMPLED_FRAMES = 8;

/** Reads the messages of these reports, and their innermost frames with a source file that were not guessed. */
export async function readSamples(db: Db, gameId: string, reportIds: readonly string[]): Promise<SampleRow[]> {
  if (reportIds.length === 0) return [];
  return rows(
    db,
    sql<SampleRow>`select report_id, message, coalesce((
        select jsonb_agg(jsonb_build_object('function', frame->'function', 'file', frame->'file', 'line', frame->'line'))
        from (select frame from jsonb_array_elements(frames) as frame
          where jsonb_typeof(frame->'file') = 'string' and frame->>'trust' <> 'scan' limit ${SAMPLED_FRAMES}) as located
      ), '[]') as located
      from crash_reports where game_id = ${gameId} and report_id = any(${reportIds}::uuid[])`,
  );
}

/**
 * Groups in the order of the filters, the latest or highest first. `buildId` selects groups with a report of that
 * build, `sinceBuild` groups first seen after it was registered.
 */
export async function listGroups(
  db: Db,
  gameId: string,
  filters: Filters,
  { before, limit }: Page,
): Promise<ListedRow[]> {
  const { groups, conditions } = await selectGroups(db, gameId, filters);
  const isTime = filters.order === 'first_seen' || filters.order === 'last_seen';
  const order = ORDERS[filters.order];
  if (before !== null)
    conditions.push(
      sql`(${order}, group_id) < (
        ${isTime ? sql`timestamptz 'epoch' + ${before.position}::bigint * interval '1 microsecond'` : sql`${before.position}::bigint`},
        ${before.groupId}::uuid)`,
    );
  const inOrder = sql`order by ${order} desc, group_id desc`;
  if (filters.inOrder.length > 0) {
    // Only the ids are sorted, which fit into memory.
    const sorted = sql`select group_id, members from ${groups} where ${sql.join(conditions, sql` and `)} ${inOrder} offset 0`;
    const page = sql`select group_id from (${sorted}) as crash_groups where ${sql.join(filters.inOrder, sql` and `)} limit ${limit}`;
    conditions.splice(0, conditions.length, sql`group_id = any(array(${page}))`);
  }
  return rows(
    db,
    sql<ListedRow>`select ${columnsWithPosition(order, isTime)} from ${groups}
      where ${sql.join(conditions, sql` and `)} ${inOrder} limit ${limit}`,
  );
}

/** A group first seen after a time was also last seen after it; the condition on `last_seen` can use the index. */
export function seenFirstSince(time: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`last_seen >= ${time} and first_seen >= ${time}`;
}

/** The group or, if it was merged into another, that one. */
export async function findGroup(db: Db, gameId: string, groupId: string): Promise<GroupRow | undefined> {
  const group = await row(
    db,
    sql<{ head: string }>`select coalesce(merged_into, group_id) as head from crash_groups
      where game_id = ${gameId} and group_id = ${groupId}`,
  );
  if (group === undefined) return undefined;
  return row(db, sql<GroupRow>`select ${columns} from ${groupsWithMembers(gameId, group.head)}`);
}

export type RelatedRow = {
  group_id: string;
  signature: string;
  count: number;
  last_seen: Date;
  merged_into: string | null;
  split_from: string | null;
  split_function: string | null;
};

/** The groups that were merged into these, or split off from them. */
export function findRelated(db: Db, gameId: string, groupIds: readonly string[]): Promise<RelatedRow[]> {
  return rows(
    db,
    sql<RelatedRow>`select group_id, title as signature, count, last_seen, merged_into, split_from, split_function
      from crash_groups
      where game_id = ${gameId} and (merged_into = any(${groupIds}::uuid[]) or split_from = any(${groupIds}::uuid[]))
      order by count desc, group_id`,
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

/** The counts of these groups by day, from `firstDay` on, and by version, which is null for deleted builds. */
export function countGroupByVersion(
  db: Db,
  gameId: string,
  groupIds: readonly string[],
  firstDay: string,
): Promise<{ day: string; version: string | null; count: number }[]> {
  return rows(
    db,
    sql<{ day: string; version: string | null; count: number }>`
      select day::text as day, version, sum(count)::bigint as count
      from crash_group_counts left join build_names using (game_id, build_id)
      where game_id = ${gameId} and group_id = any(${groupIds}::uuid[]) and day >= ${firstDay}::date
      group by day, version order by day`,
  );
}

export type BuildName = { readonly version: string; readonly os: string; readonly arch: string };

/** The versions and platforms of these builds, by their ids. */
export async function findBuildNames(
  db: Db,
  gameId: string,
  buildIds: readonly string[],
): Promise<ReadonlyMap<string, BuildName>> {
  const names = await rows(
    db,
    sql<BuildName & { build_id: string }>`select build_id, version, os, arch from build_names
      where game_id = ${gameId} and build_id = any(${buildIds}::uuid[])`,
  );
  return new Map(names.map(({ build_id, ...name }) => [build_id, name]));
}

// Decides which line of the source code a crash group is shown with.

export type LocatedFrame = { readonly function: string | null; readonly file: string; readonly line: number | null };

/** The group, the group that it is merged into, and all others in that group; empty if there is no such group. */
export async function findFamily(db: Db, gameId: string, groupId: string): Promise<string[]> {
  const family = await rows(
    db,
    sql<{ group_id: string }>`with head as materialized (
        select coalesce(merged_into, group_id) as id from crash_groups where game_id = ${gameId} and group_id = ${groupId}
      )
      select id as group_id from head
      union all
      select group_id from crash_groups where game_id = ${gameId} and merged_into = (select id from head)`,
  );
  return family.map(({ group_id }) => group_id);
}

export type NamedBuild = { build_id: string; version: string; arch: string };

/** The builds of a game, deleted ones included. */
export function listBuildNames(db: Db, gameId: string): Promise<NamedBuild[]> {
  return rows(db, sql<NamedBuild>`select build_id, version, arch from build_names where game_id = ${gameId}`);
}

/** SQL of the ids of the groups that meet a condition on `crash_groups`, and of those merged into them. */
export function idsOfGroups(gameId: string, condition: RawBuilder<unknown>, hasMerges: boolean): RawBuilder<unknown> {
  if (!hasMerges)
    return sql`select group_id from (select *, '{}'::uuid[] as members from crash_groups where game_id = ${gameId}) as crash_groups
      where ${condition}`;
  return sql`select member.group_id from crash_groups member
    where member.game_id = ${gameId} and coalesce(member.merged_into, member.group_id) in (
      select group_id from (
        select *, array(select other.group_id from crash_groups other
          where other.game_id = ${gameId} and other.merged_into = heads.group_id) as members
        from crash_groups heads where heads.game_id = ${gameId} and heads.merged_into is null
      ) as crash_groups where ${condition})`;
}

export async function listGroupIds(
  db: Db,
  gameId: string,
  condition: RawBuilder<unknown>,
  { hasMerges, limit }: { hasMerges: boolean; limit: number },
): Promise<string[]> {
  const found = await rows(db, sql<{ group_id: string }>`${idsOfGroups(gameId, condition, hasMerges)} limit ${limit}`);
  return found.map(({ group_id }) => group_id);
}

export async function hasMerges(db: Db, gameId: string): Promise<boolean> {
  const { exists } = await onlyRow(
    db,
    sql<{ exists: boolean }>`select exists (
      select from crash_groups where game_id = ${gameId} and merged_into is not null) as exists`,
  );
  return exists;
}

export function unknownGroup(): ApiError {
  return errors.notFound('group_id: this game has no such group; its reports may have moved to another one.');
}
