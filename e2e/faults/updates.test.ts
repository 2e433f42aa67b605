// Kills installations, updates and repairs at random moments. After each, the old or the new version is whole, and the
// next attempt gets to the new one. CHAUFFEUR_TEST_KILLS sets how often; 40 times by default.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { install, readInstalled, repair, update, verify } from '@chauffeur/updater/updater';
import { expected, makeFolder, noise, read, write } from '../../packages/updater/test/setup/folders.ts';
import { Origin, type Tree } from '../../packages/updater/test/setup/origin.ts';

const KILLS = Number(process.env.CHAUFFEUR_TEST_KILLS ?? 40);
const RUN = fileURLToPath(new URL('../../packages/updater/test/setup/run.ts', import.meta.url));

const world = noise(2_000_000, 1);
const files = (count: number, seed: number): Tree =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `files/${index % 7}/${index}.dat`,
      noise(2000 + 97 * index, seed + index),
    ]),
  );
const OLD: Tree = {
  'bin/game': noise(100_000, 2),
  'world.pak': world,
  'story.txt': noise(400_000, 3),
  ...files(40, 10),
  music: noise(9000, 4),
  'levels/one.dat': noise(50_000, 5),
  link: '-> bin/game',
};
const NEW: Tree = {
  'bin/game': noise(101_000, 6),
  'world.pak': Buffer.concat([noise(2000, 7), world.subarray(0, 1_500_000), noise(9000, 8), world.subarray(1_500_000)]),
  'story.txt': noise(410_000, 9),
  ...files(35, 12),
  'music/theme.dat': noise(9000, 4),
  levels: noise(50_000, 5),
  link: '-> levels',
};

let origin: Origin;
before(async () => {
  origin = await new Origin().start();
});
after(() => origin.stop());

/** Runs until the end, or until it is killed after this many milliseconds. Returns how long it took. */
async function run(kind: string, folder: string, killAfterMs: number): Promise<{ ms: number; isKilled: boolean }> {
  const child = spawn(process.execPath, [RUN, kind, folder, origin.url], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
  await once(child.stdout, 'data');
  const start = performance.now();
  const stop = new AbortController();
  const killed = wait(killAfterMs, undefined, { signal: stop.signal }).then(
    () => child.kill('SIGKILL'),
    () => {},
  );
  const [code, signal] = await ended;
  stop.abort();
  await killed;
  assert.ok(code === 0 || signal === 'SIGKILL', `exit code ${code}`);
  return { ms: performance.now() - start, isKilled: signal === 'SIGKILL' };
}

const NEVER = 120_000;

for (const [kind, patches] of [
  ['install', false],
  ['update', false],
  ['update', true],
] as const)
  test(`${kind}${patches ? ' by patch' : ''} is killed at ${KILLS / 2} moments`, { timeout: 900_000 }, async (t) => {
    origin.patches = patches;
    const root = makeFolder(t);
    origin.releases.length = 0;
    const old = kind === 'install' ? {} : OLD;
    if (kind === 'update') {
      origin.release(OLD);
      await install({ folder: join(root, 'old'), address: origin.address, platform: { os: 'linux', arch: 'x86_64' } });
    }
    origin.release(NEW);
    const prepare = (name: string): string => {
      const folder = join(root, name);
      if (kind === 'update')
        cpSync(join(root, 'old'), folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
      write(folder, kind === 'update' ? 'saves/slot' : '.chauffeur/none', 'of the player');
      return folder;
    };
    const mine = kind === 'update' ? { 'saves/slot': 'of the player' } : {};
    origin.asked = [];
    const { ms } = await run(kind, prepare('measured'), NEVER);
    assert.equal(origin.asked.includes('patches'), patches);
    const outcomes = { old: 0, new: 0 };
    for (let kill = 0; kill < KILLS / 2; kill += 1) {
      const folder = prepare(`game-${kill}`);
      await run(kind, folder, (1.2 * ms * (kill + Math.random())) / (KILLS / 2));
      // What `launch` does first: a switch that had begun is finished.
      await readInstalled({ folder });
      const now = read(folder);
      const isOld = isDeepStrictEqual(now, expected({ ...old, ...mine }));
      if (!isOld) assert.deepEqual(now, expected({ ...NEW, ...mine }), `killed ${kill}`);
      outcomes[isOld ? 'old' : 'new'] += 1;
      // Again, and then to the end.
      await run(kind === 'install' && isOld ? 'install' : 'repair', folder, ms * Math.random());
      const current = await readInstalled({ folder });
      if (current === null || current.install.build === null)
        await install({ folder, address: origin.address, platform: { os: 'linux', arch: 'x86_64' } });
      else {
        await repair({ folder });
        await update({ folder });
      }
      assert.deepEqual(read(folder), expected({ ...NEW, ...mine }));
      const { changed, missing } = await verify({ folder });
      assert.deepEqual([changed, missing], [[], []]);
    }
    t.diagnostic(`${JSON.stringify(outcomes)} in ${Math.round(ms)} ms each`);
  });
