// The registry: every operation that the server mounts, in the order of the API reference.
import type { Operation } from '../operation.ts';
import * as builds from './builds.ts';
import * as channels from './channels.ts';
import * as deployInfo from './deploy-info.ts';
import * as deployKeys from './deploy-keys.ts';
import * as files from './files.ts';
import * as games from './games.ts';
import * as media from './media.ts';
import * as store from './store.ts';
import * as uploads from './uploads.ts';

export const OPERATIONS: readonly Operation[] = [
  builds.registerBuild,
  uploads.uploadFile,
  uploads.openUploadSession,
  uploads.listUploadSessions,
  uploads.abortUploadSession,
  files.getFile,
  builds.listBuilds,
  deployInfo.getDeployInfo,
  media.listMedia,
  media.addMedia,
  media.deleteMedia,
  media.orderMedia,
  media.downloadMedia,
  store.getPublicGame,
  store.downloadFile,
  store.getProvenance,
  games.createGame,
  games.listGames,
  games.getGame,
  games.updateGame,
  games.addAdmin,
  games.removeAdmin,
  deployKeys.issueDeployKey,
  deployKeys.listDeployKeys,
  builds.listGameBuilds,
  files.listRejectedUploads,
  channels.listChannels,
  channels.promoteBuild,
  channels.rollbackChannel,
  channels.listChannelMoves,
  channels.joinBeta,
  channels.leaveBeta,
];
