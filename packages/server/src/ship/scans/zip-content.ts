// Reads the content of a zip once, in file order, and checks it against its directory.
import { crc32, type InflateRaw, inflateRawSync } from 'node:zlib';
import { type FoundBlocks, unpackFindingBlocks } from '@chauffeur/deltas/block-finder';
import { FLUSH_END, STREAM_END } from '@chauffeur/deltas/blocks';
import { type ContentBlock, ContentBlocks } from '@chauffeur/deltas/content-blocks';
import { type CutterSizes, DEFAULT_SIZES } from '@chauffeur/deltas/cutter';
import type { Method } from '@chauffeur/deltas/manifest';
import { BlobCursor } from '../../kernel/blobs/blob-bytes.ts';
import type { BlobStore } from '../../kernel/blobs/store.ts';
import { FLAGS, type ZipDirectory, type ZipEntry, ZipError } from '../../kernel/zip/zip-entry.ts';
import { formatEntryName } from './zip-rules.ts';

/** A section of the zip: an unpacked entry, or bytes outside the entries. */
export type ZipSection = {
  /** Null for bytes outside the entries: before or between them, and the directory itself. */
  readonly entry: ZipEntry | null;
  /** The number of bytes of `content` according to the directory. */
  readonly size: number;
  /** The bytes. A reader may stop and continue later. Throws ZipError if they do not match the directory. */
  readonly content: AsyncIterable<Buffer>;
  /** Reads the rest of `content` and returns what is known of all of it. Call it before the next part. */
  readonly finish: () => Promise<ReadContent>;
};

/** What was found while a section was read. */
type ReadContent = {
  readonly sha256: Buffer;
  /** The blocks that the content is cut into. */
  readonly blocks: readonly ContentBlock[];
  /** How it is in the zip. */
  readonly method: Method;
  /** The packed lengths of the blocks; empty unless the method is `blocks`. */
  readonly packed: readonly number[];
  /** Where its data starts in the zip. */
  readonly offset: number;
};

/** What is found for the manifest of a zip that is not refused. */
export type ZipReading = { readonly directory: ZipDirectory; readonly contents: ReadonlyMap<ZipEntry, EntryContent> };
/** `target` is where a link leads. */
export type EntryContent = ReadContent & { readonly target: string | null };

/**
 * The sections of a zip in file order, after its directory passed the rules. Together they contain all of its bytes
 * except headers and data descriptors. Throws ZipError if the zip does not match its directory, and the errors of the
 * blob store.
 */
export async function* readSections(
  store: BlobStore,
  key: string,
  directory: ZipDirectory,
): AsyncGenerator<ZipSection, undefined> {
  const cursor = new BlobCursor(store, key, directory.fileSize);
  let slack = 0;
  for (const entry of directory.entries.toSorted((a, b) => a.offset - b.offset)) {
    yield* readBetween(cursor, entry.offset, slack);
    await readLocalHeader(cursor, entry);
    yield* readSection(entry, {
      size: entry.size,
      offset: cursor.position,
      bytes: unpack(entry, cursor.stream(entry.packedSize)),
    });
    slack = (entry.flags & FLAGS.dataDescriptor) === 0 ? 0 : MAX_DESCRIPTOR_BYTES;
  }
  yield* readBetween(cursor, directory.fileSize, slack);
}

/** A data descriptor with signature and zip64 sizes (APPNOTE.TXT, 4.3.9). It repeats values of the directory. */
const MAX_DESCRIPTOR_BYTES = 24;

/** The bytes up to `end`, of which up to `slack` are a data descriptor. */
async function* readBetween(cursor: BlobCursor, end: number, slack: number): AsyncGenerator<ZipSection, undefined> {
  const length = end - cursor.position;
  if (length < 0) throw new ZipError('The .zip has overlapping entries. Create it again with another tool.');
  if (length <= slack) await cursor.take(length);
  else yield* readSection(null, { size: length, offset: cursor.position, bytes: cursor.stream(length) });
}

/** Returns nothing, or for a deflated entry, where its blocks are. */
type Unpacked = AsyncGenerator<Buffer, FoundBlocks | undefined>;

type SectionBytes = { readonly size: number; readonly offset: number; readonly bytes: Unpacked };

async function* readSection(
  entry: ZipEntry | null,
  { size, offset, bytes }: SectionBytes,
): AsyncGenerator<ZipSection, undefined> {
  const cut = new ContentBlocks(sizesOf(entry), size);
  const reading = tap(bytes, (chunk) => cut.push(chunk));
  let found: FoundBlocks | undefined;
  const next = async (): Promise<IteratorResult<Buffer, undefined>> => {
    const { done, value } = await reading.next();
    if (!done) return { done: false, value };
    found ??= value;
    return { done: true, value: undefined };
  };
  // The iterator has no `return`, so leaving a `for await` early does not end the reading.
  const content = { [Symbol.asyncIterator]: () => ({ next }) };
  try {
    yield {
      entry,
      size,
      content,
      finish: async () => {
        for await (const _ of content);
        const { sha256, blocks } = cut.finish();
        return { sha256, blocks, offset, ...layoutOf(entry, blocks, found) };
      },
    };
  } finally {
    await reading.return(undefined);
  }
}

function sizesOf(entry: ZipEntry | null): CutterSizes {
  return entry?.method === DEFLATED ? DEFAULT_SIZES.packed : DEFAULT_SIZES.stored;
}

/** The blocks in the zip count if they are where the content is cut. */
function layoutOf(
  entry: ZipEntry | null,
  blocks: readonly ContentBlock[],
  found: FoundBlocks | undefined,
): Pick<ReadContent, 'method' | 'packed'> {
  if (entry?.method !== DEFLATED) return { method: 'stored', packed: [] };
  const inZip = found?.blocks ?? null;
  const isEqual =
    inZip?.length === blocks.length && inZip.every(({ length }, index) => length === blocks[index]!.length);
  if (inZip === null || !isEqual) return { method: 'whole', packed: [] };
  return { method: 'blocks', packed: inZip.map(({ packed }) => packed) };
}

async function* tap(source: Unpacked, onChunk: (chunk: Buffer) => void): Unpacked {
  for (;;) {
    const { done, value } = await source.next();
    if (done) return value;
    onChunk(value);
    yield value;
  }
}

/** A compression method (APPNOTE.TXT, 4.4.5). */
const DEFLATED = 8;
const LOCAL_HEADER_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;

/**
 * Reads an entry's local header (APPNOTE.TXT, 4.3.7) and compares it with the directory record, because unpackers
 * differ in which of the two they use. The header contains sizes only if no data descriptor follows and no zip64 field
 * has them.
 */
async function readLocalHeader(cursor: BlobCursor, entry: ZipEntry): Promise<void> {
  const header = await cursor.take(LOCAL_HEADER_BYTES);
  if (header.length < LOCAL_HEADER_BYTES || header.readUInt32LE(0) !== LOCAL_SIGNATURE) {
    throw new ZipError(`The .zip entry ${nameOf(entry)} is not where the directory says. Create the .zip again.`);
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
    ((flags & FLAGS.dataDescriptor) !== 0 ||
      sizes.every(([local, recorded]) => local === recorded || local === 0xffffffff));
  if (!agrees) throw new ZipError(`The .zip entry ${nameOf(entry)} has contradictory headers. Create the .zip again.`);
}

/**
 * The unpacked bytes of an entry, with its size and CRC-32 checked. Never yields more bytes than the directory
 * announces.
 */
async function* unpack(entry: ZipEntry, packed: AsyncGenerator<Buffer>): Unpacked {
  let size = 0;
  let crc = 0;
  const found = yield* tap(entry.method === DEFLATED ? inflate(entry, packed) : packed, (chunk) => {
    size += chunk.length;
    if (size > entry.size) throw tooLarge(entry);
    crc = crc32(chunk, crc);
  });
  if (size !== entry.size)
    throw new ZipError(`The .zip entry ${nameOf(entry)} is smaller than the directory says. Create the .zip again.`);
  if (crc !== entry.crc32)
    throw new ZipError(`The .zip entry ${nameOf(entry)} does not match its CRC-32. Create the .zip again.`);
  return found;
}

/** Inflates a raw deflate stream (RFC 1951), which must use all packed bytes: data could be hidden after its end. */
async function* inflate(entry: ZipEntry, packed: AsyncGenerator<Buffer>): AsyncGenerator<Buffer, FoundBlocks> {
  let found: FoundBlocks;
  try {
    found = isSmall(entry)
      ? yield* inflateSmall(entry, packed)
      : yield* unpackFindingBlocks(packed, { maxBlockBytes: DEFAULT_SIZES.packed.max });
  } catch (error) {
    if (isTooLarge(error)) throw tooLarge(entry, error);
    if (isZlibError(error))
      throw new ZipError(`The .zip entry ${nameOf(entry)} has damaged compressed data. Create the .zip again.`, {
        cause: error,
      });
    throw error;
  }
  if (found.used !== entry.packedSize)
    throw new ZipError(`The .zip entry ${nameOf(entry)} has bytes after its compressed data. Create the .zip again.`);
  return found;
}

/** Such entries have one block, and are inflated in one call, which is ten times cheaper than a stream. */
function isSmall({ packedSize, size }: ZipEntry): boolean {
  return size < DEFAULT_SIZES.packed.min && packedSize <= SMALL_BYTES;
}

const SMALL_BYTES = 256 * 1024;
const BLOCK_END = Buffer.concat([FLUSH_END, STREAM_END]);

async function* inflateSmall(entry: ZipEntry, packed: AsyncGenerator<Buffer>): AsyncGenerator<Buffer, FoundBlocks> {
  const bytes = Buffer.concat(await Array.fromAsync(packed));
  const options = { info: true, maxOutputLength: Math.max(1, entry.size), chunkSize: Math.max(64, entry.size) };
  // With `info`, the function returns more than its type declares.
  const { buffer, engine } = inflateRawSync(bytes, options) as unknown as { buffer: Buffer; engine: InflateRaw };
  yield buffer;
  const used = engine.bytesWritten;
  // Otherwise it is not a block that can be followed by others.
  if (!bytes.subarray(0, used).subarray(-BLOCK_END.length).equals(BLOCK_END)) return { blocks: null, used };
  return { blocks: [{ length: buffer.length, packed: used - STREAM_END.length }], used };
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^Z_/.test(String(error.code));
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}

function nameOf(entry: ZipEntry): string {
  return formatEntryName(entry.path);
}

function tooLarge(entry: ZipEntry, cause?: unknown): ZipError {
  const message = `The .zip entry ${nameOf(entry)} is larger than the directory says. Create the .zip again.`;
  return new ZipError(message, { cause });
}
