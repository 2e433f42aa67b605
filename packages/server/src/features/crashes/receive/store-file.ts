// Stores a dump or a log as it arrives, packed: durable when it returns, and nothing left of it when it does not.
import type { Context } from '../../../context.ts';
import { giveBack } from '../../../kernel/blobs/give-back.ts';
import { PACKED_SUFFIX, putPacked } from '../../../kernel/blobs/packed.ts';
import type { ByteSource } from '../../../kernel/blobs/store.ts';
import { newId, timeOfId } from '../../../kernel/ids.ts';
import { partitionOf } from '../keep/partitions.sql.ts';
import type { StoredFile } from './reports.sql.ts';
import type { CrashFileKind } from './tokens.ts';

/** Every blob of a report lies below it. */
export const CRASH_PREFIX = 'crashes/';

/** More bytes came than a file may have. */
export class FileTooLargeError extends Error {
  override readonly name = 'FileTooLargeError';
}

/**
 * What the keys of a report’s files begin with: `crashes/2026_11/3f/<report id>`. By month, as reports are kept and dropped: the id begins with the
 * time. Its random end spreads them over folders that are soon all there: to make one, and to make its name durable, costs more than the file.
 */
export function stemOf(reportId: string): string {
  const time = new Date(timeOfId(reportId));
  return `${CRASH_PREFIX}${partitionOf(time).slice(-'2026_11'.length)}/${reportId.slice(-2)}/${reportId}`;
}

/** Bytes of a file as it came, and of what may be stored of it. */
export type FileLimits = { most: number; maxStored?: number };

/**
 * Stores `source` packed, under a key of its own, so that two senders of one file do not meet. Throws FileTooLargeError past `most` bytes,
 * PackedTooLargeError when more than `maxStored` bytes would be stored, and what the store and the source throw; then the blob is gone again.
 */
export async function storeFile(
  ctx: Context,
  reportId: string,
  kind: CrashFileKind,
  source: ByteSource,
  { most, maxStored = Number.POSITIVE_INFINITY }: FileLimits,
): Promise<StoredFile> {
  const key = `${stemOf(reportId)}.${newId()}.${kind === 'dump' ? 'dmp' : 'txt'}${PACKED_SUFFIX}`;
  try {
    return { key, ...(await putPacked(ctx.blobs, key, limited(source, most), maxStored)) };
  } catch (error) {
    await ctx.blobs.delete(key);
    throw error;
  }
}

/** Its buffers must be nobody else’s: their memory is given back as soon as they are packed. */
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
