// Forgets, once a day, the rejected uploads whose 30 days are over.
import type { Context } from '../../context.ts';
import { defineJob } from '../../kernel/jobs.ts';
import { forgetRejected } from './files.ts';

export const forgetRejectedJob = defineJob<object>('files:forget-rejected', 3);

export async function forgetRejectedFiles(ctx: Context): Promise<void> {
  const forgotten = await forgetRejected(ctx);
  if (forgotten > 0) ctx.log.info({ forgotten }, 'rejected uploads of over 30 days ago forgotten');
}
