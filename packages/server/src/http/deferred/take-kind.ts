// The job that takes deferred requests.
import { defineJob } from '../../kernel/jobs/jobs.ts';

/** The schedule is for what a process left that ended before the outage did. */
export const takeDeferredKind = defineJob<object>('sentry:take-deferred', {
  attempts: 10,
  cron: '17 * * * *',
  lane: 'long',
  queue: 'sentry:take-deferred',
  atStart: true,
});
