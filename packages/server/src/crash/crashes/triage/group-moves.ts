// The SQL and the jobs that merge crash groups, separate them, and split them.
//
// A merge only says which group another one is shown in: each keeps its reports, so a merge can be undone. Reports are
// counted in the group that is shown, though, so the counts of devices, sessions and facets move. The first reports
// move in the transaction of the merge, which is all of most groups, and a job moves the others. A split creates a
// group for the reports with a function. New reports join it from then on, and a job moves the existing ones. Both jobs
// work in batches, and move reports to where the groups are at that moment, so they can run twice and alongside each
// other.
import type { ReportKind } from '@chauffeur/contract/operations/crash-groups';
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../../kernel/database/db.ts';
import { addJob, defineJob } from '../../../kernel/jobs/jobs.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { moveCounts } from '../groups/counts.sql.ts';
import type { Grouping } from '../groups/grouping.ts';
import { attachReports, transactGroups } from '../groups/groups.sql.ts';
import { shownTitle } from '../groups/state.sql.ts';

/** The number of reports of each of these groups, together with the groups merged into it. */
export async function countFamilies(
  db: Db,
  gameId: string,
  groupIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const counts = await rows(
    db,
    sql<{ head: string; count: number }>`select coalesce(merged_into, group_id) as head, sum(count)::bigint as count
      from crash_groups
      where game_id = ${gameId} and (group_id = any(${groupIds}::uuid[]) or merged_into = any(${groupIds}::uuid[]))
      group by head`,
  );
  return new Map(counts.map(({ head, count }) => [head, count]));
}

export type Placement = {
  group_id: string;
  title: string;
  report_kind: ReportKind;
  merged_into: string | null;
  split_from: string | null;
  split_function: string | null;
};

/**
 * Locks these groups with all groups that are merged into them or were split off from them, in the order of their ids,
 * and returns where they are. Call `lockMerges` first.
 */
export function lockFamilies(tx: Tx, gameId: string, groupIds: readonly string[]): Promise<Placement[]> {
  return rows(
    tx,
    sql<Placement>`select group_id, ${shownTitle} as title, report_kind, merged_into, split_from, split_function
      from crash_groups
      where game_id = ${gameId} and (group_id = any(${groupIds}::uuid[]) or merged_into = any(${groupIds}::uuid[])
        or split_from = any(${groupIds}::uuid[]))
      order by group_id for update`,
  );
}

/** Merges these groups into another one; null separates them. */
export async function placeGroups(
  tx: Tx,
  gameId: string,
  groupIds: readonly string[],
  headId: string | null,
): Promise<void> {
  await changed(
    tx,
    sql`update crash_groups set merged_into = ${headId}, is_triaged = true
      where game_id = ${gameId} and group_id = any(${groupIds}::uuid[])`,
  );
  for (const groupId of groupIds) await startMoving(tx, gameId, groupId);
}

/** The first reports are counted where they belong at once, which is all of most groups; a job moves the others. */
async function startMoving(tx: Tx, gameId: string, groupId: string): Promise<void> {
  const before = await moveCounts(tx, gameId, { groupId, before: null, limit: MOVED_AT_ONCE });
  if (before !== null) await addJob(tx, moveCountsJob, { gameId, groupId, before });
}

const MOVED_AT_ONCE = 500;

export async function markTriaged(tx: Tx, gameId: string, groupId: string): Promise<void> {
  await changed(
    tx,
    sql`update crash_groups set is_triaged = true where game_id = ${gameId} and group_id = ${groupId} and not is_triaged`,
  );
}

type ForSplitRow = {
  group_id: string;
  key: Uint8Array;
  kind: 'stack' | 'message';
  title: string;
  reason: string | null;
  explanation: string[];
  split_functions: string[] | null;
  functions: string[];
};

export type ForSplit = {
  readonly groupId: string;
  readonly grouping: Grouping;
  readonly splitFunctions: readonly string[];
};

/** A group with what its reports have in common. */
export async function findForSplit(db: Db, gameId: string, groupId: string): Promise<ForSplit | undefined> {
  const group = await row(
    db,
    sql<ForSplitRow>`select group_id, key, kind, title, reason, explanation, split_functions,
        array(select function from crash_group_functions named
          where named.game_id = ${gameId} and named.group_id = ${groupId}) as functions
      from crash_groups where game_id = ${gameId} and group_id = ${groupId}`,
  );
  if (group === undefined) return undefined;
  const { key, kind, title, reason, explanation, functions } = group;
  return {
    groupId,
    grouping: { key, kind, title, reason, explanation, functions },
    splitFunctions: group.split_functions ?? [],
  };
}

export async function setSplitFunctions(
  tx: Tx,
  gameId: string,
  groupId: string,
  functions: readonly string[],
): Promise<void> {
  await changed(
    tx,
    sql`update crash_groups set split_functions = ${functions.length === 0 ? null : functions}::text[], is_triaged = true
      where game_id = ${gameId} and group_id = ${groupId}`,
  );
}

/**
 * Creates the group of reports that are split off, still empty, in the state of the group that they are in. Returns its
 * id; that of the existing one if the same was split off before.
 */
export async function insertSplit(
  tx: Tx,
  gameId: string,
  { from, name, grouping }: { from: string; name: string; grouping: Grouping },
): Promise<string> {
  await changed(
    tx,
    sql`insert into crash_groups (game_id, group_id, key, kind, title, reason, explanation, count, first_seen, last_seen,
        grouping_version, report_kind, status, fixed_in_version, resolved_at, resolved_by, snoozed_at, snoozed_until,
        snoozed_until_build, assignee_id, priority, split_from, split_function, is_triaged)
      select game_id, ${newId()}::uuid, ${grouping.key}::bytea, kind, title, reason,
        ${JSON.stringify(grouping.explanation)}::jsonb, 0, last_seen, last_seen, grouping_version, report_kind,
        case when status = 'snoozed' and snoozed_until is null and not snoozed_until_build then 'open' else status end,
        fixed_in_version, resolved_at, resolved_by, snoozed_at, snoozed_until, snoozed_until_build, assignee_id,
        priority, group_id, ${name}, true
      from crash_groups where game_id = ${gameId} and group_id = ${from}
      on conflict (game_id, key) do nothing`,
  );
  const { group_id } = await onlyRow(
    tx,
    sql<{
      group_id: string;
    }>`select group_id from crash_groups where game_id = ${gameId} and key = ${grouping.key}::bytea`,
  );
  await changed(
    tx,
    sql`insert into crash_group_functions (game_id, group_id, function)
      select ${gameId}, ${group_id}, unnest(${grouping.functions}::text[]) on conflict do nothing`,
  );
  return group_id;
}

/** Whether one of the reports that are kept of this group has the function on its stack. */
export async function hasFunction(tx: Tx, gameId: string, groupId: string, name: string): Promise<boolean> {
  const found = await row(
    tx,
    sql`select from crash_reports where game_id = ${gameId} and group_id = ${groupId} and ${name} = any(functions) limit 1`,
  );
  return found !== undefined;
}

export type SplitReport = { report_id: string; functions: string[] };

/** The newest reports of the group below `before` that have the function on their stack. */
export function listReportsWith(
  db: Db,
  gameId: string,
  groupId: string,
  { name, before, limit }: { name: string; before: string | null; limit: number },
): Promise<SplitReport[]> {
  return rows(
    db,
    sql<SplitReport>`select report_id, functions from crash_reports
      where game_id = ${gameId} and group_id = ${groupId} and ${name} = any(functions)
        and (${before}::uuid is null or report_id < ${before}::uuid)
      order by report_id desc limit ${limit}`,
  );
}

/** The titles of these groups, by their ids. */
export async function findTitles(
  db: Db,
  gameId: string,
  groupIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (groupIds.length === 0) return new Map();
  const titles = await rows(
    db,
    sql<{ group_id: string; title: string }>`select group_id, ${shownTitle} as title from crash_groups
      where game_id = ${gameId} and group_id = any(${groupIds}::uuid[])`,
  );
  return new Map(titles.map(({ group_id, title }) => [group_id, title]));
}

/** `before` is the last report of the previous batch. */
type CountsPayload = { gameId: string; groupId: string; before: string | null };

export const moveCountsJob = defineJob('crashes:move-counts', { attempts: 6, lane: 'long' }, moveReportCounts);

const COUNTED_BATCH = 500;

/** Safe to run twice, and alongside another one of the group: reports are counted where the group is now. */
export async function moveReportCounts(ctx: Context, { gameId, groupId, before: first }: CountsPayload): Promise<void> {
  const before = await transactGroups(ctx.db, (tx) =>
    moveCounts(tx, gameId, { groupId, before: first, limit: COUNTED_BATCH }),
  );
  if (before !== null) await addJob(ctx.db, moveCountsJob, { gameId, groupId, before });
}

/** `before` is the last report of the previous batch; null for the first batch. */
type SplitPayload = { gameId: string; groupId: string; name: string; before: string | null };

export const moveSplitJob = defineJob(
  'crashes:move-split',
  { attempts: 6, lane: 'long', changes: 'crashes' },
  moveSplit,
);

const SPLIT_BATCH = 200;

/** Safe to run twice. A report stays where it is if the split was undone meanwhile. */
export async function moveSplit(ctx: Context, { gameId, groupId, name, before }: SplitPayload): Promise<void> {
  const group = await findForSplit(ctx.db, gameId, groupId);
  if (group === undefined || !group.splitFunctions.includes(name)) return;
  const reports = await listReportsWith(ctx.db, gameId, groupId, { name, before, limit: SPLIT_BATCH });
  for (const { report_id, functions } of reports)
    await transactGroups(ctx.db, (tx) => attachReports(tx, gameId, [report_id], group.grouping, { functions }));
  const oldest = reports.at(-1)?.report_id;
  if (reports.length === SPLIT_BATCH && oldest !== undefined)
    await addJob(ctx.db, moveSplitJob, { gameId, groupId, name, before: oldest });
}
