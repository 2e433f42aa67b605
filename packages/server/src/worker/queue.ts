// The job queue of this process: runs until it is stopped, and restarts whenever it fails.
import { EventEmitter } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Logger, type RunnerOptions, run, type TaskList } from 'graphile-worker';
import { sql } from 'kysely';
import type pg from 'pg';
import type { Context } from '../context.ts';
import { MINUTE } from '../kernel/clock.ts';
import { changed, type Db, rows } from '../kernel/database/db.ts';
import { addJob, type JobKind, type Lane } from '../kernel/jobs/jobs.ts';
import type { Log } from '../kernel/telemetry/log.ts';

export type Queue = {
  /** Takes no further jobs. Resolves when no job is running. */
  stop(): Promise<void>;
};

/** What the queue runs: a function per kind of job, the schedule, and how many jobs at once. */
export type Tasks = {
  readonly lane: Lane;
  readonly list: TaskList;
  readonly crontab: string;
  /** Enqueued at each start, also after the clock has jumped. */
  readonly atStart: readonly JobKind<object>[];
  readonly concurrency: number;
  /**
   * How often, in milliseconds, each of the `concurrency` workers looks for a job whose time has come. A job that is
   * enqueued to run at once wakes a worker.
   */
  readonly pollMs: number;
};

type Run = {
  /** Resolves when no job of this run is running any more, because the run was ended or failed. */
  readonly ended: Promise<void>;
  /** Whether it was ended because the clock has jumped. */
  hasJumped(): boolean;
  end(): void;
};

const RESTART_MS = 1000;

/** Starts the queue. graphile-worker gives up if the database stays away; this service must keep trying. */
export async function startQueue(ctx: Context, pool: pg.Pool, tasks: Tasks): Promise<Queue> {
  const stopping = new AbortController();
  const workerIds: string[] = [];
  const start = () => startRun(ctx, pool, tasks, workerIds);
  const onRestart = () => ctx.metrics.queueRestarts.inc({ lane: tasks.lane });
  const kept = keepRunning(await start(), start, onRestart, stopping.signal, ctx.log);
  return {
    async stop() {
      stopping.abort();
      await kept;
    },
  };
}

async function keepRunning(
  first: Run,
  start: () => Promise<Run>,
  onRestart: () => void,
  stopping: AbortSignal,
  log: Log,
): Promise<void> {
  let current: Run | undefined = first;
  for (;;) {
    if (current !== undefined) {
      await endOf(current, stopping);
      if (!stopping.aborted && !current.hasJumped()) log.error('the job queue failed; restarting it');
    }
    await wait(RESTART_MS, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return;
    onRestart();
    current = await start().catch((err) => {
      log.error({ err }, 'the job queue could not be restarted');
      return undefined;
    });
  }
}

/** Waits for the end of a run. Ends the run when `stopping` aborts, even if that was before the run started. */
async function endOf(current: Run, stopping: AbortSignal): Promise<void> {
  const end = () => current.end();
  if (stopping.aborted) end();
  stopping.addEventListener('abort', end);
  await current.ended;
  stopping.removeEventListener('abort', end);
}

/** `workerIds` are the workers of earlier runs. Jobs whose end they could not record run again. */
async function startRun(ctx: Context, pool: pg.Pool, tasks: Tasks, workerIds: string[]): Promise<Run> {
  if (workerIds.length > 0) await releaseJobs(ctx.db, workerIds);
  await correctSchedule(ctx.db);
  for (const kind of tasks.atStart) await addJob(ctx.db, kind, {}, kind.task);
  const events = new EventEmitter();
  const recorded: Promise<void>[] = [];
  // The queue locks jobs in the name of its worker pool.
  events.on('pool:create', ({ workerPool: { id } }: { workerPool: { id: string } }) => {
    workerIds.push(id);
    recorded.push(ctx.presence.addWorker(id));
  });
  const ended = endOfPool(events);
  const runner = await run({ ...optionsOf(ctx, tasks), pgPool: pool, events });
  // Not awaited: after an error, the runner's clock may sleep for a minute before it notices the stop. Stopping rejects
  // if the runner is already stopping.
  const end = () => void runner.stop().catch(() => undefined);
  events.on('pool:fatalError', ({ error: err }: { error: unknown }) => {
    ctx.log.error({ err }, 'the end of a job could not be recorded; it will run again');
    end();
  });
  let hasJumped = false;
  endAfterJump(events, (ms) => {
    hasJumped = true;
    ctx.log.warn({ minutes: Math.round(ms / MINUTE) }, 'the clock has jumped; restarting the schedule');
    end();
  });
  endIfNeverReady(events, (err) => {
    ctx.log.error({ err }, 'the job queue could not read its tasks');
    end();
  });
  try {
    await Promise.all(recorded);
  } catch (error) {
    end();
    await ended;
    throw error;
  }
  return { ended, hasJumped: () => hasJumped, end };
}

/**
 * Resolves when the pool has no more jobs running and has recorded their ends. If it failed to record one, it
 * resolves as soon as no job is running: after such an error, graphile-worker 0.18 miscounts the ends that it still has to
 * record and can wait for them forever (https://github.com/graphile/worker/issues/636 is about the same code).
 */
function endOfPool(events: EventEmitter): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let hasFailed = false;
  let isIdle = false;
  const check = () => {
    if (hasFailed && isIdle) resolve();
  };
  events.on('pool:release', () => resolve());
  events.on('pool:fatalError', () => {
    hasFailed = true;
    check();
  });
  for (const name of [
    'pool:gracefulShutdown:complete',
    'pool:forcefulShutdown:complete',
    'pool:forcefulShutdown:error',
  ])
    events.on(name, () => {
      isIdle = true;
      check();
    });
  return promise;
}

/**
 * Calls `onFailure` if the first look for a job fails. graphile-worker 0.18 keeps that error as the ids of its tasks, and
 * throws it for as long as the run lasts, without asking the database again.
 */
function endIfNeverReady(events: EventEmitter, onFailure: (error: unknown) => void): void {
  const onError = ({ error }: { error: unknown }) => {
    stop();
    onFailure(error);
  };
  const stop = () => {
    events.off('worker:getJob:error', onError);
    for (const name of READY) events.off(name, stop);
  };
  events.on('worker:getJob:error', onError);
  for (const name of READY) events.on(name, stop);
}

/** Longer than the queue is ever late because the process is busy. */
const MAX_LATE_MS = 10 * MINUTE;

type Tick = { readonly currentTimestamp: number; readonly expectedTimestamp: number };

/**
 * Calls `onJump` with the difference when the clock jumps. After a jump ahead, as when a machine continues after a week,
 * graphile-worker would schedule the jobs of every minute that was left out; after one back, none until it has caught up.
 */
function endAfterJump(events: EventEmitter, onJump: (ms: number) => void): void {
  for (const name of ['cron:overdueTimer', 'cron:prematureTimer'])
    events.on(name, ({ currentTimestamp, expectedTimestamp }: Tick) => {
      const ms = currentTimestamp - expectedTimestamp;
      if (Math.abs(ms) > MAX_LATE_MS) onJump(ms);
    });
}

/** The last retry of a job waits for 45 hours. */
const MAX_DELAY = '3 days';

/**
 * Makes what was scheduled while a clock was ahead due now. Otherwise the queue would neither run jobs by their schedule nor
 * these jobs until the clock has caught up.
 */
export async function correctSchedule(db: Db): Promise<void> {
  await changed(
    db,
    sql`update graphile_worker._private_known_crontabs set last_execution = now()
      where last_execution > now() + interval '2 minutes'`,
  );
  await changed(
    db,
    sql`update graphile_worker._private_jobs set run_at = now() where run_at > now() + ${MAX_DELAY}::interval`,
  );
}

/** What is emitted when a worker has looked for a job. */
const READY = ['worker:getJob:empty', 'job:start'];

function optionsOf({ config, log }: Context, tasks: Tasks): RunnerOptions {
  return {
    concurrency: tasks.concurrency,
    pollInterval: tasks.pollMs,
    noHandleSignals: true,
    gracefulShutdownAbortTimeout: config.shutdownSeconds * 1000,
    logger: loggerOf(log),
    taskList: tasks.list,
    crontab: tasks.crontab,
    // Only with batches does the queue handle a failure to record the end of a job, and wait for it when it stops.
    // Otherwise a database that is away at that moment causes an unhandled rejection, which ends the process.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  };
}

/** Releases the jobs that these workers hold, so that others can take them. */
export async function releaseJobs(db: Db, workerIds: readonly string[]): Promise<void> {
  await rows(db, sql`select graphile_worker.force_unlock_workers(${workerIds}::text[])`);
}

/** The queue's own messages help only with debugging: our log already has a line for each failed job. */
function loggerOf(log: Log): Logger {
  return new Logger(() => (level, message) => {
    if (level === 'error') log.debug({ queue: message }, 'job queue');
    else log.trace({ queue: message }, 'job queue');
  });
}
