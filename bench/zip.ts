// Measures the zip writer (with its SHA-256) against `zip -r -6` on 1 GB, half of it incompressible.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '@chauffeur/cli/src/zip/zip.ts';
import { medianOf } from './figures.ts';

const MB = 1e6;
const ROUNDS = 3;
const NEEDED = 0.6;

/** Writes a file of `bytes` bytes. `chunk` returns about a megabyte at a time. */
async function fill(path: string, bytes: number, chunk: () => Buffer): Promise<void> {
  await using file = await open(path, 'wx');
  for (let left = bytes; left > 0; ) {
    const piece = chunk().subarray(0, left);
    await file.write(piece);
    left -= piece.length;
  }
}

const WORDS = 'player enemy mesh texture shader position rotation scale velocity health quest dialog sound'.split(' ');

/** Text like that of scene files and scripts, with repeated keys and random numbers. */
function textChunk(): Buffer {
  const lines = Array.from({ length: 20_000 }, (_, i) => {
    const word = WORDS[Math.floor(Math.random() * WORDS.length)];
    return `  "${word}_${i % 97}": [${(Math.random() * 1000).toFixed(4)}, ${(Math.random() * 1000).toFixed(4)}, ${i}],`;
  });
  return Buffer.from(lines.join('\n'));
}

/** 32-bit floats on a noisy curve, like the vertices of uncompressed meshes and uncompressed sound. */
function binaryChunk(): Buffer {
  const phase = Math.random() * 100;
  const floats = Float32Array.from(
    { length: 250_000 },
    (_, i) => Math.round(Math.sin(phase + i / 50) * 4096 + Math.random() * 8) / 4096,
  );
  return Buffer.from(floats.buffer);
}

async function makeGame(folder: string): Promise<void> {
  await mkdir(join(folder, 'data/scenes'), { recursive: true });
  await fill(join(folder, 'data/textures.pak'), 400 * MB, () => randomBytes(MB));
  await fill(join(folder, 'data/meshes.pak'), 250 * MB, binaryChunk);
  for (let i = 0; i < 100; i++) await fill(join(folder, `data/music-${i}.ogg`), MB, () => randomBytes(MB));
  for (let i = 0; i < 125; i++) await fill(join(folder, `data/scenes/scene-${i}.json`), 2 * MB, textChunk);
}

async function secondsOf(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

const folder = await mkdtemp(join(tmpdir(), 'chauffeur-bench-'));
try {
  const game = join(folder, 'game');
  await makeGame(game);
  const theirs: number[] = [];
  const ours: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [one, two] = [join(folder, `zip-${round}.zip`), join(folder, `ours-${round}.zip`)];
    theirs.push(await secondsOf(() => execFileSync('zip', ['-q', '-r', '-6', one, '.'], { cwd: game })));
    let size = 0;
    ours.push(await secondsOf(async () => ({ size } = await writeZip(game, two))));
    const last = `zip ${theirs.at(-1)?.toFixed(1)} s, writeZip ${ours.at(-1)?.toFixed(1)} s (${(size / MB).toFixed(0)} MB)`;
    process.stderr.write(`round ${round + 1}: ${last}\n`);
    await rm(one);
    await rm(two);
  }
  const ratio = medianOf(ours) / medianOf(theirs);
  const peak = Math.round(process.resourceUsage().maxRSS / 1024);
  process.stdout.write(`writeZip/zip = ${ratio.toFixed(2)} (needs ≤ ${NEEDED}); peak memory ${peak} MiB\n`);
  process.exitCode = ratio <= NEEDED ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
