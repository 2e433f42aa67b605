// The SQL that records the result of processing a report's dump.
import { type RawBuilder, sql } from 'kysely';
import { BulkRows, type Column } from '../../../kernel/database/bulk-rows.ts';
import { type Db, keepPlan, row, rows } from '../../../kernel/database/db.ts';
import { firstIdAt } from '../../../kernel/secrets/ids.ts';
import type { DumpNotes } from '../groups/dump-notes.ts';
import type { FacetIds } from '../groups/facet-ids.ts';
import type { Grouping } from '../groups/grouping.ts';
import { attachReports, noting, transactGroups } from '../groups/groups.sql.ts';
import { isUnfinished, traceColumns } from '../groups/messages.sql.ts';
import type { StoredTrace } from '../groups/stored-trace.ts';
import { type DumpRow, dumpColumns, type GameGroupingRow, groupingColumns } from '../report/jobs.ts';
import type { Excerpt } from './excerpt.ts';

/**
 * Marks the report as being processed and returns it; undefined if it has no dump. A report that was processed before
 * keeps its state until the new result is recorded.
 */
export function beginProcessing(db: Db, gameId: string, reportId: string): Promise<DumpRow | undefined> {
  return row(
    db,
    keepPlan(sql<DumpRow>`update crash_reports
      set state = case when state in ('received', 'queued') then 'processing' else state end
      where game_id = ${gameId} and report_id = ${reportId} and dump_key is not null and dump_size is not null
      returning ${dumpColumns}`),
  );
}

/** The result of a walk, to be recorded with its report. */
export type Walk = {
  readonly reportId: string;
  readonly excerpt: Excerpt;
  readonly grouping: Grouping;
  readonly facets: FacetIds;
  readonly stackKey: string;
  /** What the dump adds to the report. */
  readonly notes: DumpNotes | null;
};

/**
 * What walks must have in common to be recorded together: their group, and all that is the same for the reports of
 * `recordWalks`.
 */
export function kindOfWalk({ grouping: { key, reason, rulesVersion }, excerpt: { functions } }: Walk): string {
  return JSON.stringify([Buffer.from(key).toString('base64'), reason, rulesVersion, functions]);
}

const WALK_COLUMNS: readonly Column<Walk>[] = [
  { name: 'walked_id', type: 'uuid', value: ({ reportId }) => reportId },
  { name: 'new_stack_key', type: 'text', value: ({ stackKey }) => stackKey },
  { name: 'new_crash_address', type: 'text', value: ({ excerpt }) => excerpt.crashAddress },
  { name: 'new_frames', type: 'jsonb', value: ({ excerpt }) => JSON.stringify(excerpt.frames) },
  { name: 'new_message', type: 'text', value: ({ notes }) => notes?.message ?? '' },
  { name: 'new_metadata', type: 'jsonb', value: ({ notes }) => JSON.stringify(notes?.metadata ?? {}) },
  { name: 'new_missing_symbols', type: 'jsonb', value: ({ excerpt }) => JSON.stringify(excerpt.missingSymbols) },
];

/**
 * Stores the results of walks of one kind, and moves their reports into their group, in one transaction. Returns the
 * ids of the reports that have not been deleted.
 */
export function recordWalks(db: Db, gameId: string, walks: readonly Walk[], at: Date): Promise<readonly string[]> {
  const [first] = walks;
  if (first === undefined) return Promise.resolve([]);
  const { functions } = first.excerpt;
  const items = new BulkRows(WALK_COLUMNS);
  for (const walk of walks) items.add(walk);
  const added = noting(sql`new_message`, sql`new_metadata`);
  const changes = {
    message: added.message,
    set: sql`${added.set}, state = 'processed', failure = null, processed_at = ${at}::timestamptz, stack_key = new_stack_key,
      crash_address = new_crash_address, frames = new_frames, functions = ${functions}::text[],
      missing_symbols = array(select jsonb_array_elements_text(new_missing_symbols)), trace = null`,
    from: { rows: items.unnest('walk'), reportId: sql`walked_id` },
  };
  const facets = new Map(walks.flatMap((walk) => [...walk.facets]));
  const ids = walks.map(({ reportId }) => reportId);
  return transactGroups(db, (tx) => attachReports(tx, gameId, ids, first.grouping, { changes, functions, facets }));
}

/**
 * Records why a dump could not be processed and groups its report by its texts. Does nothing if an earlier walk
 * succeeded.
 */
export async function recordFailure(
  db: Db,
  gameId: string,
  reportId: string,
  {
    reason,
    grouping,
    stored,
    facets,
    at,
  }: { reason: string; grouping: Grouping; stored: StoredTrace; facets: FacetIds; at: Date },
): Promise<void> {
  await transactGroups(db, async (tx) => {
    const open = await row(
      tx,
      sql`select from crash_reports where game_id = ${gameId} and report_id = ${reportId} and stack_key is null for update`,
    );
    if (open === undefined) return;
    const set = sql`state = 'failed', failure = ${reason}::text, processed_at = ${at}::timestamptz,
      ${traceColumns(new Map([[reportId, stored]]))}`;
    await attachReports(tx, gameId, [reportId], grouping, { changes: { set }, functions: stored.functions, facets });
  });
}

/** Reports of each build that are searched for names of a module. */
const NAMED_REPORTS = 500;
/** A module has a few names. Forged dumps can have any number. */
const MAX_NAMES = 50;

/**
 * The most frequent names under which the newest reports of these builds were missing symbols with one of the ids:
 * `name/id` in lower case. Each report names a module as the player's system does, such as by the APK that contains it.
 */
export async function listMissingNames(
  db: Db,
  gameId: string,
  buildIds: readonly string[],
  ids: readonly string[],
): Promise<string[]> {
  if (buildIds.length === 0) return [];
  const names = await rows(
    db,
    sql<{ name: string }>`select lower(name) as name
      from unnest(${buildIds}::uuid[]) as build (build_id)
      cross join lateral (
        select missing_symbols from crash_reports
        where game_id = ${gameId} and crash_reports.build_id = build.build_id and missing_symbols <> '{}'
        order by report_id desc limit ${NAMED_REPORTS}
      ) newest
      cross join unnest(missing_symbols) as missing (name)
      where substring(lower(name) from '[^/]*$') = any(${ids.map((id) => id.toLowerCase()).filter(Boolean)}::text[])
      group by 1 order by count(*) desc limit ${MAX_NAMES}`,
  );
  return names.map(({ name }) => name);
}

/** The ids of the newest reports before `before` whose walk was missing the module's symbols. */
export async function listMissing(
  db: Db,
  gameId: string,
  moduleName: string,
  { before, limit }: { before: string | null; limit: number },
): Promise<string[]> {
  const missing = await rows(
    db,
    sql<{ report_id: string }>`select report_id from crash_reports
      where game_id = ${gameId} and missing_symbols <> '{}'
        and lower_all(missing_symbols) @> array[lower(${moduleName})]
        and (${before}::uuid is null or report_id < ${before}::uuid)
      order by report_id desc limit ${limit}`,
  );
  return missing.map(({ report_id }) => report_id);
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

/** The unfinished reports that these processes hold. They are held by no process afterwards, and wait in the queue. */
export function takeFromHolders(
  db: Db,
  processNos: readonly number[],
): Promise<{ game_id: string; report_id: string }[]> {
  return rows(
    db,
    sql<{ game_id: string; report_id: string }>`update crash_reports set held_by = null, state = 'queued'
      where ${isUnfinished} and held_by = any(${processNos}::integer[]) returning game_id, report_id`,
  );
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
