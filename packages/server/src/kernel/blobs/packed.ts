// Blobs that are stored compressed with zstd: packed as they arrive, unpacked as they are read. The end of a key says whether its blob is packed.
import { pipeline, Readable, type TransformOptions } from 'node:stream';
import { pipeline as pump } from 'node:stream/promises';
import {
  constants,
  createZstdCompress,
  createZstdDecompress,
  type ZstdOptions,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib';
import { KIB } from '@chauffeur/contract/limits';
import { giveBack } from './give-back.ts';
import type { BlobStore, ByteRange, ByteSource } from './store.ts';

export const PACKED_SUFFIX = '.zst';

/** More bytes would be stored than the caller allows. */
export class PackedTooLargeError extends Error {
  override readonly name = 'PackedTooLargeError';
}

/**
 * Level 1 leaves about a fifth less than gzip of level 1 in half its time; level 3 saves two percent more for half as much time again, and levels
 * from 6 on five percent for five times the time (real dumps of 0.2 to 0.6 MB). The checksum reveals a blob that was damaged on its disk.
 */
const PARAMS = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
const PACK_CHUNK = 256 * KIB;
/**
 * What is compressed at once. Each turn wakes a thread and takes half a dozen callbacks: with the 64 KiB that a socket gives, receiving dumps of
 * 2 MB took the main thread a fifth more time.
 */
const BATCH_BYTES = 1024 * KIB;
/** With the smallest of buffers, the next bytes wait until the compressor is done with those before, which are released then. */
const PACKER: ZstdOptions & TransformOptions = { params: PARAMS, chunkSize: PACK_CHUNK, writableHighWaterMark: 1 };
const UNPACK_CHUNK = 256 * KIB;

/** Sizes in bytes: of what came, and of what is stored of it. */
export type PackedSizes = { readonly size: number; readonly stored: number };

/**
 * Packs `source` into the blob `key`, which ends in `.zst`. Throws PackedTooLargeError when more than `maxStored` bytes would be stored, and what the
 * source and the store throw; then nothing can be read, and `delete` removes what was written.
 */
export async function putPacked(
  blobs: BlobStore,
  key: string,
  source: ByteSource,
  maxStored: number,
): Promise<PackedSizes> {
  let size = 0;
  async function* measured(): AsyncGenerator<Uint8Array> {
    for await (const batch of inBatches(source)) {
      size += batch.length;
      yield batch;
      giveBack(batch);
    }
  }
  const packer = createZstdCompress(PACKER);
  // What goes wrong with the source shows at the other end, which the store reads.
  const feeding = pump(measured(), packer).catch(() => undefined);
  try {
    const stored = await blobs.put(key, limited(packer, maxStored));
    return { size, stored };
  } finally {
    packer.destroy();
    await feeding;
  }
}

/** Reads `source` to its end in any case: what comes behind it in its stream can then be read, too. */
/** The bytes of `source` in memory of their own, in pieces that are worth a turn of the compressor each. */
async function* inBatches(source: ByteSource): AsyncGenerator<Buffer> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  function join(): Buffer {
    const batch = Buffer.concat(pieces, size);
    for (const piece of pieces) source.release?.(piece);
    pieces = [];
    size = 0;
    return batch;
  }
  for await (const bytes of source) {
    pieces.push(bytes);
    size += bytes.length;
    if (size >= BATCH_BYTES) yield join();
  }
  if (size > 0) yield join();
}

async function* limited(source: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const bytes of source) {
    size += bytes.length;
    if (size <= most) yield bytes;
  }
  if (size > most) throw new PackedTooLargeError(`more than ${most} bytes to store`);
}

/**
 * Opens a blob, packed or not, as the bytes that came. A range is of those, and is read from the start of a packed blob. Rejects with
 * BlobMissingError when there is none.
 */
export async function readUnpacked(blobs: BlobStore, key: string, range?: ByteRange): Promise<Readable> {
  if (!isPacked(key)) return blobs.read(key, range);
  const unpacker = createZstdDecompress({ chunkSize: UNPACK_CHUNK });
  // Each destroys the other; the reader sees the error of either.
  pipeline(await blobs.read(key), unpacker, () => undefined);
  return range === undefined ? unpacker : Readable.from(cut(unpacker, range), { objectMode: false });
}

async function* cut(source: AsyncIterable<Buffer>, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  let position = 0;
  for await (const bytes of source) {
    const piece = bytes.subarray(Math.max(0, start - position), end + 1 - position);
    position += bytes.length;
    if (piece.length > 0) yield piece;
    if (position > end) return;
  }
}

export function isPacked(key: string): boolean {
  return key.endsWith(PACKED_SUFFIX);
}

/** For a thread that has nothing else to do meanwhile. */
export function packNow(bytes: string | Uint8Array): Buffer {
  return zstdCompressSync(bytes, { params: PARAMS });
}

/**
 * The bytes that were packed, which must be at most `most`. Where `expected` is at least their number, they come in memory of their own, which
 * `freeUnpacked` gives back. For a thread that has nothing else to do meanwhile.
 */
export function unpackNow(packed: Uint8Array, most: number, expected: number = UNPACK_CHUNK): Buffer {
  // With room for one byte more, the end of the data is found without another buffer.
  return zstdDecompressSync(packed, { chunkSize: Math.max(expected, PACK_CHUNK) + 1, maxOutputLength: most });
}

/** Frees the memory of what `unpackNow` returned; nothing may look at it any more. */
export function freeUnpacked({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
