// Stores a file of a report as it arrives, compressed. It is durable when the function returns, and deleted if it throws.
import type { Context } from '../../../context.ts';
import { freeBuffer } from '../../../kernel/blobs/free-buffer.ts';
import { PACKED_SUFFIX, putPacked } from '../../../kernel/blobs/packed.ts';
import type { FileInSpace } from '../../../kernel/blobs/spaces.ts';
import type { ByteSource } from '../../../kernel/blobs/store.ts';
import { unpackFile } from '../../../kernel/blobs/unpack-file.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { holdsJobs } from '../../../request/held-jobs.ts';
import { stemOf } from '../report/files.ts';
import { keepDump } from '../report/received-dumps.ts';
import type { StoredFile } from './reports.sql.ts';
import type { CrashFileKind } from './tokens.ts';

const EXTENSIONS = { dump: 'dmp', log: 'txt', attachment: 'bin' } as const;

/** The file has more bytes than allowed. */
export class FileTooLargeError extends Error {
  override readonly name = 'FileTooLargeError';
}

/** Limits of a file's size, and of its compressed size in the store. */
export type FileLimits = { maxBytes: number; maxStored?: number };

/**
 * Stores `source` under a new key, so two uploads of the same file do not collide. A dump or a log that the sender has
 * compressed is unpacked; an attachment stays what it is. Throws FileTooLargeError past `maxBytes`, PackedTooLargeError
 * past `maxStored`, UnpackError, and errors of the store and the source.
 */
export async function storeFile(
  ctx: Context,
  reportId: string,
  kind: CrashFileKind | 'attachment',
  source: ByteSource,
  { maxBytes, maxStored = Number.POSITIVE_INFINITY }: FileLimits,
): Promise<StoredFile> {
  const key = `${stemOf(reportId)}.${newId()}.${EXTENSIONS[kind]}${PACKED_SUFFIX}`;
  try {
    const plain = kind === 'attachment' ? source : unpackFile(source);
    const keep = kind === 'dump' && holdsJobs(ctx) ? (dump: FileInSpace) => keepDump(ctx, key, dump) : undefined;
    return { key, ...(await putPacked(ctx.blobs, key, limited(plain, maxBytes), maxStored, keep)) };
  } catch (error) {
    await ctx.blobs.delete(key);
    throw error;
  }
}

/** The buffers of `source` must not be used elsewhere: their memory is released as soon as they are compressed. */
function limited(source: ByteSource, maxBytes: number): ByteSource {
  return { [Symbol.asyncIterator]: () => measure(source, maxBytes), release: freeBuffer };
}

async function* measure(source: ByteSource, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const bytes of source) {
    size += bytes.length;
    if (size > maxBytes) throw new FileTooLargeError(`more than ${maxBytes} bytes`);
    yield bytes;
  }
}
