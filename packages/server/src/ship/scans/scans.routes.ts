// Binds the jobs of scans to the functions that run them.
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { scanFile, scanJob } from './scan.job.ts';

export const JOBS: readonly JobBinding<Context>[] = [bindJob(scanJob, scanFile, { lane: 'long' })];
