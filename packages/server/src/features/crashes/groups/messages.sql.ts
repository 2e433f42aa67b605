// The SQL that finds reports without a dump and groups them by their message.
import { sql } from 'kysely';
import { type Db, rows } from '../../../kernel/database/db.ts';
import { firstIdAt } from '../../../kernel/secrets/ids.ts';
import type { FacetIds } from './facet-ids.ts';
import type { Grouping, GroupingFields } from './grouping.ts';
import { attachReports, transactGroups } from './groups.sql.ts';

/** The columns of a report that grouping it by its message, and counting it, need. */
export type GroupingRow = {
  report_id: string;
  message: string;
  app_version: string;
  os: string;
  /** For its facets. */
  metadata: Readonly<Record<string, unknown>>;
};

/** For queries over the reports of all games. */
export type GameGroupingRow = GroupingRow & { game_id: string };

/** The columns of a GroupingRow. */
export const groupingColumns = sql.raw('report_id, message, app_version, os, metadata');

/** States of reports whose processing has not ended. In this form the planner recognizes the partial index on them. */
export const isUnfinished = sql.raw("state in ('received', 'queued', 'processing')");

export function groupingFieldsOf({ message, app_version: appVersion, os }: GroupingRow): GroupingFields {
  return { message, appVersion, os };
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

/**
 * Groups reports by their message, but skips reports that got a dump or a stack meanwhile. `failure` says why a dump is
 * missing; null if it may still arrive.
 */
export async function recordMessages(
  db: Db,
  gameId: string,
  reportIds: readonly string[],
  { grouping, facets, failure, at }: { grouping: Grouping; facets: FacetIds; failure: string | null; at: Date },
): Promise<void> {
  await transactGroups(db, async (tx) => {
    const open = await rows(
      tx,
      sql<{ report_id: string }>`select report_id from crash_reports
        where game_id = ${gameId} and report_id = any(${reportIds}::uuid[])
          and dump_key is null and stack_key is null
        order by report_id for update`,
    );
    const ids = open.map(({ report_id }) => report_id);
    // A report whose dump may still arrive joins a group and keeps waiting.
    const isDone = sql`(state <> 'received' or ${failure}::text is not null)`;
    const changes = sql`state = case when ${isDone} then 'processed' else state end,
      failure = coalesce(failure, ${failure}), processed_at = case when ${isDone} then ${at}::timestamptz end`;
    await attachReports(tx, gameId, ids, grouping, { changes: { set: changes }, facets });
  });
}
