// A made game: packs of assets that don't compress, a program and texts that do. A change edits some places in all of
// them, puts bytes in front of others, and adds a file.
import { randomFillSync } from 'node:crypto';
import { appendFile, mkdir, open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const PACKS = 9;
/** Packs take this share of the game; the rest compresses. */
const PACKED_SHARE = 0.9;
const EDITS = 20;
/** The share of the game that a change replaces. */
const CHANGED_SHARE = 0.01;
const CHUNK_BYTES = 4_000_000;

/** Writes a game of about this many bytes. */
export async function writeGame(folder: string, bytes: number): Promise<void> {
  await mkdir(join(folder, 'data'));
  for (let pack = 0; pack < PACKS; pack += 1)
    await writeChunks(join(folder, 'data', `${pack}.pak`), (bytes * PACKED_SHARE) / PACKS, random);
  await writeChunks(join(folder, 'game.bin'), bytes * (1 - PACKED_SHARE), halfRandom);
}

/** Returns the number of bytes that changed. */
export async function changeGame(folder: string): Promise<number> {
  const packs = (await readdir(join(folder, 'data'))).map((name) => join(folder, 'data', name));
  const files = [...packs, join(folder, 'game.bin')];
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const piece = Math.floor((total * CHANGED_SHARE) / EDITS);
  for (let edit = 0; edit < EDITS; edit += 1) {
    const index = edit % files.length;
    const handle = await open(files[index]!, 'r+');
    const at = Math.floor(((edit + 0.5) / EDITS) * (sizes[index]! - piece));
    await handle.write(random(piece), 0, piece, at);
    await handle.close();
  }
  // Everything behind it moves.
  const moved = packs[0]!;
  await writeFile(moved, Buffer.concat([random(1000), await readFile(moved)]));
  await writeFile(join(folder, 'data', 'new.txt'), 'What is new. '.repeat(1000));
  await appendFile(join(folder, 'play.sh'), 'exec ./game.bin\n');
  return EDITS * piece;
}

async function writeChunks(path: string, bytes: number, make: (length: number) => Buffer): Promise<void> {
  const handle = await open(path, 'wx', 0o644);
  for (let done = 0; done < bytes; done += CHUNK_BYTES) await handle.write(make(Math.min(CHUNK_BYTES, bytes - done)));
  await handle.close();
}

function random(length: number): Buffer {
  return randomFillSync(Buffer.allocUnsafe(Math.floor(length)));
}

/** Bytes that deflate makes about half as long. */
function halfRandom(length: number): Buffer {
  return Buffer.from(
    random(length / 2)
      .toString('hex')
      .slice(0, Math.floor(length)),
    'latin1',
  );
}
