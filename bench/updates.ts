// Measures the installation and the update of a 1 GB game with 1 % changed, from a server on loopback: seconds, bytes and
// memory of the client, which is a separate process. `--mb 200` for a smaller game, `--folder` for another disk.
import { spawn } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { DEFAULT_SIZES } from '@chauffeur/deltas/cutter';
import { Origin } from '../packages/updater/test/setup/origin.ts';
import { note, printFigure } from './figures.ts';
import { peakDuring } from './process-watch.ts';
import { createFolder } from './service.ts';

const MB = 1_000_000;
const FILES = 10;
const CHANGES = 20;
const CLIENT = fileURLToPath(new URL('./update-client.ts', import.meta.url));

const { values } = parseArgs({ options: { mb: { type: 'string', default: '1000' }, folder: { type: 'string' } } });

type Measured = { seconds: number; downloadedBytes: number; reusedBytes: number; peak: number };

/** Runs the client, which begins when its memory is watched. */
async function measure(kind: string, folder: string, server: string): Promise<Measured> {
  const child = spawn(process.execPath, [CLIENT, kind, folder, server], { stdio: ['pipe', 'pipe', 'inherit'] });
  let line = '';
  const peak = await peakDuring(child.pid ?? 0, async () => {
    child.stdin.write('begin\n');
    const [data] = (await once(child.stdout, 'data')) as [Buffer];
    line = data.toString();
  });
  // It waits for this, so that its memory can be read until the end.
  child.stdin.end();
  await once(child, 'exit');
  return { ...(JSON.parse(line) as Omit<Measured, 'peak'>), peak };
}

async function main(): Promise<void> {
  const root = values.folder ?? (await createFolder());
  const folder = join(root, 'game');
  const origin = await new Origin().start();
  try {
    const bytes = Number(values.mb) * MB;
    const files = Array.from({ length: FILES }, () => randomFillSync(Buffer.allocUnsafe(bytes / FILES)));
    const tree = () => Object.fromEntries(files.map((file, index) => [`data/${index}.pak`, file]));
    note('writing the zips');
    origin.release(tree(), { sizes: DEFAULT_SIZES });
    const installed = await measure('install', folder, origin.url);
    // 1 % in places all over the files.
    const piece = bytes / 100 / CHANGES;
    for (let change = 0; change < CHANGES; change += 1) {
      const file = files[change % FILES]!;
      randomFillSync(file, Math.floor(((change + 0.5) / CHANGES) * (file.length - piece)), piece);
    }
    origin.releases.length = 0;
    origin.release(tree(), { sizes: DEFAULT_SIZES });
    const updated = await measure('update', folder, origin.url);
    for (const [name, { seconds, downloadedBytes, reusedBytes, peak }] of Object.entries({ installed, updated })) {
      note(`${name}: ${downloadedBytes / MB} MB downloaded, ${reusedBytes / MB} MB reused`);
      printFigure(`${name} in`, seconds, { below: name === 'updated' ? 5 : 30 }, { unit: ' s' });
      printFigure(`memory of the client, ${name}`, peak / MB, { below: 150 }, { unit: ' MB', digits: 0 });
    }
  } finally {
    await origin.stop();
    await rm(values.folder === undefined ? root : folder, { recursive: true, force: true });
  }
}

await main();
