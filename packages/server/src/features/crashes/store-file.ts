// Stores a dump or a log as it arrives: durable when it returns, and nothing left of it when it does not.
import { ApiError } from '@chauffeur/contract/errors';
import type { Context } from '../../context.ts';
import { giveBack } from '../../kernel/blobs/give-back.ts';
import type { ByteSource } from '../../kernel/blobs/store.ts';
import { newId } from '../../kernel/ids.ts';
import { partitionOf } from './partitions.sql.ts';
import type { StoredFile } from './reports.sql.ts';
import type { CrashFileKind } from './tokens.ts';

/** Every blob of a report lies below it. */
export const CRASH_PREFIX = 'crashes/';

/** More bytes came than a file may have. */
export class FileTooLargeError extends Error {
  override readonly name = 'FileTooLargeError';
}

/** Where the files of a report lie: by month, as reports are kept and dropped. Its id begins with the time. */
export function folderOf(reportId: string): string {
  const time = new Date(Number.parseInt(reportId.replace('-', '').slice(0, 12), 16));
  return `${CRASH_PREFIX}${partitionOf(time).slice(-'2026_11'.length)}/${reportId}`;
}

/**
 * Stores `source` under a key of its own, so that two senders of one file do not meet. Throws FileTooLargeError past `most`
 * bytes, 5070 when there is no room, and what the source throws; then the blob is gone again.
 */
export async function storeFile(
  ctx: Context,
  reportId: string,
  kind: CrashFileKind,
  source: ByteSource,
  most: number,
): Promise<StoredFile> {
  const key = `${folderOf(reportId)}/${newId()}.${kind === 'dump' ? 'dmp' : 'txt'}`;
  try {
    const upload = await ctx.blobs.append(await ctx.blobs.begin(key), limited(source, most));
    await ctx.blobs.complete(upload);
    return { key, size: upload.size };
  } catch (error) {
    await ctx.blobs.delete(key);
    throw isStorageFull(error) ? new ApiError(5070, undefined, { cause: error }) : error;
  }
}

/** Its buffers must be nobody else’s: their memory is given back as soon as they are stored. */
function limited(source: ByteSource, most: number): ByteSource {
  return { [Symbol.asyncIterator]: () => measure(source, most), release: giveBack };
}

async function* measure(source: ByteSource, most: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const bytes of source) {
    size += bytes.length;
    if (size > most) throw new FileTooLargeError(`more than ${most} bytes`);
    yield bytes;
  }
}

/** Of a file system (Linux), and of S3 servers that say it. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'XMinioStorageFull', 'InsufficientStorage', 'QuotaExceeded']);

/** Whether a store has no room left, which may pass. */
export function isStorageFull(error: unknown): boolean {
  return error instanceof Error && FULL.has((error as { code?: string }).code ?? '');
}
