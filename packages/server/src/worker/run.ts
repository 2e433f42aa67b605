// Runs jobs, and releases the jobs of workers that died.
import type { TaskList } from 'graphile-worker';
import type pg from 'pg';
import type { Context } from '../context.ts';
import { transact } from '../kernel/database/db.ts';
import type { JobBinding, Lane } from '../kernel/jobs/binding.ts';
import { removeDead } from '../kernel/processes/presence.ts';
import { gameOf, topicOfJob } from '../request/change-topics.ts';
import { noteChange } from '../request/game-changes.ts';
import { measureJob, type QueuedJob } from './measure-job.ts';
import { type Queue, releaseJobs, startQueue } from './queue.ts';

export type Worker = {
  /** Resolves when no job is running. */
  stop(): Promise<void>;
};

const HEARTBEAT_MS = 15_000;
/** They only wait for other servers. */
const OUTGOING_JOBS = 16;

/** Starts running jobs, after releasing the jobs that dead workers still hold. */
export async function startWorker(
  ctx: Context,
  pool: pg.Pool,
  bindings: readonly JobBinding<Context>[],
): Promise<Worker> {
  await removeDeadWorkers(ctx);
  const { quickJobs, jobs } = ctx.config;
  const queues = [
    await startLane(ctx, pool, bindings, { lane: 'quick', concurrency: quickJobs }),
    await startLane(ctx, pool, bindings, { lane: 'long', concurrency: jobs }),
    await startLane(ctx, pool, bindings, { lane: 'outgoing', concurrency: OUTGOING_JOBS }),
  ];
  const heartbeat = setInterval(() => {
    removeDeadWorkers(ctx).catch((err) => ctx.log.warn({ err }, 'could not check for dead workers'));
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
  bindings: readonly JobBinding<Context>[],
  { lane, concurrency }: { lane: Lane; concurrency: number },
): Promise<Queue> {
  const laneBindings = bindings.filter((binding) => binding.lane === lane);
  ctx.metrics.jobSlots.set({ lane }, concurrency);
  const tasks = { lane, list: tasksOf(ctx, laneBindings), crontab: crontabOf(laneBindings), concurrency };
  return startQueue(ctx, pool, tasks);
}

// In one transaction: otherwise the jobs of a worker whose row is gone would stay locked for hours.
async function removeDeadWorkers({ db }: Context): Promise<void> {
  await transact(db, async (tx) => {
    const dead = await removeDead(tx);
    if (dead.length > 0) await releaseJobs(tx, dead);
  });
}

function crontabOf(bindings: readonly JobBinding<Context>[]): string {
  return bindings
    .flatMap(({ kind, cron }) => (cron === undefined ? [] : [`${cron} ${kind.task} ?max=${kind.maxAttempts}`]))
    .join('\n');
}

/** Open pages show what the job has changed. */
function noteJob(ctx: Context, task: string, payload: unknown): void {
  const [topic, game] = [topicOfJob(task), gameOf(payload)];
  if (topic !== null && game !== null) noteChange(ctx, game, topic);
}

function tasksOf(ctx: Context, bindings: readonly JobBinding<Context>[]): TaskList {
  return Object.fromEntries(
    bindings.map(({ kind, lane, work }) => [
      kind.task,
      async (payload: unknown, { job, abortSignal }: { job: QueuedJob; abortSignal?: AbortSignal }) => {
        const attempt = {
          number: job.attempts,
          last: job.attempts >= job.max_attempts,
          signal: abortSignal ?? new AbortController().signal,
        };
        const run = { task: kind.task, lane, attempt, job, payload };
        try {
          await measureJob(ctx, run, () => work(ctx, payload as never, attempt));
          noteJob(ctx, kind.task, payload);
        } catch (err) {
          ctx.log.warn({ err, task: kind.task, attempt: attempt.number, last: attempt.last }, 'job failed');
          throw err;
        }
      },
    ]),
  );
}
