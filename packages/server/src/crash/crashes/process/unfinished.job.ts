// Ends reports that would never finish: their dump never arrived, their job was lost, or every worker that processed
// their dump crashed.
import { LIMITS } from '@chauffeur/contract/limits';
import type { Context } from '../../../context.ts';
import { DAY, HOUR, SECOND } from '../../../kernel/clock.ts';
import { type Db, transact } from '../../../kernel/database/db.ts';
import { defineJob, hasJobs } from '../../../kernel/jobs/jobs.ts';
import { listProcesses } from '../../../kernel/processes/presence.ts';
import { enqueueProcessing, type GameGroupingRow, groupMessagesJob, processCrashJob } from '../report/jobs.ts';
import { groupReportsByMessage } from './messages.job.ts';
import { failWithText, releaseReports } from './process.job.ts';
import { listHolders, listQueued, listUnfinished } from './processed.sql.ts';

export const finishReportsJob = defineJob('crashes:finish', { attempts: 3, cron: '13 * * * *' }, finishReports);

const BATCH = 500;
/** An upload that starts just in time may continue for a while. */
const UPLOADS_END = LIMITS.crashUploadSeconds * SECOND + HOUR;
/** A dump may arrive a day after its report, and the tries of a job take up to a day. */
const TRIES_END = 3 * DAY;
/** After this time, the transaction that wrote a report has ended. */
const SETTLED = HOUR;

/**
 * Safe to run twice. If a report is processed after all, because no worker ran for days, that result replaces this one.
 */
export async function finishReports(ctx: Context): Promise<void> {
  const now = ctx.clock.now().getTime();
  const waiting = await listUnfinished(ctx.db, { hasDump: false, before: new Date(now - UPLOADS_END), limit: BATCH });
  for (const [gameId, reports] of Map.groupBy(waiting, ({ game_id }) => game_id)) {
    await groupReportsByMessage(ctx, gameId, reports, 'The announced dump never arrived.');
  }
  const stuck = await listUnfinished(ctx.db, { hasDump: true, before: new Date(now - TRIES_END), limit: BATCH });
  for (const report of stuck) await fail(ctx, report);
  await continueWithoutJobs(ctx, new Date(now - SETTLED));
  await releaseForgotten(ctx.db, new Date(now - SETTLED));
}

/**
 * Enqueues reports of processes that are no longer known. A process may have marked a report with its number just after
 * others had found it dead, or those ran an older version of the server.
 */
async function releaseForgotten(db: Db, before: Date): Promise<void> {
  const holders = await listHolders(db, before);
  const processes = new Set((await listProcesses(db)).map(({ process_no }) => process_no));
  const gone = holders.filter((processNo) => !processes.has(processNo));
  if (gone.length > 0) await transact(db, (tx) => releaseReports(tx, gone));
}

/**
 * Continues queued reports if the queue has no job that could do so. On Citus, a report can be written without its job:
 * if the coordinator crashes at the end of a transaction, the other server has committed its part already.
 */
async function continueWithoutJobs(ctx: Context, before: Date): Promise<void> {
  if (!(await hasJobs(ctx.db, processCrashJob))) {
    const reports = await listQueued(ctx.db, { hasDump: true, before, limit: BATCH });
    for (const [gameId, ofGame] of Map.groupBy(reports, ({ game_id }) => game_id))
      await enqueueProcessing(
        ctx.db,
        gameId,
        ofGame.map(({ report_id }) => report_id),
      );
  }
  if (!(await hasJobs(ctx.db, groupMessagesJob))) {
    const reports = await listQueued(ctx.db, { hasDump: false, before, limit: BATCH });
    for (const [gameId, ofGame] of Map.groupBy(reports, ({ game_id }) => game_id))
      await groupReportsByMessage(ctx, gameId, ofGame, null);
  }
}

async function fail(ctx: Context, report: GameGroupingRow): Promise<void> {
  const { game_id, report_id } = report;
  const reason = 'The dump could not be processed: no worker was running, or each attempt crashed the worker.';
  await failWithText(ctx, game_id, report, reason);
  ctx.log.warn({ game: game_id, report: report_id }, 'a crash report was never processed');
}
