// Updates with patch packs and differences of manifests: what is downloaded, and what happens when they can't be used.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, type TestContext, test } from 'node:test';
import { install, type Options, type Progress, repair, update, verify } from '../src/updater.ts';
import { expected, makeFolder, noise, read, write } from './setup/folders.ts';
import { Origin, type Tree } from './setup/origin.ts';

const QUICK = { retries: { failures: 4, pace: 0.001 } } as const;

const world = noise(300_000, 1);
const edited = Buffer.from(world);
for (let at = 500; at < edited.length; at += 1500) edited[at] = edited[at]! ^ 0xff;
const OLD: Tree = {
  'bin/game': noise(90_000, 2),
  'data/world.pak': world,
  'data/level.dat': noise(40_000, 3),
  'docs/readme.txt': 'Read me. '.repeat(500),
  'config.ini': 'volume=1',
  music: noise(9000, 4),
};
const NEW: Tree = {
  'bin/game': Buffer.concat([noise(90_000, 2), Buffer.from('more')]),
  'data/world.pak': edited,
  'data/level.dat': noise(40_000, 3),
  'docs/readme.txt': 'Read me! '.repeat(500),
  'docs/empty': '',
  'config.ini': 'volume=2',
  'sounds/music': noise(9000, 4),
};

let origin: Origin;
before(async () => {
  origin = await new Origin().start();
});
after(() => origin.stop());
beforeEach(() => {
  origin.hook = () => false;
  origin.falsify = (bytes) => bytes;
  origin.patches = true;
});

/** Installs the old version, and offers the new one. */
async function prepare(t: TestContext): Promise<string> {
  const folder = join(makeFolder(t), 'game');
  origin.release(OLD);
  await install({ ...QUICK, folder, address: origin.address, platform: { os: 'linux', arch: 'x86_64' } });
  origin.release(NEW);
  origin.asked = [];
  origin.ranges = [];
  return folder;
}

const run = (folder: string, options: Partial<Options> = {}) => update({ ...QUICK, folder, ...options });

/** Expects the new version, complete, and nothing else. */
async function assertUpdated(folder: string, tree: Tree = NEW): Promise<void> {
  assert.deepEqual(read(folder), expected(tree));
  assert.deepEqual(readdirSync(join(folder, '..')), ['game']);
  assert.deepEqual(readdirSync(join(folder, '.chauffeur')).sort(), ['files.json', 'install.json', 'manifest']);
  const { changed, missing } = await verify({ folder });
  assert.deepEqual([changed, missing], [[], []]);
}

test('a patch pack updates everything with few bytes, and then again', async (t) => {
  const folder = await prepare(t);
  const seen: Progress[] = [];
  const result = await run(folder, { onProgress: (progress) => void seen.push(progress) });
  await assertUpdated(folder);
  assert.deepEqual(origin.ranges, [], 'nothing of the zip is needed');
  assert.deepEqual([...new Set(origin.asked)].sort(), ['manifest', 'patches', 'updates']);
  const pack = origin.pairOf('patches', origin.releases.at(-2)!, origin.releases.at(-1)!);
  assert.equal(result.downloadedBytes, pack.length);
  assert.ok(pack.length < 10_000, `${pack.length} bytes`);
  const total = Object.values(NEW).reduce((sum, content) => sum + Buffer.from(content!).length, 0);
  assert.ok(result.reusedBytes > total - 5000 && result.reusedBytes <= total, `${result.reusedBytes} of ${total}`);
  for (const { done, total: all } of seen) assert.ok(done <= all);
  assert.deepEqual(seen.findLast(({ phase }) => phase === 'downloading')?.done, pack.length);
  const building = seen.filter(({ phase }) => phase === 'building');
  assert.ok(building.length > 0 && building.at(-1)!.done > 0);
  // The manifest that was made is the basis of the next update.
  origin.release(OLD);
  await run(folder);
  await assertUpdated(folder, OLD);
});

test('without a pack, the difference of the manifests is used, and without that the whole manifest', async (t) => {
  for (const [kinds, wanted] of [
    [['patches'], 'manifest-differences'],
    [['patches', 'manifest-differences'], 'manifest'],
  ] as const) {
    const folder = await prepare(t);
    origin.falsify = (bytes, kind) => ((kinds as readonly string[]).includes(kind) ? null : bytes);
    const { downloadedBytes } = await run(folder);
    await assertUpdated(folder);
    assert.ok(origin.asked.includes(wanted));
    assert.ok(downloadedBytes > 200_000, 'blocks');
  }
});

test('a server that knows nothing of patches is not asked for them', async (t) => {
  origin.patches = false;
  const folder = await prepare(t);
  await run(folder);
  await assertUpdated(folder);
  assert.deepEqual([...new Set(origin.asked)].sort(), ['download', 'manifest', 'updates']);
});

test('a file that the player changed stays, and the others are updated with blocks', async (t) => {
  const folder = await prepare(t);
  write(folder, 'config.ini', 'volume=11');
  const { kept } = await run(folder);
  assert.deepEqual(kept, ['config.ini']);
  assert.deepEqual(read(folder), expected({ ...NEW, 'config.ini': 'volume=11' }));
  // A changed file that the update leaves as it is doesn't matter.
  const second = await prepare(t);
  write(second, 'data/level.dat', 'my level');
  assert.deepEqual((await run(second)).kept, ['data/level.dat']);
  assert.deepEqual(origin.ranges, []);
  assert.deepEqual(read(second), expected({ ...NEW, 'data/level.dat': 'my level' }));
});

test('files that the disk changed without a trace are corrected, and the others come from the pack', async (t) => {
  const folder = await prepare(t);
  const path = join(folder, 'data/world.pak');
  const { mtimeMs } = statSync(path);
  const damaged = readFileSync(path);
  damaged[1000]! ^= 1;
  writeFileSync(path, damaged);
  utimesSync(path, mtimeMs / 1000, mtimeMs / 1000);
  const { downloadedBytes } = await run(folder);
  await assertUpdated(folder);
  assert.ok(downloadedBytes < 350_000, `${downloadedBytes} bytes: only the blocks of one file`);
});

test('a pause in the pack goes on where it was', async (t) => {
  const folder = join(makeFolder(t), 'game');
  const [before, next] = [noise(60_000, 7), noise(2_800_000, 8)];
  origin.release({ 'data/a.pak': before, 'data/b.pak': Buffer.alloc(3_000_000) });
  await install({ ...QUICK, folder, address: origin.address, platform: { os: 'linux', arch: 'x86_64' } });
  const tree = { 'data/a.pak': Buffer.concat([before, Buffer.from('!')]), 'data/b.pak': next };
  origin.release(tree);
  origin.ranges = [];
  // Smaller than the blocks, as far as the server says.
  const sizes = origin.sizesOf.bind(origin);
  origin.sizesOf = (...args) => ({ ...sizes(...args), blocks: 1e9 });
  t.after(() => {
    origin.sizesOf = sizes;
  });
  const stop = new AbortController();
  const onProgress = ({ phase, done }: Progress) => {
    if (phase === 'downloading' && done > 1_500_000) stop.abort(new Error('paused'));
  };
  await assert.rejects(run(folder, { signal: stop.signal, onProgress }), /paused/);
  assert.ok(readdirSync(join(folder, '.chauffeur')).some((name) => name.endsWith('.packed')));
  const { downloadedBytes } = await run(folder);
  assert.ok(downloadedBytes < 2_000_000, `${downloadedBytes} bytes`);
  await assertUpdated(folder, tree);
  assert.deepEqual(origin.ranges, []);
});

test('a pack that was replaced while it was downloaded is given up', async (t) => {
  const folder = join(makeFolder(t), 'game');
  origin.release({ 'data/b.pak': Buffer.alloc(3_000_000) });
  await install({ ...QUICK, folder, address: origin.address, platform: { os: 'linux', arch: 'x86_64' } });
  const tree = { 'data/b.pak': noise(2_800_000, 8) };
  origin.release(tree);
  const sizes = origin.sizesOf.bind(origin);
  origin.sizesOf = (...args) => ({ ...sizes(...args), blocks: 1e9 });
  t.after(() => {
    origin.sizesOf = sizes;
  });
  const stop = new AbortController();
  const onProgress = ({ phase, done }: Progress) => {
    if (phase === 'downloading' && done > 1_500_000) stop.abort(new Error('paused'));
  };
  await assert.rejects(run(folder, { signal: stop.signal, onProgress }), /paused/);
  origin.falsify = (bytes, kind) => {
    if (kind === 'patches') bytes.fill(7, bytes.length >> 1);
    return bytes;
  };
  await run(folder);
  await assertUpdated(folder, tree);
});

test('repair after an update by pack needs nothing from the server', async (t) => {
  const folder = await prepare(t);
  await run(folder);
  origin.ranges = [];
  assert.equal((await repair({ ...QUICK, folder })).replaced, null);
  assert.deepEqual(origin.ranges, []);
  assert.ok(existsSync(join(folder, 'bin/game')));
});
