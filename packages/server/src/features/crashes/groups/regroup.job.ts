// Groups reports again after the rules changed, batch by batch, from what is stored of their stacks.
import type { Context } from '../../../context.ts';
import { addJob } from '../../../kernel/jobs.ts';
import { regroupStack } from '../process/walk.ts';
import { listOutdated, type OutdatedRow, recordRegrouping, statementOf } from '../process/walked.sql.ts';
import { type Grouping, groupByMessage } from './grouping.ts';
import { type RegroupPayload, regroupJob } from './regroup.ts';

const BATCH = 100;

/** Safe to run twice and beside other processing: what the rules of now have grouped is passed over. */
export async function regroupReports(ctx: Context, { gameId, before }: RegroupPayload): Promise<void> {
  const reports = await listOutdated(ctx.db, gameId, { before, limit: BATCH });
  for (const report of reports) {
    const grouping = await groupAgain(ctx, report);
    if (grouping !== null) await recordRegrouping(ctx.db, gameId, report, grouping);
  }
  const oldest = reports.at(-1)?.report_id;
  if (reports.length === BATCH && oldest !== undefined) await addJob(ctx.db, regroupJob, { gameId, before: oldest });
}

/** Null when the stored stack cannot be read: the report stays where it is, and the log says why. */
async function groupAgain(ctx: Context, report: OutdatedRow): Promise<Grouping | null> {
  const statement = statementOf(report);
  if (report.stack_key === null) return groupByMessage(statement);
  const reading = await regroupStack(ctx, { stackKey: report.stack_key, statement });
  if (reading.outcome === 'walked') return reading.grouping;
  ctx.log.warn({ report: report.report_id, reason: reading.reason }, 'a report could not be grouped again');
  return null;
}
