// Background jobs: rows that are enqueued in the transaction that requires them, and run at least once.
import { type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import { type Db, row, rows } from '../database/db.ts';
import { currentSpan } from '../telemetry/tracing.ts';

/** A kind of job: its name and the type of its payload. Every job is safe to run twice. */
export type JobKind<Payload> = {
  readonly task: string;
  /** The number of attempts before the job counts as failed. The delay after attempt n is e^n seconds. */
  readonly maxAttempts: number;
  /** Only for type inference. */
  readonly payload?: Payload;
};

export type Attempt = { readonly number: number; readonly last: boolean; readonly signal: AbortSignal };

export function defineJob<Payload extends object>(task: string, maxAttempts: number): JobKind<Payload> {
  return { task, maxAttempts };
}

/** Enqueues a job. With a `key`, it replaces a queued job of the same key. `priority` is as in JobOptions. */
export async function addJob<Payload extends object>(
  db: Db,
  kind: JobKind<Payload>,
  payload: Payload,
  key?: string,
  priority = 0,
): Promise<void> {
  const json = sql`${JSON.stringify(withTrace(payload))}::json`;
  await rows(
    db,
    sql`select from ${callAddJob(kind, json, key === undefined ? { priority } : { key: sql`${key}`, priority })}`,
  );
}

export type JobOptions = {
  /** SQL of a text. The job replaces one with the same key that has not started. */
  readonly key?: RawBuilder<unknown>;
  /** Jobs with lower numbers run first; 0 if absent. */
  readonly priority?: number;
};

/**
 * The SQL expression that enqueues a job for each row of a statement, in the statement's own transaction. `payload` has
 * the SQL of each field's value.
 */
export function jobForEachRow<Payload extends object>(
  kind: JobKind<Payload>,
  payload: Readonly<Record<keyof Payload & string, RawBuilder<unknown>>>,
  options: JobOptions = {},
): RawBuilder<unknown> {
  const fields = Object.entries<RawBuilder<unknown>>(payload).map(([name, value]) => sql`${sql.lit(name)}, ${value}`);
  for (const [name, value] of Object.entries(traceField())) fields.push(sql`${sql.lit(name)}, ${value}::text`);
  return callAddJob(kind, sql`json_build_object(${sql.join(fields)})`, options);
}

/** What links a job to the trace of the request that enqueued it: a field of the payload, if the request is traced. */
type TraceField = { readonly traceparent?: string };

function traceField(): TraceField {
  const span = currentSpan();
  return span === undefined ? {} : { traceparent: span.traceparent };
}

/** The payload, linked to the trace of the current request unless it is linked to one already. */
export function withTrace<Payload extends object>(payload: Payload): Payload & TraceField {
  return { ...traceField(), ...payload };
}

/** The traceparent of the request that enqueued a job with this payload. */
export function traceparentOf(payload: unknown): string | undefined {
  const { traceparent } = payload as TraceField;
  return typeof traceparent === 'string' ? traceparent : undefined;
}

function callAddJob(
  { task, maxAttempts }: JobKind<object>,
  payload: RawBuilder<unknown>,
  { key, priority = 0 }: JobOptions,
): RawBuilder<unknown> {
  return sql`graphile_worker.add_job(identifier => ${sql.lit(task)}, max_attempts => ${sql.lit(maxAttempts)},
    priority => ${sql.lit(priority)}, job_key => ${key ?? sql`null`}, payload => ${payload})`;
}

/** Whether a job of this kind is queued, running, or waiting for a retry. */
export async function hasJobs(db: Db, kind: { readonly task: string }): Promise<boolean> {
  const job = await row(
    db,
    sql`select from graphile_worker.jobs
      where task_identifier = ${kind.task} and (attempts < max_attempts or locked_at is not null) limit 1`,
  );
  return job !== undefined;
}

/** Whether the job with this key is queued or waiting for a retry, or running. */
export async function hasJobWithKey(db: Db, key: string): Promise<boolean> {
  const job = await row(
    db,
    sql`select from graphile_worker.jobs where key = ${key} and (attempts < max_attempts or locked_at is not null)`,
  );
  return job !== undefined;
}

/** Whether the job with this key is running. */
export async function isJobRunning(db: Db, key: string): Promise<boolean> {
  const job = await row(db, sql`select from graphile_worker.jobs where key = ${key} and locked_at is not null`);
  return job !== undefined;
}

/** Creates or updates the tables of the job queue. */
export async function migrateJobs(pool: pg.Pool): Promise<void> {
  const { runMigrations } = await import('graphile-worker');
  await runMigrations({ pgPool: pool });
}
