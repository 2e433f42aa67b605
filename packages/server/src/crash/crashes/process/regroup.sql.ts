// The SQL that finds reports grouped by older rules and moves them.
import { sql } from 'kysely';
import { type Db, row, rows } from '../../../kernel/database/db.ts';
import type { DumpNotes } from '../groups/dump-notes.ts';
import type { FacetIds } from '../groups/facet-ids.ts';
import { FACETS_VERSION } from '../groups/facet-rules.ts';
import { GROUPING_VERSION, type Grouping } from '../groups/grouping.ts';
import { attachReports, noting, transactGroups } from '../groups/groups.sql.ts';
import { traceColumns } from '../groups/messages.sql.ts';
import type { StoredTrace } from '../groups/stored-trace.ts';
import { type GroupingRow, groupingColumns } from '../report/jobs.ts';

export type OutdatedRow = GroupingRow & { stack_key: string | null; functions: string[] };

/** Grouped, but by older built-in rules, or counted by older ones. */
const isOutdated = sql`grouping_version < ${GROUPING_VERSION} or (group_id is not null and facets_version < ${FACETS_VERSION})`;

/** The newest reports before `before` that were grouped by older rules, built-in or of the game. */
export function listOutdated(
  db: Db,
  gameId: string,
  { rulesVersion, before, limit }: { rulesVersion: number; before: string | null; limit: number },
): Promise<OutdatedRow[]> {
  return rows(
    db,
    sql<OutdatedRow>`select stack_key, functions, ${groupingColumns} from crash_reports
      where game_id = ${gameId}
        and (${isOutdated} or (rules_version < ${rulesVersion} and (stack_key is not null or trace is not null)))
        and (${before}::uuid is null or report_id < ${before}::uuid)
      order by report_id desc limit ${limit}`,
  );
}

/** Moves a report to its group by the current rules, unless its stack or its log has changed meanwhile. */
export async function recordRegrouping(
  db: Db,
  gameId: string,
  { report_id: reportId, stack_key: stackKey, log_key: logKey, functions }: OutdatedRow,
  {
    grouping,
    stored,
    facets,
    notes,
  }: { grouping: Grouping; stored: StoredTrace | null; facets: FacetIds; notes: DumpNotes | null },
): Promise<void> {
  await transactGroups(db, async (tx) => {
    const unchanged = await row(
      tx,
      sql`select from crash_reports where game_id = ${gameId} and report_id = ${reportId}
        and stack_key is not distinct from ${stackKey} and log_key is not distinct from ${logKey} for update`,
    );
    if (unchanged === undefined) return;
    const changes = notes && {
      changes: noting(sql`${notes.message}::text`, sql`${JSON.stringify(notes.metadata)}::jsonb`),
    };
    await attachReports(tx, gameId, [reportId], grouping, {
      functions: stored?.functions ?? functions,
      facets,
      // Only a dump has notes, and only a report without one has a trace.
      ...(stored === null ? changes : { changes: { set: traceColumns(new Map([[reportId, stored]])) } }),
    });
  });
}

/**
 * How many reports of each game, or of one game, were grouped by older rules. Games without such reports are left out.
 */
export function countOutdated(db: Db, gameId: string | null): Promise<{ game_id: string; count: number }[]> {
  return rows(
    db,
    sql<{ game_id: string; count: number }>`select game_id, count(*) as count from crash_reports
      where (${isOutdated}) and (${gameId}::uuid is null or game_id = ${gameId}::uuid)
      group by game_id order by game_id`,
  );
}
