// Groups reports without a dump by their message: immediately if no dump was announced, otherwise after a short wait
// for it.
import type { Context } from '../../../context.ts';
import { MINUTE } from '../../../kernel/clock.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';
import { facetIdsOf } from './facet-ids.ts';
import { facetsOf } from './facet-rules.ts';
import { type Grouping, groupByMessage } from './grouping.ts';
import {
  type GameGroupingRow,
  type GroupingRow,
  groupingFieldsOf,
  listLate,
  listUngrouped,
  recordMessages,
} from './messages.sql.ts';

export const groupLateJob = defineJob<object>('crashes:group-late', 1);

const BATCH = 500;
const DUMP_WAIT = 2 * MINUTE;
const LOOK_BACK = 30 * MINUTE;

type Payload = { gameId: string; reportIds: readonly string[] };

/** Safe to run twice: reports that have a group or a dump by now are skipped. */
export async function groupMessages(ctx: Context, { gameId, reportIds }: Payload): Promise<void> {
  await groupReportsByMessage(ctx, gameId, await listUngrouped(ctx.db, gameId, reportIds), null);
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
  const groups = new Map<string, { grouping: Grouping; reportIds: string[] }>();
  for (const report of reports) {
    const grouping = groupByMessage(groupingFieldsOf(report));
    const key = Buffer.from(grouping.key).toString('hex');
    const group = groups.get(key) ?? { grouping, reportIds: [] };
    group.reportIds.push(report.report_id);
    groups.set(key, group);
  }
  const facets = await facetIdsOf(
    ctx,
    gameId,
    new Map(reports.map(({ report_id, metadata }) => [report_id, facetsOf({ metadata, system: null })])),
  );
  for (const { grouping, reportIds } of groups.values()) {
    await recordMessages(ctx.db, gameId, reportIds, { grouping, facets, failure, at: ctx.clock.now() });
  }
}
