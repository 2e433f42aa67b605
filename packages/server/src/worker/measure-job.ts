// Measures a job while it runs, for metrics and traces.
import type { Context } from '../context.ts';
import { secondsSince } from '../kernel/clock.ts';
import { type Attempt, type Lane, traceparentOf } from '../kernel/jobs/jobs.ts';
import { runInSpan } from '../kernel/telemetry/tracing.ts';

/** What the queue records about a job. */
export type QueuedJob = { readonly attempts: number; readonly max_attempts: number; readonly run_at: Date };

export type JobRun = {
  readonly task: string;
  readonly lane: Lane;
  readonly attempt: Attempt;
  readonly job: QueuedJob;
  readonly payload: unknown;
};

/** Runs `work`, an attempt at a job. */
export async function measureJob(ctx: Context, run: JobRun, work: () => Promise<void>): Promise<void> {
  const { jobs, jobsRunning, jobWaits } = ctx.metrics;
  const { task, lane, attempt, job } = run;
  jobWaits.observe({ task }, Math.max(0, (Date.now() - new Date(job.run_at).getTime()) / 1000));
  jobsRunning.inc({ lane });
  const begun = performance.now();
  let outcome: 'done' | 'retry' | 'failed' = attempt.last ? 'failed' : 'retry';
  try {
    await traceJob(ctx, run, work);
    outcome = 'done';
  } finally {
    jobsRunning.dec({ lane });
    jobs.observe({ task, outcome }, secondsSince(begun));
  }
}

async function traceJob(
  { tracer }: Context,
  { task, attempt, payload }: JobRun,
  work: () => Promise<void>,
): Promise<void> {
  if (tracer === undefined) return work();
  const attributes = { 'chauffeur.job.task': task, 'chauffeur.job.attempt': attempt.number };
  const span = tracer.start(`job ${task}`, { kind: 'consumer', attributes, link: traceparentOf(payload) });
  try {
    await runInSpan(span, work);
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}
