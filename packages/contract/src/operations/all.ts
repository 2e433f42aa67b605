// The registry of every operation that the server mounts, in the order of the API reference.
import type { Operation } from '../operation.ts';
import * as agents from './agents.ts';
import * as alerts from './alerts.ts';
import * as approvals from './approvals.ts';
import * as browse from './browse.ts';
import * as bugs from './bugs.ts';
import * as buildDeletion from './build-deletion.ts';
import * as builds from './builds.ts';
import * as channels from './channels.ts';
import * as cli from './cli.ts';
import * as cliLogins from './cli-logins.ts';
import * as crashAttachments from './crash-attachments.ts';
import * as crashSearches from './crash-searches.ts';
import * as crashStacks from './crash-stacks.ts';
import * as crashThreads from './crash-threads.ts';
import * as crashes from './crashes.ts';
import * as credentials from './credentials.ts';
import * as deployInfo from './deploy-info.ts';
import * as deployKeys from './deploy-keys.ts';
import * as developers from './developers.ts';
import * as eventFiles from './event-files.ts';
import * as events from './events.ts';
import * as files from './files.ts';
import * as gameDeletion from './game-deletion.ts';
import * as games from './games.ts';
import * as groupingRules from './grouping-rules.ts';
import * as health from './health.ts';
import * as impact from './impact.ts';
import * as invitations from './invitations.ts';
import * as issueTracker from './issue-tracker.ts';
import * as live from './live.ts';
import * as media from './media.ts';
import * as operator from './operator.ts';
import * as overview from './overview.ts';
import * as play from './play.ts';
import * as profile from './profile.ts';
import * as quotas from './quotas.ts';
import * as setup from './setup.ts';
import * as shelves from './shelves.ts';
import * as source from './source.ts';
import * as store from './store.ts';
import * as symbols from './symbols.ts';
import * as triage from './triage.ts';
import * as uploads from './uploads.ts';
import * as usage from './usage.ts';

export const OPERATIONS: readonly Operation[] = [
  builds.registerBuild,
  uploads.uploadFile,
  uploads.openUploadSession,
  uploads.listUploadSessions,
  uploads.abortUploadSession,
  files.getFile,
  channels.listToolChannels,
  channels.promoteWithKey,
  channels.rollbackWithKey,
  builds.listBuilds,
  deployInfo.getDeployInfo,
  cli.getCli,
  cliLogins.startCliLogin,
  cliLogins.pollCliLogin,
  cliLogins.endCliLogin,
  cliLogins.getCliLoginRequest,
  cliLogins.decideCliLogin,
  cliLogins.listCliLogins,
  cliLogins.revokeCliLogin,
  deployInfo.getGameDeployInfo,
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
  crashStacks.listMissingSymbols,
  symbols.issueSymbolToken,
  symbols.readSymbols,
  crashes.createCrash,
  crashes.createUnrealCrash,
  crashes.uploadCrashFile,
  crashes.getPublicCrash,
  crashes.getPublicStack,
  crashes.listCrashes,
  crashes.getCrash,
  crashStacks.getCrashStack,
  crashThreads.listCrashThreads,
  crashThreads.getCrashThread,
  crashStacks.getCrashLog,
  crashAttachments.getCrashAttachment,
  crashAttachments.getCrashAttachmentImage,
  crashes.deleteCrash,
  crashes.listCrashGroups,
  crashes.getCrashGroup,
  triage.updateCrashGroup,
  triage.changeCrashGroups,
  triage.undoCrashGroupChange,
  triage.mergeCrashGroups,
  triage.unmergeCrashGroups,
  triage.splitCrashGroup,
  triage.listCrashGroupActivity,
  triage.addCrashGroupComment,
  triage.updateCrashGroupComment,
  triage.deleteCrashGroupComment,
  crashSearches.listCrashSearches,
  crashSearches.saveCrashSearch,
  crashSearches.deleteCrashSearch,
  groupingRules.getGroupingRules,
  groupingRules.setGroupingRules,
  groupingRules.previewGroupingRules,
  issueTracker.draftCrashGroupIssue,
  issueTracker.createCrashGroupIssue,
  crashStacks.listSimilarGroups,
  crashes.requestCrashDownload,
  crashes.downloadCrashFile,
  events.createEvents,
  events.listEventNames,
  events.countEvents,
  events.getDevice,
  events.deleteDevice,
  eventFiles.getEventFiles,
  eventFiles.setEventFiles,
  eventFiles.listEventFiles,
  eventFiles.downloadEventFile,
  eventFiles.deleteEventFiles,
  impact.getImpact,
  impact.listFacetValues,
  health.listHealth,
  health.getBuildHealth,
  health.compareHealth,
  bugs.fileBug,
  bugs.fileBugAsGuest,
  bugs.listBugTickets,
  bugs.getBugTicket,
  bugs.updateBugTicket,
  bugs.replyToBug,
  bugs.getBugSettings,
  bugs.setBugSettings,
  issueTracker.getIssueTracker,
  issueTracker.setIssueTracker,
  issueTracker.removeIssueTracker,
  source.getSourceSettings,
  source.setSourceSettings,
  source.listCommits,
  alerts.getAlerts,
  alerts.updateAlerts,
  alerts.subscribeToAlerts,
  alerts.unsubscribeFromAlerts,
  alerts.listAlertDestinations,
  alerts.addAlertDestination,
  alerts.updateAlertDestination,
  alerts.deleteAlertDestination,
  alerts.rotateAlertSecret,
  alerts.testAlertDestination,
  alerts.listAlertDeliveries,
  alerts.redeliverAlert,
  overview.summarizeGames,
  browse.browseGames,
  developers.getDeveloper,
  store.getPublicGame,
  store.downloadFile,
  store.downloadByLink,
  store.getProvenance,
  play.getPlay,
  shelves.getShelf,
  shelves.getListing,
  profile.getProfile,
  profile.updateProfile,
  credentials.getCredentials,
  credentials.revokeCredentials,
  credentials.revokeAfterReset,
  games.createGame,
  games.listGames,
  games.getGame,
  games.updateGame,
  games.removeAdmin,
  games.leaveGame,
  gameDeletion.getGameDeletion,
  gameDeletion.deleteGame,
  invitations.inviteAdmin,
  invitations.offerTransfer,
  invitations.listInvitations,
  invitations.resendInvitation,
  invitations.withdrawInvitation,
  invitations.getInvitation,
  invitations.acceptInvitation,
  invitations.declineInvitation,
  usage.getUsage,
  deployKeys.issueDeployKey,
  deployKeys.listDeployKeys,
  deployKeys.createUploadToken,
  deployKeys.listUploadTokens,
  deployKeys.renameUploadToken,
  deployKeys.revokeUploadToken,
  builds.listGameBuilds,
  builds.getGameBuild,
  buildDeletion.getBuildDeletion,
  buildDeletion.deleteBuild,
  approvals.listWaitingApprovals,
  approvals.getApproval,
  approvals.confirmApproval,
  approvals.decideApproval,
  operator.getServiceState,
  operator.listFailedJobs,
  operator.retryJobs,
  operator.deleteFailedJob,
  operator.listUsers,
  operator.verifyUser,
  operator.signUserOut,
  operator.getSettings,
  quotas.listGameStorage,
  quotas.getGameQuota,
  quotas.setGameQuota,
  setup.getSetup,
  setup.createOperator,
  setup.claimOperator,
  setup.getInstallation,
  setup.testPart,
  setup.testAddress,
  files.listRejectedUploads,
  channels.listChannels,
  channels.promoteBuild,
  channels.rollbackChannel,
  channels.listChannelMoves,
  agents.createAgentKey,
  agents.listAgentKeys,
  agents.revokeAgentKey,
  agents.getAgentClient,
  agents.connectAgent,
  agents.listAgentConnections,
  agents.disconnectAgent,
  agents.listAgentCalls,
  agents.listOwnAgentCalls,
  channels.joinBeta,
  channels.leaveBeta,
  channels.listBetaMembers,
  channels.removeBetaMember,
  live.watchGame,
];
