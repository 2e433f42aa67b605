// Reads one entry of a zip for a browser: as it is, unpacked, or in the packing that it has, which needs no work at all.
import { pipeline, Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import type { BlobStore, ByteRange } from '../../kernel/blobs/store.ts';
import { readBytes } from '../scans/blob-bytes.ts';
import type { WebBuild, WebEntry } from './web-build.ts';

const LOCAL_HEADER_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;
/** Where the content of an entry begins, which its local header alone tells; forgotten with the entry. */
const contentStarts = new WeakMap<WebEntry, number>();

/** The entry’s bytes, or a range of them. They were checked against size and CRC-32 when the zip was scanned. */
export async function readEntry(
  blobs: BlobStore,
  build: WebBuild,
  entry: WebEntry,
  range: ByteRange | null,
): Promise<Readable> {
  if (entry.isStored) return readPacked(blobs, build, entry, range);
  const inflater = createInflateRaw();
  // What goes wrong shows at the inflater, which is read by who asked.
  pipeline(await readPacked(blobs, build, entry, null), inflater, () => undefined);
  return range === null ? inflater : Readable.from(cut(inflater, range), { objectMode: false });
}

/** Bytes that `readEntryAsGzip` gives. */
export function gzipSizeOf({ packedSize }: WebEntry): number {
  return GZIP_HEADER.length + packedSize + GZIP_TRAILER_BYTES;
}

/** Magic, deflate, no name, no time, an unknown system (RFC 1952, section 2.3). */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const GZIP_TRAILER_BYTES = 8;

/**
 * A deflated entry as a gzip file: both hold the same deflate stream, and the checksum that ends a gzip file is the one in the zip’s directory.
 * So nothing is unpacked here, however much it would be.
 */
export async function readEntryAsGzip(blobs: BlobStore, build: WebBuild, entry: WebEntry): Promise<Readable> {
  const packed = await readPacked(blobs, build, entry, null);
  const trailer = Buffer.alloc(GZIP_TRAILER_BYTES);
  trailer.writeUInt32LE(entry.crc32, 0);
  // Of a longer content, the size modulo 2^32.
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
  { blobKey }: WebBuild,
  entry: WebEntry,
  range: ByteRange | null,
): Promise<Readable> {
  const { start, end } = range ?? { start: 0, end: entry.packedSize - 1 };
  if (end < start) return Readable.from([]);
  const first = await findContent(blobs, blobKey, entry);
  return blobs.read(blobKey, { start: first + start, end: first + end });
}

/** Behind the local header, its name and its extra field (APPNOTE.TXT, 4.3.7); the directory’s extra field may have another length. */
async function findContent(blobs: BlobStore, key: string, entry: WebEntry): Promise<number> {
  const known = contentStarts.get(entry);
  if (known !== undefined) return known;
  const header = await readBytes(blobs, key, entry.offset, entry.offset + LOCAL_HEADER_BYTES);
  if (header.readUInt32LE(0) !== LOCAL_SIGNATURE) throw new Error(`The blob ${key} has no entry at ${entry.offset}`);
  const start = entry.offset + LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  contentStarts.set(entry, start);
  return start;
}

async function* cut(source: AsyncIterable<Buffer>, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  let position = 0;
  for await (const chunk of source) {
    const part = chunk.subarray(Math.max(0, start - position), Math.max(0, end + 1 - position));
    if (part.length > 0) yield part;
    position += chunk.length;
    if (position > end) return;
  }
}
