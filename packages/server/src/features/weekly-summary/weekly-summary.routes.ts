// Binds the job that makes weekly summaries to its schedule.
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { summarizeJob, summarizeWeeks } from './summarize.job.ts';

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(summarizeJob, summarizeWeeks, { cron: '13 * * * *', lane: 'long' }),
];
