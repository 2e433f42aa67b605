// Groups reports again after the rules changed, in batches, from their stored stacks.
import type { Context } from '../../../context.ts';
import { addJob, defineJob } from '../../../kernel/jobs/jobs.ts';
import { type Grouping, groupByMessage } from '../groups/grouping.ts';
import { groupingFieldsOf } from '../groups/messages.sql.ts';
import { listOutdated, type OutdatedRow, recordRegrouping } from './regroup.sql.ts';
import { regroupStack } from './walk.ts';

/** `before` is the last report of the previous batch; null for the first batch. */
type Payload = { gameId: string; before: string | null };

export const regroupJob = defineJob<Payload>('crashes:regroup', 6);

const BATCH = 100;

/** Safe to run twice and alongside other processing: reports that the current rules have grouped are skipped. */
export async function regroupReports(ctx: Context, { gameId, before }: Payload): Promise<void> {
  const reports = await listOutdated(ctx.db, gameId, { before, limit: BATCH });
  for (const report of reports) {
    const grouping = await groupAgain(ctx, report);
    if (grouping !== null) await recordRegrouping(ctx.db, gameId, report, grouping);
  }
  const oldest = reports.at(-1)?.report_id;
  if (reports.length === BATCH && oldest !== undefined) await addJob(ctx.db, regroupJob, { gameId, before: oldest });
}

/** Null if the stored stack cannot be read: the report stays in its group, and the log says why. */
async function groupAgain(ctx: Context, report: OutdatedRow): Promise<Grouping | null> {
  const fields = groupingFieldsOf(report);
  if (report.stack_key === null) return groupByMessage(fields);
  const reading = await regroupStack(ctx, { stackKey: report.stack_key, fields });
  if (reading.outcome === 'walked') return reading.grouping;
  ctx.log.warn({ report: report.report_id, reason: reading.reason }, 'a report could not be regrouped');
  return null;
}
