// Counts the reports of a group that was merged or separated where they belong now, in batches.
import type { Context } from '../../../context.ts';
import { addJob, defineJob } from '../../../kernel/jobs/jobs.ts';
import { transactGroups } from './groups.sql.ts';
import { moveCounts } from './impact.sql.ts';

/** `before` is the last report of the previous batch. */
type Payload = { gameId: string; groupId: string; before: string | null };

export const moveCountsJob = defineJob('crashes:move-counts', { attempts: 6, lane: 'long' }, moveReportCounts);

const BATCH = 500;

/** Safe to run twice, and alongside another one of the group: reports are counted where the group is now. */
export async function moveReportCounts(ctx: Context, { gameId, groupId, before: first }: Payload): Promise<void> {
  const before = await transactGroups(ctx.db, (tx) => moveCounts(tx, gameId, { groupId, before: first, limit: BATCH }));
  if (before !== null) await addJob(ctx.db, moveCountsJob, { gameId, groupId, before });
}
