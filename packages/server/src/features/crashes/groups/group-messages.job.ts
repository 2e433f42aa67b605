// Groups reports without a dump by what they say: at once those that have none, a little later those whose dump was announced.
import type { Context } from '../../../context.ts';
import { MINUTE } from '../../../kernel/clock.ts';
import { defineJob } from '../../../kernel/jobs.ts';
import {
  listLate,
  listUngrouped,
  recordMessages,
  type StatementRow,
  type StrandedRow,
  statementOf,
} from '../process/walked.sql.ts';
import { type Grouping, groupByMessage } from './grouping.ts';

export const groupLateJob = defineJob<object>('crashes:group-late', 1);

const BATCH = 500;
const DUMP_COMES_WITHIN = 2 * MINUTE;
const LOOK_BACK = 30 * MINUTE;

type Payload = { gameId: string; reportIds: readonly string[] };

/** Safe to run twice: reports that have a group, or a dump by now, are passed over. */
export async function groupMessages(ctx: Context, { gameId, reportIds }: Payload): Promise<void> {
  await groupStatements(ctx, gameId, await listUngrouped(ctx.db, gameId, reportIds), null);
}

/**
 * Groups reports whose dump was announced and is late: most dumps come at once, so it is not worth a job for each. Run once a minute, it
 * looks back further than that, should it not have been run for a while; what is older still, `finishReports` groups.
 */
export async function groupLate(ctx: Context): Promise<void> {
  const now = ctx.clock.now().getTime();
  const span = { from: new Date(now - LOOK_BACK), before: new Date(now - DUMP_COMES_WITHIN) };
  for (let after: string | null = null; ; ) {
    const late: StrandedRow[] = await listLate(ctx.db, { ...span, after, limit: BATCH });
    for (const [gameId, reports] of Map.groupBy(late, ({ game_id }) => game_id))
      await groupStatements(ctx, gameId, reports, null);
    if (late.length < BATCH) return;
    after = late.at(-1)!.report_id;
  }
}

/** Each group in a transaction of its own: a game in a loop sends hundreds of the same. `failure` is why there is no dump, if it is not known. */
export async function groupStatements(
  ctx: Context,
  gameId: string,
  reports: readonly StatementRow[],
  failure: string | null,
): Promise<void> {
  const groups = new Map<string, { grouping: Grouping; reportIds: string[] }>();
  for (const report of reports) {
    const grouping = groupByMessage(statementOf(report));
    const key = Buffer.from(grouping.key).toString('hex');
    const group = groups.get(key) ?? { grouping, reportIds: [] };
    group.reportIds.push(report.report_id);
    groups.set(key, group);
  }
  for (const { grouping, reportIds } of groups.values()) {
    await recordMessages(ctx.db, gameId, reportIds, { grouping, failure, at: ctx.clock.now() });
  }
}
