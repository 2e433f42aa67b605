// Moves the existing reports of a group into the part that was split off, in batches.
import type { Context } from '../../../context.ts';
import { addJob, defineJob } from '../../../kernel/jobs/jobs.ts';
import { attachReports, transactGroups } from '../groups/groups.sql.ts';
import * as sql from './merges.sql.ts';

/** `before` is the last report of the previous batch; null for the first batch. */
type Payload = { gameId: string; groupId: string; name: string; before: string | null };

export const moveSplitJob = defineJob(
  'crashes:move-split',
  { attempts: 6, lane: 'long', changes: 'crashes' },
  moveSplit,
);

const BATCH = 200;

/** Safe to run twice. A report stays where it is if the split was undone meanwhile. */
export async function moveSplit(ctx: Context, { gameId, groupId, name, before }: Payload): Promise<void> {
  const group = await sql.findForSplit(ctx.db, gameId, groupId);
  if (group === undefined || !group.splitFunctions.includes(name)) return;
  const reports = await sql.listReportsWith(ctx.db, gameId, groupId, { name, before, limit: BATCH });
  for (const { report_id, functions } of reports)
    await transactGroups(ctx.db, (tx) => attachReports(tx, gameId, [report_id], group.grouping, { functions }));
  const oldest = reports.at(-1)?.report_id;
  if (reports.length === BATCH && oldest !== undefined)
    await addJob(ctx.db, moveSplitJob, { gameId, groupId, name, before: oldest });
}
