// The front door of crash reports: what other features and commands use. The layers below it, from the lowest to the
// highest: report/ (keys, partitions and jobs of a report), receive/ (from games), groups/ (reports with one cause),
// process/ (dumps to stacks), read/ (for developers), keep/ (retention and deletion).
import type { InputOf } from '@chauffeur/contract/operation';
import type { createCrash } from '@chauffeur/contract/operations/crash-reports';
import type { Context } from '../../context.ts';
import { hasJobs } from '../../kernel/jobs/jobs.ts';
import * as summaries from './crashes.sql.ts';
import { deleteReports, forgetDeviceReports, listReportFiles } from './keep/delete.ts';
import { countOutdated, enqueueRegrouping, regroupJob } from './process/regroup.job.ts';
import { findFamily } from './read/group-list.sql.ts';
import type { FacetRow } from './read/impact.sql.ts';
import { readFacetValues, readImpact } from './read/impact.ts';
import { listMissingOfBuilds } from './read/missing-symbols.ts';
import { findReportSession, type ReportSession, unknownCrash } from './read/report.ts';
import { listCrashesOfDevice } from './read/report-list.sql.ts';
import { createReport, type OpenedReport } from './receive/create.ts';
import * as files from './report/files.ts';
import { deleteReportFiles } from './report/files.ts';

export { type FacetRow, forgetDeviceReports, listCrashesOfDevice, listMissingOfBuilds, readFacetValues, readImpact };

/** The tables with rows of games. Each comes after the tables that it refers to. */
export const CRASH_TABLES: readonly string[] = [
  'crash_functions',
  'crash_groups',
  'crash_group_counts',
  'crash_group_totals',
  'crash_group_days',
  'crash_group_functions',
  'crash_group_values',
  'crash_group_builds',
  'crash_facet_values',
  'crash_impact',
  'crash_totals',
  'crash_total_values',
  'crash_reports',
  'crash_report_names',
];

/** The SQL of the blobs that reports, and what waits to be added to one, refer to (operate/backups). */
export const { reportBlobs, waitingBlobs } = files;

/**
 * Opens a report whose dump and log, as `has_dump` and `has_log` announce, are still to be uploaded. Throws
 * `unknownClientIds` if the build is not the game's, and `limitReached` past the game's daily limit.
 */
export function openReport(
  ctx: Context,
  { gameId, buildId, ...details }: { gameId: string; buildId: string } & InputOf<typeof createCrash>,
): Promise<OpenedReport> {
  return createReport(ctx, { gameId, buildId, details, source: 'api' });
}

/**
 * The number of open groups of each game that were first seen after its newest build. Games without such groups are
 * left out.
 */
export async function countNewGroups(
  { db }: Context,
  gameIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const counts = await summaries.countNewGroups(db, gameIds);
  return new Map(counts.map(({ game_id, count }) => [game_id, count]));
}

const TOP_GROUPS = 5;

/** The crashes of these UTC days: how many reports and groups, and the groups with the most reports. */
export async function weekOfCrashes({ db }: Context, gameId: string, days: summaries.ReportDays) {
  return {
    ...(await summaries.readWeek(db, gameId, days)),
    top_groups: await summaries.readTopGroups(db, gameId, days, TOP_GROUPS),
  };
}

/**
 * The session and the device that sent the report, if it has their ids. Throws `notFound` if there is no such
 * report.
 */
export async function sessionOfReport(
  ctx: Pick<Context, 'db'>,
  gameId: string,
  reportId: string,
): Promise<ReportSession> {
  const session = await findReportSession(ctx.db, gameId, reportId);
  if (session === undefined) throw unknownCrash();
  return session;
}

/** The ids of the group and of all groups that are merged with it; empty if there is no such group. */
export function idsOfGroup(ctx: Pick<Context, 'db'>, gameId: string, groupId: string): Promise<string[]> {
  return findFamily(ctx.db, gameId, groupId);
}

/** A batch takes a few seconds. The process can stop only between batches. */
const DELETED_AT_ONCE = 200;

/**
 * Deletes every report of a deleted game. Files are deleted first, so an interrupted run can continue from the
 * remaining rows; deleting a row returns files that arrived in between. Safe to repeat.
 */
export async function deleteReportsOfGame(ctx: Context, gameId: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const batch = await listReportFiles(ctx.db, gameId, DELETED_AT_ONCE);
    if (batch.length === 0) return;
    await Promise.all(batch.map((files) => deleteReportFiles(ctx, files)));
    const ids = batch.map(({ report_id }) => report_id);
    const deleted = await deleteReports(ctx.db, gameId, ids);
    await Promise.all(deleted.map((files) => deleteReportFiles(ctx, files)));
  }
}

/**
 * Enqueues regrouping for one game, or for all games, with reports grouped by older rules. Returns the number of these
 * reports.
 */
export async function requestRegrouping({ db }: Pick<Context, 'db'>, gameId: string | null): Promise<number> {
  const games = await countOutdated(db, gameId);
  for (const { game_id } of games) {
    await enqueueRegrouping(db, game_id);
  }
  return games.reduce((sum, { count }) => sum + count, 0);
}

/**
 * How many reports are still grouped by older rules, and whether a job that moves them is queued or running. Reports
 * whose stored stack cannot be read are not moved.
 */
export async function readRegrouping(
  { db }: Pick<Context, 'db'>,
  gameId: string | null,
): Promise<{ left: number; isRunning: boolean }> {
  // Checked before counting, because a job ends only after its reports have moved.
  const isRunning = await hasJobs(db, regroupJob);
  const games = await countOutdated(db, gameId);
  return { left: games.reduce((sum, { count }) => sum + count, 0), isRunning };
}
