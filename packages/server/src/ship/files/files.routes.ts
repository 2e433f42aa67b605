// Binds the operations and jobs of files to the functions that serve and run them.
import * as contract from '@chauffeur/contract/operations/files';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { handle, type Route } from '../../request/route.ts';
import { getFile, listRejectedUploads } from './files.ts';
import { forgetRejectedFiles, forgetRejectedJob } from './forget-rejected.job.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.getFile, getFile),
  handle(contract.listRejectedUploads, listRejectedUploads),
];

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(forgetRejectedJob, forgetRejectedFiles, { cron: '23 3 * * *', lane: 'long', deletesOld: true }),
];
