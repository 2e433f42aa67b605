// Runs jobs, and releases the jobs of workers that died.
import type { TaskList } from 'graphile-worker';
import type pg from 'pg';
import type { Context } from '../context.ts';
import { transact } from '../kernel/database/db.ts';
import type { Job } from '../kernel/jobs/jobs.ts';
import { findClockProblem } from '../kernel/jobs/steady-clock.ts';
import { removeDead } from '../kernel/processes/presence.ts';
import { gameOfInput } from '../request/change-topics.ts';
import { noteChange } from '../request/game-changes.ts';
import { type HeldJob, holdJobs } from '../request/held-jobs.ts';
import { type JobRun, measureJob, type QueuedJob } from './measure-job.ts';
import { correctSchedule, type Queue, releaseJobs, startQueue, type Tasks } from './queue.ts';

export type Worker = {
  /** Resolves when no job is running. */
  stop(): Promise<void>;
};

type Work = Job<Context>['work'];

const HEARTBEAT_MS = 15_000;
/** They only wait for other servers. */
const OUTGOING_JOBS = 16;
const POLL_MS = 2000;
/** So many workers would otherwise be most of what an idle server does. Only retries wait for it. */
const OUTGOING_POLL_MS = 8000;

/** Starts running jobs, after releasing the jobs that dead workers still hold. */
export async function startWorker(ctx: Context, pool: pg.Pool, jobs: readonly Job<Context>[]): Promise<Worker> {
  await removeDeadWorkers(ctx, jobs);
  const { quickJobs, jobs: longJobs } = ctx.config;
  const queues = [
    await startLane(ctx, pool, jobs, { lane: 'quick', concurrency: quickJobs, pollMs: POLL_MS }),
    await startLane(ctx, pool, jobs, { lane: 'long', concurrency: longJobs, pollMs: POLL_MS }),
    await startLane(ctx, pool, jobs, {
      lane: 'outgoing',
      concurrency: OUTGOING_JOBS,
      pollMs: OUTGOING_POLL_MS,
    }),
  ];
  const stopHolding = holdJobs(ctx, quickJobs, (job) => runHeld(ctx, jobs, job));
  ctx.metrics.jobSlots.set({ lane: 'quick' }, 2 * quickJobs);
  const heartbeat = setInterval(() => {
    removeDeadWorkers(ctx, jobs)
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
  jobs: readonly Job<Context>[],
  { lane, concurrency, pollMs }: Pick<Tasks, 'lane' | 'concurrency' | 'pollMs'>,
): Promise<Queue> {
  const ofLane = jobs.filter((job) => job.lane === lane);
  ctx.metrics.jobSlots.set({ lane }, concurrency);
  const tasks = {
    lane,
    list: tasksOf(ctx, ofLane),
    crontab: crontabOf(ofLane),
    atStart: ofLane.filter(({ atStart }) => atStart),
    concurrency,
    pollMs,
  };
  return startQueue(ctx, pool, tasks);
}

// One transaction is needed: otherwise the jobs of a worker whose row is gone would stay locked for hours, and what the
// process held would be forgotten.
async function removeDeadWorkers({ db }: Context, jobs: readonly Job<Context>[]): Promise<void> {
  await transact(db, async (tx) => {
    const dead = await removeDead(tx);
    if (dead.length === 0) return;
    await releaseJobs(
      tx,
      dead.flatMap(({ worker_ids }) => worker_ids),
    );
    const processNos = dead.map(({ process_no }) => process_no);
    for (const { release } of jobs) await release?.(tx, processNos);
  });
}

function crontabOf(jobs: readonly Job<Context>[]): string {
  return jobs
    .flatMap(({ task, cron, attempts }) => (cron === undefined ? [] : [`${cron} ${task} ?max=${attempts}`]))
    .join('\n');
}

/** Open pages show what the job has changed. */
function noteJob(ctx: Context, { changes }: Job<Context>, payload: unknown): void {
  const game = gameOfInput(payload);
  if (changes !== undefined && game !== null) noteChange(ctx, game, changes);
}

function tasksOf(ctx: Context, jobs: readonly Job<Context>[]): TaskList {
  return Object.fromEntries(
    jobs.map((job) => [
      job.task,
      async (payload: unknown, { job: queued, abortSignal }: { job: QueuedJob; abortSignal?: AbortSignal }) => {
        const attempt = {
          number: queued.attempts,
          last: queued.attempts >= queued.max_attempts,
          signal: abortSignal ?? new AbortController().signal,
        };
        const work = job.deletesOld ? onlyIfSteady(job.work) : job.work;
        await runJob(ctx, { ...job, work }, { task: job.task, lane: job.lane, attempt, job: queued, payload });
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
async function runHeld(ctx: Context, jobs: readonly Job<Context>[], { kind, payload, since }: HeldJob): Promise<void> {
  const job = jobs.find(({ task }) => task === kind.task);
  if (job === undefined) throw new Error(`this process runs no jobs of the kind ${kind.task}`);
  const attempt = { number: 1, last: false, signal: new AbortController().signal };
  const queued = { attempts: 1, max_attempts: job.attempts, run_at: since };
  await runJob(ctx, job, { task: job.task, lane: job.lane, attempt, job: queued, payload });
}

async function runJob(ctx: Context, job: Job<Context>, run: JobRun): Promise<void> {
  const { task, attempt, payload } = run;
  try {
    await measureJob(ctx, run, () => job.work(ctx, payload as never, attempt));
    noteJob(ctx, job, payload);
  } catch (err) {
    ctx.log.warn({ err, task, attempt: attempt.number, last: attempt.last }, 'job failed');
    throw err;
  }
}
