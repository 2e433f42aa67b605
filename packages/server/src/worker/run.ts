// Runs jobs, and releases the jobs of workers that died.
import type { TaskList } from 'graphile-worker';
import type pg from 'pg';
import type { Context } from '../context.ts';
import { transact } from '../kernel/database/db.ts';
import type { JobBinding } from '../kernel/jobs/binding.ts';
import { findClockProblem } from '../kernel/jobs/steady-clock.ts';
import { removeDead } from '../kernel/processes/presence.ts';
import { gameOf, topicOfJob } from '../request/change-topics.ts';
import { noteChange } from '../request/game-changes.ts';
import { type HeldJob, holdJobs } from '../request/held-jobs.ts';
import { type JobRun, measureJob, type QueuedJob } from './measure-job.ts';
import { correctSchedule, type Queue, releaseJobs, startQueue, type Tasks } from './queue.ts';

export type Worker = {
  /** Resolves when no job is running. */
  stop(): Promise<void>;
};

type Work = JobBinding<Context>['work'];

const HEARTBEAT_MS = 15_000;
/** They only wait for other servers. */
const OUTGOING_JOBS = 16;
const POLL_MS = 2000;
/** So many workers would otherwise be most of what an idle server does. Only retries wait for it. */
const OUTGOING_POLL_MS = 8000;

/** Starts running jobs, after releasing the jobs that dead workers still hold. */
export async function startWorker(
  ctx: Context,
  pool: pg.Pool,
  bindings: readonly JobBinding<Context>[],
): Promise<Worker> {
  await removeDeadWorkers(ctx, bindings);
  const { quickJobs, jobs } = ctx.config;
  const queues = [
    await startLane(ctx, pool, bindings, { lane: 'quick', concurrency: quickJobs, pollMs: POLL_MS }),
    await startLane(ctx, pool, bindings, { lane: 'long', concurrency: jobs, pollMs: POLL_MS }),
    await startLane(ctx, pool, bindings, {
      lane: 'outgoing',
      concurrency: OUTGOING_JOBS,
      pollMs: OUTGOING_POLL_MS,
    }),
  ];
  const stopHolding = holdJobs(ctx, quickJobs, (job) => runHeld(ctx, bindings, job));
  ctx.metrics.jobSlots.set({ lane: 'quick' }, 2 * quickJobs);
  const heartbeat = setInterval(() => {
    removeDeadWorkers(ctx, bindings)
      // Another process, whose clock is ahead, may have scheduled jobs.
      .then(() => correctSchedule(ctx.db))
      .catch((err) => ctx.log.warn({ err }, 'could not check for dead workers'));
  }, HEARTBEAT_MS);
  return {
    async stop() {
      clearInterval(heartbeat);
      await Promise.all([stopHolding(), ...queues.map((queue) => queue.stop())]);
    },
  };
}

function startLane(
  ctx: Context,
  pool: pg.Pool,
  bindings: readonly JobBinding<Context>[],
  { lane, concurrency, pollMs }: Pick<Tasks, 'lane' | 'concurrency' | 'pollMs'>,
): Promise<Queue> {
  const laneBindings = bindings.filter((binding) => binding.lane === lane);
  ctx.metrics.jobSlots.set({ lane }, concurrency);
  const tasks = {
    lane,
    list: tasksOf(ctx, laneBindings),
    crontab: crontabOf(laneBindings),
    atStart: laneBindings.filter(({ atStart }) => atStart).map(({ kind }) => kind),
    concurrency,
    pollMs,
  };
  return startQueue(ctx, pool, tasks);
}

// In one transaction: otherwise the jobs of a worker whose row is gone would stay locked for hours, and what the process
// held would be forgotten.
async function removeDeadWorkers({ db }: Context, bindings: readonly JobBinding<Context>[]): Promise<void> {
  await transact(db, async (tx) => {
    const dead = await removeDead(tx);
    if (dead.length === 0) return;
    await releaseJobs(
      tx,
      dead.flatMap(({ worker_ids }) => worker_ids),
    );
    const processNos = dead.map(({ process_no }) => process_no);
    for (const { release } of bindings) await release?.(tx, processNos);
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
    bindings.map(({ kind, lane, deletesOld, work }) => [
      kind.task,
      async (payload: unknown, { job, abortSignal }: { job: QueuedJob; abortSignal?: AbortSignal }) => {
        const attempt = {
          number: job.attempts,
          last: job.attempts >= job.max_attempts,
          signal: abortSignal ?? new AbortController().signal,
        };
        const run = { task: kind.task, lane, attempt, job, payload };
        await runJob(ctx, run, deletesOld ? onlyIfSteady(work) : work);
      },
    ]),
  );
}

/** A job on a schedule can be left out: a later run deletes what is old as well. */
function onlyIfSteady(work: Work): Work {
  return async (ctx, payload, attempt) => {
    const problem = await findClockProblem(ctx.db, ctx.clock);
    if (problem === null) return work(ctx, payload, attempt);
    if (problem === 'differs')
      ctx.log.warn(
        'nothing is deleted for its age while the clocks of this machine and the database differ by an hour',
      );
    else ctx.log.debug('nothing is deleted for its age during the day after the clock has jumped');
  };
}

/** Runs the first attempt at a job that this process holds. */
async function runHeld(
  ctx: Context,
  bindings: readonly JobBinding<Context>[],
  { kind, payload, since }: HeldJob,
): Promise<void> {
  const binding = bindings.find((binding) => binding.kind.task === kind.task);
  if (binding === undefined) throw new Error(`this process runs no jobs of the kind ${kind.task}`);
  const attempt = { number: 1, last: false, signal: new AbortController().signal };
  const job = { attempts: 1, max_attempts: kind.maxAttempts, run_at: since };
  await runJob(ctx, { task: kind.task, lane: binding.lane, attempt, job, payload }, binding.work);
}

async function runJob(ctx: Context, run: JobRun, work: Work): Promise<void> {
  const { task, attempt, payload } = run;
  try {
    await measureJob(ctx, run, () => work(ctx, payload as never, attempt));
    noteJob(ctx, task, payload);
  } catch (err) {
    ctx.log.warn({ err, task, attempt: attempt.number, last: attempt.last }, 'job failed');
    throw err;
  }
}
