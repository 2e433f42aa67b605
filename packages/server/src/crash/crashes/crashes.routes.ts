// Binds the operations and jobs of crashes to the functions that serve and run them.

import * as crashAttachments from '@chauffeur/contract/operations/crash-attachments';
import * as crashSearches from '@chauffeur/contract/operations/crash-searches';
import * as crashStacks from '@chauffeur/contract/operations/crash-stacks';
import * as crashThreads from '@chauffeur/contract/operations/crash-threads';
import * as crashes from '@chauffeur/contract/operations/crashes';
import * as groupingRules from '@chauffeur/contract/operations/grouping-rules';
import * as issueTracker from '@chauffeur/contract/operations/issue-tracker';
import * as triage from '@chauffeur/contract/operations/triage';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { handle, type Route, stream } from '../../request/route.ts';
import { symbolsArrivedJob } from '../symbols/symbols.ts';
import { crashAlertsJob, expireRates, expireRatesJob, raiseCrashAlerts } from './alerts/alerts.job.ts';
import { moveCountsJob, moveReportCounts } from './groups/move-counts.job.ts';
import { getPublicCrash, getPublicStack, receiveCrash, receiveCrashFile, receiveUnrealCrash } from './http.ts';
import { deleteCrash } from './keep/delete-report.ts';
import { makePartitions, partitionJob } from './keep/partitions.job.ts';
import { dropOldCrashes, retentionJob } from './keep/retention.job.ts';
import { sweepCrashes, sweepCrashesJob } from './keep/sweep.job.ts';
import { groupLate, groupLateJob, groupMessages, readLateLog } from './process/messages.job.ts';
import { makePreviews } from './process/preview.job.ts';
import { processCrash } from './process/process.job.ts';
import { regroupJob, regroupReports } from './process/regroup.job.ts';
import { reprocessJob, reprocessMissing, reprocessMore } from './process/reprocess.job.ts';
import { finishReports, finishReportsJob, releaseReports } from './process/unfinished.job.ts';
import { getCrashAttachment, getCrashAttachmentImage } from './read/attachments.ts';
import { listMissingSymbols } from './read/build-symbols.ts';
import { downloadCrashFile, requestCrashDownload } from './read/downloads.ts';
import { countCrashGroups, getCrashGroup, listCrashGroups } from './read/group-list.ts';
import { getCrash, listCrashes } from './read/report-list.ts';
import { listSimilarGroups } from './read/similar-groups.ts';
import { getCrashLog, getCrashStack } from './read/stacks.ts';
import { getCrashThread, listCrashThreads } from './read/threads.ts';
import { groupMessagesJob, previewJob, processCrashJob, readLogJob } from './report/jobs.ts';
import { listCrashGroupActivity } from './triage/activity.ts';
import { changeCrashGroups, updateCrashGroup } from './triage/changes.ts';
import { addCrashGroupComment, deleteCrashGroupComment, updateCrashGroupComment } from './triage/comments.ts';
import { getGroupingRules, previewGroupingRules, setGroupingRules } from './triage/grouping-rules.ts';
import { createCrashGroupIssue, draftCrashGroupIssue } from './triage/issues.ts';
import { mergeCrashGroups, splitCrashGroup, unmergeCrashGroups } from './triage/merges.ts';
import { moveSplit, moveSplitJob } from './triage/move-split.job.ts';
import { deleteCrashSearch, listCrashSearches, saveCrashSearch } from './triage/searches.ts';
import { undoCrashGroupChange } from './triage/undo.ts';

export const ROUTES: readonly Route[] = [
  handle(crashStacks.listMissingSymbols, listMissingSymbols),
  stream(crashes.createCrash, receiveCrash),
  stream(crashes.createUnrealCrash, receiveUnrealCrash),
  stream(crashes.uploadCrashFile, receiveCrashFile),
  stream(crashes.getPublicCrash, getPublicCrash),
  stream(crashes.getPublicStack, getPublicStack),
  handle(crashes.listCrashes, listCrashes),
  handle(crashes.getCrash, getCrash),
  handle(crashStacks.getCrashStack, getCrashStack),
  handle(crashThreads.listCrashThreads, listCrashThreads),
  handle(crashThreads.getCrashThread, getCrashThread),
  handle(crashStacks.getCrashLog, getCrashLog),
  handle(crashAttachments.getCrashAttachment, getCrashAttachment),
  stream(crashAttachments.getCrashAttachmentImage, getCrashAttachmentImage),
  handle(crashes.deleteCrash, deleteCrash),
  handle(crashes.listCrashGroups, listCrashGroups),
  handle(crashes.countCrashGroups, countCrashGroups),
  handle(crashes.getCrashGroup, getCrashGroup),
  handle(triage.updateCrashGroup, updateCrashGroup),
  handle(triage.changeCrashGroups, changeCrashGroups),
  handle(triage.undoCrashGroupChange, undoCrashGroupChange),
  handle(triage.mergeCrashGroups, mergeCrashGroups),
  handle(triage.unmergeCrashGroups, unmergeCrashGroups),
  handle(triage.splitCrashGroup, splitCrashGroup),
  handle(triage.listCrashGroupActivity, listCrashGroupActivity),
  handle(triage.addCrashGroupComment, addCrashGroupComment),
  handle(triage.updateCrashGroupComment, updateCrashGroupComment),
  handle(triage.deleteCrashGroupComment, deleteCrashGroupComment),
  handle(crashSearches.listCrashSearches, listCrashSearches),
  handle(crashSearches.saveCrashSearch, saveCrashSearch),
  handle(crashSearches.deleteCrashSearch, deleteCrashSearch),
  handle(groupingRules.getGroupingRules, getGroupingRules),
  handle(groupingRules.setGroupingRules, setGroupingRules),
  handle(groupingRules.previewGroupingRules, previewGroupingRules),
  handle(issueTracker.draftCrashGroupIssue, draftCrashGroupIssue),
  handle(issueTracker.createCrashGroupIssue, createCrashGroupIssue),
  handle(crashStacks.listSimilarGroups, listSimilarGroups),
  handle(crashes.requestCrashDownload, requestCrashDownload),
  stream(crashes.downloadCrashFile, downloadCrashFile),
];

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(symbolsArrivedJob, reprocessMissing, { lane: 'long' }),
  bindJob(processCrashJob, processCrash, { release: releaseReports }),
  bindJob(groupMessagesJob, groupMessages),
  bindJob(readLogJob, readLateLog),
  bindJob(previewJob, makePreviews, { lane: 'long' }),
  bindJob(reprocessJob, reprocessMore, { lane: 'long' }),
  bindJob(regroupJob, regroupReports, { lane: 'long' }),
  bindJob(moveCountsJob, moveReportCounts, { lane: 'long' }),
  bindJob(moveSplitJob, moveSplit, { lane: 'long' }),
  bindJob(partitionJob, makePartitions, { cron: '3 1 * * *' }),
  bindJob(groupLateJob, groupLate, { cron: '* * * * *' }),
  bindJob(crashAlertsJob, raiseCrashAlerts, { cron: '* * * * *' }),
  bindJob(expireRatesJob, expireRates, { cron: '29 * * * *', deletesOld: true }),
  bindJob(finishReportsJob, finishReports, { cron: '13 * * * *' }),
  bindJob(sweepCrashesJob, sweepCrashes, { cron: '7 5 * * *', lane: 'long', deletesOld: true }),
  bindJob(retentionJob, dropOldCrashes, { cron: '37 4 * * *', lane: 'long', deletesOld: true }),
];
