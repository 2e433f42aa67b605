// Compiles a stored symbol text into a cache blob, in a thread with limited time and memory.

import { BLOB_FAILURES } from '../../kernel/blobs/failures.ts';
import type { BlobSettings } from '../../kernel/blobs/store.ts';
import { runInThread } from '../../kernel/threads/threads.ts';

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
