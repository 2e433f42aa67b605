// Binds the operations and jobs of videos to the functions that serve and run them.
import * as contract from '@chauffeur/contract/operations/videos';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { handle, type Route, stream } from '../../request/route.ts';
import { addGameVideo, addVideo, downloadVideo } from './http.ts';
import { scanUploadedVideo, scanVideoJob } from './scan.job.ts';
import { sweepVideos, sweepVideosJob } from './sweep.job.ts';
import { deleteGameVideo, deleteVideo, listGameVideos, listVideos, orderGameVideos, orderVideos } from './videos.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.listVideos, listVideos),
  stream(contract.addVideo, addVideo),
  handle(contract.deleteVideo, deleteVideo),
  handle(contract.orderVideos, orderVideos),
  handle(contract.listGameVideos, listGameVideos),
  stream(contract.addGameVideo, addGameVideo),
  handle(contract.deleteGameVideo, deleteGameVideo),
  handle(contract.orderGameVideos, orderGameVideos),
  stream(contract.downloadVideo, downloadVideo),
];

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(scanVideoJob, scanUploadedVideo, { lane: 'long' }),
  bindJob(sweepVideosJob, sweepVideos, { cron: '31 * * * *', lane: 'long', deletesOld: true }),
];
