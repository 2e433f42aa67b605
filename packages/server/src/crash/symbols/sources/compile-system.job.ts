// Compiles the text of symbols from a symbol server. Then the reports of all games that wait for them are processed
// again.
import { CACHE_VERSION } from '@chauffeur/minidump/symbols/cache/footer';
import type { Context } from '../../../context.ts';
import { secondsSince } from '../../../kernel/clock.ts';
import { type Tx, transact } from '../../../kernel/database/db.ts';
import { type Attempt, bindJob } from '../../../kernel/jobs/jobs.ts';
import { inSpan } from '../../../kernel/telemetry/tracing.ts';
import { nameOfSource } from '../../../symbol-sources.ts';
import { compileCache } from '../compile.job.ts';
import { dropSymbolBlobs, newCacheKey } from '../store-text.ts';
import { lookupsOfSymbols, saveLookup } from './lookups.sql.ts';
import { absentUntil } from './schedule.ts';
import { announceSystemSymbols, SYSTEM } from './store-system.ts';
import { deleteSystemSymbols, findSystemText, recordSystemCache, type SystemText } from './system-symbols.sql.ts';
import { type CompileSystemPayload, compileSystemJob } from './system-symbols.ts';

export const compileSystemBinding = bindJob(compileSystemJob, compileSystem);

/** Safe to run twice: a text that is compiled in the current format is skipped. */
export async function compileSystem(
  ctx: Context,
  { symbolId }: CompileSystemPayload,
  attempt: Pick<Attempt, 'last'>,
): Promise<void> {
  const text = await findSystemText(ctx.db, symbolId);
  if (text === undefined || text.cache_version === CACHE_VERSION) return;
  const cacheKey = newCacheKey(SYSTEM);
  const begun = performance.now();
  const { cache, problem } = await inSpan('compile symbols', {}, () =>
    compileCache(ctx, { textKey: text.blob_key, cacheKey, isLast: attempt.last }),
  );
  ctx.metrics.symbolCompiles.observe({ outcome: cache === null ? 'unreadable' : 'compiled' }, secondsSince(begun));
  if (cache === null) {
    await giveUp(ctx, symbolId, text, problem ?? '');
    return;
  }
  const isRecorded = await transact(ctx.db, async (tx) => {
    if (!(await recordSystemCache(tx, symbolId, problem, cache))) return false;
    await announceSystemSymbols(tx, symbolId);
    return true;
  });
  await dropSymbolBlobs(ctx, isRecorded ? (text.cache_key === null ? [] : [text.cache_key]) : [cacheKey]);
}

/** Symbols that can't be read are as good as absent, and may have been corrected when they are looked up again. */
async function giveUp(ctx: Context, symbolId: string, { source }: SystemText, problem: string): Promise<void> {
  ctx.log.warn({ source, problem }, 'symbols of a symbol server cannot be read');
  const keys = await transact(ctx.db, async (tx) => {
    for (const lookup of await lookupsOfSymbols(tx, symbolId))
      await markAbsent(ctx, tx, lookup, `${source}: ${problem}`);
    return deleteSystemSymbols(tx, [symbolId]);
  });
  await dropSymbolBlobs(ctx, keys);
}

async function markAbsent(
  ctx: Context,
  tx: Tx,
  { lookup_id: id, absences: before }: { lookup_id: string; absences: number },
  problem: string,
): Promise<void> {
  const absences = before + 1;
  const asked = (ctx.config.symbolSources ?? []).map(nameOfSource);
  const dueAt = absentUntil(absences, ctx.clock.now());
  await saveLookup(tx, id, { state: 'absent', problem, asked, tries: 0, absences, dueAt, symbolId: null });
}
