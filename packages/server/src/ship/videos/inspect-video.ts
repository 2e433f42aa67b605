// Reads the container of an uploaded video in a thread, before the upload gets its response.
import { errors } from '@chauffeur/contract/errors';
import { BLOB_FAILURES } from '../../kernel/blobs/failures.ts';
import type { BlobSettings } from '../../kernel/blobs/store.ts';
import { runInThread, ThreadTimeoutError } from '../../kernel/threads/threads.ts';
import type { VideoReading } from './read-video.ts';

/** The input of the thread. */
export type InspectInput = { blobSettings: BlobSettings; key: string };

const THREAD = new URL('./inspect-video.thread.ts', import.meta.url);
/** Bytes are read into buffers, outside the heap. */
const THREAD_LIMITS = { timeoutMs: 60_000, maxHeapMb: 64 };

/**
 * What the container of the video under `key` says. Rejects with BlobMissingError, with the store's errors, with
 * `unavailable` if the store doesn't respond, and with ThreadCrashError.
 */
export async function inspectVideo(blobSettings: BlobSettings, key: string): Promise<VideoReading> {
  const input: InspectInput = { blobSettings, key };
  try {
    return await runInThread(THREAD, input, THREAD_LIMITS, BLOB_FAILURES);
  } catch (cause) {
    // The container is read in milliseconds. The rest is waiting for the store.
    throw cause instanceof ThreadTimeoutError ? errors.unavailable(undefined, { cause }) : cause;
  }
}
