// Runs jobs: gives each its context, and gives back the jobs of workers that died.
import type { TaskList } from 'graphile-worker';
import type pg from 'pg';
import type { Context } from '../context.ts';
import { transact } from '../kernel/db.ts';
import type { Attempt, JobKind } from '../kernel/jobs.ts';
import { buryDead } from '../kernel/presence.ts';
import { giveBackJobs, type Queue, startQueue } from './queue.ts';

type Work = (ctx: Context, payload: never, attempt: Attempt) => Promise<void>;

/** Quick jobs, which somebody waits for, have places of their own: else two scans of 5 GB would hold them all up. */
type Lane = 'quick' | 'long';

export type JobBinding = {
  readonly kind: JobKind<object>;
  readonly work: Work;
  readonly cron?: string;
  readonly lane: Lane;
};

/**
 * Binds a function to a kind of job. With `cron` (UTC) it is also enqueued by the clock. `long` are jobs that may take minutes: they
 * go through large files, or through many rows.
 */
export function bind<Payload extends object>(
  kind: JobKind<Payload>,
  work: (ctx: Context, payload: Payload, attempt: Attempt) => Promise<void>,
  { cron, lane = 'quick' }: { cron?: string; lane?: Lane } = {},
): JobBinding {
  return { kind: kind as JobKind<object>, work: work as Work, lane, ...(cron !== undefined && { cron }) };
}

export type Worker = {
  /** Resolves when no job is running any more. */
  stop(): Promise<void>;
};

const HEARTBEAT_MS = 15_000;

/** Starts taking jobs; first gives back those that dead workers still hold. */
export async function startWorker(ctx: Context, pool: pg.Pool, bindings: readonly JobBinding[]): Promise<Worker> {
  await buryWorkers(ctx);
  const { quickJobs, jobs } = ctx.config;
  const queues = [
    await startLane(ctx, pool, bindings, { lane: 'quick', concurrency: quickJobs }),
    await startLane(ctx, pool, bindings, { lane: 'long', concurrency: jobs }),
  ];
  const heartbeat = setInterval(() => {
    buryWorkers(ctx).catch((err) => ctx.log.warn({ err }, 'could not look for dead workers'));
  }, HEARTBEAT_MS);
  return {
    async stop() {
      clearInterval(heartbeat);
      await Promise.all(queues.map((queue) => queue.stop()));
    },
  };
}

function startLane(
  ctx: Context,
  pool: pg.Pool,
  bindings: readonly JobBinding[],
  { lane, concurrency }: { lane: Lane; concurrency: number },
): Promise<Queue> {
  const those = bindings.filter((binding) => binding.lane === lane);
  return startQueue(ctx, pool, { list: tasksOf(ctx, those), crontab: crontabOf(those), concurrency });
}

/** In one transaction: jobs of a worker whose row is gone would stay locked for hours. */
async function buryWorkers({ db }: Context): Promise<void> {
  await transact(db, async (tx) => {
    const dead = await buryDead(tx);
    if (dead.length > 0) await giveBackJobs(tx, dead);
  });
}

function crontabOf(bindings: readonly JobBinding[]): string {
  return bindings
    .flatMap(({ kind, cron }) => (cron === undefined ? [] : [`${cron} ${kind.task} ?max=${kind.maxAttempts}`]))
    .join('\n');
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
