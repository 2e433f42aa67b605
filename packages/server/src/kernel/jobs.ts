// Background jobs: rows that are enqueued in the transaction that made them necessary, and run at least once.
import { sql } from 'kysely';
import type pg from 'pg';
import { type Db, row, rows } from './db.ts';

/** A kind of job: its name and the payload it takes. Every job is safe to run twice. */
export type JobKind<Payload> = {
  readonly task: string;
  /** Tries before it is left as failed; waits of e^n seconds lie between them. */
  readonly maxAttempts: number;
  /** Only for the type. */
  readonly payload?: Payload;
};

export type Attempt = { readonly number: number; readonly last: boolean; readonly signal: AbortSignal };

export function defineJob<Payload extends object>(task: string, maxAttempts: number): JobKind<Payload> {
  return { task, maxAttempts };
}

/** Enqueues a job. With a `key`, an equal job that is still waiting is replaced, not doubled. */
export async function addJob<Payload extends object>(
  db: Db,
  kind: JobKind<Payload>,
  payload: Payload,
  key?: string,
): Promise<void> {
  await rows(
    db,
    sql`select from graphile_worker.add_job(
      identifier => ${kind.task}, payload => ${JSON.stringify(payload)}::json,
      max_attempts => ${kind.maxAttempts}, job_key => ${key ?? null}
    )`,
  );
}

/** Whether a job of the kind waits, runs, or will be tried again. */
export async function hasJobs(db: Db, kind: { readonly task: string }): Promise<boolean> {
  const found = await row(
    db,
    sql`select from graphile_worker.jobs
      where task_identifier = ${kind.task} and (attempts < max_attempts or locked_at is not null) limit 1`,
  );
  return found !== undefined;
}

/** Creates or updates the tables of the job queue. */
export async function migrateJobs(pool: pg.Pool): Promise<void> {
  const { runMigrations } = await import('graphile-worker');
  await runMigrations({ pgPool: pool });
}
