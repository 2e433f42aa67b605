// The registry: every operation that the server mounts, in the order of the API reference.
import type { Operation } from '../operation.ts';
import * as browse from './browse.ts';
import * as bugs from './bugs.ts';
import * as builds from './builds.ts';
import * as channels from './channels.ts';
import * as crashes from './crashes.ts';
import * as deployInfo from './deploy-info.ts';
import * as deployKeys from './deploy-keys.ts';
import * as events from './events.ts';
import * as files from './files.ts';
import * as games from './games.ts';
import * as health from './health.ts';
import * as media from './media.ts';
import * as shelves from './shelves.ts';
import * as store from './store.ts';
import * as symbols from './symbols.ts';
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
  media.listGameMedia,
  media.addGameMedia,
  media.deleteGameMedia,
  media.orderGameMedia,
  media.downloadMedia,
  symbols.uploadSymbols,
  symbols.listToolSymbols,
  symbols.listBuildSymbols,
  symbols.deleteBuildSymbols,
  symbols.issueSymbolToken,
  symbols.readSymbols,
  crashes.createCrash,
  crashes.createUnrealCrash,
  crashes.uploadCrashFile,
  crashes.getPublicCrash,
  crashes.getPublicStack,
  crashes.listCrashes,
  crashes.getCrash,
  crashes.deleteCrash,
  crashes.listCrashGroups,
  crashes.getCrashGroup,
  crashes.updateCrashGroup,
  crashes.requestCrashDownload,
  crashes.downloadCrashFile,
  events.createEvents,
  events.listEventNames,
  events.countEvents,
  events.getDevice,
  events.deleteDevice,
  health.listHealth,
  health.getBuildHealth,
  bugs.fileBug,
  bugs.listBugTickets,
  bugs.updateBugTicket,
  browse.browseGames,
  store.getPublicGame,
  store.downloadFile,
  store.getProvenance,
  shelves.getShelf,
  shelves.getListing,
  games.createGame,
  games.listGames,
  games.getGame,
  games.updateGame,
  games.addAdmin,
  games.removeAdmin,
  deployKeys.issueDeployKey,
  deployKeys.listDeployKeys,
  builds.listGameBuilds,
  builds.getGameBuild,
  files.listRejectedUploads,
  channels.listChannels,
  channels.promoteBuild,
  channels.rollbackChannel,
  channels.listChannelMoves,
  channels.joinBeta,
  channels.leaveBeta,
];
