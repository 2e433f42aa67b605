// Background jobs: rows that are enqueued in the transaction that requires them, and run at least once.
//
// A job exists if the change that needs it does, because both are in one transaction. It is then in one of these
// states, which graphile-worker keeps in its table:
//
// - Queued: its time has come, or comes later. A job with a key replaces one with the same key that has not started.
// - Running: a worker has locked its row. Workers of all processes take jobs, those with the lowest priority number
//   first.
// - Done: its row is deleted.
// - Waiting for a retry: it threw. Attempt n+1 is due e^n seconds later.
// - Failed: its last attempt threw. The row stays, and operators can run it again.
//
// A process that dies leaves its jobs locked. The others notice by its heartbeat (processes/presence.ts), and release
// them, so they run again: every job has to be safe to run twice, even at the same time. A process can also hold a new
// job in memory and run it at once, without a row, if what it belongs to shows that it is unfinished (request/held-
// jobs.ts); `release` then enqueues what a dead process held.
//
// The lane of a kind decides which workers run it (docs/adr/0013-job-lanes.md). worker/queue.ts runs a lane, and
// restarts it after a failure.
import type { ChangeTopic } from '@chauffeur/contract/operations/live';
import { type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import { type Db, row, rows } from '../database/db.ts';
import { currentSpan } from '../telemetry/tracing.ts';

/**
 * Each lane has its own workers. Someone is waiting for quick jobs, which two scans of 5 GB would block, and so would
 * servers of other people that let `outgoing` jobs wait.
 */
export type Lane = 'quick' | 'long' | 'outgoing';

type JobOptions = {
  /** The number of attempts before the job counts as failed. The delay after attempt n is e^n seconds. */
  readonly attempts: number;
  /**
   * `quick` if absent. Use `long` for jobs that may take minutes because they read large files or many rows, and
   * `outgoing` for jobs that send requests to addresses that developers chose.
   */
  readonly lane?: Lane;
  /** Jobs of kinds with the same queue run one after another, whichever processes take them. */
  readonly queue?: string;
  /** The times are in UTC. The job is also enqueued on this schedule. */
  readonly cron?: string;
  /** Whether it deletes what is old, so that it is left out for a day after the clock has jumped (steady-clock.ts). */
  readonly deletesOld?: boolean;
  /** Whether it also runs when a queue starts, and when it restarts because the clock has jumped. */
  readonly atStart?: boolean;
  /** The pages of the game that show what the job changes. */
  readonly changes?: ChangeTopic;
};

/** A kind of job, with the type of its payload. Every job is safe to run twice. */
export type JobKind<Payload> = JobOptions & {
  readonly task: string;
  readonly lane: Lane;
  /** Only for type inference. */
  readonly payload?: Payload;
};

export type Attempt = { readonly number: number; readonly last: boolean; readonly signal: AbortSignal };

type Work<Ctx, Payload> = (ctx: Ctx, payload: Payload, attempt: Attempt) => Promise<void>;

/** A kind of job and the function that runs it. `Ctx` is the context that every such function receives. */
export type Job<Ctx> = JobKind<object> & {
  readonly work: Work<Ctx, never>;
  /** Enqueues the jobs of this kind that processes with these numbers held when they died (request/held-jobs.ts). */
  readonly release?: Release | undefined;
};

type Release = (db: Db, processNos: readonly number[]) => Promise<void>;

/** Keys are the names of the kinds. */
const kinds = new Map<string, JobKind<object>>();

/** Defines a kind of job, whose function `bindJob` adds. */
export function defineJob<Payload extends object>(task: string, options: JobOptions): JobKind<Payload>;
/** Defines a kind of job and the function that runs it. */
export function defineJob<Ctx, Payload extends object>(
  task: string,
  options: JobOptions,
  work: Work<Ctx, Payload>,
): JobKind<Payload> & Job<Ctx>;
export function defineJob(task: string, options: JobOptions, work?: Work<unknown, never>): JobKind<object> {
  const kind = { lane: 'quick', ...options, task, ...(work !== undefined && { work }) } as const;
  kinds.set(task, kind);
  return kind;
}

/** Binds kinds that are enqueued by modules that the function needs, and that therefore can't import it. */
export function bindJob<Ctx, Payload extends object>(
  kind: JobKind<Payload>,
  work: Work<Ctx, Payload>,
  { release }: { release?: Release } = {},
): Job<Ctx> {
  return { ...kind, work, release };
}

/** All kinds of jobs of this program. */
export function listJobKinds(): readonly JobKind<object>[] {
  return [...kinds.values()];
}

/** Enqueues a job. With a `key`, it replaces a queued job of the same key. `priority` is as in EnqueueOptions. */
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

export type EnqueueOptions = {
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
  options: EnqueueOptions = {},
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
  { task, attempts, queue }: JobKind<object>,
  payload: RawBuilder<unknown>,
  { key, priority = 0 }: EnqueueOptions,
): RawBuilder<unknown> {
  return sql`graphile_worker.add_job(identifier => ${sql.lit(task)}, max_attempts => ${sql.lit(attempts)},
    queue_name => ${queue === undefined ? sql`null` : sql.lit(queue)}, priority => ${sql.lit(priority)}, job_key => ${key ?? sql`null`}, payload => ${payload})`;
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
