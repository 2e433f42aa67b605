// Groups reports without a dump by their texts, and ends reports that would never finish. There are four ways to a
// group:
//
// - A report that announced no dump is grouped at once, by the job that was enqueued with it. If its event has a native
//   stack, the job enqueues it to be processed like a dump instead.
// - One whose announced dump is late is grouped after two minutes, and keeps waiting. A job looks for such reports
//   every minute, because most dumps arrive within seconds, and a job for each report would be wasted.
// - One whose log arrived later is grouped again by what the log says.
// - One whose dump never arrived is grouped, and ended, after its upload address has expired.
//
// If a dump arrives after all, processing it moves the report to the group of its stack.
//
// The hourly job also fails reports whose dump no worker could process for days, and continues reports that were left
// without a job: those of processes that died unnoticed, and on Citus those whose transaction was committed on one
// server only.
import { LIMITS } from '@chauffeur/contract/limits';
import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../kernel/clock.ts';
import { type Db, row, rows, transact } from '../../../kernel/database/db.ts';
import { groupCommit } from '../../../kernel/database/group-commit.ts';
import { bindJob, defineJob, hasJobs } from '../../../kernel/jobs/jobs.ts';
import { listProcesses } from '../../../kernel/processes/presence.ts';
import { firstIdAt } from '../../../kernel/secrets/ids.ts';
import { perContext } from '../../../request/per-context.ts';
import { readMappingsMark } from '../../symbols/mappings/mappings.sql.ts';
import { type FacetIds, facetIdsOf } from '../groups/facet-ids.ts';
import { facetsOf } from '../groups/facet-rules.ts';
import { type Grouping, groupByText, groupOfReport } from '../groups/grouping.ts';
import { attachReports, transactGroups } from '../groups/groups.sql.ts';
import { isNativeEvent } from '../report/event.ts';
import {
  enqueueProcessing,
  type GameGroupingRow,
  type GroupingRow,
  groupingColumns,
  groupMessagesJob,
  isUnfinished,
  processCrashJob,
  readLogJob,
} from '../report/jobs.ts';
import {
  groupingFieldsOf,
  type ReadReports,
  readEventOf,
  readGroupingRules,
  readTrace,
  rememberNewFunctions,
  type StoredTrace,
  storedTraceOf,
  traceColumns,
} from './prepare-grouping.ts';
import { failWithText, releaseReports } from './process.job.ts';
import { enqueueRegrouping } from './regroup.job.ts';

export const groupLateJob = defineJob('crashes:group-late', { attempts: 1, cron: '* * * * *' }, groupLate);

const BATCH = 500;
/** The priority of jobs for new reports. */
const USUAL = 0;
const DUMP_WAIT = 2 * MINUTE;
const LOOK_BACK = 30 * MINUTE;

type Payload = { gameId: string; reportIds: readonly string[] };

export const groupMessagesBinding = bindJob(groupMessagesJob, groupMessages);

/** Safe to run twice: reports that have a group or a dump by now are skipped. */
export async function groupMessages(ctx: Context, payload: Payload): Promise<void> {
  await groupingOf(ctx)(payload, payload.gameId);
}

/**
 * Jobs for one game that run at the same time would wait for each other, because most of their reports join the same
 * groups. So while one runs, the reports of the others are collected, and then grouped together.
 */
const groupingOf = perContext((ctx) =>
  groupCommit<Payload, null>({
    maxBatch: BATCH,
    writers: 3,
    writersPerKey: 1,
    maxWaiting: Number.POSITIVE_INFINITY,
    weigh: ({ reportIds }) => reportIds.length,
    // A job that fails must not fail others each time.
    isItemError: () => true,
    write: async (payloads) => {
      const { gameId } = payloads[0]!;
      const reportIds = payloads.flatMap((payload) => payload.reportIds);
      await groupReportsByMessage(ctx, gameId, await listUngrouped(ctx.db, gameId, reportIds), null);
      return payloads.map(() => null);
    },
  }),
);

export const readLateLogBinding = bindJob(readLogJob, readLateLog);

/** Groups a report again whose log arrived after it. Safe to run twice: a report with a trace is left as it is. */
export async function readLateLog(ctx: Context, { gameId, reportId }: { gameId: string; reportId: string }) {
  const report = await findUntraced(ctx.db, gameId, reportId);
  if (report !== undefined) await groupReportsByMessage(ctx, gameId, [report], null);
}

/**
 * Groups reports whose announced dump is late. Most dumps arrive immediately, so a job for each report would be
 * wasteful. This job runs every minute, and looks back further than a minute in case runs were missed; `finishReports`
 * groups reports that are older still.
 */
export async function groupLate(ctx: Context): Promise<void> {
  const now = ctx.clock.now().getTime();
  const span = { from: new Date(now - LOOK_BACK), before: new Date(now - DUMP_WAIT) };
  for (let after: string | null = null; ; ) {
    const late: GameGroupingRow[] = await listLate(ctx.db, { ...span, after, limit: BATCH });
    for (const [gameId, reports] of Map.groupBy(late, ({ game_id }) => game_id))
      await groupReportsByMessage(ctx, gameId, reports, null);
    if (late.length < BATCH) return;
    after = late.at(-1)!.report_id;
  }
}

/**
 * Groups reports of one game, with one transaction for each group: a game that crashes in a loop sends hundreds of the
 * same report. `failure` says why the dumps are missing; null if they may still arrive.
 */
export async function groupReportsByMessage(
  ctx: Context,
  gameId: string,
  reports: readonly GroupingRow[],
  failure: string | null,
): Promise<void> {
  const rules = await readGroupingRules(ctx.db, gameId);
  const mark = await readMappingsMark(ctx.db, gameId);
  const dependent: GroupingRow[] = [];
  const groups = new Map<string, { grouping: Grouping; hasLog: boolean; reports: Map<string, StoredTrace> }>();
  const native: string[] = [];
  for (const report of reports) {
    const event = await readEventOf(ctx, report);
    if (event !== null && isNativeEvent(event)) {
      native.push(report.report_id);
      continue;
    }
    const trace = await readTrace(ctx, gameId, report, event);
    if (trace.depends) dependent.push(report);
    const stored = storedTraceOf(trace);
    const grouping = groupOfReport(groupByText(groupingFieldsOf(report), stored.trace, rules), report);
    const hasLog = report.log_key !== null;
    // Reports that were split off a group are those with a function on their stack.
    const key = JSON.stringify([Buffer.from(grouping.key).toString('hex'), hasLog, stored.functions]);
    const group = groups.get(key) ?? { grouping, hasLog, reports: new Map() };
    group.reports.set(report.report_id, stored);
    groups.set(key, group);
  }
  if (native.length > 0) await enqueueProcessing(ctx.db, gameId, native, USUAL);
  if (groups.size === 0) return;
  await rememberNewFunctions(ctx, gameId, [...new Set(functionsOf(groups.values()))]);
  const facets = await facetIdsOf(
    ctx,
    gameId,
    new Map(
      reports
        .filter(({ report_id }) => !native.includes(report_id))
        .map(({ report_id, metadata }) => [report_id, facetsOf({ metadata, system: null })]),
    ),
  );
  for (const { grouping, hasLog, reports: read } of groups.values()) {
    await recordMessages(ctx.db, gameId, read, { grouping, facets, failure, hasLog, at: ctx.clock.now() });
  }
  // Source maps that arrived meanwhile are applied by a job, which may have run before the reports were stored.
  if (dependent.length > 0 && (await readMappingsMark(ctx.db, gameId)) !== mark)
    await groupReportsByMessage(ctx, gameId, dependent, failure);
  // So are rules that were saved.
  if ((await readGroupingRules(ctx.db, gameId)).version !== rules.version) await enqueueRegrouping(ctx.db, gameId);
}

function functionsOf(groups: Iterable<{ reports: ReadonlyMap<string, StoredTrace> }>): string[] {
  return [...groups].flatMap(({ reports }) => [...reports.values()].flatMap(({ functions }) => functions));
}

export const finishReportsJob = defineJob('crashes:finish', { attempts: 3, cron: '13 * * * *' }, finishReports);

/** An upload that starts just in time may continue for a while. */
const UPLOADS_END = LIMITS.crashUploadSeconds * SECOND + HOUR;
/** A dump may arrive a day after its report, and the tries of a job take up to a day. */
const TRIES_END = 3 * DAY;
/** After this time, the transaction that wrote a report has ended. */
const SETTLED = HOUR;

/**
 * Safe to run twice. If a report is processed after all, because no worker ran for days, that result replaces this one.
 */
export async function finishReports(ctx: Context): Promise<void> {
  const now = ctx.clock.now().getTime();
  const waiting = await listUnfinished(ctx.db, { hasDump: false, before: new Date(now - UPLOADS_END), limit: BATCH });
  for (const [gameId, reports] of Map.groupBy(waiting, ({ game_id }) => game_id)) {
    await groupReportsByMessage(ctx, gameId, reports, 'The announced dump never arrived.');
  }
  const stuck = await listUnfinished(ctx.db, { hasDump: true, before: new Date(now - TRIES_END), limit: BATCH });
  for (const report of stuck) await fail(ctx, report);
  await continueWithoutJobs(ctx, new Date(now - SETTLED));
  await releaseForgotten(ctx.db, new Date(now - SETTLED));
}

/**
 * Enqueues reports of processes that are no longer known. A process may have marked a report with its number just after
 * others had found it dead, or those ran an older version of the server.
 */
async function releaseForgotten(db: Db, before: Date): Promise<void> {
  const holders = await listHolders(db, before);
  const processes = new Set((await listProcesses(db)).map(({ process_no }) => process_no));
  const gone = holders.filter((processNo) => !processes.has(processNo));
  if (gone.length > 0) await transact(db, (tx) => releaseReports(tx, gone));
}

/**
 * Continues queued reports if the queue has no job that could do so. On Citus, a report can be written without its job:
 * if the coordinator crashes at the end of a transaction, the other server has committed its part already.
 */
async function continueWithoutJobs(ctx: Context, before: Date): Promise<void> {
  if (!(await hasJobs(ctx.db, processCrashJob))) {
    const reports = await listQueued(ctx.db, { hasDump: true, before, limit: BATCH });
    for (const [gameId, ofGame] of Map.groupBy(reports, ({ game_id }) => game_id))
      await enqueueProcessing(
        ctx.db,
        gameId,
        ofGame.map(({ report_id }) => report_id),
      );
  }
  if (!(await hasJobs(ctx.db, groupMessagesJob))) {
    const reports = await listQueued(ctx.db, { hasDump: false, before, limit: BATCH });
    for (const [gameId, ofGame] of Map.groupBy(reports, ({ game_id }) => game_id))
      await groupReportsByMessage(ctx, gameId, ofGame, null);
  }
}

async function fail(ctx: Context, report: GameGroupingRow): Promise<void> {
  const { game_id, report_id } = report;
  const reason = 'The dump could not be processed: no worker was running, or each attempt crashed the worker.';
  await failWithText(ctx, game_id, report, reason);
  ctx.log.warn({ game: game_id, report: report_id }, 'a crash report was never processed');
}

/** The oldest unfinished reports of all games that arrived before `before`, with or without a dump. */
export function listUnfinished(db: Db, selection: UnfinishedSelection): Promise<GameGroupingRow[]> {
  return listOldest(db, isUnfinished, selection);
}

/** Does the same as `listUnfinished`, but only returns reports that wait for a job. */
export function listQueued(db: Db, selection: UnfinishedSelection): Promise<GameGroupingRow[]> {
  return listOldest(db, sql`${isUnfinished} and state = 'queued'`, selection);
}

/** The processes that hold unfinished reports that arrived before `before`, or held them when they died. */
export async function listHolders(db: Db, before: Date): Promise<number[]> {
  const holders = await rows(
    db,
    sql<{ held_by: number }>`select distinct held_by from crash_reports
      where ${isUnfinished} and held_by is not null and report_id < ${firstIdAt(before.getTime())}`,
  );
  return holders.map(({ held_by }) => held_by);
}

type UnfinishedSelection = { hasDump: boolean; before: Date; limit: number };

function listOldest(
  db: Db,
  condition: RawBuilder<unknown>,
  { hasDump, before, limit }: UnfinishedSelection,
): Promise<GameGroupingRow[]> {
  return rows(
    db,
    sql<GameGroupingRow>`select game_id, ${groupingColumns} from crash_reports
      where ${condition} and report_id < ${firstIdAt(before.getTime())} and (dump_key is not null) = ${hasDump}
      order by report_id limit ${limit}`,
  );
}

/** Selects the reports that have neither a dump nor a group. */
export function listUngrouped(db: Db, gameId: string, reportIds: readonly string[]): Promise<GroupingRow[]> {
  return rows(
    db,
    sql<GroupingRow>`select ${groupingColumns} from crash_reports
      where game_id = ${gameId} and report_id = any(${reportIds}::uuid[]) and dump_key is null and group_id is null
      order by report_id`,
  );
}

/**
 * Reports of all games that arrived between `from` and `before`, have no group, and whose dump has not arrived. Ordered
 * by id; the page starts after the id `after`.
 */
export function listLate(
  db: Db,
  { from, before, after, limit }: { from: Date; before: Date; after: string | null; limit: number },
): Promise<GameGroupingRow[]> {
  return rows(
    db,
    sql<GameGroupingRow>`select game_id, ${groupingColumns} from crash_reports
      where ${isUnfinished} and report_id >= ${firstIdAt(from.getTime())}
        and report_id < ${firstIdAt(before.getTime())} and report_id > ${after ?? firstIdAt(from.getTime())}
        and state = 'received' and dump_key is null and group_id is null
      order by report_id limit ${limit}`,
  );
}

/** A report without a dump or a trace whose log may have arrived after it was grouped; undefined if it isn't one. */
export function findUntraced(db: Db, gameId: string, reportId: string): Promise<GroupingRow | undefined> {
  return row(
    db,
    // A report that waits for its dump is grouped once that is late.
    sql<GroupingRow>`select ${groupingColumns} from crash_reports
      where game_id = ${gameId} and report_id = ${reportId} and dump_key is null and stack_key is null
        and trace is null and (log_key is not null or attachments <> '[]') and (state <> 'received' or group_id is not null)`,
  );
}

/**
 * Groups reports without a dump, but skips reports that got a dump, a stack or a log meanwhile. `failure` says why a
 * dump is missing; null if it may still arrive.
 */
export async function recordMessages(
  db: Db,
  gameId: string,
  reports: ReadReports,
  {
    grouping,
    facets,
    failure,
    hasLog,
    at,
  }: { grouping: Grouping; facets: FacetIds; failure: string | null; hasLog: boolean; at: Date },
): Promise<void> {
  await transactGroups(db, async (tx) => {
    const open = await rows(
      tx,
      sql<{ report_id: string }>`select report_id from crash_reports
        where game_id = ${gameId} and report_id = any(${[...reports.keys()]}::uuid[])
          and dump_key is null and stack_key is null and (log_key is not null) = ${hasLog}
        order by report_id for update`,
    );
    const ids = open.map(({ report_id }) => report_id);
    // A report whose dump may still arrive joins a group and keeps waiting.
    const isDone = sql`(state <> 'received' or ${failure}::text is not null)`;
    const set = sql`state = case when ${isDone} then 'processed' else state end,
      failure = coalesce(failure, ${failure}::text), processed_at = case when ${isDone} then ${at}::timestamptz end,
      ${traceColumns(reports)}`;
    const functions = reports.values().next().value?.functions ?? [];
    await attachReports(tx, gameId, ids, grouping, { changes: { set }, functions, facets });
  });
}
