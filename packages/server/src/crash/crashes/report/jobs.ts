// The jobs that a new report starts: processing its dump, or grouping it by its message.
import { sql } from 'kysely';
import { changed, type Db } from '../../../kernel/database/db.ts';
import { defineJob, jobForEachRow } from '../../../kernel/jobs/jobs.ts';

/**
 * Processes a report whose dump is complete. With e^n seconds between its 12 tries, the job survives a storage outage
 * of about a day.
 */
export const processCrashJob = defineJob<{ gameId: string; reportId: string }>('crashes:process', {
  attempts: 12,
  changes: 'crashes',
});

/** Groups reports without a dump. A report whose dump arrives later moves to another group. */
export const groupMessagesJob = defineJob<{ gameId: string; reportIds: readonly string[] }>('crashes:group', {
  attempts: 6,
  changes: 'crashes',
});

/** Reads the log of a report without a dump if it arrived after the report. */
export const readLogJob = defineJob<{ gameId: string; reportId: string }>('crashes:read-log', { attempts: 6 });

/** Makes previews of the images among a report's attachments. */
export const previewJob = defineJob<{ gameId: string; reportId: string }>('crashes:preview', {
  attempts: 6,
  lane: 'long',
});

/** Higher than the default of 0, so these jobs run after everything that players and developers wait for. */
const AFTER_OTHERS = 10;

/**
 * Enqueues these reports to be processed again. The symbols of a build arrive file by file, so a report that is already
 * queued is not queued twice.
 */
export async function enqueueProcessing(db: Db, gameId: string, reportIds: readonly string[]): Promise<void> {
  const job = jobForEachRow(
    processCrashJob,
    { gameId: sql`${gameId}::text`, reportId: sql`report_id` },
    { key: sql`${`${processCrashJob.task}/again/`} || report_id`, priority: AFTER_OTHERS },
  );
  await changed(db, sql`select ${job} from unnest(${reportIds}::uuid[]) as report (report_id)`);
}
