// Binds a function to a kind of job, with its schedule and lane.
import type { Db } from '../database/db.ts';
import type { Attempt, JobKind } from './jobs.ts';

/**
 * Each lane has workers of its own. Someone is waiting for quick jobs, which two scans of 5 GB would block, and so would
 * servers of other people that let `outgoing` jobs wait.
 */
export type Lane = 'quick' | 'long' | 'outgoing';

/** The lane of each kind of job, by the name of its task. */
export type Lanes = ReadonlyMap<string, Lane>;

/** A kind of job and the function that runs it. `Ctx` is the context that every such function receives. */
export type JobBinding<Ctx> = {
  readonly kind: JobKind<object>;
  readonly work: (ctx: Ctx, payload: never, attempt: Attempt) => Promise<void>;
  readonly cron?: string;
  readonly lane: Lane;
  /** Whether it deletes what is old, so that it must not run with a clock that is ahead (steady-clock.ts). */
  readonly deletesOld: boolean;
  /** Whether it also runs when a queue starts, and when it restarts because the clock has jumped. */
  readonly atStart: boolean;
  /** Enqueues the jobs of this kind that processes with these numbers held when they died (request/held-jobs.ts). */
  readonly release?: Release;
};

type Options = { cron?: string; lane?: Lane; deletesOld?: boolean; atStart?: boolean; release?: Release };

type Release = (db: Db, processNos: readonly number[]) => Promise<void>;

/**
 * Binds a function to a kind of job. With `cron` (UTC), the job is also enqueued on that schedule. Use the `long` lane
 * for jobs that may take minutes because they read large files or many rows, and `outgoing` for jobs that send
 * requests to addresses that developers chose. A job on a schedule with `deletesOld` is left out for a day after the clock
 * has jumped.
 */
export function bindJob<Ctx, Payload extends object>(
  kind: JobKind<Payload>,
  work: (ctx: Ctx, payload: Payload, attempt: Attempt) => Promise<void>,
  { cron, lane = 'quick', deletesOld = false, atStart = false, release }: Options = {},
): JobBinding<Ctx> {
  return {
    kind: kind as JobKind<object>,
    work,
    lane,
    deletesOld,
    atStart,
    ...(cron !== undefined && { cron }),
    ...(release !== undefined && { release }),
  };
}
