// Brings reports to an end that would stay unfinished: whose dump never came, or whose processing ended every worker that tried.
import { LIMITS } from '@chauffeur/contract/limits';
import type { Context } from '../../../context.ts';
import { DAY, HOUR, SECOND } from '../../../kernel/clock.ts';
import { defineJob } from '../../../kernel/jobs.ts';
import { groupStatements } from '../groups/group-messages.job.ts';
import { groupByMessage } from '../groups/grouping.ts';
import { listUnfinished, recordFailure, type StrandedRow, statementOf } from './walked.sql.ts';

export const finishReportsJob = defineJob<object>('crashes:finish', 3);

const BATCH = 500;
/** An upload that began in time may go on for a while. */
const UPLOADS_END = LIMITS.crashUploadSeconds * SECOND + HOUR;
/** All tries of a job lie within a day, and a dump may come a day after its report. */
const TRIES_END = 3 * DAY;

/** Safe to run twice. A report that is processed after all, because the worker was away for days, is corrected by that. */
export async function finishReports(ctx: Context): Promise<void> {
  const now = ctx.clock.now().getTime();
  const silent = await listUnfinished(ctx.db, { hasDump: false, before: new Date(now - UPLOADS_END), limit: BATCH });
  for (const [gameId, reports] of Map.groupBy(silent, ({ game_id }) => game_id)) {
    await groupStatements(ctx, gameId, reports, 'The dump that was announced never arrived.');
  }
  const stuck = await listUnfinished(ctx.db, { hasDump: true, before: new Date(now - TRIES_END), limit: BATCH });
  for (const report of stuck) await fail(ctx, report);
}

async function fail(ctx: Context, report: StrandedRow): Promise<void> {
  const { game_id, report_id } = report;
  const reason = 'Reading the dump came to no end: the service was away, or the dump ended it each time.';
  const grouping = groupByMessage(statementOf(report));
  await recordFailure(ctx.db, game_id, report_id, { reason, grouping, at: ctx.clock.now() });
  ctx.log.warn({ game: game_id, report: report_id }, 'the processing of a crash report came to no end');
}
