// Reads what a zip holds, once and in file order, and checks it against what its directory said.
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw, type InflateRaw, inflateRawSync } from 'node:zlib';
import type { BlobStore } from '../../kernel/blobs/store.ts';
import { BlobCursor } from './blob-bytes.ts';
import { showName } from './entry-name.ts';
import { FLAGS, type ZipDirectory, type ZipEntry, ZipError } from './zip-entry.ts';

/** A run of bytes of the zip: an entry unpacked, or what lies beside the entries. */
export type ZipPart = {
  /** Null for bytes that belong to no entry: in front of them, between them, and the directory itself. */
  readonly entry: ZipEntry | null;
  /** Bytes of `content`, as the directory has it. */
  readonly size: number;
  /** The bytes. To leave off half-way and go on later is allowed. Throws ZipError when they are not what the directory said. */
  readonly content: AsyncIterable<Buffer>;
  /** Reads what is left of `content` and tells the SHA-256 of all of it as 64 hex characters. Call it before the next part. */
  readonly finish: () => Promise<string>;
};

/**
 * The parts of a zip whose directory was judged, in file order; together they are all of its bytes but for headers and data
 * descriptors. Throws ZipError when the zip is not what its directory said; errors of the store pass through.
 */
export async function* readZipParts(
  store: BlobStore,
  key: string,
  directory: ZipDirectory,
): AsyncGenerator<ZipPart, undefined> {
  const cursor = new BlobCursor(store, key, directory.fileSize);
  let slack = 0;
  for (const entry of directory.entries.toSorted((a, b) => a.offset - b.offset)) {
    yield* readBetween(cursor, entry.offset, slack);
    await readLocalHeader(cursor, entry);
    yield* readPart(entry, entry.size, unpack(entry, cursor.stream(entry.packedSize)));
    slack = (entry.flags & FLAGS.dataDescriptor) === 0 ? 0 : LONGEST_DESCRIPTOR;
  }
  yield* readBetween(cursor, directory.fileSize, slack);
}

/** A data descriptor with signature and zip64 sizes (APPNOTE.TXT, 4.3.9). It repeats what the directory says. */
const LONGEST_DESCRIPTOR = 24;

/** The bytes up to `end`, of which up to `slack` are a data descriptor. */
async function* readBetween(cursor: BlobCursor, end: number, slack: number): AsyncGenerator<ZipPart, undefined> {
  const length = end - cursor.position;
  if (length < 0) throw new ZipError('The .zip’s entries share bytes; make the .zip again with another tool.');
  if (length <= slack) await cursor.take(length);
  else yield* readPart(null, length, cursor.stream(length));
}

async function* readPart(
  entry: ZipEntry | null,
  size: number,
  bytes: AsyncGenerator<Buffer>,
): AsyncGenerator<ZipPart, undefined> {
  const sha256 = createHash('sha256');
  const hashed = tap(bytes, (chunk) => sha256.update(chunk));
  // Without `return`, so that `for await` may be left without ending the reading.
  const content = { [Symbol.asyncIterator]: () => ({ next: () => hashed.next() }) };
  try {
    yield {
      entry,
      size,
      content,
      finish: async () => {
        for await (const _ of hashed);
        return sha256.digest('hex');
      },
    };
  } finally {
    await hashed.return(undefined);
  }
}

async function* tap(source: AsyncGenerator<Buffer>, see: (chunk: Buffer) => void): AsyncGenerator<Buffer, undefined> {
  for await (const chunk of source) {
    see(chunk);
    yield chunk;
  }
}

const LOCAL_HEADER_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;

/**
 * Reads an entry’s local header (APPNOTE.TXT, 4.3.7) and compares it with the directory’s record: some unpackers go by the one
 * and some by the other. Sizes stand in it only when no data descriptor follows, and not when a zip64 field has them.
 */
async function readLocalHeader(cursor: BlobCursor, entry: ZipEntry): Promise<void> {
  const header = await cursor.take(LOCAL_HEADER_BYTES);
  if (header.length < LOCAL_HEADER_BYTES || header.readUInt32LE(0) !== LOCAL_SIGNATURE) {
    throw badEntry(entry, 'is not where the directory says');
  }
  const name = await cursor.take(header.readUInt16LE(26));
  await cursor.take(header.readUInt16LE(28));
  const flags = header.readUInt16LE(6);
  const sizes = [
    [header.readUInt32LE(14), entry.crc32],
    [header.readUInt32LE(18), entry.packedSize],
    [header.readUInt32LE(22), entry.size],
  ] as const;
  const agrees =
    name.equals(entry.rawName) &&
    header.readUInt16LE(8) === entry.method &&
    (flags & FLAGS.encrypted) === 0 &&
    ((flags & FLAGS.dataDescriptor) !== 0 || sizes.every(([local, told]) => local === told || local === 0xffffffff));
  if (!agrees) throw badEntry(entry, 'is described in two ways that do not agree');
}

/** The unpacked bytes of an entry, checked for their size and CRC-32. No more than the directory told are ever given. */
async function* unpack(entry: ZipEntry, packed: AsyncGenerator<Buffer>): AsyncGenerator<Buffer, undefined> {
  let size = 0;
  let crc = 0;
  for await (const chunk of entry.method === 0 ? packed : inflate(entry, packed)) {
    size += chunk.length;
    if (size > entry.size) throw badEntry(entry, 'is larger than the directory says');
    crc = crc32(chunk, crc);
    yield chunk;
  }
  if (size !== entry.size) throw badEntry(entry, 'is smaller than the directory says');
  if (crc !== entry.crc32) throw badEntry(entry, 'does not have the CRC-32 that the directory says');
}

/** Inflates a raw deflate stream (RFC 1951) that must fill the packed bytes to the last: behind its end something could hide. */
async function* inflate(entry: ZipEntry, packed: AsyncGenerator<Buffer>): AsyncGenerator<Buffer, undefined> {
  let used: number;
  try {
    used =
      entry.packedSize + entry.size <= SMALL_BYTES ? yield* inflateSmall(entry, packed) : yield* inflateLarge(packed);
  } catch (error) {
    if (isTooLarge(error)) throw badEntry(entry, 'is larger than the directory says', error);
    if (isZlibError(error)) throw badEntry(entry, 'is not well compressed', error);
    throw error;
  }
  if (used !== entry.packedSize) throw badEntry(entry, 'has bytes behind its compressed content');
}

/** Entries up to this size, packed and unpacked together, are inflated in one call: a stream costs ten times their work. */
const SMALL_BYTES = 256 * 1024;
const INFLATE_BYTES = 256 * 1024;

/** Returns the number of packed bytes that the deflate stream took. */
async function* inflateSmall(entry: ZipEntry, packed: AsyncGenerator<Buffer>): AsyncGenerator<Buffer, number> {
  const bytes = Buffer.concat(await Array.fromAsync(packed));
  const options = { info: true, maxOutputLength: Math.max(1, entry.size), chunkSize: Math.max(64, entry.size) };
  // With `info` the answer is not the declared one.
  const { buffer, engine } = inflateRawSync(bytes, options) as unknown as { buffer: Buffer; engine: InflateRaw };
  yield buffer;
  return engine.bytesWritten;
}

/** Returns the number of packed bytes that the deflate stream took. */
async function* inflateLarge(packed: AsyncGenerator<Buffer>): AsyncGenerator<Buffer, number> {
  const inflater = createInflateRaw({ chunkSize: INFLATE_BYTES });
  // What goes wrong shows at the inflater, which is read here.
  pipeline(packed, inflater).catch(() => {});
  try {
    yield* inflater as AsyncIterable<Buffer>;
    return inflater.bytesWritten;
  } finally {
    inflater.destroy();
  }
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^Z_/.test(String(error.code));
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}

function badEntry(entry: ZipEntry, what: string, cause?: unknown): ZipError {
  return new ZipError(`The .zip’s entry ${showName(entry.path)} ${what}; make the .zip again.`, { cause });
}
