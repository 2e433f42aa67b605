// Looks up modules without symbols at the symbol servers in the settings, one server after the other, until one has them.
// A look-up goes through these states:
//
// - waiting: it is due now, or after a failure later. A worker that has it says until when (`claimed_until`); if it dies,
//   another one takes the look-up after that.
// - found: the symbols are stored. They are compiled next, and then reports without them are processed again.
// - absent: no server has it, or a server responds with something else. It may be looked up again when it is due, if a
//   report still misses it, and each time twice as long after that.
//
// Jobs look up everything that waits, a few modules at a time in the whole service, however many jobs and processes there
// are. A server that keeps failing is left alone for a while, and what others have is not held up by it.
import type { Context } from '../../../context.ts';
import { MINUTE, secondsSince } from '../../../kernel/clock.ts';
import { isDatabaseAway, transact } from '../../../kernel/database/db.ts';
import { type Attempt, bindJob } from '../../../kernel/jobs/jobs.ts';
import { inSpan } from '../../../kernel/telemetry/tracing.ts';
import { nameOfSource, type SymbolSource } from '../../../symbol-sources.ts';
import { dropSymbolBlobs } from '../store-text.ts';
import { readFailingSources } from '../symbols.sql.ts';
import { type Answer, askSource } from './ask-source.ts';
import { SourceError } from './download.ts';
import type { LookupModule } from './layouts.ts';
import * as lookups from './lookups.sql.ts';
import { lookUpJob, moduleOfRow } from './request.ts';
import { absentUntil, nextTry, pausedUntil } from './schedule.ts';
import { announceSystemSymbols, findSameModule, freeSystemStorage } from './store-system.ts';
import { insertSystemSymbols, type NewSystemSymbols } from './system-symbols.sql.ts';
import { enqueueSystemCompile } from './system-symbols.ts';

export const lookUpSymbolsBinding = bindJob(lookUpJob, lookUpSymbols);

/** The limit for the whole service, so that servers of other people are not overrun. */
const AT_ONCE = 4;
/** A worker that has a look-up says so again and again. If it dies, another one can take the look-up after this. */
const CLAIM_MS = 3 * MINUTE;

/** Safe to run twice, even at the same time. */
export async function lookUpSymbols(ctx: Context, _: object, { signal }: Pick<Attempt, 'signal'>): Promise<void> {
  if (ctx.config.symbolSources === undefined) return;
  const working = Array.from({ length: AT_ONCE }, () => lookUpNext(ctx, signal));
  // All have ended before the job does.
  const failure = (await Promise.allSettled(working)).find((result) => result.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}

async function lookUpNext(ctx: Context, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const now = ctx.clock.now();
    const until = new Date(now.getTime() + CLAIM_MS);
    const lookup = await transact(ctx.db, (tx) => lookups.claimLookup(tx, { now, until, atOnce: AT_ONCE }));
    if (lookup === undefined) return;
    await inSpan('look up symbols', {}, () => lookUp(ctx, lookup, signal));
  }
}

type Found = { readonly symbols: NewSystemSymbols };
/** What the sources say together. */
type Result = {
  readonly found: Found | { readonly symbolId: string } | null;
  readonly asked: readonly string[];
  readonly problems: readonly string[];
  /** Sources that could not be asked. */
  readonly failed: readonly { readonly until: Date | null }[];
};

async function lookUp(ctx: Context, lookup: lookups.LookupRow, signal: AbortSignal): Promise<void> {
  const begun = performance.now();
  const renewal = setInterval(() => {
    const until = new Date(ctx.clock.now().getTime() + CLAIM_MS);
    // Without the database, the look-up fails.
    lookups.renewClaim(ctx.db, lookup.lookup_id, until).catch(() => undefined);
  }, CLAIM_MS / 3);
  let outcome: 'found' | 'absent' | 'failed';
  try {
    outcome = await record(ctx, lookup, await askSources(ctx, lookup, signal));
  } catch (error) {
    if (signal.aborted || isDatabaseAway(error)) {
      await lookups.releaseLookup(ctx.db, lookup.lookup_id).catch(() => undefined);
      throw error;
    }
    // Such as a full disk. No source is to blame.
    ctx.log.warn({ err: error, module: lookup.debug_file }, 'symbols of a symbol server could not be stored');
    outcome = await record(ctx, lookup, {
      found: null,
      asked: lookup.asked,
      problems: ['The symbols could not be stored.'],
      failed: [{ until: null }],
    });
  } finally {
    clearInterval(renewal);
  }
  ctx.metrics.symbolLookups.observe({ outcome }, secondsSince(begun));
}

async function askSources(ctx: Context, lookup: lookups.LookupRow, signal: AbortSignal): Promise<Result> {
  const module = moduleOfRow(lookup);
  const existing = await findSameModule(ctx, module);
  if (existing !== null) return { found: { symbolId: existing }, asked: lookup.asked, problems: [], failed: [] };
  const asked = [...lookup.asked];
  const problems: string[] = [];
  const failed: { until: Date | null }[] = [];
  for (const source of ctx.config.symbolSources ?? []) {
    const name = nameOfSource(source);
    if (asked.includes(name)) continue;
    const pause = (await readFailingSources(ctx.db)).find((state) => state.source === name);
    if (pause?.paused_until != null && pause.paused_until > ctx.clock.now()) {
      failed.push({ until: pause.paused_until });
      problems.push(pause.problem);
      continue;
    }
    const answer = await ask(ctx, source, module, signal);
    if ('symbols' in answer) return { found: answer, asked, problems, failed };
    if (answer.problem !== null) problems.push(answer.problem);
    if ('failedUntil' in answer) failed.push({ until: answer.failedUntil });
    else asked.push(name);
  }
  return { found: null, asked, problems, failed };
}

/** Also notes whether the source responds. Throws other errors than those of the source. */
async function ask(
  ctx: Context,
  source: SymbolSource,
  module: LookupModule,
  signal: AbortSignal,
): Promise<Answer | { readonly failedUntil: Date | null; readonly problem: string }> {
  const name = nameOfSource(source);
  try {
    const answer = await askSource(ctx, source, module, { signal, storage: await freeSystemStorage(ctx) });
    await lookups.clearSourceFailures(ctx.db, name);
    return answer;
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const problem = `${new URL(source.url).host}: ${error.message}`;
    const failures = await lookups.countSourceFailure(ctx.db, name, problem);
    const failedUntil = pausedUntil({ failures, retryAfterMs: error.retryAfterMs }, ctx.clock.now());
    if (failedUntil !== null) {
      await lookups.pauseSource(ctx.db, name, failedUntil);
      ctx.log.warn({ err: error, source: name, until: failedUntil }, 'a symbol server fails and is left alone');
    }
    return { failedUntil, problem };
  }
}

async function record(
  ctx: Context,
  lookup: lookups.LookupRow,
  { found, asked, problems, failed }: Result,
): Promise<'found' | 'absent' | 'failed'> {
  const now = ctx.clock.now();
  const id = lookup.lookup_id;
  if (found !== null) {
    await recordFound(ctx, lookup, found);
    return 'found';
  }
  const problem = problems.length === 0 ? null : problems.join('; ');
  const untilPaused = failed.every(({ until }) => until !== null);
  const tries = lookup.tries + 1;
  const next = failed.length === 0 ? null : nextTry({ tries, waitingSince: lookup.waiting_since, now });
  if (next !== null) {
    // Sources that are paused decide themselves when they can be asked again.
    const earliest = Math.min(...failed.map(({ until }) => until?.getTime() ?? Number.POSITIVE_INFINITY));
    const dueAt = untilPaused ? new Date(earliest) : next;
    const waiting = { state: 'waiting', absences: lookup.absences, symbolId: null } as const;
    await lookups.saveLookup(ctx.db, id, {
      ...waiting,
      problem,
      asked,
      tries: untilPaused ? lookup.tries : tries,
      dueAt,
    });
    return 'failed';
  }
  const absences = lookup.absences + 1;
  const dueAt = absentUntil(absences, now);
  // A source that could not be asked in all this time is not asked for each report.
  const all = [...new Set([...asked, ...(ctx.config.symbolSources ?? []).map(nameOfSource)])];
  await lookups.saveLookup(ctx.db, id, {
    state: 'absent',
    problem,
    asked: all,
    tries: 0,
    absences,
    dueAt,
    symbolId: null,
  });
  return failed.length === 0 ? 'absent' : 'failed';
}

/** Symbols that are already compiled are announced at once; the others when they are. */
async function recordFound(
  ctx: Context,
  { lookup_id: lookupId, absences }: lookups.LookupRow,
  found: Found | { readonly symbolId: string },
): Promise<void> {
  const now = ctx.clock.now();
  const unused = await transact(ctx.db, async (tx) => {
    const stored = 'symbols' in found ? await insertSystemSymbols(tx, found.symbols, now) : null;
    const symbolId = stored?.symbol_id ?? ('symbolId' in found ? found.symbolId : '');
    await lookups.saveLookup(tx, lookupId, {
      ...({ state: 'found', problem: null, asked: [], tries: 0, dueAt: now } as const),
      // Kept, because what was found may be unreadable.
      absences,
      symbolId,
    });
    const isCompiled = await announceSystemSymbols(tx, symbolId);
    if (!isCompiled) await enqueueSystemCompile(tx, symbolId);
    return 'symbols' in found && stored?.symbol_id !== found.symbols.symbolId ? [found.symbols.blobKey] : [];
  });
  await dropSymbolBlobs(ctx, unused);
}
