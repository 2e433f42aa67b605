// The job queue of this process: runs until it is stopped, and is taken up again whenever it breaks off.
import { EventEmitter, once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Logger, type RunnerOptions, run, type TaskList } from 'graphile-worker';
import { sql } from 'kysely';
import type pg from 'pg';
import type { Context } from '../context.ts';
import { type Db, rows } from '../kernel/db.ts';
import type { Log } from '../kernel/log.ts';

export type Queue = {
  /** Takes no further job. Resolves when none is running any more. */
  stop(): Promise<void>;
};

/** What the queue runs: a function for each kind of job, the times of those that the clock enqueues, and how many at once. */
export type Tasks = { readonly list: TaskList; readonly crontab: string; readonly concurrency: number };

type Run = {
  /** Resolves when no job of this run is under way: it was told to end, or broke off. */
  readonly ended: Promise<void>;
  end(): void;
};

const RESTART_MS = 1000;

/** Starts the queue. It gives up when the database stays away; a service that is to run for years does not. */
export async function startQueue(ctx: Context, pool: pg.Pool, tasks: Tasks): Promise<Queue> {
  const stopping = new AbortController();
  const workerIds: string[] = [];
  const start = () => startRun(ctx, pool, tasks, workerIds);
  const kept = keepRunning(await start(), start, stopping.signal, ctx.log);
  return {
    async stop() {
      stopping.abort();
      await kept;
    },
  };
}

async function keepRunning(first: Run, start: () => Promise<Run>, stopping: AbortSignal, log: Log): Promise<void> {
  let current: Run | undefined = first;
  for (;;) {
    if (current !== undefined) {
      await endOf(current, stopping);
      if (!stopping.aborted) log.error('the job queue has broken off; taking it up again');
    }
    await wait(RESTART_MS, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return;
    current = await start().catch((err) => {
      log.error({ err }, 'the job queue could not be taken up again');
      return undefined;
    });
  }
}

/** Waits for the end of a run, and brings it about when told to stop, also when that was before the run had started. */
async function endOf(current: Run, stopping: AbortSignal): Promise<void> {
  const end = () => current.end();
  if (stopping.aborted) end();
  stopping.addEventListener('abort', end);
  await current.ended;
  stopping.removeEventListener('abort', end);
}

/** `workerIds` names the runs before this one: what they could not record of their jobs is run again. */
async function startRun(ctx: Context, pool: pg.Pool, tasks: Tasks, workerIds: string[]): Promise<Run> {
  if (workerIds.length > 0) await giveBackJobs(ctx.db, workerIds);
  const events = new EventEmitter();
  const recorded: Promise<void>[] = [];
  // The queue locks jobs in the name of its pool of workers.
  events.on('pool:create', ({ workerPool: { id } }: { workerPool: { id: string } }) => {
    workerIds.push(id);
    recorded.push(ctx.presence.addWorker(id));
  });
  events.on('pool:fatalError', ({ error: err }: { error: unknown }) =>
    ctx.log.error({ err }, 'the end of a job could not be recorded; it will run again'),
  );
  const released = once(events, 'pool:release').then(() => undefined);
  const runner = await run({ ...optionsOf(ctx, tasks), pgPool: pool, events });
  // The runner's own end is not waited for: its clock may sleep for a minute after an error before it sees that it is to stop.
  // It refuses to stop when it is stopping by itself.
  const end = () => void runner.stop().catch(() => undefined);
  try {
    await Promise.all(recorded);
  } catch (error) {
    end();
    await released;
    throw error;
  }
  return { ended: released, end };
}

function optionsOf({ config, log }: Context, tasks: Tasks): RunnerOptions {
  return {
    concurrency: tasks.concurrency,
    noHandleSignals: true,
    gracefulShutdownAbortTimeout: config.shutdownSeconds * 1000,
    logger: loggerOf(log),
    taskList: tasks.list,
    crontab: tasks.crontab,
    // Only in batches does the queue look at what came of recording a job's end, and wait for that when it stops. Else a
    // database that is away when a job ends makes an unhandled rejection, which ends the process.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  };
}

/** Lets others take the jobs that these workers hold. */
export async function giveBackJobs(db: Db, workerIds: readonly string[]): Promise<void> {
  await rows(db, sql`select graphile_worker.force_unlock_workers(${workerIds}::text[])`);
}

/** The queue's own lines are for whoever debugs it: our log has a line for each failed job already. */
function loggerOf(log: Log): Logger {
  return new Logger(() => (level, message) => {
    if (level === 'error') log.debug({ queue: message }, 'job queue');
    else log.trace({ queue: message }, 'job queue');
  });
}
