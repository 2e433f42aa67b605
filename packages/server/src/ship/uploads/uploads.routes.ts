// Binds the operations and jobs of uploads to the functions that serve and run them.
import * as contract from '@chauffeur/contract/operations/uploads';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { handle, type Route, stream } from '../../request/route.ts';
import { openUploadSession, receiveUpload } from './http.ts';
import { sweepBlobs, sweepBlobsJob, sweepSessions, sweepSessionsJob } from './sweep.job.ts';
import { abortUploadSession, listUploadSessions } from './uploads.ts';

export const ROUTES: readonly Route[] = [
  stream(contract.uploadFile, receiveUpload),
  stream(contract.openUploadSession, openUploadSession),
  handle(contract.listUploadSessions, listUploadSessions),
  handle(contract.abortUploadSession, abortUploadSession),
];

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(sweepSessionsJob, sweepSessions, { cron: '*/5 * * * *', lane: 'long', deletesOld: true }),
  bindJob(sweepBlobsJob, sweepBlobs, { cron: '17 * * * *', lane: 'long', deletesOld: true }),
];
