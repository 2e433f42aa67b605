// Reads one entry of a zip for a browser: stored, unpacked, or as gzip, which reuses the compressed bytes.
import { pipeline, Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { readBytes } from '../../kernel/blobs/blob-bytes.ts';
import { cutRange } from '../../kernel/blobs/byte-source.ts';
import type { BlobStore, ByteRange } from '../../kernel/blobs/store.ts';
import type { WebBuild, WebEntry } from './web-build.ts';

const LOCAL_HEADER_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;

/** The bytes of the entry, or a range of them. The scan has checked their size and CRC-32. */
export async function readEntry(
  blobs: BlobStore,
  build: WebBuild,
  entry: WebEntry,
  range: ByteRange | null,
): Promise<Readable> {
  if (entry.isStored) return readPacked(blobs, build, entry, range);
  const inflater = createInflateRaw();
  // Errors reach the reader of the inflater.
  pipeline(await readPacked(blobs, build, entry, null), inflater, () => undefined);
  return range === null ? inflater : Readable.from(cutRange(inflater, range), { objectMode: false });
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
export async function readEntryAsGzip(blobs: BlobStore, build: WebBuild, entry: WebEntry): Promise<Readable> {
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
  build: WebBuild,
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
  { blobKey: key, contentStarts }: WebBuild,
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
