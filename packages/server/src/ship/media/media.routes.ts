// Binds the operations and jobs of media to the functions that serve and run them.
import * as contract from '@chauffeur/contract/operations/media';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { handle, type Route, stream } from '../../request/route.ts';
import { addGameMedia, addMedia, downloadMedia } from './http.ts';
import { deleteGameMedia, deleteMedia, listGameMedia, listMedia, orderGameMedia, orderMedia } from './media.ts';
import { sweepMedia, sweepMediaJob } from './sweep.job.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.listMedia, listMedia),
  stream(contract.addMedia, addMedia),
  handle(contract.deleteMedia, deleteMedia),
  handle(contract.orderMedia, orderMedia),
  handle(contract.listGameMedia, listGameMedia),
  stream(contract.addGameMedia, addGameMedia),
  handle(contract.deleteGameMedia, deleteGameMedia),
  handle(contract.orderGameMedia, orderGameMedia),
  stream(contract.downloadMedia, downloadMedia),
];

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(sweepMediaJob, sweepMedia, { cron: '29 * * * *', lane: 'long', deletesOld: true }),
];
