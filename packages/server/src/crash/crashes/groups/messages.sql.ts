// The SQL that finds reports without a dump and groups them by their texts.
import { type RawBuilder, sql } from 'kysely';
import { type Db, row, rows } from '../../../kernel/database/db.ts';
import { firstIdAt } from '../../../kernel/secrets/ids.ts';
import { type GameGroupingRow, type GroupingRow, groupingColumns } from '../report/jobs.ts';
import type { FacetIds } from './facet-ids.ts';
import type { Grouping, GroupingFields } from './grouping.ts';
import { attachReports, transactGroups } from './groups.sql.ts';
import type { StoredTrace } from './stored-trace.ts';

/** States of reports whose processing has not ended. In this form the planner recognizes the partial index on them. */
export const isUnfinished = sql.raw("state in ('received', 'queued', 'processing')");

export function groupingFieldsOf({ message, metadata, app_version: appVersion, os }: GroupingRow): GroupingFields {
  return { message, metadata, appVersion, os };
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

/** A report without a dump or a trace whose log arrived after it was grouped; undefined if it isn't one. */
export function findUntraced(db: Db, gameId: string, reportId: string): Promise<GroupingRow | undefined> {
  return row(
    db,
    // A report that waits for its dump is grouped once that is late.
    sql<GroupingRow>`select ${groupingColumns} from crash_reports
      where game_id = ${gameId} and report_id = ${reportId} and dump_key is null and stack_key is null
        and trace is null and log_key is not null and (state <> 'received' or group_id is not null)`,
  );
}

/** What the reports of a group were read as, by the id of the report. */
export type ReadReports = ReadonlyMap<string, StoredTrace>;

/**
 * Changes of reports for `attachReports`: what was read from the text of each. Without a trace, the columns are empty.
 */
export function traceColumns(reports: ReadReports): RawBuilder<unknown> {
  const stored = [...reports].map(([id, { trace, frames, functions }]) => [
    id,
    trace === null ? { functions } : { trace, frames, functions },
  ]);
  const of = sql`(${JSON.stringify(Object.fromEntries(stored))}::jsonb -> report_id::text)`;
  return sql`trace = ${of} -> 'trace', frames = ${of} -> 'frames',
    functions = array(select jsonb_array_elements_text(${of} -> 'functions'))`;
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
