// The registry: which function serves each operation, and which runs each kind of job, and when.
import * as builds from '@chauffeur/contract/operations/builds';
import * as channels from '@chauffeur/contract/operations/channels';
import * as deployInfo from '@chauffeur/contract/operations/deploy-info';
import * as deployKeys from '@chauffeur/contract/operations/deploy-keys';
import * as files from '@chauffeur/contract/operations/files';
import * as games from '@chauffeur/contract/operations/games';
import * as media from '@chauffeur/contract/operations/media';
import * as store from '@chauffeur/contract/operations/store';
import * as uploads from '@chauffeur/contract/operations/uploads';
import { mailJob, sendMail } from './features/accounts/send-mail.job.ts';
import { listBuilds, listGameBuilds, registerBuild } from './features/builds/builds.ts';
import { joinBeta, leaveBeta } from './features/channels/beta.ts';
import { listChannelMoves, listChannels, promoteBuild, rollbackChannel } from './features/channels/channels.ts';
import { getDeployInfo } from './features/deploy-info/deploy-info.ts';
import { issueDeployKey, listDeployKeys } from './features/deploy-keys/deploy-keys.ts';
import { getFile, listRejectedUploads } from './features/files/files.ts';
import { forgetRejectedFiles, forgetRejectedJob } from './features/files/forget-rejected.job.ts';
import { addAdmin, createGame, getGame, listGames, removeAdmin, updateGame } from './features/games/games.ts';
import { addMedia, downloadMedia } from './features/media/http.ts';
import { deleteMedia, listMedia, orderMedia } from './features/media/media.ts';
import { sweepMedia, sweepMediaJob } from './features/media/sweep.job.ts';
import { scanFile, scanJob } from './features/scans/scan.job.ts';
import { downloadFile } from './features/store/http.ts';
import { getProvenance, getPublicGame } from './features/store/store.ts';
import { openUploadSession, receiveUpload } from './features/uploads/http.ts';
import { sweepBlobs, sweepBlobsJob, sweepSessions, sweepSessionsJob } from './features/uploads/sweep.job.ts';
import { abortUploadSession, listUploadSessions } from './features/uploads/uploads.ts';
import { handle, type Mounting, stream } from './http/mount.ts';
import { dropCounters, dropCountersJob } from './kernel/drop-counters.job.ts';
import { bind, type JobBinding } from './worker/run.ts';

export const MOUNTINGS: readonly Mounting[] = [
  handle(builds.registerBuild, registerBuild),
  stream(uploads.uploadFile, receiveUpload),
  stream(uploads.openUploadSession, openUploadSession),
  handle(uploads.listUploadSessions, listUploadSessions),
  handle(uploads.abortUploadSession, abortUploadSession),
  handle(files.getFile, getFile),
  handle(builds.listBuilds, listBuilds),
  handle(deployInfo.getDeployInfo, getDeployInfo),
  handle(media.listMedia, listMedia),
  stream(media.addMedia, addMedia),
  handle(media.deleteMedia, deleteMedia),
  handle(media.orderMedia, orderMedia),
  stream(media.downloadMedia, downloadMedia),
  handle(store.getPublicGame, getPublicGame),
  stream(store.downloadFile, downloadFile),
  handle(store.getProvenance, getProvenance),
  handle(games.createGame, createGame),
  handle(games.listGames, listGames),
  handle(games.getGame, getGame),
  handle(games.updateGame, updateGame),
  handle(games.addAdmin, addAdmin),
  handle(games.removeAdmin, removeAdmin),
  handle(deployKeys.issueDeployKey, issueDeployKey),
  handle(deployKeys.listDeployKeys, listDeployKeys),
  handle(builds.listGameBuilds, listGameBuilds),
  handle(files.listRejectedUploads, listRejectedUploads),
  handle(channels.listChannels, listChannels),
  handle(channels.promoteBuild, promoteBuild),
  handle(channels.rollbackChannel, rollbackChannel),
  handle(channels.listChannelMoves, listChannelMoves),
  handle(channels.joinBeta, joinBeta),
  handle(channels.leaveBeta, leaveBeta),
];

export const JOBS: readonly JobBinding[] = [
  bind(mailJob, sendMail),
  bind(scanJob, scanFile),
  bind(sweepSessionsJob, sweepSessions, { cron: '*/5 * * * *' }),
  bind(sweepBlobsJob, sweepBlobs, { cron: '17 * * * *' }),
  bind(sweepMediaJob, sweepMedia, { cron: '29 * * * *' }),
  bind(forgetRejectedJob, forgetRejectedFiles, { cron: '23 3 * * *' }),
  bind(dropCountersJob, dropCounters, { cron: '41 * * * *' }),
];
