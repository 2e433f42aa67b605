// Runs the thread that writes and reads event files. Encoding them would keep a process from answering requests.
import type { BlobSettings } from '../../../kernel/blobs/store.ts';
import { createThreadPool } from '../../../kernel/threads/thread-pool.ts';
import { ThreadCrashError } from '../../../kernel/threads/threads.ts';
import type { DeviceEvents, StoredEventFile } from './parquet.ts';

/** `hour` is in milliseconds since 1970. */
export type WrittenFile = {
  readonly hour: number;
  readonly part: number;
  readonly key: string;
  readonly size: number;
  readonly sha256: string;
  readonly events: number;
};

/** Asks the thread to write the files of a game's events, which it requests in the order of their arrival. */
export type WriteTask = { readonly write: { readonly gameId: string }; readonly blobSettings: BlobSettings };

/** Asks the thread to write the file again under `newKey`, without some events. It writes no file if none are left. */
export type RemoveTask = {
  readonly remove: {
    readonly file: StoredEventFile;
    readonly newKey: string;
    readonly devices: readonly DeviceEvents[];
  };
  readonly blobSettings: BlobSettings;
};

/**
 * The new file, which does not exist if it has no events. `same` if the old file has none of the events to remove, and
 * `damaged` if its bytes have changed since it was written.
 */
export type RemoveResult = 'same' | 'missing' | 'damaged' | Pick<WrittenFile, 'size' | 'sha256' | 'events'>;

const THREAD = new URL('./event-files.thread.ts', import.meta.url);

const threads = createThreadPool<WriteTask | RemoveTask, WrittenFile[] | RemoveResult, 'more', Uint8Array | null>(
  THREAD,
  // A slow blob store needs the time. A group of 50,000 events takes about 150 MiB while it is encoded.
  { size: 1, timeoutMs: 60 * 60_000, maxHeapMb: 768 },
);

/**
 * Writes files of the events that `next` returns in chunks, and null at the end. Existing files with the same keys are
 * replaced. Rejects with errors of `next` and the blob store; some files may then exist.
 */
export function writeFiles(
  blobSettings: BlobSettings,
  gameId: string,
  next: () => Promise<Uint8Array | null>,
): Promise<WrittenFile[]> {
  return threads.run({ write: { gameId }, blobSettings }, next) as Promise<WrittenFile[]>;
}

/** Rejects with the errors of the blob store. */
export async function removeEvents(blobSettings: BlobSettings, remove: RemoveTask['remove']): Promise<RemoveResult> {
  const noMore = () => Promise.reject(new Error('a file is read from the blob store'));
  try {
    return (await threads.run({ remove, blobSettings }, noMore)) as RemoveResult;
  } catch (error) {
    // None of our files needs so much memory.
    if (error instanceof ThreadCrashError && error.reason === 'memory') return 'damaged';
    throw error;
  }
}
