// Blobs that are stored compressed with zstd: compressed as they arrive and decompressed as they are read. The suffix
// of a key says whether its blob is compressed.
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
import { cutRange, freeBuffer } from './byte-source.ts';
import { dropSpace, type FileInSpace, giveBackSpace, takeSpace } from './spaces.ts';
import { type BlobStore, type ByteRange, type ByteSource, PackedTooLargeError } from './store.ts';

export const PACKED_SUFFIX = '.zst';

/**
 * Level 1 produces about a fifth less than gzip level 1 in half the time. Level 3 saves two percent more for half as
 * much time again, and levels from 6 on save five percent for five times the time (real dumps of 0.2 to 0.6 MB). The
 * checksum detects a blob that was damaged on disk.
 */
const PARAMS = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
const PACK_CHUNK = 256 * KIB;
/**
 * The bytes to compress at once. Each call wakes a thread and takes half a dozen callbacks. With the 64 KiB that a
 * socket delivers, receiving dumps of 2 MB took a fifth more time on the main thread.
 */
const BATCH_BYTES = 1024 * KIB;
/**
 * With the smallest possible buffer, the next bytes wait until the compressor has finished the previous ones, which are
 * then released.
 */
const PACKER: ZstdOptions & TransformOptions = { params: PARAMS, chunkSize: PACK_CHUNK, writableHighWaterMark: 1 };
const UNPACK_CHUNK = 256 * KIB;

/** Sizes in bytes, before and after compression. */
export type PackedSizes = { readonly size: number; readonly stored: number };

/**
 * Compresses `source` into the blob `key`, which ends in `.zst`. Throws PackedTooLargeError if more than `maxStored`
 * bytes would be stored, and errors of the source and the store. After an error nothing can be read, and `delete`
 * removes what was written. `keep` receives the file as it was, if it fits into a space, which it then returns.
 */
export async function putPacked(
  blobs: BlobStore,
  key: string,
  source: ByteSource,
  maxStored: number,
  keep?: (file: FileInSpace) => void,
): Promise<PackedSizes> {
  const space = takeSpace();
  if (space === null) return putInParts(blobs, key, source, maxStored);
  let memory: 'kept' | 'unused' | 'in use' = 'unused';
  try {
    const { size, rest } = await fill(space, source);
    if (rest !== null) return await putInParts(blobs, key, rest, maxStored);
    memory = 'in use';
    const stored = await blobs.putPacked(key, { space, size }, maxStored);
    memory = keep === undefined ? 'unused' : 'kept';
    keep?.({ space, size });
    return { size, stored };
  } finally {
    // After an error, a thread may still read from it.
    if (memory === 'in use') dropSpace();
    else if (memory === 'unused') giveBackSpace(space);
  }
}

/**
 * Compresses a file that is in memory, as a source of at most `maxStored` bytes; then it throws PackedTooLargeError.
 */
export function packSpace({ space, size }: FileInSpace, maxStored: number): ByteSource {
  // As the compressor knows the size, and its output has enough memory, it needs neither copies nor its own memory,
  // which takes half the time.
  const packer = createZstdCompress({ ...PACKER, pledgedSrcSize: size, chunkSize: maxPackedSize(size) });
  packer.on('error', () => undefined).end(new Uint8Array(space, 0, size));
  return limited(packer, maxStored);
}

/**
 * More than zstd produces from `bytes` bytes (ZSTD_compressBound in zstd.h). Never so little that Node would take it
 * from memory that it shares with other buffers, which can't be freed.
 */
function maxPackedSize(bytes: number): number {
  return Math.max(PACK_CHUNK, bytes + (bytes >> 8) + KIB);
}

/** Copies the bytes of `source` to the start of `space`. If they don't fit, `rest` is the whole source. */
async function fill(space: SharedArrayBuffer, source: ByteSource): Promise<{ size: number; rest: ByteSource | null }> {
  const bytes = new Uint8Array(space);
  const iterator = source[Symbol.asyncIterator]();
  let size = 0;
  for (;;) {
    const { done, value } = await iterator.next();
    if (done) return { size, rest: null };
    if (size + value.length > bytes.length) {
      const release = (piece: Uint8Array) => {
        if (piece.buffer !== space) source.release?.(piece);
      };
      const rest = { [Symbol.asyncIterator]: () => continued([bytes.subarray(0, size), value], iterator), release };
      return { size, rest };
    }
    bytes.set(value, size);
    size += value.length;
    source.release?.(value);
  }
}

/** Continues a source of which these pieces were read. */
async function* continued(pieces: Uint8Array[], iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}

/** Stores a file that doesn't fit into memory. */
async function putInParts(blobs: BlobStore, key: string, source: ByteSource, maxStored: number): Promise<PackedSizes> {
  let size = 0;
  async function* measured(): AsyncGenerator<Uint8Array> {
    for await (const batch of inBatches(source)) {
      size += batch.length;
      yield batch;
      freeBuffer(batch);
    }
  }
  const packer = createZstdCompress(PACKER);
  // An error of the source reaches the other end, which the store reads.
  const feeding = pump(measured(), packer).catch(() => undefined);
  try {
    const stored = await blobs.put(key, limited(packer, maxStored));
    return { size, stored };
  } finally {
    packer.destroy();
    await feeding;
  }
}

/**
 * Joins the bytes of `source` into batches in their own memory, large enough to be worth a call of the compressor.
 */
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

/**
 * The output of `packer`. It fills one buffer after another and passes each on in parts. A buffer is freed when all its
 * parts are written and there will be no further one.
 */
function limited(packer: AsyncIterable<Uint8Array>, maxBytes: number): ByteSource {
  let filling: ArrayBufferLike | undefined;
  /** The bytes that were passed on and not released yet. */
  const inUse = new Map<ArrayBufferLike, number>();
  function use(buffer: ArrayBufferLike, bytes: number): void {
    inUse.set(buffer, (inUse.get(buffer) ?? 0) + bytes);
    freeUnused(buffer);
  }
  function freeUnused(buffer: ArrayBufferLike | undefined): void {
    if (buffer === undefined || buffer === filling || inUse.get(buffer) !== 0) return;
    inUse.delete(buffer);
    free(buffer);
  }
  function fill(next: ArrayBufferLike | undefined): void {
    const former = filling;
    filling = next;
    freeUnused(former);
  }
  async function* measured(): AsyncGenerator<Uint8Array> {
    let size = 0;
    for await (const bytes of packer) {
      fill(bytes.buffer);
      size += bytes.length;
      if (size > maxBytes) continue;
      use(bytes.buffer, bytes.length);
      yield bytes;
    }
    fill(undefined);
    if (size > maxBytes) throw new PackedTooLargeError(maxBytes);
  }
  return { [Symbol.asyncIterator]: measured, release: ({ buffer, byteLength }) => use(buffer, -byteLength) };
}

function free(buffer: ArrayBufferLike): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/**
 * Reads a blob, compressed or not, as the original bytes. A range counts original bytes; a compressed blob is read from
 * its start to find it. Rejects with BlobMissingError if there is no such blob.
 */
export async function readUnpacked(blobs: BlobStore, key: string, range?: ByteRange): Promise<Readable> {
  if (!isPacked(key)) return blobs.read(key, range);
  const unpacker = createZstdDecompress({ chunkSize: UNPACK_CHUNK });
  // Each stream destroys the other, and the reader sees the error of either.
  pipeline(await blobs.read(key), unpacker, () => undefined);
  return range === undefined ? unpacker : Readable.from(cutRange(unpacker, range), { objectMode: false });
}

export function isPacked(key: string): boolean {
  return key.endsWith(PACKED_SUFFIX);
}

/** Compresses synchronously, for worker threads. `freeUnpacked` frees the memory of the result. */
export function packNow(bytes: Uint8Array): Buffer {
  const { length } = bytes;
  return zstdCompressSync(bytes, { params: PARAMS, pledgedSrcSize: length, chunkSize: maxPackedSize(length) });
}

/**
 * Decompresses at most `maxBytes` bytes synchronously, for worker threads. If `expected` is at least the real size, the
 * result has its own memory, which `freeUnpacked` frees.
 */
export function unpackNow(packed: Uint8Array, maxBytes: number, expected: number = UNPACK_CHUNK): Buffer {
  // One byte more than expected lets the decompressor find the end without another buffer.
  return zstdDecompressSync(packed, { chunkSize: Math.max(expected, PACK_CHUNK) + 1, maxOutputLength: maxBytes });
}

/** Frees the memory of a result of `unpackNow`, which must not be used afterwards. */
export function freeUnpacked({ buffer }: Buffer): void {
  free(buffer);
}
