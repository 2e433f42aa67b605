// Binds the jobs that make and delete weekly summaries to their schedules.
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { expireSummaries, expireSummariesJob, summarizeJob, summarizeWeeks } from './summarize.job.ts';

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(summarizeJob, summarizeWeeks, { cron: '13 * * * *', lane: 'long' }),
  bindJob(expireSummariesJob, expireSummaries, { cron: '57 4 * * *', deletesOld: true }),
];
