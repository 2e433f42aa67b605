// Runs jobs: takes them from the queue, gives each its context, and gives back the jobs of workers that died.
import { EventEmitter } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Logger, makeWorkerUtils, type Runner, run, type TaskList } from 'graphile-worker';
import type pg from 'pg';
import type { Context } from '../context.ts';
import type { Attempt, JobKind } from '../kernel/jobs.ts';
import type { Log } from '../kernel/log.ts';
import { buryDead } from '../kernel/presence.ts';

type Work = (ctx: Context, payload: never, attempt: Attempt) => Promise<void>;

export type JobBinding = { readonly kind: JobKind<object>; readonly work: Work; readonly cron?: string };

/** Binds a function to a kind of job; with `cron` (UTC) it is also enqueued by the clock. */
export function bind<Payload extends object>(
  kind: JobKind<Payload>,
  work: (ctx: Context, payload: Payload, attempt: Attempt) => Promise<void>,
  { cron }: { cron?: string } = {},
): JobBinding {
  return { kind: kind as JobKind<object>, work: work as Work, ...(cron !== undefined && { cron }) };
}

export type Worker = {
  /** Resolves when no job is running any more. */
  stop(): Promise<void>;
};

const HEARTBEAT_MS = 15_000;
const RESTART_MS = 1000;

/** Starts taking jobs; first gives back those that dead workers still hold. */
export async function startWorker(ctx: Context, pool: pg.Pool, bindings: readonly JobBinding[]): Promise<Worker> {
  const logger = loggerOf(ctx.log);
  const utils = await makeWorkerUtils({ pgPool: pool, logger });
  const giveBack = async () => {
    const dead = await buryDead(ctx.db);
    if (dead.length > 0) await utils.forceUnlockWorkers(dead);
  };
  await giveBack();
  const queue = await keepRunning(() => startQueue(ctx, pool, logger, bindings), ctx.log);
  const heartbeat = setInterval(() => {
    giveBack().catch((err) => ctx.log.warn({ err }, 'could not look for dead workers'));
  }, HEARTBEAT_MS);
  return {
    async stop() {
      clearInterval(heartbeat);
      await queue.stop();
      await utils.release();
    },
  };
}

async function startQueue(
  ctx: Context,
  pool: pg.Pool,
  logger: Logger,
  bindings: readonly JobBinding[],
): Promise<Runner> {
  const events = new EventEmitter();
  const recorded: Promise<void>[] = [];
  // The queue locks jobs in the name of the pool.
  events.on('pool:create', ({ workerPool }: { workerPool: { id: string } }) =>
    recorded.push(ctx.presence.addWorker(workerPool.id)),
  );
  const runner = await run({
    pgPool: pool,
    concurrency: ctx.config.jobs,
    noHandleSignals: true,
    logger,
    taskList: tasksOf(ctx, bindings),
    crontab: bindings
      .flatMap(({ kind, cron }) => (cron === undefined ? [] : [`${cron} ${kind.task} ?max=${kind.maxAttempts}`]))
      .join('\n'),
    events,
  });
  await Promise.all(recorded);
  return runner;
}

/** The queue gives up when the database stays away; a service that is to run for years does not. */
async function keepRunning(start: () => Promise<Runner>, log: Log): Promise<Worker> {
  const stopping = new AbortController();
  let runner = await start();
  const supervise = async () => {
    await runner.promise.catch((err) => log.error({ err }, 'the job queue broke off'));
    while (!stopping.signal.aborted) {
      await wait(RESTART_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      runner = await start().catch((err) => {
        log.error({ err }, 'the job queue could not be taken up again');
        return runner;
      });
      await runner.promise.catch((err) => log.error({ err }, 'the job queue broke off'));
    }
  };
  const supervising = supervise();
  return {
    async stop() {
      stopping.abort();
      await runner.stop();
      await supervising;
    },
  };
}

function tasksOf(ctx: Context, bindings: readonly JobBinding[]): TaskList {
  return Object.fromEntries(
    bindings.map(({ kind, work }) => [
      kind.task,
      async (
        payload: unknown,
        { job, abortSignal }: { job: { attempts: number; max_attempts: number }; abortSignal?: AbortSignal },
      ) => {
        const attempt = {
          number: job.attempts,
          last: job.attempts >= job.max_attempts,
          signal: abortSignal ?? new AbortController().signal,
        };
        const end = ctx.metrics.jobs.startTimer({ task: kind.task });
        try {
          await work(ctx, payload as never, attempt);
          end({ outcome: 'done' });
        } catch (err) {
          end({ outcome: attempt.last ? 'failed' : 'retry' });
          ctx.log.warn({ err, task: kind.task, attempt: attempt.number, last: attempt.last }, 'job failed');
          throw err;
        }
      },
    ]),
  );
}

/** The queue's own lines are for whoever debugs it: our log has a line for each failed job already. */
function loggerOf(log: Log): Logger {
  return new Logger(() => (level, message) => {
    if (level === 'error') log.debug({ queue: message }, 'job queue');
    else log.trace({ queue: message }, 'job queue');
  });
}
