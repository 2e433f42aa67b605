// Deletes all blobs below a prefix.
import type { BlobStore } from './store.ts';

const BATCH = 100;

/** Deletes many blobs at once, because deletions that arrive together share one transaction. */
export async function deleteBelow(
  blobs: BlobStore,
  prefix: string,
  signal = new AbortController().signal,
): Promise<void> {
  let batch: string[] = [];
  const deleteBatch = async () => {
    signal.throwIfAborted();
    await Promise.all(batch.map((key) => blobs.delete(key)));
    batch = [];
  };
  for await (const { key } of blobs.list(prefix)) {
    batch.push(key);
    if (batch.length >= BATCH) await deleteBatch();
  }
  await deleteBatch();
}
