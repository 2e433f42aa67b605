// Compiles a stored symbol text into a cache blob, in a thread with bounded time and memory.
import type { BlobSettings } from '../../kernel/blobs/open.ts';
import { BlobMissingError } from '../../kernel/blobs/store.ts';
import { runInThread } from '../../kernel/threads.ts';

export type CompileInput = {
  blobSettings: BlobSettings;
  /** Of the gzipped text. */
  textKey: string;
  /** Of the cache, which must not be there yet. */
  cacheKey: string;
};

/** `unreadable` says why; size in bytes; `problem` says what was left out. */
export type CompileResult = { cacheSize: number; problem: string | null } | { unreadable: string };

const THREAD = new URL('./compile.thread.ts', import.meta.url);
/** The largest text that is taken compiles in half a minute on one core; the rest is for a slow store. */
const THREAD_LIMITS = { timeoutMs: 10 * 60_000, maxHeapMb: 512 };

/**
 * Rejects with BlobMissingError when the text is gone, with ThreadTimeoutError and ThreadCrashError, and with the store's errors;
 * then there may be a cache under the key, begun or whole.
 */
export function compileText(input: CompileInput): Promise<CompileResult> {
  return runInThread(THREAD, input, THREAD_LIMITS, [BlobMissingError]);
}
