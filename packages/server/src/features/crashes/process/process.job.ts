// Processes a report’s dump: queued → processing → processed, with its stack and its group, or failed, with the reason.
import type { Context } from '../../../context.ts';
import { PACKED_SUFFIX } from '../../../kernel/blobs/packed.ts';
import { utcDayOf } from '../../../kernel/clock.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Attempt } from '../../../kernel/jobs.ts';
import { perContext } from '../../../kernel/per-context.ts';
import { ThreadCrashError } from '../../../kernel/threads.ts';
import { groupByMessage } from '../groups/grouping.ts';
import { enqueueProcessing } from '../jobs.ts';
import { rememberFunctions } from '../read/search.sql.ts';
import { stemOf } from '../receive/store-file.ts';
import { SymbolDesk } from './symbol-desk.ts';
import { type Reading, readDump } from './walk.ts';
import { beginProcessing, type DumpRow, recordFailure, recordWalk, statementOf } from './walked.sql.ts';

type Payload = { gameId: string; reportId: string };

/** A thread that ended this often over one dump will end again. */
const MOST_CRASHES = 3;

/** Safe to run twice, also at once: each walk has a blob of its own, and the report moves into its group once. */
export async function processCrash(ctx: Context, { gameId, reportId }: Payload, attempt: Attempt): Promise<void> {
  const report = await beginProcessing(ctx.db, gameId, reportId);
  if (report === undefined) return;
  const desk = new SymbolDesk(ctx, gameId, report.build_id);
  const stackKey = `${stemOf(reportId)}.${newId()}.json${PACKED_SUFFIX}`;
  const task = { dumpKey: report.dump_key, dumpSize: report.dump_size, stackKey, statement: statementOf(report) };
  const reading = await readDump(ctx, task, desk).catch((error) => giveUp(ctx, error, attempt));
  if (reading.outcome === 'walked') await keepWalk(ctx, gameId, report, { ...reading, stackKey }, desk);
  else {
    const grouping = groupByMessage(task.statement);
    await recordFailure(ctx.db, gameId, reportId, { reason: reading.reason, grouping, at: ctx.clock.now() });
    ctx.log.info({ game: gameId, report: reportId, reason: reading.reason }, 'a crash dump could not be read');
  }
  ctx.metrics.crashWalks.inc({ outcome: reading.outcome });
}

async function keepWalk(
  ctx: Context,
  gameId: string,
  { report_id: reportId, stack_key: former }: DumpRow,
  walk: Extract<Reading, { outcome: 'walked' }> & { stackKey: string },
  desk: SymbolDesk,
): Promise<void> {
  const { functions, missingSymbols } = walk.excerpt;
  await rememberNewFunctions(ctx, gameId, functions);
  const isThere = await recordWalk(ctx.db, gameId, reportId, { ...walk, at: ctx.clock.now() });
  // Of the report before, or of one that was deleted meanwhile.
  const useless = isThere ? former : walk.stackKey;
  if (useless !== null) await dropStack(ctx, useless);
  if (isThere && (await desk.hasMoreFor(missingSymbols))) await enqueueProcessing(ctx.db, gameId, [reportId]);
}

/** Names that were kept already today, as `game/function`: crashes of one cause have the same ones. */
const keptFunctions = perContext(() => ({ day: '', names: new Set<string>() }));
const MOST_KEPT = 100_000;

async function rememberNewFunctions(ctx: Context, gameId: string, functions: readonly string[]): Promise<void> {
  const day = utcDayOf(ctx.clock.now());
  const kept = keptFunctions(ctx);
  if (kept.day !== day || kept.names.size > MOST_KEPT) Object.assign(kept, { day, names: new Set<string>() });
  // Those of this day, also when another day has begun after the wait.
  const { names } = kept;
  const fresh = functions.filter((name) => !names.has(`${gameId}/${name}`));
  if (fresh.length === 0) return;
  await rememberFunctions(ctx.db, gameId, fresh, day);
  for (const name of fresh) names.add(`${gameId}/${name}`);
}

/** What is done stays done when this fails: the sweeper comes by later. */
async function dropStack(ctx: Context, key: string): Promise<void> {
  await ctx.blobs.delete(key).catch((err) => ctx.log.warn({ err, key }, 'the stack of a report could not be removed'));
}

/** Ends the tries in a visible failure when there is no more hope; else throws the error on, for another try. */
function giveUp(ctx: Context, err: unknown, { number, last }: Attempt): Reading {
  const isHopeless = last || (err instanceof ThreadCrashError && number >= MOST_CRASHES);
  if (!isHopeless) throw err;
  ctx.log.error({ err, tries: number }, 'a crash dump could not be processed');
  return {
    outcome: 'broken',
    reason: 'The service could not process the dump, for a reason of its own that its log tells.',
  };
}
