// The registry: which function serves each operation, and which runs each kind of job, and when.

import * as agents from '@chauffeur/contract/operations/agents';
import * as approvals from '@chauffeur/contract/operations/approvals';
import * as browse from '@chauffeur/contract/operations/browse';
import * as bugs from '@chauffeur/contract/operations/bugs';
import * as buildDeletion from '@chauffeur/contract/operations/build-deletion';
import * as builds from '@chauffeur/contract/operations/builds';
import * as channels from '@chauffeur/contract/operations/channels';
import * as crashStacks from '@chauffeur/contract/operations/crash-stacks';
import * as crashes from '@chauffeur/contract/operations/crashes';
import * as credentials from '@chauffeur/contract/operations/credentials';
import * as deployInfo from '@chauffeur/contract/operations/deploy-info';
import * as deployKeys from '@chauffeur/contract/operations/deploy-keys';
import * as developers from '@chauffeur/contract/operations/developers';
import * as events from '@chauffeur/contract/operations/events';
import * as files from '@chauffeur/contract/operations/files';
import * as gameDeletion from '@chauffeur/contract/operations/game-deletion';
import * as games from '@chauffeur/contract/operations/games';
import * as health from '@chauffeur/contract/operations/health';
import * as invitations from '@chauffeur/contract/operations/invitations';
import * as media from '@chauffeur/contract/operations/media';
import * as operator from '@chauffeur/contract/operations/operator';
import * as overview from '@chauffeur/contract/operations/overview';
import * as play from '@chauffeur/contract/operations/play';
import * as profile from '@chauffeur/contract/operations/profile';
import * as shelves from '@chauffeur/contract/operations/shelves';
import * as store from '@chauffeur/contract/operations/store';
import * as symbols from '@chauffeur/contract/operations/symbols';
import * as uploads from '@chauffeur/contract/operations/uploads';
import * as usage from '@chauffeur/contract/operations/usage';
import { getProfile, updateProfile } from './features/accounts/profile.ts';
import { mailJob, sendMail } from './features/accounts/send-mail.job.ts';
import { listAgentCalls, listOwnAgentCalls } from './features/agents/calls.ts';
import { connectAgent, disconnectAgent, getAgentClient, listAgentConnections } from './features/agents/connections.ts';
import { createAgentKey, listAgentKeys, revokeAgentKey } from './features/agents/keys.ts';
import { agentRetentionJob, forgetAgents } from './features/agents/retention.job.ts';
import { confirmApproval, decideApproval, getApproval, listWaitingApprovals } from './features/approvals/approvals.ts';
import { fileBug, getBugTicket, listBugTickets, updateBugTicket } from './features/bugs/bugs.ts';
import { deleteBuild, getBuildDeletion } from './features/build-deletion/build-deletion.ts';
import { getGameBuild, listBuilds, listGameBuilds, registerBuild } from './features/builds/builds.ts';
import { joinBeta, leaveBeta, listBetaMembers, removeBetaMember } from './features/channels/beta.ts';
import { listChannelMoves, listChannels, promoteBuild, rollbackChannel } from './features/channels/channels.ts';
import { deleteCrash, getCrash, listCrashes } from './features/crashes/crashes.ts';
import { groupLate, groupLateJob, groupMessages } from './features/crashes/groups/group-messages.job.ts';
import { regroupReports } from './features/crashes/groups/regroup.job.ts';
import { regroupJob } from './features/crashes/groups/regroup.ts';
import {
  getPublicCrash,
  getPublicStack,
  receiveCrash,
  receiveCrashFile,
  receiveUnrealCrash,
} from './features/crashes/http.ts';
import { groupMessagesJob, processCrashJob } from './features/crashes/jobs.ts';
import { makePartitions, partitionJob } from './features/crashes/keep/partitions.job.ts';
import { dropOldCrashes, retentionJob } from './features/crashes/keep/retention.job.ts';
import { sweepCrashes, sweepCrashesJob } from './features/crashes/keep/sweep.job.ts';
import { processCrash } from './features/crashes/process/process.job.ts';
import { reprocessJob, reprocessLacking, reprocessMore } from './features/crashes/process/reprocess.job.ts';
import { finishReports, finishReportsJob } from './features/crashes/process/unfinished.job.ts';
import { listMissingSymbols } from './features/crashes/read/build-symbols.ts';
import { downloadCrashFile, requestCrashDownload } from './features/crashes/read/downloads.ts';
import { getCrashGroup, listCrashGroups, updateCrashGroup } from './features/crashes/read/group-list.ts';
import { listSimilarGroups } from './features/crashes/read/similar-groups.ts';
import { getCrashLog, getCrashStack } from './features/crashes/read/stacks.ts';
import { getCredentials, revokeAfterReset, revokeCredentials } from './features/credentials/credentials.ts';
import { getDeployInfo, getGameDeployInfo } from './features/deploy-info/deploy-info.ts';
import { issueDeployKey, listDeployKeys } from './features/deploy-keys/deploy-keys.ts';
import { countEvents, deleteDevice, getDevice, listEventNames } from './features/events/events.ts';
import { receiveEngineEvents, receiveEvents } from './features/events/http.ts';
import { foldSlotsJob, sumPastDays } from './features/events/keep/fold-slots.job.ts';
import { eventPartitionJob, makeEventPartitions } from './features/events/keep/partitions.job.ts';
import { dropOldEvents, eventRetentionJob } from './features/events/keep/retention.job.ts';
import { getFile, listRejectedUploads } from './features/files/files.ts';
import { forgetRejectedFiles, forgetRejectedJob } from './features/files/forget-rejected.job.ts';
import { deleteGame, getGameDeletion, removeGameJob } from './features/game-deletion/game-deletion.ts';
import { finishDeletions, finishDeletionsJob, removeGame } from './features/game-deletion/remove-game.job.ts';
import { createGame, getGame, leaveGame, listGames, removeAdmin, updateGame } from './features/games/games.ts';
import { getBuildHealth, listHealth } from './features/health/health.ts';
import { acceptInvitation, declineInvitation, getInvitation } from './features/invitations/accept.ts';
import { forgetInvitationsJob, forgetOldInvitations } from './features/invitations/forget.job.ts';
import {
  inviteAdmin,
  listInvitations,
  offerTransfer,
  resendInvitation,
  withdrawInvitation,
} from './features/invitations/invitations.ts';
import { addGameMedia, addMedia, downloadMedia } from './features/media/http.ts';
import {
  deleteGameMedia,
  deleteMedia,
  listGameMedia,
  listMedia,
  orderGameMedia,
  orderMedia,
} from './features/media/media.ts';
import { sweepMedia, sweepMediaJob } from './features/media/sweep.job.ts';
import {
  deleteFailedJob,
  getSettings,
  type Lanes,
  listFailedJobs,
  listUsers,
  readServiceState,
  retryJobs,
  signUserOut,
  verifyUser,
} from './features/operator/operator.ts';
import { summarizeGames } from './features/overview/overview.ts';
import { getPlay } from './features/play/play.ts';
import { scanFile, scanJob } from './features/scans/scan.job.ts';
import { browseGames } from './features/store/browse.ts';
import { getDeveloper } from './features/store/developers.ts';
import { downloadFile, getShelf } from './features/store/http.ts';
import { getListing, getProvenance, getPublicGame } from './features/store/store.ts';
import { compileSymbols } from './features/symbols/compile.job.ts';
import { readSymbols, uploadSymbols } from './features/symbols/http.ts';
import { sweepSymbols, sweepSymbolsJob } from './features/symbols/sweep.job.ts';
import {
  compileJob,
  deleteBuildSymbols,
  issueSymbolToken,
  listBuildSymbols,
  listToolSymbols,
  symbolsArrivedJob,
} from './features/symbols/symbols.ts';
import { openUploadSession, receiveUpload } from './features/uploads/http.ts';
import { sweepBlobs, sweepBlobsJob, sweepSessions, sweepSessionsJob } from './features/uploads/sweep.job.ts';
import { abortUploadSession, listUploadSessions } from './features/uploads/uploads.ts';
import { getUsage } from './features/usage/usage.ts';
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
  handle(deployInfo.getGameDeployInfo, getGameDeployInfo),
  handle(media.listMedia, listMedia),
  stream(media.addMedia, addMedia),
  handle(media.deleteMedia, deleteMedia),
  handle(media.orderMedia, orderMedia),
  handle(media.listGameMedia, listGameMedia),
  stream(media.addGameMedia, addGameMedia),
  handle(media.deleteGameMedia, deleteGameMedia),
  handle(media.orderGameMedia, orderGameMedia),
  stream(media.downloadMedia, downloadMedia),
  stream(symbols.uploadSymbols, uploadSymbols),
  handle(symbols.listToolSymbols, listToolSymbols),
  handle(symbols.listBuildSymbols, listBuildSymbols),
  handle(symbols.deleteBuildSymbols, deleteBuildSymbols),
  handle(crashStacks.listMissingSymbols, listMissingSymbols),
  handle(symbols.issueSymbolToken, issueSymbolToken),
  stream(symbols.readSymbols, readSymbols),
  stream(crashes.createCrash, receiveCrash),
  stream(crashes.createUnrealCrash, receiveUnrealCrash),
  stream(crashes.uploadCrashFile, receiveCrashFile),
  stream(crashes.getPublicCrash, getPublicCrash),
  stream(crashes.getPublicStack, getPublicStack),
  handle(crashes.listCrashes, listCrashes),
  handle(crashes.getCrash, getCrash),
  handle(crashStacks.getCrashStack, getCrashStack),
  handle(crashStacks.getCrashLog, getCrashLog),
  handle(crashes.deleteCrash, deleteCrash),
  handle(crashes.listCrashGroups, listCrashGroups),
  handle(crashes.getCrashGroup, getCrashGroup),
  handle(crashes.updateCrashGroup, updateCrashGroup),
  handle(crashStacks.listSimilarGroups, listSimilarGroups),
  handle(crashes.requestCrashDownload, requestCrashDownload),
  stream(crashes.downloadCrashFile, downloadCrashFile),
  stream(events.createEvents, receiveEvents),
  handle(events.listEventNames, listEventNames),
  handle(events.countEvents, countEvents),
  handle(events.getDevice, getDevice),
  handle(events.deleteDevice, deleteDevice),
  handle(health.listHealth, listHealth),
  handle(health.getBuildHealth, getBuildHealth),
  handle(bugs.fileBug, fileBug),
  handle(bugs.listBugTickets, listBugTickets),
  handle(bugs.getBugTicket, getBugTicket),
  handle(bugs.updateBugTicket, updateBugTicket),
  handle(overview.summarizeGames, summarizeGames),
  handle(browse.browseGames, browseGames),
  handle(developers.getDeveloper, getDeveloper),
  handle(store.getPublicGame, getPublicGame),
  stream(store.downloadFile, downloadFile),
  handle(store.getProvenance, getProvenance),
  handle(play.getPlay, getPlay),
  stream(shelves.getShelf, getShelf),
  handle(shelves.getListing, getListing),
  handle(profile.getProfile, getProfile),
  handle(profile.updateProfile, updateProfile),
  handle(credentials.getCredentials, getCredentials),
  handle(credentials.revokeCredentials, revokeCredentials),
  handle(credentials.revokeAfterReset, revokeAfterReset),
  handle(games.createGame, createGame),
  handle(games.listGames, listGames),
  handle(games.getGame, getGame),
  handle(games.updateGame, updateGame),
  handle(games.removeAdmin, removeAdmin),
  handle(games.leaveGame, leaveGame),
  handle(gameDeletion.getGameDeletion, getGameDeletion),
  handle(gameDeletion.deleteGame, deleteGame),
  handle(invitations.inviteAdmin, inviteAdmin),
  handle(invitations.offerTransfer, offerTransfer),
  handle(invitations.listInvitations, listInvitations),
  handle(invitations.resendInvitation, resendInvitation),
  handle(invitations.withdrawInvitation, withdrawInvitation),
  handle(invitations.getInvitation, getInvitation),
  handle(invitations.acceptInvitation, acceptInvitation),
  handle(invitations.declineInvitation, declineInvitation),
  handle(usage.getUsage, getUsage),
  handle(deployKeys.issueDeployKey, issueDeployKey),
  handle(deployKeys.listDeployKeys, listDeployKeys),
  handle(builds.listGameBuilds, listGameBuilds),
  handle(builds.getGameBuild, getGameBuild),
  handle(buildDeletion.getBuildDeletion, getBuildDeletion),
  handle(buildDeletion.deleteBuild, deleteBuild),
  handle(approvals.listWaitingApprovals, listWaitingApprovals),
  handle(approvals.getApproval, getApproval),
  handle(approvals.confirmApproval, confirmApproval),
  handle(approvals.decideApproval, decideApproval),
  handle(operator.getServiceState, (ctx) => readServiceState(ctx, lanes())),
  handle(operator.listFailedJobs, listFailedJobs),
  handle(operator.retryJobs, retryJobs),
  handle(operator.deleteFailedJob, deleteFailedJob),
  handle(operator.listUsers, listUsers),
  handle(operator.verifyUser, verifyUser),
  handle(operator.signUserOut, signUserOut),
  handle(operator.getSettings, getSettings),
  handle(files.listRejectedUploads, listRejectedUploads),
  handle(channels.listChannels, listChannels),
  handle(channels.promoteBuild, promoteBuild),
  handle(channels.rollbackChannel, rollbackChannel),
  handle(channels.listChannelMoves, listChannelMoves),
  handle(agents.createAgentKey, createAgentKey),
  handle(agents.listAgentKeys, listAgentKeys),
  handle(agents.revokeAgentKey, revokeAgentKey),
  handle(agents.getAgentClient, getAgentClient),
  handle(agents.connectAgent, connectAgent),
  handle(agents.listAgentConnections, listAgentConnections),
  handle(agents.disconnectAgent, disconnectAgent),
  handle(agents.listAgentCalls, listAgentCalls),
  handle(agents.listOwnAgentCalls, listOwnAgentCalls),
  handle(channels.joinBeta, joinBeta),
  handle(channels.leaveBeta, leaveBeta),
  handle(channels.listBetaMembers, listBetaMembers),
  handle(channels.removeBetaMember, removeBetaMember),
];

/** Routes beside the API’s, of clients that know one path only. */
export const FURTHER_MOUNTINGS: readonly Mounting[] = [
  { ...stream(events.createEngineEvents, receiveEngineEvents), url: '/v1/events' },
];

export const JOBS: readonly JobBinding[] = [
  bind(mailJob, sendMail),
  bind(scanJob, scanFile, { lane: 'long' }),
  bind(sweepSessionsJob, sweepSessions, { cron: '*/5 * * * *', lane: 'long' }),
  bind(sweepBlobsJob, sweepBlobs, { cron: '17 * * * *', lane: 'long' }),
  bind(sweepMediaJob, sweepMedia, { cron: '29 * * * *', lane: 'long' }),
  bind(compileJob, compileSymbols, { lane: 'long' }),
  bind(symbolsArrivedJob, reprocessLacking, { lane: 'long' }),
  bind(processCrashJob, processCrash),
  bind(groupMessagesJob, groupMessages),
  bind(reprocessJob, reprocessMore, { lane: 'long' }),
  bind(regroupJob, regroupReports, { lane: 'long' }),
  bind(partitionJob, makePartitions, { cron: '3 1 * * *' }),
  bind(groupLateJob, groupLate, { cron: '* * * * *' }),
  bind(finishReportsJob, finishReports, { cron: '13 * * * *' }),
  bind(sweepSymbolsJob, sweepSymbols, { cron: '47 * * * *', lane: 'long' }),
  bind(sweepCrashesJob, sweepCrashes, { cron: '7 5 * * *', lane: 'long' }),
  bind(retentionJob, dropOldCrashes, { cron: '37 4 * * *', lane: 'long' }),
  bind(eventPartitionJob, makeEventPartitions, { cron: '5 1 * * *' }),
  bind(foldSlotsJob, sumPastDays, { cron: '11 0 * * *', lane: 'long' }),
  bind(eventRetentionJob, dropOldEvents, { cron: '43 4 * * *', lane: 'long' }),
  bind(removeGameJob, removeGame, { lane: 'long' }),
  bind(finishDeletionsJob, finishDeletions, { cron: '23 * * * *', lane: 'long' }),
  bind(forgetInvitationsJob, forgetOldInvitations, { cron: '33 3 * * *' }),
  bind(forgetRejectedJob, forgetRejectedFiles, { cron: '23 3 * * *', lane: 'long' }),
  bind(agentRetentionJob, forgetAgents, { cron: '53 3 * * *', lane: 'long' }),
  bind(dropCountersJob, dropCounters, { cron: '41 * * * *', lane: 'long' }),
];

/** For operators, who see which jobs run where. */
function lanes(): Lanes {
  return new Map(JOBS.map(({ kind, lane }) => [kind.task, lane]));
}
