// The jobs that begin with a report: reading its dump, and grouping it by what the program said.
import { sql } from 'kysely';
import { changed, type Db } from '../../kernel/db.ts';
import { defineJob } from '../../kernel/jobs.ts';

/** Of a report whose dump is whole. With waits of e^n seconds, storage may be away for about a day. */
export const processCrashJob = defineJob<{ gameId: string; reportId: string }>('crashes:process', 12);

/** Of reports that have no dump: also of those whose dump may still come, which then leave the group again. */
export const groupMessagesJob = defineJob<{ gameId: string; reportIds: readonly string[] }>('crashes:group', 6);

/** Behind all jobs of priority 0: what players and developers wait for comes first. */
export const LATER = 10;

/**
 * Asks for the dumps of these reports to be read again, when nothing else is to be done. One that waits for it already is not asked
 * for twice: the symbols of a build arrive file by file.
 */
export async function enqueueProcessing(db: Db, gameId: string, reportIds: readonly string[]): Promise<void> {
  const { task, maxAttempts } = processCrashJob;
  await changed(
    db,
    sql`select graphile_worker.add_job(identifier => ${task}, max_attempts => ${maxAttempts}, priority => ${LATER},
        payload => json_build_object('gameId', ${gameId}::text, 'reportId', report_id),
        job_key => ${`${task}/again/`} || report_id)
      from unnest(${reportIds}::uuid[]) as asked (report_id)`,
  );
}
