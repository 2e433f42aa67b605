// Groups reports without a dump by what they say.
import type { Context } from '../../../context.ts';
import { listUngrouped, recordMessages, type StatementRow, statementOf } from '../process/walked.sql.ts';
import { type Grouping, groupByMessage } from './grouping.ts';

type Payload = { gameId: string; reportIds: readonly string[] };

/** Safe to run twice: reports that have a group, or a dump by now, are passed over. */
export async function groupMessages(ctx: Context, { gameId, reportIds }: Payload): Promise<void> {
  await groupStatements(ctx, gameId, await listUngrouped(ctx.db, gameId, reportIds), null);
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
