// The SQL of the job queue for operators. Payloads are never read, because emails contain links and codes.
import { sql } from 'kysely';
import { type Db, rows } from '../../kernel/database/db.ts';

export type JobKindRow = {
  task: string;
  waiting: number;
  later: number;
  running: number;
  failed: number;
  oldest_waiting_at: Date | null;
};

export type FailedJobRow = {
  job_id: number;
  task: string;
  tries: number;
  error: string | null;
  failed_at: Date;
  /** `failed_at` in microseconds since 1970. */
  failed_us: string;
  created_at: Date;
};

const isFailed = sql`attempts >= max_attempts and locked_at is null`;
const isDue = sql`attempts < max_attempts and locked_at is null and run_at <= now()`;

export function countJobs(db: Db): Promise<JobKindRow[]> {
  return rows(
    db,
    sql<JobKindRow>`select task_identifier as task,
        count(*) filter (where ${isDue}) as waiting,
        count(*) filter (where attempts < max_attempts and locked_at is null and run_at > now()) as later,
        count(*) filter (where locked_at is not null) as running,
        count(*) filter (where ${isFailed}) as failed,
        min(run_at) filter (where ${isDue}) as oldest_waiting_at
      from graphile_worker.jobs group by task_identifier order by task_identifier`,
  );
}

/** The position at the end of a page: microseconds since 1970, and the job id. */
export type JobPlace = { failedUs: string; jobId: string };

export function listFailed(db: Db, before: JobPlace | null, limit: number): Promise<FailedJobRow[]> {
  const failedUs = sql`(extract(epoch from updated_at) * 1000000)::bigint`;
  const beforeCursor =
    before === null ? sql`` : sql`and (${failedUs}, id) < (${before.failedUs}::bigint, ${before.jobId}::bigint)`;
  return rows(
    db,
    sql<FailedJobRow>`select id as job_id, task_identifier as task, attempts as tries, last_error as error,
        updated_at as failed_at, ${failedUs}::text as failed_us, created_at
      from graphile_worker.jobs where ${isFailed} ${beforeCursor}
      order by updated_at desc, id desc limit ${limit}`,
  );
}

/** Resets the attempts of one or all failed jobs so that they run again now. Returns their number. */
export async function retryFailed(db: Db, jobId: string | null): Promise<number> {
  const retried = await rows(
    db,
    sql`select from graphile_worker.reschedule_jobs(
      array(select id from graphile_worker.jobs where ${isFailed} and (${jobId}::bigint is null or id = ${jobId}::bigint)),
      run_at => now(), attempts => 0)`,
  );
  return retried.length;
}

/** Deletes a failed job. Returns the number of deleted jobs. */
export async function deleteFailed(db: Db, jobId: string): Promise<number> {
  const deleted = await rows(
    db,
    sql`select from graphile_worker.complete_jobs(
      array(select id from graphile_worker.jobs where ${isFailed} and id = ${jobId}::bigint))`,
  );
  return deleted.length;
}
