// Zips a folder as a stream, on several threads, into a file of a temporary folder. Large files consist of blocks that are cut
// where their content says, so that later uploads and updates find what is the same. The same folder always gives the same
// bytes.

import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { formatBytes } from '@chauffeur/contract/format';
import { packBlock, STREAM_END, storedLength } from '@chauffeur/deltas/blocks';
import { DEFAULT_SIZES } from '@chauffeur/deltas/cutter';
import {
  centralHeader,
  DEFLATED,
  dataDescriptor,
  type EntryRecord,
  endRecords,
  localHeader,
  STORED,
  ZIP64_AT,
} from '@chauffeur/deltas/zip-layout';
import { LocalError } from '../failures.ts';
import { packWorthwhile } from './blocks.ts';
import { type Entry, type ListOptions, listEntries } from './entries.ts';
import { HashedFile } from './hashed-file.ts';
import { mapInOrder } from './in-order.ts';
import { permissionsOf } from './names.ts';
import {
  type CheckedPart,
  changed,
  checkedPartReader,
  cutParts,
  PARTS_AHEAD,
  partsOf,
  type ReadPart,
} from './parts.ts';

export type ZipOptions = ListOptions & {
  /** Called with the bytes of files read so far and in total. */
  onProgress?: (done: number, total: number) => void;
  /** 0 (store) to 9 (smallest); 7 by default. */
  level?: number;
  /** Fails with LocalError as soon as the zip is larger. */
  maxBytes?: number;
  /** The value from which a field uses Zip64; lower than in the format only in tests. */
  zip64At?: number;
};

export type ZipResult = {
  /** Bytes of the zip. */
  size: number;
  /** SHA-256 of the zip as 64 lowercase hex digits. */
  sha256: string;
  entries: number;
  /** Bytes of the files before compression. */
  bytesIn: number;
};

/** Compression of blocks. They are shorter than the rest of a file, and 7 makes up for some of what that costs. */
const LEVEL = 7;
/** Blocks compressed ahead of writing: keeps the thread pool busy. */
const BLOCKS_AHEAD = 8;

/**
 * Zips `folder` into the new file `outFile`, which is removed on failure. Paths, modes (0755 or 0644), symlinks and empty folders are
 * kept. Times are not, so the same folder always gives the same archive (with the same version of zlib). Rejects with LocalError if
 * the folder has no files, has an entry that cannot be zipped, changes in the meantime, or if the disk is full. Rejects with the reason
 * of `signal` when it is aborted.
 */
export async function writeZip(folder: string, outFile: string, options: ZipOptions = {}): Promise<ZipResult> {
  const { entries } = await listEntries(folder, options);
  return zipEntries(entries, outFile, options);
}

/** Zips the entries from `listEntries` in their order, like `writeZip`. */
export async function zipEntries(
  entries: readonly Entry[],
  outFile: string,
  options: ZipOptions = {},
): Promise<ZipResult> {
  const file = await HashedFile.create(outFile);
  try {
    const bytesIn = await writeArchive(entries, file, options);
    return { ...(await file.finish()), entries: entries.length, bytesIn };
  } catch (error) {
    await file.discard();
    throw error;
  }
}

async function writeArchive(entries: readonly Entry[], file: HashedFile, options: ZipOptions): Promise<number> {
  const { level = LEVEL, maxBytes = Number.POSITIVE_INFINITY, zip64At = ZIP64_AT } = options;
  const total = entries.reduce((sum, entry) => sum + entry.size, 0);
  const records: EntryRecord[] = [];
  let bytesIn = 0;
  for await (const part of packedParts(entries, level)) {
    options.signal?.throwIfAborted();
    if (part.isFirst) records.push(beginRecord(part, file.size, zip64At));
    const record = records.at(-1) as EntryRecord;
    fillRecord(record, part);
    if (part.isFirst) await file.write(localHeader(headerOf(record, part)));
    await file.write(...part.packed);
    if (part.isLast && record.streamed) await file.write(dataDescriptor(record));
    if (part.isLast && part.crc !== null && part.crc !== record.crc) throw changed(part.entry);
    refuseAbove(maxBytes, file.size);
    bytesIn += part.entry.kind === 'file' ? part.raw.length : 0;
    options.onProgress?.(bytesIn, total);
  }
  await writeDirectory(records, file, zip64At);
  refuseAbove(maxBytes, file.size);
  return bytesIn;
}

/** `packed` are the pieces for the archive. */
type PackedPart = CheckedPart & { packed: Buffer[] };

/** Reads, cuts and compresses, in archive order. `level` is from 0, which stores everything, to 9. */
function packedParts(entries: readonly Entry[], level: number): AsyncGenerator<PackedPart> {
  const parts = mapInOrder(partsOf(entries), PARTS_AHEAD, checkedPartReader(level > 0));
  return mapInOrder(cutParts(parts), BLOCKS_AHEAD, async (part) => {
    if (part.isStored) return { ...part, packed: [part.raw] };
    const packed = await packPart(part, level);
    return { ...part, packed: part.isLast ? [packed, STREAM_END] : [packed] };
  });
}

/** The only block of a file is what was sampled to decide about the file. */
export function packPart(
  { raw, isFirst, isLast }: Pick<ReadPart, 'raw' | 'isFirst' | 'isLast'>,
  level = LEVEL,
): Promise<Buffer> {
  return isFirst && isLast ? packBlock(raw, level) : packWorthwhile(raw, level);
}

function beginRecord(part: PackedPart, offset: number, zip64At: number): EntryRecord {
  const { entry, isStored } = part;
  return {
    name: entry.name,
    method: isStored ? STORED : DEFLATED,
    crc: 0,
    packed: 0,
    size: 0,
    mode: modeOf(part),
    offset,
    streamed: !part.isLast && !isStored,
    // Decided before the packed size is known, because a file is never larger than its blocks in their stored form.
    large: (isStored ? entry.size : storedLength(entry.size) + BLOCK_SPARE * blocksAtMost(entry.size)) >= zip64At,
  };
}

/** What a block takes at most in addition to the same bytes in one block with others. */
const BLOCK_SPARE = 16;

function blocksAtMost(size: number): number {
  return Math.ceil(size / DEFAULT_SIZES.packed.min);
}

/** What the local header says before the rest of the file is read. */
function headerOf(record: EntryRecord, { entry, crc }: PackedPart): EntryRecord {
  return crc === null ? record : { ...record, crc, packed: entry.size, size: entry.size };
}

function modeOf({ entry, raw }: PackedPart): number {
  if (entry.kind === 'symlink') return 0o120777;
  if (entry.kind === 'folder') return 0o040755;
  return 0o100000 | permissionsOf(entry, raw);
}

function fillRecord(record: EntryRecord, part: PackedPart): void {
  record.crc = crc32(part.raw, record.crc);
  record.size += part.raw.length;
  record.packed += part.packed.reduce((sum, piece) => sum + piece.length, 0);
}

async function writeDirectory(records: readonly EntryRecord[], file: HashedFile, zip64At: number): Promise<void> {
  const offset = file.size;
  for (const record of records) await file.write(centralHeader(record, zip64At));
  await file.write(endRecords({ entries: records.length, size: file.size - offset, offset }, zip64At));
}

function refuseAbove(maxBytes: number, size: number): void {
  if (size <= maxBytes) return;
  throw new LocalError(
    `The zip is larger than the limit of ${formatBytes(maxBytes)}.`,
    'Use --ignore to leave out files that players do not need, or split the build.',
  );
}

/**
 * Runs `work` with a new folder in `parent` (by default the system's temporary folder), then removes it, however the
 * process ends.
 */
export async function withTempFolder<T>(parent: string | undefined, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(parent ?? tmpdir(), 'chauffeur-')).catch((cause: unknown) => {
    throw new LocalError(`Cannot create a temporary folder in ${parent ?? tmpdir()}.`, 'Choose another with --tmp.', {
      cause,
    });
  });
  const removeAtExit = () => rmSync(folder, { recursive: true, force: true }); // A second Ctrl-C exits immediately.
  process.on('exit', removeAtExit);
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    process.off('exit', removeAtExit);
  }
}
