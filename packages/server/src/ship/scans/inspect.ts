// Checks the directory of an uploaded zip in a thread, before the upload gets its response.
import { errors } from '@chauffeur/contract/errors';
import type { Os } from '@chauffeur/contract/identity';
import { BLOB_FAILURES } from '../../kernel/blobs/failures.ts';
import type { BlobSettings } from '../../kernel/blobs/store.ts';
import { runInThread, ThreadTimeoutError } from '../../kernel/threads/threads.ts';
import type { ZipRefusal } from './zip-rules.ts';

/** The input of the thread. */
export type InspectInput = { blobSettings: BlobSettings; key: string; os: Os | undefined };

const THREAD = new URL('./inspect.thread.ts', import.meta.url);
/** The heap holds 200,000 entries in 150 MB. */
const THREAD_LIMITS = { timeoutMs: 30_000, maxHeapMb: 512 };

/**
 * Why the zip under `key` is refused for a build of `os`; null if it is accepted. Rejects with BlobMissingError, with
 * the store's errors, with `unavailable` if the store doesn't respond, and with ThreadCrashError.
 */
export async function inspectZip(blobSettings: BlobSettings, key: string, os?: Os): Promise<ZipRefusal | null> {
  const input: InspectInput = { blobSettings, key, os };
  try {
    return await runInThread(THREAD, input, THREAD_LIMITS, BLOB_FAILURES);
  } catch (cause) {
    // The rules take a second at most. The rest is waiting for the store.
    throw cause instanceof ThreadTimeoutError ? errors.unavailable(undefined, { cause }) : cause;
  }
}
