// Removes blobs that nothing has: of uploads that did not end, and those that outlived their rows.
import type { Context } from '../../context.ts';
import { HOUR } from '../clock.ts';

const BATCH = 500;
/** A blob is written before its row, and one that is still being written is touched far more often than this. */
const ORPHAN_HOURS = 24;

/** Deletes the blobs below `prefix` that are older than a day, except those of `findKept`, which is asked for some hundred keys at once. */
export async function sweepOrphans(
  { blobs, clock, log }: Pick<Context, 'blobs' | 'clock' | 'log'>,
  prefix: string,
  findKept: (keys: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<void> {
  const before = clock.now().getTime() - ORPHAN_HOURS * HOUR;
  let batch: string[] = [];
  const deleteOrphans = async () => {
    const kept = await findKept(batch);
    for (const key of batch.filter((candidate) => !kept.has(candidate))) {
      log.info({ key }, 'removing a blob that nothing has');
      await blobs.delete(key);
    }
    batch = [];
  };
  for await (const { key, modifiedAt } of blobs.list(prefix)) {
    if (modifiedAt.getTime() < before) batch.push(key);
    if (batch.length >= BATCH) await deleteOrphans();
  }
  await deleteOrphans();
}
