// Deletes blobs that no row refers to, such as the blobs of unfinished uploads and deleted rows, and all blobs below a
// prefix.
import { type Clock, HOUR } from '../clock.ts';
import type { Log } from '../telemetry/log.ts';
import type { BlobStore } from './store.ts';

const CHECKED_AT_ONCE = 500;
/** A blob is written before its row, and a blob that is being written is touched far more often than this. */
const ORPHAN_HOURS = 24;

/**
 * Deletes the blobs below `prefix` that are older than a day, except the keys that `findKept` returns. It is
 * called with several hundred keys at once.
 */
export async function sweepOrphans(
  { blobs, clock, log }: { blobs: BlobStore; clock: Clock; log: Log },
  prefix: string,
  findKept: (keys: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<void> {
  const before = clock.now().getTime() - ORPHAN_HOURS * HOUR;
  let batch: string[] = [];
  const deleteOrphans = async () => {
    const kept = await findKept(batch);
    const orphans = batch.filter((key) => !kept.has(key));
    for (const key of orphans) log.info({ key }, 'deleting a blob that no row refers to');
    await Promise.all(orphans.map((key) => blobs.delete(key)));
    batch = [];
  };
  for await (const { key, modifiedAt } of blobs.list(prefix)) {
    if (modifiedAt.getTime() < before) batch.push(key);
    if (batch.length >= CHECKED_AT_ONCE) await deleteOrphans();
  }
  await deleteOrphans();
}

/** Deletions that arrive together share one transaction. */
const DELETED_AT_ONCE = 100;

/** Deletes all blobs below a prefix. */
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
    if (batch.length >= DELETED_AT_ONCE) await deleteBatch();
  }
  await deleteBatch();
}
