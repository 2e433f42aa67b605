// Deletes, once a day, the records of uploads that were rejected more than 30 days ago.
import type { Context } from '../../context.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { forgetRejected } from './files.ts';

export const forgetRejectedJob = defineJob(
  'files:forget-rejected',
  { attempts: 3, cron: '23 3 * * *', lane: 'long', deletesOld: true },
  forgetRejectedFiles,
);

export async function forgetRejectedFiles(ctx: Context): Promise<void> {
  const deleted = await forgetRejected(ctx);
  if (deleted > 0) ctx.log.info({ deleted }, 'records of old rejected uploads deleted');
}
