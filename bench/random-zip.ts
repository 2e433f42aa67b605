// Creates a zip of a given size: one stored entry with random bytes, like a build with packed assets.
import { createHash, randomFillSync } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { KIB, MIB } from '@chauffeur/contract/limits';
import {
  centralHeader,
  type EntryRecord,
  endRecords,
  localHeader,
  STORED,
  ZIP64_AT,
} from '@chauffeur/deltas/zip-layout';

export type Zip = { path: string; size: number; sha256: string };

/** Maximum size of the zip's own records. */
const RECORDS_BYTES = 4 * KIB;

/** Writes a zip of at most `bytes` bytes into `folder`. */
export async function makeRandomZip(folder: string, bytes: number): Promise<Zip> {
  const path = join(folder, 'game.zip');
  const size = await writeZip(path, bytes - RECORDS_BYTES);
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: MIB }), hash);
  return { path, size, sha256: hash.digest('hex') };
}

/**
 * Returns the size of the zip. The local header is at the start of the file, but is written last because it contains
 * the checksum.
 */
async function writeZip(path: string, size: number): Promise<number> {
  const base = {
    name: Buffer.from('assets.pck'),
    method: STORED,
    packed: size,
    size,
    mode: 0o100644,
    offset: 0,
  } as const;
  const entry: EntryRecord = { ...base, crc: 0, streamed: false, large: size >= ZIP64_AT };
  await using file = await open(path, 'wx');
  const start = localHeader(entry).length;
  entry.crc = await writeRandom(file, start, size);
  await file.write(localHeader(entry), 0, start, 0);
  const directory = centralHeader(entry);
  const closing = Buffer.concat([directory, endRecords({ entries: 1, size: directory.length, offset: start + size })]);
  await file.write(closing, 0, closing.length, start + size);
  return start + size + closing.length;
}

/** Returns the CRC-32 of the written bytes. */
async function writeRandom(file: FileHandle, start: number, size: number): Promise<number> {
  const buffer = Buffer.alloc(MIB);
  let crc = 0;
  for (let done = 0; done < size; done += buffer.length) {
    const bytes = randomFillSync(buffer).subarray(0, size - done);
    crc = crc32(bytes, crc);
    await file.write(bytes, 0, bytes.length, start + done);
  }
  return crc;
}
