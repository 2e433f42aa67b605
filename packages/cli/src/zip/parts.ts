// Reads entries in parts, and cuts the files that get compressed into blocks.
import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { MIB } from '@chauffeur/contract/limits';
import { Cutter, DEFAULT_SIZES } from '@chauffeur/deltas/cutter';
import { LocalError } from '../failures.ts';
import { isFileWorthwhile } from './blocks.ts';
import type { Entry } from './entries.ts';

/** Large files are read in parts of this length. */
const PART_BYTES = MIB;
/** Parts read ahead of what is done with them. */
export const PARTS_AHEAD = 6;

/** An entry, or a part of a large file. */
export type Part = { entry: Entry; start: number; isFirst: boolean; isLast: boolean };
/** `raw` is the content; the target of a link. `isStored` says whether the whole file is stored in the zip. */
export type ReadPart = Part & { raw: Buffer; isStored: boolean };
/** `crc` is the CRC-32 of the whole file if it has several parts and is stored; null otherwise. */
export type CheckedPart = ReadPart & { crc: number | null };

/** The parts of all entries, in archive order. */
export function* partsOf(entries: readonly Entry[]): Generator<Part> {
  for (const entry of entries) {
    let start = 0;
    do {
      const end = start + PART_BYTES;
      yield { entry, start, isFirst: start === 0, isLast: end >= entry.size };
      start = end;
    } while (start < entry.size);
  }
}

/**
 * Returns a function that reads a part. It rejects with LocalError if the file cannot be read or has changed since it was
 * listed. `isCompressing` is false to store everything.
 */
export function partReader(isCompressing: boolean): (part: Part) => Promise<ReadPart> {
  const decisions = new WeakMap<Entry, Promise<boolean>>();
  return async (part) => {
    const { entry } = part;
    const raw = await readPart(part);
    if (!isCompressing || entry.kind !== 'file') return { ...part, raw, isStored: true };
    const read = (at: number, length: number) => raw.subarray(at, at + length);
    const isWhole = part.isFirst && part.isLast;
    const decision = decisions.get(entry) ?? (isWhole ? isFileWorthwhile(entry.size, read) : isLargeWorthwhile(entry));
    decisions.set(entry, decision);
    return { ...part, raw, isStored: !(await decision) };
  };
}

/**
 * Does what `partReader` does, and reads large files that are stored twice, for their CRC-32: unpackers that read a
 * zip from its start need it before their data. Players start such files, mostly media, in the middle, which the service
 * can only send directly if they are stored.
 */
export function checkedPartReader(isCompressing: boolean): (part: Part) => Promise<CheckedPart> {
  const read = partReader(isCompressing);
  const crcs = new WeakMap<Entry, Promise<number>>();
  return async (part) => {
    const done = await read(part);
    if (!done.isStored || (part.isFirst && part.isLast)) return { ...done, crc: null };
    const crc = crcs.get(part.entry) ?? crcOf(part.entry);
    crcs.set(part.entry, crc);
    return { ...done, crc: await crc };
  };
}

/** Cuts the files that get compressed into blocks, which become parts. Parts of others stay as they are. */
export async function* cutParts<T extends ReadPart>(parts: AsyncIterable<T>): AsyncGenerator<T> {
  const cutter = new Cutter(DEFAULT_SIZES.packed);
  let pending: Buffer[] = [];
  let start = 0;
  for await (const part of parts) {
    if (part.isStored || part.entry.size <= DEFAULT_SIZES.packed.uncut) {
      yield part;
      continue;
    }
    if (part.isFirst) start = 0;
    const lengths = cutter.push(part.raw);
    pending.push(part.raw);
    const rest = part.isLast ? cutter.finish() : 0;
    if (rest > 0) lengths.push(rest);
    let bytes = lengths.length > 0 ? Buffer.concat(pending) : Buffer.alloc(0);
    if (lengths.length > 0) pending = [];
    for (const [index, length] of lengths.entries()) {
      const isLast = part.isLast && index === lengths.length - 1;
      yield { ...part, start, isFirst: start === 0, isLast, raw: bytes.subarray(0, length) };
      bytes = bytes.subarray(length);
      start += length;
    }
    if (bytes.length > 0) pending.push(bytes);
  }
}

async function isLargeWorthwhile(entry: Entry): Promise<boolean> {
  await using handle = await openFile(entry);
  return await isFileWorthwhile(entry.size, async (at, length) => {
    const slice = Buffer.alloc(length);
    const { bytesRead } = await handle.read(slice, 0, length, at);
    return slice.subarray(0, bytesRead);
  });
}

async function crcOf(entry: Entry): Promise<number> {
  await using handle = await openFile(entry);
  const bytes = Buffer.allocUnsafeSlow(PART_BYTES);
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

function readPart({ entry, start }: Part): Promise<Buffer> {
  if (entry.kind !== 'file') return Promise.resolve(Buffer.from(entry.target));
  return readRange(entry, start, Math.min(start + PART_BYTES, entry.size));
}

/** Reads from `start` to `end` of a file. Rejects with LocalError if it has changed since it was listed. */
export async function readRange(entry: Entry, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(end - start);
  await using handle = await openFile(entry);
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
  const now = await handle.stat();
  if (bytesRead < bytes.length || now.size !== entry.size || now.mtimeMs !== entry.mtimeMs) throw changed(entry);
  return bytes;
}
