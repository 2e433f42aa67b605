// Binds the job of backups to the function that runs it.
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { deleteHeldBlobs, deleteHeldJob } from './held.job.ts';

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(deleteHeldJob, deleteHeldBlobs, { cron: '*/10 * * * *', lane: 'long' }),
];
