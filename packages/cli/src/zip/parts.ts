// Splits entries into parts that are read and compressed in parallel.
import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { DEFLATED, STORED } from '@chauffeur/deltas/zip-layout';
import { LocalError } from '../failures.ts';
import { BLOCK_BYTES, type Block, compressBlock, isFileWorthwhile, storeBlock, WINDOW_BYTES } from './blocks.ts';
import type { Entry } from './entries.ts';

/** An entry, or one block of a large file. */
export type Part = { entry: Entry; start: number; isFirst: boolean; isLast: boolean };
/**
 * `raw` is the content before compression, `packed` the pieces for the archive. `storedCrc` is the CRC-32 of the whole
 * file, if it has several blocks and is stored; null otherwise.
 */
export type PackedPart = Part & {
  raw: Buffer;
  packed: Buffer[];
  method: typeof STORED | typeof DEFLATED;
  storedCrc: number | null;
};

/** The parts of all entries, in archive order. */
export function* partsOf(entries: readonly Entry[]): Generator<Part> {
  for (const entry of entries) {
    let start = 0;
    do {
      const end = start + BLOCK_BYTES;
      yield { entry, start, isFirst: start === 0, isLast: end >= entry.size };
      start = end;
    } while (start < entry.size);
  }
}

/**
 * Returns a function that reads and compresses a part. It rejects with LocalError if the file cannot be read or has changed
 * since it was listed. `level` is from 0, which stores everything, to 9.
 */
export function partPacker(level: number): (part: Part) => Promise<PackedPart> {
  const crcs = new WeakMap<Entry, Promise<number | null>>();
  return async (part) => {
    const isWhole = part.isFirst && part.isLast;
    const crc = crcs.get(part.entry) ?? (isWhole ? Promise.resolve(null) : crcIfStored(part.entry, level));
    crcs.set(part.entry, crc);
    const storedCrc = await crc;
    const block = await readPart(part);
    const { raw } = block;
    if (storedCrc !== null) return { ...part, raw, packed: [raw], method: STORED, storedCrc };
    const compressed = await compressBlock(block, level);
    if (isWhole && (compressed === null || compressed.length >= raw.length))
      return { ...part, raw, packed: [raw], method: STORED, storedCrc };
    // Blocks that do not get smaller are stored inside the deflate stream, so the whole file has one method.
    const packed = compressed === null ? storeBlock(raw, part.isLast) : [compressed];
    return { ...part, raw, packed, method: DEFLATED, storedCrc };
  };
}

/**
 * The CRC-32 of a file that isn't worth compressing; null for others. Players start such files, mostly media, in the middle,
 * which the service can only send directly if they are stored. The file is read for it first, because unpackers that read a
 * zip from its start need the CRC-32 of a stored file before its data.
 */
async function crcIfStored(entry: Entry, level: number): Promise<number | null> {
  await using handle = await openFile(entry);
  if (level > 0 && (await isFileWorthwhile(handle, entry.size))) return null;
  const bytes = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  let crc = 0;
  for (let position = 0; position < entry.size; ) {
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, position);
    if (bytesRead === 0) throw changed(entry);
    crc = crc32(bytes.subarray(0, bytesRead), crc);
    position += bytesRead;
  }
  return crc;
}

function openFile(entry: Entry): Promise<FileHandle> {
  return open(entry.source).catch((cause: unknown) => {
    throw new LocalError(`${entry.path} cannot be read.`, 'Check its permissions.', { cause });
  });
}

export function changed({ path }: Entry): LocalError {
  return new LocalError(
    `${path} changed while it was being zipped.`,
    'Wait for the build to finish, then run the command again.',
  );
}

async function readPart({ entry, start, isLast }: Part): Promise<Block> {
  if (entry.kind !== 'file') return { raw: Buffer.from(entry.target), window: Buffer.alloc(0), last: true };
  const from = Math.max(0, start - WINDOW_BYTES);
  const bytes = Buffer.allocUnsafeSlow(Math.min(start + BLOCK_BYTES, entry.size) - from);
  await using handle = await openFile(entry);
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
  const now = await handle.stat();
  if (bytesRead < bytes.length || now.size !== entry.size || now.mtimeMs !== entry.mtimeMs) throw changed(entry);
  return { raw: bytes.subarray(start - from), window: bytes.subarray(0, start - from), last: isLast };
}
