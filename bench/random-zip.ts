// Makes a real zip of a wanted size: one stored entry of random bytes, as a build of packed assets is.
import { randomFillSync } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeZip } from '@chauffeur/cli/src/zip/zip.ts';

export type Zip = { path: string; size: number; sha256: string };

/** What the zip's own records take, at most. */
const ENVELOPE_BYTES = 4096;

/** Writes a zip of `bytes` bytes, a little less for its records, into `folder`. */
export async function makeRandomZip(folder: string, bytes: number): Promise<Zip> {
  const source = await mkdtemp(join(folder, 'game-'));
  await writeRandom(join(source, 'assets.pck'), bytes - ENVELOPE_BYTES);
  const path = join(folder, 'game.zip');
  const { size, sha256 } = await writeZip(source, path, { level: 0 });
  await rm(source, { recursive: true });
  return { path, size, sha256 };
}

async function writeRandom(path: string, bytes: number): Promise<void> {
  await using file = await open(path, 'wx');
  const buffer = Buffer.alloc(1024 * 1024);
  for (let left = bytes; left > 0; left -= buffer.length) {
    await file.write(randomFillSync(buffer).subarray(0, left));
  }
}
