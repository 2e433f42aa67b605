// Installs and updates games from a server whose zips have blocks of all kinds, in the ways that players do.
import assert from 'node:assert/strict';
import { existsSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { DEFAULT_SIZES } from '@chauffeur/deltas/cutter';
import { mountSmallDisk, unmountSmallDisk } from '../../server/test/setup/small-disk.ts';
import { Room } from '../src/room.ts';
import { uninstall } from '../src/uninstall.ts';
import { checkForUpdate, install, type Options, type Result, repair, update, verify } from '../src/updater.ts';
import { expected, makeFolder, noise, read, write } from './setup/folders.ts';
import { Origin, type Tree } from './setup/origin.ts';

const QUICK = { retries: { failures: 4, pace: 0.001 } } as const;

let origin: Origin;
before(async () => {
  origin = await new Origin().start();
});
after(() => origin.stop());
beforeEach(() => {
  origin.hook = () => false;
});

const PLATFORM = { os: 'linux', arch: 'x86_64' } as const;
const installInto = (folder: string, more: Partial<Options> = {}): Promise<Result> =>
  install({ ...QUICK, folder, address: origin.address, platform: PLATFORM, ...more });
const updateIn = (folder: string, more: Partial<Options> = {}): Promise<Result> =>
  update({ ...QUICK, folder, ...more });

const assets = noise(200_000, 1);
const OLD: Tree = {
  'bin/game': noise(30_000, 2),
  'data/world.pak': assets,
  'data/level1.dat': Buffer.from('level 1\n'.repeat(3000)),
  'data/level2.dat': Buffer.from('level 2\n'.repeat(3000)),
  'docs/readme.txt': 'Read me. '.repeat(500),
  'docs/empty.dat': '',
  music: noise(5000, 3),
  'textures/rock.dat': noise(9000, 4),
  Settings: 'volume=1',
  mods: null,
  latest: '-> data/level1.dat',
};
const NEW: Tree = {
  'bin/game': noise(31_000, 5),
  'data/world.pak': Buffer.concat([assets.subarray(0, 90_000), noise(3000, 6), assets.subarray(90_000)]),
  'data/levels/first.dat': Buffer.from('level 1\n'.repeat(3000)),
  'data/copy.dat': Buffer.from('level 1\n'.repeat(3000)),
  'docs/readme.txt': 'Read me again. '.repeat(400),
  'docs/empty.dat': '',
  'music/theme.dat': noise(5000, 3),
  textures: noise(4000, 4),
  settings: 'volume=2',
  'empty/folder': null,
  latest: '-> data/levels/first.dat',
};

test('a game is installed, updated and removed', async (t) => {
  const folder = join(makeFolder(t), 'game');
  const first = origin.release(OLD);
  const installed = await installInto(folder);
  assert.deepEqual(read(folder), expected(OLD));
  assert.equal(installed.from, null);
  assert.deepEqual(installed.to, { buildId: first.buildId, version: first.version });
  assert.deepEqual(await verify({ folder }), {
    game: 'Night Owls',
    version: installed.to,
    ...{ changed: [], missing: [], added: [] },
  });

  assert.equal((await checkForUpdate({ folder })).available, null);
  assert.equal((await updateIn(folder)).downloadedBytes, 0);

  const second = origin.release(NEW);
  const check = await checkForUpdate({ folder });
  assert.equal(check.available?.version, second.version);
  assert.equal(check.changelog[0]?.changes[0]?.title, 'More owls');
  const updated = await updateIn(folder);
  assert.deepEqual(read(folder), expected(NEW));
  assert.equal(updated.from?.version, first.version);
  assert.ok(updated.downloadedBytes < 100_000, `${updated.downloadedBytes} bytes`);
  assert.ok(updated.reusedBytes > 200_000);
  assert.deepEqual(updated.kept, []);

  // Back again, as after a rollback.
  origin.offered = first;
  await updateIn(folder);
  assert.deepEqual(read(folder), expected(OLD));
  assert.deepEqual(await uninstall({ folder }), { game: 'Night Owls', folder, kept: [] });
  assert.ok(!existsSync(folder));
});

test('what the player changed or added stays, and repair moves it aside', async (t) => {
  const folder = makeFolder(t);
  origin.release(OLD);
  await installInto(folder);
  write(folder, 'data/level1.dat', 'my level');
  write(folder, 'Settings', 'volume=9');
  write(folder, 'saves/slot1', 'saved');
  write(folder, 'data/copy.dat', 'a mod');
  const { changed, missing, added } = await verify({ folder });
  assert.deepEqual(
    { changed, missing, added },
    {
      changed: ['data/level1.dat', 'Settings'],
      missing: [],
      added: ['data/copy.dat', 'saves/slot1'],
    },
  );
  origin.release(NEW);
  const { kept } = await updateIn(folder);
  assert.deepEqual(kept, ['Settings', 'data/copy.dat', 'data/level1.dat']);
  const after = read(folder);
  assert.deepEqual(
    [after['data/level1.dat'], after.Settings, after['saves/slot1'], after['data/copy.dat'], after.settings],
    ['my level', 'volume=9', 'saved', 'a mod', 'volume=2'],
  );
  const repaired = await repair({ ...QUICK, folder });
  assert.deepEqual(repaired.replaced?.paths, ['data/copy.dat']);
  assert.equal(read(repaired.replaced!.folder)['data/copy.dat'], 'a mod');
  const { Settings, 'data/level1.dat': level, 'saves/slot1': slot, saves, ...rest } = read(folder);
  assert.deepEqual([Settings, level, slot, saves], ['volume=9', 'my level', 'saved', 'folder']);
  assert.deepEqual(rest, expected(NEW));
  const removal = await uninstall({ folder });
  assert.deepEqual(removal.kept, ['Settings', 'data/level1.dat', 'saves/slot1', '.chauffeur/replaced']);
});

test('a file that was only touched counts as unchanged, a deleted one comes back', async (t) => {
  const folder = makeFolder(t);
  origin.release(OLD);
  await installInto(folder);
  utimesSync(join(folder, 'bin/game'), 1, 1);
  rmSync(join(folder, 'data/world.pak'));
  origin.release(NEW);
  assert.deepEqual((await updateIn(folder)).kept, []);
  assert.deepEqual(read(folder), expected(NEW));
});

test('damage that size and time do not show is found in the end, and only the wrong blocks are downloaded', async (t) => {
  const folder = makeFolder(t);
  origin.release(OLD);
  await installInto(folder);
  const path = join(folder, 'data/world.pak');
  const { atime, mtime, mtimeMs } = statSync(path);
  const damaged = Buffer.from(assets);
  damaged.fill(0, 150_000, 150_100);
  write(folder, 'data/world.pak', damaged);
  utimesSync(path, atime, mtime);
  const isHidden = statSync(path).mtimeMs === mtimeMs;
  origin.release(NEW);
  const { kept, downloadedBytes } = await updateIn(folder);
  // Not all systems restore a time exactly.
  if (!isHidden) return assert.deepEqual(kept, ['data/world.pak']);
  assert.deepEqual(read(folder), expected(NEW));
  assert.ok(downloadedBytes < 110_000, `${downloadedBytes} bytes`);
});

test('repair downloads only what is damaged or missing', async (t) => {
  const folder = makeFolder(t);
  origin.release(OLD);
  await installInto(folder);
  const damaged = Buffer.from(assets);
  damaged.fill(7, 20_000, 20_010);
  write(folder, 'data/world.pak', damaged);
  rmSync(join(folder, '.chauffeur/manifest'));
  rmSync(join(folder, 'music'));
  const { downloadedBytes, replaced } = await repair({ ...QUICK, folder });
  assert.deepEqual(read(folder), expected(OLD));
  assert.deepEqual(replaced?.paths, ['data/world.pak']);
  assert.ok(downloadedBytes < 40_000, `${downloadedBytes} bytes`);
});

test('repair of a version that the server no longer shows says so', async (t) => {
  const folder = makeFolder(t);
  origin.release(OLD);
  await installInto(folder);
  rmSync(join(folder, 'music'));
  origin.hook = (request, response) => {
    if (request.url?.includes('/files/') !== true) return false;
    response.writeHead(404).end();
    return true;
  };
  t.after(() => {
    origin.hook = () => false;
  });
  await assert.rejects(repair({ ...QUICK, folder }), { code: 'not-offered', message: /doesn’t have version/ });
});

test('a folder that was moved is still up to date, and a link as a folder is never followed', async (t) => {
  const root = makeFolder(t);
  origin.release(OLD);
  await installInto(join(root, 'a'));
  renameSync(join(root, 'a'), join(root, 'b'));
  const folder = join(root, 'b');
  renameSync(join(folder, 'data'), join(root, 'elsewhere'));
  symlinkSync(join(root, 'elsewhere'), join(folder, 'data'));
  const before = read(join(root, 'elsewhere'));
  origin.release(NEW);
  await assert.rejects(updateIn(folder), { code: 'folder' });
  assert.deepEqual(read(join(root, 'elsewhere')), before);
  assert.equal(read(folder)['bin/game'], expected(OLD)['bin/game']);
});

test('something in the way is found before anything is changed', async (t) => {
  const folder = makeFolder(t);
  origin.release(OLD);
  await installInto(folder);
  write(folder, 'textures/mine.dat', 'by the player');
  origin.release(NEW);
  const before = read(folder);
  await assert.rejects(updateIn(folder), { code: 'folder', message: /textures is where the new version has a file/ });
  assert.deepEqual(read(folder), before);
  rmSync(join(folder, 'textures/mine.dat'));
  await updateIn(folder);
  assert.deepEqual(read(folder), expected(NEW));
});

test('a pause keeps what has arrived', async (t) => {
  const folder = makeFolder(t);
  const pak = noise(3_000_000, 8);
  const tree: Tree = { 'big.pak': pak, 'big.txt': noise(1_000_000, 9), 'other.dat': noise(2_000_000, 10) };
  origin.release(tree);
  const stop = new AbortController();
  const onProgress: Options['onProgress'] = ({ phase, done }) => {
    if (phase === 'downloading' && done > 2_500_000) stop.abort(new Error('paused'));
  };
  await assert.rejects(installInto(folder, { signal: stop.signal, onProgress }), /paused/);
  assert.deepEqual(read(folder), {});
  const { downloadedBytes } = await installInto(folder);
  assert.deepEqual(read(folder), expected(tree));
  assert.ok(downloadedBytes < 5_500_000, `${downloadedBytes} bytes`);
});

test('the rate of the download can be limited', async (t) => {
  const folder = makeFolder(t);
  origin.release({ 'a.pak': noise(200_000, 11) });
  const { seconds } = await installInto(folder, { limitRate: 400_000 });
  assert.ok(seconds >= 0.4, `${seconds} s`);
});

test('a zip without a manifest is downloaded as a whole, and resumed', async (t) => {
  const folder = makeFolder(t);
  const tree: Tree = { ...OLD, 'big.pak': noise(5_000_000, 12) };
  const release = origin.release(tree);
  release.packed = null;
  const stop = new AbortController();
  const onProgress: Options['onProgress'] = ({ phase, done }) => {
    if (phase === 'downloading' && done > 4_000_000) stop.abort(new Error('paused'));
  };
  await assert.rejects(installInto(folder, { signal: stop.signal, onProgress }), /paused/);
  const { downloadedBytes } = await installInto(folder);
  assert.ok(downloadedBytes < 4_000_000, `${downloadedBytes} bytes`);
  assert.deepEqual(read(folder), expected(tree));
  // The next one has a manifest.
  const next: Tree = { ...NEW, 'big.pak': noise(5_000_000, 12) };
  origin.release(next, { sizes: DEFAULT_SIZES });
  const { downloadedBytes: small } = await updateIn(folder);
  assert.deepEqual(read(folder), expected(next));
  assert.ok(small < 400_000, `${small} bytes`);
});

test('a disk with too little space is found before the download, and a full one leaves the old version', async (t) => {
  // Unmounted before its folder is removed.
  const mounted: string[] = [];
  t.after(() => mounted.forEach(unmountSmallDisk));
  const disk = mountSmallDisk(makeFolder(t), 40_000_000);
  if (disk === null) return t.skip('skipped: this account can’t mount a disk');
  mounted.push(disk);
  const folder = join(disk, 'game');
  const old: Tree = { 'a.pak': noise(8_000_000, 20), 'b.dat': 'old' };
  const next: Tree = { 'a.pak': noise(9_000_000, 21), 'b.dat': 'new' };
  origin.release(old);
  await installInto(folder);
  origin.release(next);
  write(disk, 'filler', Buffer.alloc(20_000_000));
  origin.ranges = [];
  await assert.rejects(updateIn(folder), { code: 'space', message: /are needed/ });
  assert.deepEqual(origin.ranges, []);
  rmSync(join(disk, 'filler'));
  // Another program fills the disk meanwhile.
  const onProgress: Options['onProgress'] = ({ phase, done }) => {
    if (phase !== 'downloading' || done < 2_000_000 || existsSync(join(disk, 'filler'))) return;
    try {
      writeFileSync(join(disk, 'filler'), Buffer.alloc(40_000_000));
    } catch {
      // The disk is full now.
    }
  };
  await assert.rejects(updateIn(folder, { onProgress }), { code: 'space' });
  assert.deepEqual(read(folder), expected(old));
  rmSync(join(disk, 'filler'));
  assert.ok((await updateIn(folder)).downloadedBytes < 8_000_000);
  assert.deepEqual(read(folder), expected(next));
});

test('a folder with other files is refused, and a wrong folder is left as it was', async (t) => {
  const folder = makeFolder(t);
  origin.release(OLD);
  write(folder, 'mine', 'mine');
  await assert.rejects(installInto(folder), { code: 'folder', message: /isn’t empty/ });
  assert.deepEqual(read(folder), { mine: 'mine' });
  assert.ok(!existsSync(join(folder, '.chauffeur')));
  await assert.rejects(updateIn(join(folder, 'none')), { code: 'folder' });
  assert.ok(!existsSync(join(folder, 'none')));
  await assert.rejects(
    install({ ...QUICK, folder: join(folder, 'x', 'y', 'z'), address: origin.address, platform: { os: 'macos' } }),
    {
      code: 'not-offered',
    },
  );
  assert.ok(!existsSync(join(folder, 'x')));
});

test('what a patch writes beyond what was foreseen needs room, too', async (t) => {
  const mounted: string[] = [];
  t.after(() => mounted.forEach(unmountSmallDisk));
  const disk = mountSmallDisk(makeFolder(t), 40_000_000);
  if (disk === null) return t.skip('skipped: this account can’t mount a disk');
  mounted.push(disk);
  // A disk that makes clones could need no room for most of a terabyte.
  const room = new Room(disk, 10 ** 12);
  await room.reserve(1_000_000);
  await assert.rejects(room.ensure(0), { code: 'space' });
  const last = new Room(disk, 20_000_000);
  await last.reserve(1_000_000);
  await last.ensure(10_000_000);
});
