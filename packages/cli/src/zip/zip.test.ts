import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { unpackFindingBlocks } from '@chauffeur/deltas/block-finder';
import { cut, DEFAULT_SIZES } from '@chauffeur/deltas/cutter';
import fc from 'fast-check';
import { readZip } from '../../test/setup/read-zip.ts';
import { tempFolder, writeTree } from '../../test/setup/temp.ts';
import { listEntries } from './entries.ts';
import { writeZip, zipEntries } from './zip.ts';

const MIB = 1024 * 1024;
const text = (bytes: number) =>
  Buffer.from('The quick brown fox jumps over the lazy dog. '.repeat(bytes / 45 + 1)).subarray(0, bytes);

/**
 * Returns the reason to skip a test that needs `command`, or false. With CI=true, a missing command makes the test
 * fail.
 */
function missing(command: string): string | false {
  const exists = spawnSync(command, ['-h'], { stdio: 'ignore' }).error === undefined;
  return exists || process.env.CI === 'true' ? false : `skipped: ${command} not found`;
}

test('a zip has everything in the folder: contents, modes, symlinks, empty folders and non-ASCII names', async (t) => {
  const folder = tempFolder(t);
  const game = join(folder, 'game');
  writeTree(game, {
    'game.x86_64': text(3 * MIB),
    'data/level 1.pak': randomBytes(2.5 * MIB),
    'data/größe/スコア.json': '{}',
    'empty.txt': '',
    'saves/': '',
  });
  chmodSync(join(game, 'game.x86_64'), 0o711);
  chmodSync(join(game, 'empty.txt'), 0o600);
  symlinkSync('../game.x86_64', join(game, 'data/start'));
  const zip = join(folder, 'out.zip');
  const result = await writeZip(game, zip);
  const bytes = readFileSync(zip);
  const entries = readZip(bytes);
  assert.deepEqual(
    entries.map(({ path, mode }) => [path, mode.toString(8)]),
    [
      ['data/', '40755'],
      ['data/größe/', '40755'],
      ['data/größe/スコア.json', '100644'],
      ['data/level 1.pak', '100644'],
      ['data/start', '120777'],
      ['empty.txt', '100644'],
      ['game.x86_64', '100755'],
      ['saves/', '40755'],
    ].sort(([a], [b]) => Buffer.compare(Buffer.from(a!), Buffer.from(b!))),
  );
  for (const { path, mode, content } of entries) {
    if (mode >> 12 === 0o10) assert.deepEqual(content, readFileSync(join(game, path)), path);
  }
  assert.equal(entries.find(({ path }) => path === 'data/start')?.content.toString(), '../game.x86_64');
  assert.deepEqual(result, {
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    entries: 8,
    bytesIn: 5.5 * MIB + 2,
  });
});

test('the same folder always produces the same bytes, regardless of file times and the number of threads', async (t) => {
  const folder = tempFolder(t);
  writeTree(join(folder, 'game'), { 'a.txt': text(5 * MIB), 'b/c.bin': randomBytes(MIB + 1), 'b.txt': 'b' });
  const { sha256 } = await writeZip(join(folder, 'game'), join(folder, '1.zip'));
  utimesSync(join(folder, 'game/a.txt'), 1, 1);
  const script = `import { writeZip } from ${JSON.stringify(new URL('./zip.ts', import.meta.url))};
    process.stdout.write((await writeZip(${JSON.stringify(join(folder, 'game'))}, ${JSON.stringify(join(folder, '2.zip'))})).sha256);`;
  const again = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, UV_THREADPOOL_SIZE: '1', LC_ALL: 'tr_TR.UTF-8', TZ: 'Asia/Tokyo' },
  });
  assert.equal(again.toString(), sha256);
});

test('compressible and incompressible blocks form one deflate stream', async (t) => {
  const folder = tempFolder(t);
  const content = Buffer.concat([text(MIB), randomBytes(2 * MIB), text(1.5 * MIB), randomBytes(MIB), text(99)]);
  writeTree(join(folder, 'game'), { 'mixed.pak': content, 'noise.pak': randomBytes(3 * MIB) });
  const { size } = await writeZip(join(folder, 'game'), join(folder, 'out.zip'));
  const [mixed, noise] = readZip(readFileSync(join(folder, 'out.zip')));
  assert.deepEqual(mixed?.content, content);
  assert.deepEqual([mixed?.streamed, mixed?.method], [true, 8]);
  assert.ok(size < 6.1 * MIB, 'text shrinks');
  assert.equal(noise?.content.length, 3 * MIB);
});

async function* inOnePiece(data: Buffer) {
  yield data;
}

test('large files consist of blocks that are cut by their content and can be unpacked alone', async (t) => {
  const folder = tempFolder(t);
  const lines = Array.from({ length: 60_000 }, (_, line) => `${line} ${(line * 7919) % 10_007} a line of a level\n`);
  const level = Buffer.from(lines.join(''));
  const mixed = Buffer.concat([level, randomBytes(MIB), level]);
  writeTree(join(folder, 'game'), { level, mixed, small: level.subarray(0, 99_999) });
  await writeZip(join(folder, 'game'), join(folder, 'out.zip'));
  const zip = readFileSync(join(folder, 'out.zip'));
  for (const { path, content, data } of readZip(zip)) {
    const limits = { maxBlockBytes: DEFAULT_SIZES.packed.max };
    const unpacking = unpackFindingBlocks(inOnePiece(data), limits);
    let found = await unpacking.next();
    while (!found.done) found = await unpacking.next();
    assert.deepEqual(
      found.value.blocks?.map(({ length }) => length),
      cut(content, DEFAULT_SIZES.packed),
      path,
    );
  }
});

test('a large file that does not compress is stored, with its size and CRC-32 before its data', async (t) => {
  const folder = tempFolder(t);
  const [film, last] = [randomBytes(3 * MIB + 5), text(2 * MIB)];
  writeTree(join(folder, 'game'), { 'film.mp4': film, 'last.txt': last });
  const { size } = await writeZip(join(folder, 'game'), join(folder, 'out.zip'));
  const [first, second] = readZip(readFileSync(join(folder, 'out.zip')));
  assert.deepEqual([first?.method, first?.streamed, first?.content.equals(film)], [0, false, true]);
  assert.deepEqual([second?.method, second?.content.equals(last)], [8, true]);
  assert.ok(size < 3.2 * MIB);
  await writeZip(join(folder, 'game'), join(folder, 'plain.zip'), { level: 0 });
  const plain = readZip(readFileSync(join(folder, 'plain.zip')));
  assert.deepEqual(
    plain.map(({ method, streamed }) => [method, streamed]),
    [
      [0, false],
      [0, false],
    ],
  );
});

test('files of one block have their size before their data, so that streaming readers need no descriptor', async (t) => {
  const folder = tempFolder(t);
  writeTree(join(folder, 'game'), { 'a.txt': text(MIB / 2), 'noise.bin': randomBytes(1000) });
  await writeZip(join(folder, 'game'), join(folder, 'out.zip'));
  const entries = readZip(readFileSync(join(folder, 'out.zip')));
  assert.deepEqual(
    entries.map(({ streamed, method }) => ({ streamed, method })),
    [
      { streamed: false, method: 8 },
      { streamed: false, method: 0 },
    ],
  );
});

test('Zip64 is used above the 32-bit limit, and accepted by unzip and Python', {
  skip: missing('unzip'),
}, async (t) => {
  const folder = tempFolder(t);
  writeTree(join(folder, 'game'), {
    'big.txt': text(3 * MIB),
    'noise.bin': randomBytes(2 * MIB),
    'small.txt': 'x',
    'e/': '',
  });
  const zip = join(folder, 'out.zip');
  await writeZip(join(folder, 'game'), zip, { zip64At: 1000 });
  const entries = readZip(readFileSync(zip));
  assert.equal(entries.length, 4);
  execFileSync('unzip', ['-tq', zip], { stdio: 'pipe' });
  if (missing('python3') === false) execFileSync('python3', ['-m', 'zipfile', '-t', zip], { stdio: 'pipe' });
});

test('unzip restores what was zipped', { skip: missing('unzip') }, async (t) => {
  const folder = tempFolder(t);
  const game = join(folder, 'game');
  writeTree(game, {
    'run.sh': '#!/bin/sh\n',
    'data/a.txt': text(4 * MIB),
    'data/noise.bin': randomBytes(MIB * 2),
    'ü/é.txt': 'é',
  });
  chmodSync(join(game, 'run.sh'), 0o755);
  symlinkSync('data', join(game, 'link'));
  await writeZip(game, join(folder, 'out.zip'));
  mkdirSync(join(folder, 'again'));
  execFileSync('unzip', ['-q', join(folder, 'out.zip'), '-d', join(folder, 'again')]);
  const { status, stdout } = spawnSync('diff', ['-r', '--no-dereference', game, join(folder, 'again')], {
    encoding: 'utf8',
  });
  assert.deepEqual([status, stdout], [0, '']);
});

test('a zip has every file of any tree', async (t) => {
  const name = fc.stringMatching(/^[a-z0-9ä .()-]{0,8}[a-z0-9ä]$/);
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 2000 }),
    fc
      .tuple(fc.integer({ min: 0, max: 9 * (MIB / 4) }), fc.boolean())
      .map(([n, noise]) => (noise ? randomBytes(n) : text(n))),
  );
  const tree = fc.dictionary(
    fc.tuple(name, name).map(([folder, file]) => `d${folder}/${file}`),
    content,
    { minKeys: 1, maxKeys: 6 },
  );
  const checked = fc.asyncProperty(tree, fc.integer({ min: 0, max: 9 }), async (files, level) => {
    const folder = tempFolder(t);
    writeTree(join(folder, 'game'), files);
    await writeZip(join(folder, 'game'), join(folder, 'out.zip'), { level });
    const entries = readZip(readFileSync(join(folder, 'out.zip'))).filter(({ path }) => !path.endsWith('/'));
    assert.deepEqual(
      new Map(entries.map((entry) => [entry.path, entry.content.toString('base64')])),
      new Map(
        Object.entries(files)
          .map(([path, bytes]) => [path, Buffer.from(bytes).toString('base64')])
          .sort() as [string, string][],
      ),
    );
  });
  await fc.assert(checked, { numRuns: 25 });
});

test('an empty folder, a missing folder and a file are refused', async (t) => {
  const folder = tempFolder(t);
  writeTree(folder, { 'game/empty/': '', 'file.txt': 'x' });
  const out = join(folder, 'out.zip');
  await assert.rejects(writeZip(join(folder, 'game'), out), /contains no files/);
  await assert.rejects(writeZip(join(folder, 'nowhere'), out), /does not exist/);
  await assert.rejects(writeZip(join(folder, 'file.txt'), out), /is not a folder/);
  assert.equal(existsSync(out), false);
});

test('a symlink that leaves the folder, or could leave it, is refused', async (t) => {
  for (const [target, other] of [['/etc/passwd'], ['../outside'], ['here/../outside', '.']] as const) {
    const folder = tempFolder(t);
    writeTree(folder, { outside: 'secret', 'game/a.txt': 'a' });
    if (other !== undefined) symlinkSync(other, join(folder, 'game/here'));
    symlinkSync(target, join(folder, 'game/link'));
    await assert.rejects(writeZip(join(folder, 'game'), join(folder, 'out.zip')), /"link" cannot be zipped/);
  }
});

test('circular symlinks and symlinks to a parent folder are refused', async (t) => {
  for (const links of [{ a: 'a' }, { a: 'b', b: 'a' }, { 'sub/up': '..' }]) {
    const folder = tempFolder(t);
    writeTree(folder, { 'game/a.txt': 'a', 'game/sub/b.txt': 'b' });
    for (const [path, target] of Object.entries(links)) symlinkSync(target, join(folder, 'game', path));
    const refused = /"(a|sub\/up)" cannot be zipped: it is a symlink that leads/;
    await assert.rejects(writeZip(join(folder, 'game'), join(folder, 'out.zip')), refused);
  }
});

test('names that the build’s OS cannot create or distinguish are refused', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const folder = tempFolder(t);
  writeTree(folder, { 'names/CON.txt': 'c', 'names/a.txt': 'a', 'cases/Map': '1', 'cases/map': '2' });
  const zip = (name: string, os: 'windows' | 'linux') =>
    writeZip(join(folder, name), join(folder, `${name}.zip`), { os });
  await assert.rejects(
    zip('names', 'windows'),
    /"CON\.txt" cannot be zipped: Windows cannot create it: CON is a device/,
  );
  await assert.rejects(zip('cases', 'windows'), /"map" cannot be zipped: it is the same file as "Map" on windows/);
  assert.equal((await zip('names', 'linux')).entries, 2);
  assert.equal((await zip('cases', 'linux')).entries, 2);
});

test('a pipe or another special file is refused', { skip: missing('mkfifo') }, async (t) => {
  const folder = tempFolder(t);
  writeTree(folder, { 'game/a.txt': 'a' });
  execFileSync('mkfifo', [join(folder, 'game/pipe')]);
  await assert.rejects(writeZip(join(folder, 'game'), join(folder, 'out.zip')), /neither a file/);
});

test('ignored files, and ignored folders with their contents, are left out', async (t) => {
  const folder = tempFolder(t);
  writeTree(join(folder, 'game'), {
    'a.exe': 'a',
    'a.pdb': 'p',
    'sub/b.pdb': 'p',
    '.git/HEAD': 'h',
    'logs/x/y.txt': 'y',
    'sub/logs': 'kept',
  });
  await writeZip(join(folder, 'game'), join(folder, 'out.zip'), { ignore: ['*.pdb', '.git', '/logs'] });
  const paths = readZip(readFileSync(join(folder, 'out.zip'))).map(({ path }) => path);
  assert.deepEqual(paths, ['a.exe', 'sub/', 'sub/logs']);
});

test('a file that changes while it is zipped is an error, and no zip is left', async (t) => {
  const folder = tempFolder(t);
  writeTree(join(folder, 'game'), { 'log.txt': text(MIB) });
  const { entries } = await listEntries(join(folder, 'game'));
  appendFileSync(join(folder, 'game/log.txt'), 'one more line');
  const out = join(folder, 'out.zip');
  await assert.rejects(zipEntries(entries, out), /log\.txt changed while/);
  assert.equal(existsSync(out), false);
});

test('aborting stops with the reason and leaves no zip', async (t) => {
  const folder = tempFolder(t);
  writeTree(join(folder, 'game'), { 'a.txt': text(40 * MIB) });
  const stop = new AbortController();
  const out = join(folder, 'out.zip');
  const onProgress = () => stop.abort(new Error('enough'));
  await assert.rejects(writeZip(join(folder, 'game'), out, { signal: stop.signal, onProgress }), /enough/);
  assert.equal(existsSync(out), false);
});

test('progress increases up to the total size', async (t) => {
  const folder = tempFolder(t);
  writeTree(join(folder, 'game'), { 'a.txt': text(3 * MIB), 'b.txt': 'b' });
  const progress: number[] = [];
  await writeZip(join(folder, 'game'), join(folder, 'out.zip'), {
    onProgress: (done, total) => progress.push(done / total),
  });
  assert.deepEqual(
    progress,
    progress.toSorted((a, b) => a - b),
  );
  assert.equal(progress.at(-1), 1);
});

test('a zip that exceeds the size limit is aborted', async (t) => {
  const folder = tempFolder(t);
  writeTree(join(folder, 'game'), { 'noise.bin': randomBytes(3 * MIB) });
  await assert.rejects(writeZip(join(folder, 'game'), join(folder, 'out.zip'), { maxBytes: MIB }), /limit of 1\.0 MiB/);
});
