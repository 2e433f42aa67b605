// Compiles one symbol text into a cache, in a thread with limited time and memory: stored → compiled or unreadable.
// Then reports without these symbols are processed again.

import { CACHE_VERSION } from '@chauffeur/minidump/symbols/cache/footer';
import type { Context } from '../../context.ts';
import { BLOB_FAILURES } from '../../kernel/blobs/failures.ts';
import type { BlobSettings } from '../../kernel/blobs/store.ts';
import { BlobMissingError } from '../../kernel/blobs/store.ts';
import { secondsSince } from '../../kernel/clock.ts';
import { transact } from '../../kernel/database/db.ts';
import { type Attempt, bindJob } from '../../kernel/jobs/jobs.ts';
import { inSpan } from '../../kernel/telemetry/tracing.ts';
import { runInThread, ThreadCrashError, ThreadTimeoutError } from '../../kernel/threads/threads.ts';
import { dropSymbolBlobs, newCacheKey } from './store-text.ts';
import * as symbols from './symbols.sql.ts';
import { type CompilePayload, compileJob, enqueueArrived } from './symbols.ts';

export const compileSymbolsBinding = bindJob(compileJob, compileSymbols);

/** Safe to run twice: a text that is compiled in the current format is skipped. */
export async function compileSymbols(
  ctx: Context,
  { gameId, checksum }: CompilePayload,
  attempt: Attempt,
): Promise<void> {
  const text = await symbols.findText(ctx.db, gameId, checksum);
  if (text === undefined || text.state === 'unreadable' || text.cache_version === CACHE_VERSION) return;
  const cacheKey = newCacheKey(gameId);
  const begun = performance.now();
  const compiled = await inSpan('compile symbols', {}, () =>
    compileCache(ctx, { textKey: text.blob_key, cacheKey, isLast: attempt.last }),
  );
  // If this fails, the row may still refer to the cache, so the blob is left to the sweep.
  const recorded = await record(ctx, gameId, { checksum, blobKey: text.blob_key }, compiled);
  const outcome = compiled.cache === null ? 'unreadable' : 'compiled';
  if (recorded) ctx.metrics.symbolCompiles.observe({ outcome }, secondsSince(begun));
  if (!recorded && compiled.cache !== null) await dropSymbolBlobs(ctx, [cacheKey]);
  if (recorded && text.cache_key !== null) await dropSymbolBlobs(ctx, [text.cache_key]);
}

/**
 * Compiles a text into a cache. What can't be compiled has no cache, and in the last attempt nothing that fails.
 */
export async function compileCache(
  ctx: Context,
  { textKey, cacheKey, isLast }: { textKey: string; cacheKey: string; isLast: boolean },
): Promise<symbols.CompiledText> {
  try {
    const result = await compileText({ blobSettings: ctx.blobs.settings, textKey, cacheKey });
    if (!('unreadable' in result))
      return { problem: result.problem, cache: { key: cacheKey, size: result.cacheSize, version: CACHE_VERSION } };
    await dropSymbolBlobs(ctx, [cacheKey]);
    return { problem: result.unreadable, cache: null };
  } catch (error) {
    await dropSymbolBlobs(ctx, [cacheKey]);
    const problem = reasonOf(error) ?? (isLast ? 'The file could not be compiled. Upload it again.' : null);
    if (problem === null) throw error;
    ctx.log.warn({ err: error, key: textKey }, 'symbols could not be compiled');
    return { problem, cache: null };
  }
}

/** The reason for an error that a retry cannot fix; null for all others. */
function reasonOf(error: unknown): string | null {
  if (error instanceof BlobMissingError) return 'The stored file is missing. Upload it again.';
  if (error instanceof ThreadCrashError && error.reason === 'memory')
    return 'Compiling ran out of memory; the file may be malformed or malicious.';
  if (error instanceof ThreadTimeoutError) return 'Compiling timed out; the file may be malformed or malicious.';
  return null;
}

async function record(
  ctx: Context,
  gameId: string,
  text: { checksum: string; blobKey: string },
  compiled: symbols.CompiledText,
): Promise<boolean> {
  return transact(ctx.db, async (tx) => {
    const isNew = await symbols.recordCompiled(tx, gameId, { ...text, cacheVersion: CACHE_VERSION }, compiled);
    if (!isNew || compiled.cache === null) return isNew;
    for (const module of await symbols.modulesOfText(tx, gameId, text.checksum))
      await enqueueArrived(tx, gameId, module);
    return true;
  });
}

export type CompileInput = {
  blobSettings: BlobSettings;
  /** Key of the gzipped text. */
  textKey: string;
  /** Key of the cache, which must not exist yet. */
  cacheKey: string;
};

/** Size in bytes. `problem` describes skipped lines, `unreadable` why the text cannot be read. */
export type CompileResult = { cacheSize: number; problem: string | null } | { unreadable: string };

const THREAD = new URL('./compile.thread.ts', import.meta.url);
/** The largest accepted text compiles in half a minute on one core; the rest is for a slow store. */
const THREAD_LIMITS = { timeoutMs: 10 * 60_000, maxHeapMb: 512 };

/**
 * Rejects with BlobMissingError if the text does not exist, with ThreadTimeoutError and ThreadCrashError, and with the
 * store's errors. After an error a partial or complete cache may exist under the key.
 */
export function compileText(input: CompileInput): Promise<CompileResult> {
  return runInThread(THREAD, input, THREAD_LIMITS, BLOB_FAILURES);
}
