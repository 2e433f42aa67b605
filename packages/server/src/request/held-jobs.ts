// Jobs that a process holds and runs itself instead of enqueuing them. A job in the queue wakes every process, is
// looked up, and is deleted again, which together takes longer than running many of them.
//
// The row that a held job is about has the number of the process, written in the transaction that would otherwise have
// enqueued the job. If the process dies, others enqueue the job (`release` of Job).
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { addJob, type JobKind, withTrace } from '../kernel/jobs/jobs.ts';
import { perContext } from './per-context.ts';

/** Slots for jobs that this process holds. */
export type HeldSlots<Payload> = {
  /** The number of this process, for the rows that the jobs are about. */
  readonly processNo: number;
  /**
   * Runs these jobs when it is their turn. Slots that are left over are given back. Call it once, also without jobs.
   */
  begin(payloads: readonly Payload[]): void;
};

export type HeldJob = { readonly kind: JobKind<object>; readonly payload: object; readonly since: Date };

/**
 * The jobs that a process runs, together with the jobs that wait for it. Further ones are enqueued, so that other
 * processes can take them.
 */
const MAX_HELD = 128;
/** The time between two tries to enqueue a job while the database is away. */
const RETRY_MS = 1000;

type Lane = {
  /** Runs a job, as no part of the request that began it; undefined if this process holds none. */
  run: ((job: HeldJob) => Promise<void>) | undefined;
  concurrency: number;
  held: number;
  running: number;
  waiting: HeldJob[];
  /** Aborted when no further job is begun. */
  stopping: AbortController;
  /** Called when no job is held. */
  onEmpty: (() => void) | undefined;
};

const laneOf = perContext(
  (): Lane => ({
    run: undefined,
    concurrency: 0,
    held: 0,
    running: 0,
    waiting: [],
    stopping: new AbortController(),
    onEmpty: undefined,
  }),
);

/**
 * From now on, this process holds jobs, and runs up to `concurrency` of them at the same time. A job that fails is
 * enqueued, and tried again like any other. Returns a function that stops this: it enqueues the jobs that wait, and
 * resolves when none is running.
 */
export function holdJobs(ctx: Context, concurrency: number, run: (job: HeldJob) => Promise<void>): () => Promise<void> {
  const lane = laneOf(ctx);
  const outside = AsyncLocalStorage.snapshot();
  Object.assign(lane, {
    run: (job: HeldJob) => outside(() => run(job)),
    concurrency,
    stopping: new AbortController(),
  });
  return async () => {
    lane.run = undefined;
    lane.stopping.abort();
    startNext(ctx, lane);
    if (lane.held > 0) await new Promise<void>((resolve) => (lane.onEmpty = resolve));
  };
}

/** Whether this process takes jobs now. */
export function holdsJobs(ctx: Context): boolean {
  return laneOf(ctx).run !== undefined;
}

/**
 * Reserves slots for `count` jobs. Null if this process runs no jobs, is stopping, is not registered, or has enough of
 * them; enqueue the jobs then.
 */
export function reserveSlots<Payload extends object>(
  ctx: Context,
  kind: JobKind<Payload>,
  count: number,
): HeldSlots<Payload> | null {
  const lane = laneOf(ctx);
  const membership = ctx.presence.registered();
  if (lane.run === undefined || membership === undefined || lane.held + count > MAX_HELD) return null;
  lane.held += count;
  return {
    processNo: membership.processNo,
    begin(payloads) {
      giveBack(lane, count - payloads.length);
      for (const payload of payloads) lane.waiting.push({ kind, payload: withTrace(payload), since: ctx.clock.now() });
      startNext(ctx, lane);
    },
  };
}

function giveBack(lane: Lane, count: number): void {
  lane.held -= count;
  if (lane.held === 0) lane.onEmpty?.();
}

function startNext(ctx: Context, lane: Lane): void {
  while (lane.waiting.length > 0 && (lane.run === undefined || lane.running < lane.concurrency)) {
    const job = lane.waiting.shift()!;
    lane.running += 1;
    void runOrEnqueue(ctx, lane, job).finally(() => {
      lane.running -= 1;
      giveBack(lane, 1);
      startNext(ctx, lane);
    });
  }
}

async function runOrEnqueue(ctx: Context, lane: Lane, job: HeldJob): Promise<void> {
  const { kind, payload } = job;
  try {
    if (lane.run !== undefined) return await lane.run(job);
  } catch {
    // The runner has logged it.
  }
  for (;;) {
    try {
      return await addJob(ctx.db, kind, payload);
    } catch (err) {
      // When this process has ended, others find the job by its number.
      if (lane.stopping.signal.aborted) return;
      ctx.log.warn({ err, task: kind.task }, 'a job could not be enqueued; trying again');
      await wait(RETRY_MS, undefined, { signal: lane.stopping.signal }).catch(() => undefined);
    }
  }
}
