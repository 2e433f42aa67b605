// Processes a report's dump. Its state goes from queued to processing, and then to processed, or to failed with the
// reason.
import type { Context } from '../../../context.ts';
import { PACKED_SUFFIX } from '../../../kernel/blobs/packed.ts';
import type { Db } from '../../../kernel/database/db.ts';
import { type Attempt, bindJob } from '../../../kernel/jobs/jobs.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { ThreadCrashError } from '../../../kernel/threads/threads.ts';
import { batchWriter } from '../../../request/batch-writer.ts';
import { perContext } from '../../../request/per-context.ts';
import { notesToAdd } from '../groups/dump-notes.ts';
import { type GameRules, readRules } from '../groups/game-rules.sql.ts';
import { groupByText } from '../groups/grouping.ts';
import { groupingFieldsOf } from '../groups/messages.sql.ts';
import { storedTraceOf } from '../groups/stored-trace.ts';
import { stemOf } from '../report/files.ts';
import { type DumpRow, enqueueProcessing, type GroupingRow, processCrashJob, takeRow } from '../report/jobs.ts';
import { readFacets } from './facets.ts';
import { rememberNewFunctions } from './functions.ts';
import { measureStage } from './measure-stage.ts';
import {
  beginProcessing,
  kindOfWalk,
  recordFailure,
  recordWalks,
  takeFromHolders,
  type Walk,
} from './processed.sql.ts';
import { readTrace } from './read-trace.ts';
import { enqueueRegrouping } from './regroup.job.ts';
import { SymbolResolver } from './symbol-resolver.ts';
import { type Reading, readDump } from './walk.ts';

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
  const stackKey = `${stemOf(reportId)}.${newId()}.json${PACKED_SUFFIX}`;
  const rules = knownRules(ctx).get(gameId) ?? (await readNewestRules(ctx, gameId));
  const fields = groupingFieldsOf(report);
  const task = { dumpKey: report.dump_key, dumpSize: report.dump_size, stackKey, fields, rules };
  const reading = await readDump(ctx, task, resolver).catch((error) => failAfterLastTry(ctx, error, attempt));
  if (reading.outcome === 'walked') {
    await keepWalk(ctx, gameId, report, { ...reading, stackKey, rulesVersion: rules.version }, resolver);
  } else {
    await failWithText(ctx, gameId, report, reading.reason);
    ctx.log.info({ game: gameId, report: reportId, reason: reading.reason }, 'a crash dump could not be read');
  }
  ctx.metrics.crashWalks.inc({ outcome: reading.outcome });
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
  const rules = await readRules(ctx.db, gameId);
  if (known.size >= MAX_KNOWN_RULES) known.clear();
  known.set(gameId, rules);
  return rules;
}

/** Records why the dump of a report has no stack. The texts of the report may have one. */
export async function failWithText(ctx: Context, gameId: string, report: GroupingRow, reason: string): Promise<void> {
  const rules = await readRules(ctx.db, gameId);
  const stored = storedTraceOf(await readTrace(ctx, report));
  const grouping = groupByText(groupingFieldsOf(report), stored.trace, rules);
  await rememberNewFunctions(ctx, gameId, stored.functions);
  const facets = await readFacets(ctx, gameId, report, null);
  const failure = { reason, grouping, stored, facets, at: ctx.clock.now() };
  await recordFailure(ctx.db, gameId, report.report_id, failure);
}

async function keepWalk(
  ctx: Context,
  gameId: string,
  report: DumpRow,
  walk: Extract<Reading, { outcome: 'walked' }> & Pick<WalkToRecord, 'stackKey' | 'rulesVersion'>,
  resolver: SymbolResolver,
): Promise<void> {
  const { report_id: reportId, stack_key: former } = report;
  const { functions, missingSymbols, system } = walk.excerpt;
  await rememberNewFunctions(ctx, gameId, functions);
  const notes = notesToAdd(report, walk.excerpt.notes);
  const metadata = { ...notes?.metadata, ...report.metadata };
  const facets = await readFacets(ctx, gameId, { ...report, metadata }, system);
  const isStored = await measureStage(ctx, 'group', () =>
    recordWalk(ctx, { ...walk, gameId, reportId, facets, notes }),
  );
  // The previous walk's blob; or this walk's, if the report was deleted meanwhile.
  const unused = isStored ? former : walk.stackKey;
  if (unused !== null) await deleteStack(ctx, unused);
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
