// Unpacks files of a zip in the blob store to a temporary file, from which any part of them can then be read.
import { createHash } from 'node:crypto';
import { mkdirSync, openSync, readSync, statfsSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createInflateRaw, inflateRawSync } from 'node:zlib';
import { MIB } from '@chauffeur/contract/limits';
import type { ReadContent } from '@chauffeur/deltas/address-space';
import { DeltaError } from '@chauffeur/deltas/error';
import type { FileEntry, Manifest } from '@chauffeur/deltas/manifest';
import { BlobCursor } from '../../kernel/blobs/blob-bytes.ts';
import type { BlobStore } from '../../kernel/blobs/store.ts';
import { newId } from '../../kernel/secrets/ids.ts';

/** Parts of the zip that are less than this apart are read as one. */
const GAP_BYTES = 4 * MIB;
/** Smaller files are unpacked at once, which is faster. */
const SMALL_BYTES = MIB;
/** What stays free on the disk for everything else. */
const RESERVED_BYTES = 1024 * MIB;

/** The disk has too little space for a temporary file. */
export class SpoolSpaceError extends Error {
  override readonly name = 'SpoolSpaceError';
}

/**
 * Opens a temporary file that the system removes when it is closed, even if the process is killed. Throws
 * SpoolSpaceError.
 */
export function openSpool(folder: string, bytes: number): number {
  mkdirSync(folder, { recursive: true });
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < bytes + RESERVED_BYTES)
    throw new SpoolSpaceError(`${folder} has too little space for ${bytes} bytes`);
  const path = join(folder, newId());
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return file;
}

/** Writes all bytes. */
export function writeFully(file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, position + done);
}

export type SpooledZip = { readonly store: BlobStore; readonly key: string; readonly manifest: Manifest };

/**
 * Unpacks the entries with these numbers, which are files. Throws DeltaError if the zip doesn't have the content of the
 * manifest, SpoolSpaceError, and errors of the blob store.
 */
export async function spoolContent(
  { store, key, manifest }: SpooledZip,
  wanted: readonly number[],
  folder: string,
): Promise<ReadContent> {
  const entries = wanted.map((index) => ({ index, ...(manifest.entries[index] as FileEntry) }));
  const places = new Map<number, number>();
  let size = 0;
  for (const { index, size: bytes } of entries) {
    places.set(index, size);
    size += bytes;
  }
  const file = openSpool(folder, size);
  for (const run of runsOf(entries)) {
    const cursor = new BlobCursor(store, key, run.at(-1)!.end, run[0]!.offset);
    for (const entry of run) {
      for await (const _ of cursor.stream(entry.offset - cursor.position));
      await unpackEntry(cursor, entry, file, places.get(entry.index)!);
    }
  }
  return readerOf(file, places);
}

function readerOf(file: number, places: ReadonlyMap<number, number>): ReadContent {
  let memory = Buffer.allocUnsafeSlow(MIB);
  return (entry, offset, length) => {
    if (memory.length < length) memory = Buffer.allocUnsafeSlow(length);
    const start = places.get(entry)! + offset;
    let done = 0;
    while (done < length) {
      const count = readSync(file, memory, done, length - done, start + done);
      if (count === 0) throw new Error('a temporary file is too short');
      done += count;
    }
    return memory.subarray(0, length);
  };
}

type Placed = FileEntry & { readonly index: number; readonly end: number };

/** The entries in the order of the zip, in runs that are read as one. Throws DeltaError if they overlap. */
function runsOf(entries: readonly (FileEntry & { index: number })[]): Placed[][] {
  const runs: Placed[][] = [];
  const placed = entries.map((entry) => ({ ...entry, end: entry.offset + entry.packed }));
  for (const entry of placed.sort((a, b) => a.offset - b.offset)) {
    const last = runs.at(-1)?.at(-1);
    if (last !== undefined && entry.offset < last.end) throw new DeltaError('Entries of the zip overlap.');
    if (last !== undefined && entry.offset - last.end < GAP_BYTES) runs.at(-1)!.push(entry);
    else runs.push([entry]);
  }
  return runs;
}

async function unpackEntry(cursor: BlobCursor, entry: FileEntry, file: number, place: number): Promise<void> {
  const { path, size, packed, method, sha256 } = entry;
  const hash = createHash('sha256');
  let done = 0;
  const take = (bytes: Buffer) => {
    if (done + bytes.length > size) throw new DeltaError(`${path} is larger than its manifest says.`);
    hash.update(bytes);
    writeFully(file, bytes, place + done);
    done += bytes.length;
  };
  try {
    if (method === 'stored') for await (const bytes of cursor.stream(packed)) take(bytes);
    else if (size <= SMALL_BYTES && packed <= 2 * SMALL_BYTES)
      take(inflateRawSync(await cursor.take(packed), { maxOutputLength: size }));
    else
      await pipeline(cursor.stream(packed), createInflateRaw({ chunkSize: 256 * 1024 }), async (source) => {
        for await (const bytes of source) take(bytes as Buffer);
      });
  } catch (cause) {
    throw isDamage(cause) ? new DeltaError(`${path} can’t be unpacked.`, { cause }) : cause;
  }
  if (done !== size || !hash.digest().equals(sha256))
    throw new DeltaError(`${path} doesn’t have the content of its manifest.`);
}

/** Whether the error is of zlib. */
function isDamage(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code.startsWith('Z_') || code === 'ERR_BUFFER_TOO_LARGE';
}
