// Groups reports again after the grouping rules changed, of all games or of one, in batches, from their stored stacks
// and texts. A report has the versions of the rules that it was grouped by, which show whether it is outdated, and a
// run that is interrupted continues where it stopped.
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { type Db, row, rows } from '../../../kernel/database/db.ts';
import { addJob, defineJob } from '../../../kernel/jobs/jobs.ts';
import { type DumpNotes, notesToAdd } from '../groups/dump-notes.ts';
import type { FacetIds } from '../groups/facet-ids.ts';
import { type DumpSystem, FACETS_VERSION } from '../groups/facet-rules.ts';
import type { GameRules } from '../groups/game-rules.ts';
import { GROUPING_VERSION, type Grouping, groupByText, groupOfReport } from '../groups/grouping.ts';
import { attachReports, noting, transactGroups } from '../groups/groups.sql.ts';
import { type GroupingRow, groupingColumns } from '../report/jobs.ts';
import {
  groupingFieldsOf,
  readFacets,
  readGroupingRules,
  readTrace,
  rememberNewFunctions,
  type StoredTrace,
  storedTraceOf,
  traceColumns,
} from './prepare-grouping.ts';
import { regroupStack } from './walk.ts';

/** `before` is the last report of the previous batch; null for the first batch. */
type Payload = { gameId: string; before: string | null };

export const regroupJob = defineJob(
  'crashes:regroup',
  { attempts: 6, lane: 'long', changes: 'crashes' },
  regroupReports,
);

const BATCH = 100;

/** A queued job of the game begins again with the newest report. */
export async function enqueueRegrouping(db: Db, gameId: string): Promise<void> {
  await addJob(db, regroupJob, { gameId, before: null }, keyOfRegrouping(gameId));
}

export function keyOfRegrouping(gameId: string): string {
  return `${regroupJob.task}/${gameId}`;
}

/** Safe to run twice and alongside other processing: reports that the current rules have grouped are skipped. */
export async function regroupReports(ctx: Context, { gameId, before }: Payload): Promise<void> {
  const rules = await readGroupingRules(ctx.db, gameId);
  const reports = await listOutdated(ctx.db, gameId, { rulesVersion: rules.version, before, limit: BATCH });
  for (const report of reports) {
    const read = await groupAgain(ctx, gameId, report, rules);
    if (read === null) continue;
    const notes = read.notes && notesToAdd(report, read.notes);
    const metadata = { ...notes?.metadata, ...report.metadata };
    const facets = await readFacets(ctx, gameId, { ...report, metadata }, read.system);
    if (read.stored !== null) await rememberNewFunctions(ctx, gameId, read.stored.functions);
    await recordRegrouping(ctx.db, gameId, report, { grouping: read.grouping, stored: read.stored, facets, notes });
  }
  const oldest = reports.at(-1)?.report_id;
  if (reports.length === BATCH && oldest !== undefined)
    await addJob(ctx.db, regroupJob, { gameId, before: oldest }, keyOfRegrouping(gameId));
}

/** `stored` is what was read from the texts of a report without a stack; null for one with a stack. */
type Read = { grouping: Grouping; system: DumpSystem | null; stored: StoredTrace | null; notes: DumpNotes | null };

/** Returns null if the stored stack cannot be read. The report then stays in its group, and the log says why. */
async function groupAgain(ctx: Context, gameId: string, report: OutdatedRow, rules: GameRules): Promise<Read | null> {
  const fields = groupingFieldsOf(report);
  if (report.stack_key === null) {
    const stored = storedTraceOf(await readTrace(ctx, gameId, report));
    const grouping = groupOfReport(groupByText(fields, stored.trace, rules), report);
    return { grouping, system: null, stored, notes: null };
  }
  const reading = await regroupStack(ctx, { stackKey: report.stack_key, fields, rules });
  if (reading.outcome === 'walked') {
    const grouping = groupOfReport(reading.grouping, report);
    if (report.dump_key === null) return { grouping, system: null, stored: null, notes: null };
    return { grouping, ...reading.excerpt, stored: null };
  }
  ctx.log.warn({ report: report.report_id, reason: reading.reason }, 'a report could not be regrouped');
  return null;
}

export type OutdatedRow = GroupingRow & { dump_key: string | null; stack_key: string | null; functions: string[] };

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
    sql<OutdatedRow>`select dump_key, stack_key, functions, ${groupingColumns} from crash_reports
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
