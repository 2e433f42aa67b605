// Groups reports without a dump by their texts: immediately if no dump was announced, otherwise after a short wait
// for it.
import type { Context } from '../../../context.ts';
import { MINUTE } from '../../../kernel/clock.ts';
import { bindJob, defineJob } from '../../../kernel/jobs/jobs.ts';
import { facetIdsOf } from '../groups/facet-ids.ts';
import { facetsOf } from '../groups/facet-rules.ts';
import { readRules } from '../groups/game-rules.sql.ts';
import { type Grouping, groupByText } from '../groups/grouping.ts';
import { findUntraced, groupingFieldsOf, listLate, listUngrouped, recordMessages } from '../groups/messages.sql.ts';
import { type StoredTrace, storedTraceOf } from '../groups/stored-trace.ts';
import { type GameGroupingRow, type GroupingRow, groupMessagesJob, readLogJob } from '../report/jobs.ts';
import { rememberNewFunctions } from './functions.ts';
import { readTrace } from './read-trace.ts';
import { enqueueRegrouping } from './regroup.job.ts';

export const groupLateJob = defineJob('crashes:group-late', { attempts: 1, cron: '* * * * *' }, groupLate);

const BATCH = 500;
const DUMP_WAIT = 2 * MINUTE;
const LOOK_BACK = 30 * MINUTE;

type Payload = { gameId: string; reportIds: readonly string[] };

export const groupMessagesBinding = bindJob(groupMessagesJob, groupMessages);

/** Safe to run twice: reports that have a group or a dump by now are skipped. */
export async function groupMessages(ctx: Context, { gameId, reportIds }: Payload): Promise<void> {
  await groupReportsByMessage(ctx, gameId, await listUngrouped(ctx.db, gameId, reportIds), null);
}

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
  const rules = await readRules(ctx.db, gameId);
  const groups = new Map<string, { grouping: Grouping; hasLog: boolean; reports: Map<string, StoredTrace> }>();
  for (const report of reports) {
    const stored = storedTraceOf(await readTrace(ctx, report));
    const grouping = groupByText(groupingFieldsOf(report), stored.trace, rules);
    const hasLog = report.log_key !== null;
    // Reports that were split off a group are those with a function on their stack.
    const key = JSON.stringify([Buffer.from(grouping.key).toString('hex'), hasLog, stored.functions]);
    const group = groups.get(key) ?? { grouping, hasLog, reports: new Map() };
    group.reports.set(report.report_id, stored);
    groups.set(key, group);
  }
  await rememberNewFunctions(ctx, gameId, [...new Set(functionsOf(groups.values()))]);
  const facets = await facetIdsOf(
    ctx,
    gameId,
    new Map(reports.map(({ report_id, metadata }) => [report_id, facetsOf({ metadata, system: null })])),
  );
  for (const { grouping, hasLog, reports: read } of groups.values()) {
    await recordMessages(ctx.db, gameId, read, { grouping, facets, failure, hasLog, at: ctx.clock.now() });
  }
  // Rules that were saved meanwhile are applied by a job, which may have run before the reports were stored.
  if ((await readRules(ctx.db, gameId)).version !== rules.version) await enqueueRegrouping(ctx.db, gameId);
}

function functionsOf(groups: Iterable<{ reports: ReadonlyMap<string, StoredTrace> }>): string[] {
  return [...groups].flatMap(({ reports }) => [...reports.values()].flatMap(({ functions }) => functions));
}
