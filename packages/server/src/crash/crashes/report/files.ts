// The files of a report in the blob store: their keys and their deletion.
import type { Context } from '../../../context.ts';
import { timeOfId } from '../../../kernel/secrets/ids.ts';
import { type Attachment, attachmentKeys } from './attachments.ts';
import { monthOf } from './partitions.ts';

/** The prefix of every key of a report's file. */
export const CRASH_PREFIX = 'crashes/';

/** The columns of a report with the keys of its files. */
export type FileKeys = {
  dump_key: string | null;
  log_key: string | null;
  stack_key: string | null;
  attachments: readonly Attachment[];
};

/**
 * The start of the keys of a report's files: `crashes/2026_11/3f/<report id>`. The month comes first because reports
 * are dropped by month. The last two digits of the id spread the files over 256 folders: creating a folder durably
 * costs more than writing the file, and these soon all exist.
 */
export function stemOf(reportId: string): string {
  return `${CRASH_PREFIX}${monthOf(new Date(timeOfId(reportId)))}/${reportId.slice(-2)}/${reportId}`;
}

/** The keys that are set. */
export function keysOf({ dump_key, log_key, stack_key, attachments }: FileKeys): string[] {
  return [dump_key, log_key, stack_key, ...attachmentKeys(attachments)].filter((key) => key !== null);
}

/** Deletes the files of a report that has no row. If a file cannot be deleted now, the sweep deletes it later. */
export async function deleteFiles(ctx: Context, files: FileKeys): Promise<void> {
  for (const key of keysOf(files)) {
    try {
      await ctx.blobs.delete(key);
    } catch (err) {
      ctx.log.warn({ err, key }, 'could not delete a file of a crash report; the sweep will try again');
    }
  }
}
