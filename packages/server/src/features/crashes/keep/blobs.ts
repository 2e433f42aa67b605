// Removes the blobs of reports that are gone.
import type { Context } from '../../../context.ts';
import type { StoredFiles } from '../read/reading.sql.ts';

/** Deletes the files of a report whose row is gone. What the store does not delete now, the sweeper finds. */
export async function dropBlobs(
  ctx: Context,
  files: Pick<StoredFiles, 'dump_key' | 'log_key' | 'stack_key'>,
): Promise<void> {
  for (const key of keysOf(files)) {
    try {
      await ctx.blobs.delete(key);
    } catch (err) {
      ctx.log.warn({ err, key }, 'could not delete the file of a crash report; the sweeper will');
    }
  }
}

/** Keys of the blobs that a report has. */
export function keysOf(files: Pick<StoredFiles, 'dump_key' | 'log_key' | 'stack_key'>): string[] {
  return [files.dump_key, files.log_key, files.stack_key].filter((key) => key !== null);
}
