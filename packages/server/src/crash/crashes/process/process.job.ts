// Processes the dumps of reports, and native stacks that were sent without a dump. A report goes through these states:
//
// - received: it was written, and its dump is still to be uploaded.
// - queued: a job is to process its dump, or to group it if it has none (messages.job.ts). The process that received
//   the dump can hold this job and run it itself, without the queue; the row then has its number (`held_by`). If that
//   process dies, `releaseReports` enqueues what it held.
// - processing: a thread is walking its dump.
// - processed, or failed with the reason. A failed report is grouped by its texts.
//
// A processed report can be processed again, when symbols arrive that it was missing. It keeps its state and its result
// until the new one is recorded.
//
// Any job may run twice, even at the same time, because a worker can die at any point. Each walk therefore stores the
// whole stack in a new blob. Recording the walk replaces the key of the former blob, which is then deleted, and a
// report is counted once in its group however often it is recorded. Symbols or rules may change during a walk: the job
// checks for both after recording it, and enqueues the report or the game again, so nothing is missed.
//
// An error, such as an unavailable store, is tried again, for about a day. A dump that can't be read fails at once, and
// so does one that has crashed its thread three times. Reports of one crash arrive in bursts, and recording each locks
// its group: walks with one group, reason and list of functions are recorded together.
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { PACKED_SUFFIX } from '../../../kernel/blobs/packed.ts';
import { BulkRows, type Column } from '../../../kernel/database/bulk-rows.ts';
import { type Db, keepPlan, row, rows } from '../../../kernel/database/db.ts';
import { type Attempt, bindJob } from '../../../kernel/jobs/jobs.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { ThreadCrashError } from '../../../kernel/threads/threads.ts';
import { batchWriter } from '../../../request/batch-writer.ts';
import { perContext } from '../../../request/per-context.ts';
import { requestLookUps } from '../../symbols/sources/request.ts';
import { type DumpNotes, notesToAdd } from '../groups/dump-notes.ts';
import type { FacetIds } from '../groups/facet-ids.ts';
import type { GameRules } from '../groups/game-rules.ts';
import { type Grouping, groupByText, groupOfReport } from '../groups/grouping.ts';
import { attachReports, noting, transactGroups } from '../groups/groups.sql.ts';
import { blobStemOf } from '../report/files.ts';
import {
  enqueueProcessing,
  type GroupingRow,
  isUnfinished,
  processCrashJob,
  type StackRow,
  stackColumns,
  takeRow,
} from '../report/jobs.ts';
import type { Excerpt } from './excerpt.ts';
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
import { enqueueRegrouping } from './regroup.job.ts';
import { measureStage, type Reading, readDump, readEventStack, SymbolResolver } from './walk.ts';

type Payload = { gameId: string; reportId: string };

/** A dump that has crashed this many threads would crash the next one, too. */
const MAX_CRASHES = 3;

export const processCrashBinding = bindJob(processCrashJob, processCrash, { release: releaseReports });

/**
 * Safe to run twice, even concurrently: each walk writes a separate blob, and a report is counted once in its group.
 */
export async function processCrash(ctx: Context, { gameId, reportId }: Payload, attempt: Attempt): Promise<void> {
  const report = takeRow(ctx, reportId) ?? (await beginProcessing(ctx.db, gameId, reportId));
  if (report === undefined) return;
  const resolver = new SymbolResolver(ctx, gameId, report.build_id);
  const stackKey = `${blobStemOf(reportId)}.${newId()}.json${PACKED_SUFFIX}`;
  const rules = knownRules(ctx).get(gameId) ?? (await readNewestRules(ctx, gameId));
  const task = { stackKey, fields: groupingFieldsOf(report), rules };
  const reading = await readStack(ctx, report, task, resolver).catch((error) => failAfterLastTry(ctx, error, attempt));
  if (reading.outcome === 'walked') {
    await keepWalk(ctx, gameId, report, { ...reading, stackKey, rulesVersion: rules.version }, resolver);
  } else {
    await failWithText(ctx, gameId, report, reading.reason);
    ctx.log.info({ game: gameId, report: reportId, reason: reading.reason }, 'a crash dump could not be read');
  }
  ctx.metrics.crashWalks.inc({ outcome: reading.outcome });
}

/** What was read, and why the dump could not be if it is the stack of the event. */
type StackReading = Reading & { readonly failure?: string };

/** The stack of the dump or, if there is none or it can't be read, that of the event. */
async function readStack(
  ctx: Context,
  { dump_key: dumpKey, dump_size: dumpSize, event_key, event }: StackRow,
  task: Omit<Parameters<typeof readDump>[1], 'dumpKey' | 'dumpSize'>,
  resolver: SymbolResolver,
): Promise<StackReading> {
  const hasDump = dumpKey !== null && dumpSize !== null;
  const ofDump = hasDump ? await readDump(ctx, { ...task, dumpKey, dumpSize }, resolver) : null;
  if (ofDump !== null && (ofDump.outcome === 'walked' || (event_key === null && event === null))) return ofDump;
  const ofEvent = await readEventStack(ctx, { ...task, event: { event_key, event } }, resolver);
  if (ofDump === null) return ofEvent;
  return ofEvent.outcome === 'walked' ? { ...ofEvent, failure: ofDump.reason } : ofDump;
}

/** Enqueues the reports that these processes held when they died. */
export async function releaseReports(db: Db, processNos: readonly number[]): Promise<void> {
  const reports = await takeFromHolders(db, processNos);
  for (const [gameId, ofGame] of Map.groupBy(reports, ({ game_id }) => game_id))
    await enqueueProcessing(
      db,
      gameId,
      ofGame.map(({ report_id }) => report_id),
    );
}

/**
 * The rules of games as they were when the last walk of the game was recorded. With older rules, a report is grouped
 * again after it was recorded.
 */
const knownRules = perContext(() => new Map<string, GameRules>());
const MAX_KNOWN_RULES = 1000;

async function readNewestRules(ctx: Context, gameId: string): Promise<GameRules> {
  const known = knownRules(ctx);
  const rules = await readGroupingRules(ctx.db, gameId);
  if (known.size >= MAX_KNOWN_RULES) known.clear();
  known.set(gameId, rules);
  return rules;
}

/** Records why the dump of a report has no stack. The texts of the report may have one. */
export async function failWithText(ctx: Context, gameId: string, report: GroupingRow, reason: string): Promise<void> {
  const rules = await readGroupingRules(ctx.db, gameId);
  const stored = storedTraceOf(await readTrace(ctx, gameId, report));
  const grouping = groupOfReport(groupByText(groupingFieldsOf(report), stored.trace, rules), report);
  await rememberNewFunctions(ctx, gameId, stored.functions);
  const facets = await readFacets(ctx, gameId, report, null);
  const failure = { reason, grouping, stored, facets, at: ctx.clock.now() };
  await recordFailure(ctx.db, gameId, report.report_id, failure);
}

async function keepWalk(
  ctx: Context,
  gameId: string,
  report: StackRow,
  walk: Extract<StackReading, { outcome: 'walked' }> & Pick<WalkToRecord, 'stackKey' | 'rulesVersion'>,
  resolver: SymbolResolver,
): Promise<void> {
  const { report_id: reportId, stack_key: former } = report;
  const { functions, missingSymbols, system } = walk.excerpt;
  await rememberNewFunctions(ctx, gameId, functions);
  // What an event says about the system, it says in the metadata.
  const isOfDump = report.dump_key !== null && walk.failure === undefined;
  const notes = isOfDump ? notesToAdd(report, walk.excerpt.notes) : null;
  const metadata = { ...notes?.metadata, ...report.metadata };
  const facets = await readFacets(ctx, gameId, { ...report, metadata }, isOfDump ? system : null);
  const grouping = groupOfReport(walk.grouping, report);
  const isStored = await measureStage(ctx, 'group', () =>
    recordWalk(ctx, { ...walk, grouping, gameId, reportId, facets, notes }),
  );
  // The previous walk's blob; or this walk's, if the report was deleted meanwhile.
  const unused = isStored ? former : walk.stackKey;
  if (unused !== null) await deleteStack(ctx, unused);
  if (isStored) await requestLookUps(ctx, gameId, resolver.unknownOf(missingSymbols));
  if (isStored && (await resolver.hasMoreFor(missingSymbols))) await enqueueProcessing(ctx.db, gameId, [reportId]);
}

type WalkToRecord = Walk & { readonly gameId: string; readonly rulesVersion: number };

/**
 * Records a walk, together with those of other reports of the same crash. Returns false if the report was deleted.
 */
const recordWalk = batchWriter<WalkToRecord, boolean>({
  queue: 'crash_walks',
  maxBatch: 32,
  writers: 2,
  // The group is locked, so a second transaction would wait for the first.
  writersPerKey: 1,
  // More than there can be jobs.
  maxWaiting: 1000,
  keyOf: async (_, walk) => `${walk.gameId}/${kindOfWalk(walk)}`,
  async write(ctx, walks, { now }) {
    const { gameId } = walks[0]!;
    const stored = await recordWalks(ctx.db, gameId, walks, now);
    // Rules that were saved meanwhile are applied by a job, which may have run before the reports were stored.
    const { version } = await readNewestRules(ctx, gameId);
    if (walks.some(({ rulesVersion }) => rulesVersion !== version)) await enqueueRegrouping(ctx.db, gameId);
    return walks.map(({ reportId }) => stored.includes(reportId));
  },
});

/** The result stays recorded if this fails: the sweep deletes the blob later. */
async function deleteStack(ctx: Context, key: string): Promise<void> {
  await ctx.blobs.delete(key).catch((err) => ctx.log.warn({ err, key }, 'the stack of a report could not be deleted'));
}

/**
 * After the last try, turns an error into a failure that developers see. Before that, throws the error for another try.
 */
function failAfterLastTry(ctx: Context, err: unknown, { number, last }: Attempt): Reading {
  const isHopeless = last || (err instanceof ThreadCrashError && number >= MAX_CRASHES);
  if (!isHopeless) throw err;
  ctx.log.error({ err, tries: number }, 'a crash dump could not be processed');
  return {
    outcome: 'broken',
    reason: 'The server could not process the dump because of an internal error. See its log.',
  };
}

/**
 * Marks the report as being processed and returns it; undefined if it has neither a dump nor an event. A report that was processed before
 * keeps its state until the new result is recorded.
 */
export function beginProcessing(db: Db, gameId: string, reportId: string): Promise<StackRow | undefined> {
  return row(
    db,
    keepPlan(sql<StackRow>`update crash_reports
      set state = case when state in ('received', 'queued') then 'processing' else state end
      where game_id = ${gameId} and report_id = ${reportId}
        and ((dump_key is not null and dump_size is not null) or event_key is not null or event is not null)
      returning ${stackColumns}`),
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
  /** Why the dump could not be read if the stack is that of the event. */
  readonly failure?: string;
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
  { name: 'new_failure', type: 'text', value: ({ failure }) => failure ?? null },
  { name: 'new_message', type: 'text', value: ({ notes }) => notes?.message ?? '' },
  { name: 'new_metadata', type: 'jsonb', value: ({ notes }) => JSON.stringify(notes?.metadata ?? {}) },
  { name: 'new_missing_symbols', type: 'jsonb', value: ({ excerpt }) => JSON.stringify(excerpt.missingSymbols) },
  { name: 'new_walk_stops', type: 'jsonb', value: ({ excerpt }) => JSON.stringify(excerpt.stops) },
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
    set: sql`${added.set}, state = 'processed', failure = new_failure, processed_at = ${at}::timestamptz, stack_key = new_stack_key,
      crash_address = new_crash_address, frames = new_frames, functions = ${functions}::text[],
      missing_symbols = array(select jsonb_array_elements_text(new_missing_symbols)),
      walk_stops = new_walk_stops, trace = null`,
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
