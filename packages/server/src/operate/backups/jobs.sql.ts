// The SQL that saves queued jobs and enqueues them again. The library has no function that returns the payloads, so they
// are read from its private tables. They are written through its functions.
import { sql } from 'kysely';
import { type Db, onlyRow, rows } from '../../kernel/database/db.ts';

/** A running job counts as not started: its process does not exist in the restored installation. */
export const SELECT_JOBS = `select tasks.identifier, jobs.payload, jobs.run_at, jobs.max_attempts,
    case when jobs.locked_at is null then jobs.attempts else greatest(jobs.attempts - 1, 0) end as attempts,
    jobs.last_error, jobs.key, jobs.priority
  from graphile_worker._private_jobs as jobs join graphile_worker._private_tasks as tasks on tasks.id = jobs.task_id
  order by jobs.id`;

export async function createJobTable(db: Db): Promise<void> {
  await rows(
    db,
    sql`create temporary table saved_jobs (identifier text, payload json, run_at timestamptz, max_attempts int,
      attempts int, last_error text, key text, priority int, no bigint generated always as identity)`,
  );
}

export const SAVED_JOB_COLUMNS = 'identifier, payload, run_at, max_attempts, attempts, last_error, key, priority';

/** Enqueues the jobs of the temporary table. Returns their number. */
export async function enqueueSavedJobs(db: Db): Promise<number> {
  await rows(
    db,
    sql`create temporary table added_jobs as select saved.attempts, saved.last_error,
        (graphile_worker.add_job(identifier => saved.identifier, payload => saved.payload, run_at => saved.run_at,
          max_attempts => saved.max_attempts, job_key => saved.key, priority => saved.priority)).id as id
      from saved_jobs as saved order by saved.no`,
  );
  // No function sets both, and operators look at the errors of failed jobs.
  await rows(
    db,
    sql`update graphile_worker._private_jobs as jobs set attempts = added.attempts, last_error = added.last_error
      from added_jobs as added where added.id = jobs.id`,
  );
  return (await onlyRow(db, sql<{ count: number }>`select count(*) as count from added_jobs`)).count;
}
