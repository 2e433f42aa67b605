// Reads one entry of a zip for a browser: stored, unpacked, or as gzip, which reuses the compressed bytes.
import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflateRaw } from 'node:zlib';
import { errors } from '@chauffeur/contract/errors';
import { KIB, MIB } from '@chauffeur/contract/limits';
import { readBytes } from '../../kernel/blobs/blob-bytes.ts';
import { cutRange } from '../../kernel/blobs/byte-source.ts';
import type { BlobStore, ByteRange } from '../../kernel/blobs/store.ts';
import { limitConcurrency } from '../../kernel/threads/concurrency.ts';
import type { Coding } from './content-type.ts';
import type { WebBuild, WebEntry } from './web-build.ts';

const LOCAL_HEADER_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;

type Source = Pick<WebBuild, 'blobKey' | 'contentStarts'>;

/** Fewer, larger pieces take a quarter of the time. */
const INFLATE_BYTES = 256 * KIB;

/** The bytes of the entry, or a range of them. The scan has checked their size and CRC-32. */
export async function readEntry(
  blobs: BlobStore,
  build: Source,
  entry: WebEntry,
  range: ByteRange | null,
): Promise<Readable> {
  if (entry.isStored) return readPacked(blobs, build, entry, range);
  const inflater = createInflateRaw({ chunkSize: INFLATE_BYTES });
  // Errors reach the reader of the inflater.
  pipeline(await readPacked(blobs, build, entry, null), inflater, () => undefined);
  return range === null ? inflater : asStream(cutRange(inflater, range), inflater);
}

/**
 * Ranges that begin further inside a deflated entry are queued, because everything before them is decompressed first.
 */
const MAX_FREE_SKIP = 32 * MIB;
const MAX_QUEUED = 32;
/** Decompressing 250 to 1000 MB takes a second of one CPU. */
const inTurn = limitConcurrency(2);
let queued = 0;

/**
 * A range of the entry, however far inside it begins. `signal` says that the client has left. Throws `unavailable` if
 * too many others are queued.
 */
export async function readEntryRange(
  blobs: BlobStore,
  build: Source,
  entry: WebEntry,
  range: ByteRange,
  signal: AbortSignal,
): Promise<Readable> {
  if (entry.isStored || range.start <= MAX_FREE_SKIP) return readEntry(blobs, build, entry, range);
  if (queued >= MAX_QUEUED)
    throw errors.unavailable('Too many parts of large compressed files are being read. Try again in a few seconds.');
  queued += 1;
  try {
    return await inTurn(async () => {
      if (signal.aborted) return Readable.from([]);
      const content = await readEntry(blobs, build, entry, range);
      const stop = () => content.destroy();
      signal.addEventListener('abort', stop, { once: true });
      return await begin(content);
    });
  } finally {
    queued -= 1;
  }
}

/**
 * Returns the decompressed bytes of an entry that an engine compressed. Throws `notPlayable` if it isn't compressed
 * like that.
 */
export async function decodeEntry(blobs: BlobStore, build: Source, entry: WebEntry, coding: Coding): Promise<Readable> {
  const decoder = coding === 'br' ? createBrotliDecompress() : createGunzip();
  pipeline(await readEntry(blobs, build, entry, null), decoder, () => undefined);
  try {
    return await begin(decoder);
  } catch (cause) {
    throw errors.notPlayable('The file is not compressed in the way that its name says.', { cause });
  }
}

/** Resolves when the first bytes were read, to a stream that has them too. Rejects with an error before them. */
async function begin(source: Readable): Promise<Readable> {
  const pieces: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  const first = await pieces.next();
  async function* all(): AsyncGenerator<Buffer> {
    if (first.done !== true) yield first.value;
    yield* { [Symbol.asyncIterator]: () => pieces };
  }
  return asStream(all(), source);
}

/** A stream of pieces of `source`, which ends with it, even if nothing was read. */
function asStream(pieces: AsyncIterable<Buffer>, source: Readable): Readable {
  return Readable.from(pieces, { objectMode: false }).once('close', () => source.destroy());
}

/** The number of bytes that `readEntryAsGzip` returns. */
export function gzipSizeOf({ packedSize }: WebEntry): number {
  return GZIP_HEADER.length + packedSize + GZIP_TRAILER_BYTES;
}

/** Magic number, deflate, no name, no time, unknown OS (RFC 1952, section 2.3). */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const GZIP_TRAILER_BYTES = 8;

/**
 * Returns a deflated entry as a gzip file without unpacking it: both contain the same deflate stream, and the checksum
 * at the end of a gzip file is in the directory of the zip.
 */
export async function readEntryAsGzip(blobs: BlobStore, build: Source, entry: WebEntry): Promise<Readable> {
  const packed = await readPacked(blobs, build, entry, null);
  const trailer = Buffer.alloc(GZIP_TRAILER_BYTES);
  trailer.writeUInt32LE(entry.crc32, 0);
  // The format stores the size modulo 2^32.
  trailer.writeUInt32LE(entry.size % 2 ** 32, 4);
  return Readable.from(
    (async function* () {
      yield GZIP_HEADER;
      yield* packed;
      yield trailer;
    })(),
    { objectMode: false },
  );
}

async function readPacked(
  blobs: BlobStore,
  build: Source,
  entry: WebEntry,
  range: ByteRange | null,
): Promise<Readable> {
  const { start, end } = range ?? { start: 0, end: entry.packedSize - 1 };
  if (end < start) return Readable.from([]);
  const first = await findContent(blobs, build, entry);
  return blobs.read(build.blobKey, { start: first + start, end: first + end });
}

/**
 * The offset after the local header, its name and its extra field (APPNOTE.TXT, 4.3.7), which may differ from the
 * directory's.
 */
async function findContent(
  blobs: BlobStore,
  { blobKey: key, contentStarts }: Source,
  entry: WebEntry,
): Promise<number> {
  const cached = contentStarts.get(entry);
  if (cached !== undefined) return cached;
  const header = await readBytes(blobs, key, entry.offset, entry.offset + LOCAL_HEADER_BYTES);
  if (header.readUInt32LE(0) !== LOCAL_SIGNATURE) throw new Error(`The blob ${key} has no entry at ${entry.offset}`);
  const start = entry.offset + LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  contentStarts.set(entry, start);
  return start;
}
