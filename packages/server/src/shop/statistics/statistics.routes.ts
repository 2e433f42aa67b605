// Binds the operation of statistics to its function, and the job that deletes old ones.
import * as contract from '@chauffeur/contract/operations/statistics';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { handle, type Route } from '../../request/route.ts';
import { expireViews, getStatistics } from './statistics.ts';

export const ROUTES: readonly Route[] = [handle(contract.getStatistics, getStatistics)];

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(defineJob<object>('statistics:expire', 5), expireViews, {
    cron: '7 5 * * *',
    lane: 'long',
    deletesOld: true,
  }),
];
