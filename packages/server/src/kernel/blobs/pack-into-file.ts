// Compresses files that are in memory and writes them to a folder, in threads, which may block.
import { MINUTE } from '../clock.ts';
import { createThreadPool } from '../threads/thread-pool.ts';
import type { FileInSpace } from './spaces.ts';
import { PackedTooLargeError } from './store.ts';

export type PackTask = FileInSpace & { readonly folder: string; readonly key: string; readonly maxStored: number };

const threads = createThreadPool<PackTask, number, never, never>(new URL('./pack.thread.ts', import.meta.url), {
  // Mostly, they wait for the disk.
  size: 4,
  timeoutMs: 5 * MINUTE,
  // The files and their compressed bytes are not in the heap.
  maxHeapMb: 64,
});

/** Writes the file durably. Returns its compressed size. Throws PackedTooLargeError and errors of the file system. */
export async function packIntoFile(task: PackTask): Promise<number> {
  const stored = await threads.run(task, () => Promise.reject(new Error('a thread asked')));
  if (stored > task.maxStored) throw new PackedTooLargeError(task.maxStored);
  return stored;
}
