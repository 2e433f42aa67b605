// Writes a folder as a zip: streaming, on several threads, and byte for byte the same whenever the folder is the same.
import { crc32 } from 'node:zlib';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import { LocalError } from '../failures.ts';
import { BLOCK_BYTES, storedLength } from './blocks.ts';
import { type Entry, type ListOptions, listEntries } from './entries.ts';
import { HashedFile } from './hashed-file.ts';
import { mapInOrder } from './in-order.ts';
import { startsLikeProgram } from './names.ts';
import { type PackedPart, packPart, partsOf } from './parts.ts';
import { centralHeader, dataDescriptor, type EntryRecord, endRecords, localHeader, ZIP64_AT } from './records.ts';

export type ZipOptions = ListOptions & {
  /** Bytes of files taken in so far, and in all. */
  onProgress?: (done: number, total: number) => void;
  /** 0 (store) to 9 (smallest); 6 where absent. */
  level?: number;
  /** Stops with a LocalError as soon as the zip is larger. */
  maxBytes?: number;
  /** From which value on a 32-bit field gives way to Zip64; lower than the format's own only in tests. */
  zip64At?: number;
};

export type ZipResult = {
  /** Bytes of the zip. */
  size: number;
  /** Of the zip, 64 lowercase hex digits. */
  sha256: string;
  entries: number;
  /** Bytes of the files before compression. */
  bytesIn: number;
};

/** Blocks read or compressed ahead of the one being written: keeps the pool's threads busy within about 25 MiB. */
const BLOCKS_AHEAD = 8;

/**
 * Zips `folder` into the new file `outFile`, which is removed again on failure. Paths, modes (0755 or 0644), symlinks and
 * empty folders are kept; times are not, so that one folder always gives one archive (with one version of zlib).
 * Rejects with LocalError when the folder holds no file or something that cannot be zipped, changes meanwhile, or the
 * disk is full; with the reason of `signal` when that is aborted.
 */
export async function writeZip(folder: string, outFile: string, options: ZipOptions = {}): Promise<ZipResult> {
  const entries = await listEntries(folder, options);
  return zipEntries(entries, outFile, options);
}

/** Zips entries that `listEntries` found, in their order; for the rest see `writeZip`. */
export async function zipEntries(
  entries: readonly Entry[],
  outFile: string,
  options: ZipOptions = {},
): Promise<ZipResult> {
  if (entries.length > LIMITS.zipEntries) {
    throw new LocalError(
      `The folder holds ${entries.length} entries; a zip takes ${LIMITS.zipEntries}.`,
      'Pack small files together, or leave some out with --ignore.',
    );
  }
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
  const { level = 6, maxBytes = Number.POSITIVE_INFINITY, zip64At = ZIP64_AT } = options;
  const total = entries.reduce((sum, entry) => sum + entry.size, 0);
  const records: EntryRecord[] = [];
  let bytesIn = 0;
  for await (const part of mapInOrder(partsOf(entries), BLOCKS_AHEAD, (part) => packPart(part, level))) {
    options.signal?.throwIfAborted();
    if (part.isFirst) records.push(beginRecord(part, file.size, zip64At));
    const record = records.at(-1) as EntryRecord;
    fillRecord(record, part);
    if (part.isFirst) await file.write(localHeader(record));
    await file.write(...part.packed);
    if (part.isLast && record.streamed) await file.write(dataDescriptor(record));
    refuseAbove(maxBytes, file.size);
    bytesIn += part.entry.kind === 'file' ? part.raw.length : 0;
    options.onProgress?.(bytesIn, total);
  }
  await writeDirectory(records, file, zip64At);
  refuseAbove(maxBytes, file.size);
  return bytesIn;
}

function beginRecord(part: PackedPart, offset: number, zip64At: number): EntryRecord {
  const { entry } = part;
  return {
    name: entry.name,
    method: part.method,
    crc: 0,
    packed: 0,
    size: 0,
    mode: modeOf(part),
    offset,
    streamed: !part.isLast,
    // Decided before the packed size is known: nothing grows past its stored form.
    large: Math.ceil(entry.size / BLOCK_BYTES) * storedLength(BLOCK_BYTES) >= zip64At,
  };
}

function modeOf({ entry, raw }: PackedPart): number {
  if (entry.kind === 'symlink') return 0o120777;
  if (entry.kind === 'folder') return 0o040755;
  return (entry.executable ?? startsLikeProgram(raw)) ? 0o100755 : 0o100644;
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
    `The zip is larger than ${maxBytes / MIB} MiB, the most that is accepted.`,
    'Leave out what players do not need with --ignore, or split the build.',
  );
}
