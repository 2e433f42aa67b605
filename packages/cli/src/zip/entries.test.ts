import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempFolder, writeTree } from '../../test/setup/temp.ts';
import { type ListOptions, listEntries } from './entries.ts';

const pathsOf = async (folder: string, options?: ListOptions) =>
  (await listEntries(folder, options)).entries.map(({ path }) => path);

test('a bundle keeps its own folder, permissions and symlinks, also if it is the current folder', async (t) => {
  const folder = tempFolder(t);
  const app = join(folder, 'Owls.app');
  writeTree(app, {
    'Contents/MacOS/Owls': 'program',
    'Contents/Info.plist': '',
    'Contents/Frameworks/A.framework/Versions/A/A': 'library',
  });
  chmodSync(join(app, 'Contents/MacOS/Owls'), 0o755);
  symlinkSync('Versions/A/A', join(app, 'Contents/Frameworks/A.framework/A'));
  symlinkSync('../outside', join(folder, 'link'));
  const { entries } = await listEntries(app, { os: 'macos', ignore: ['Contents/Info.plist'] });
  assert.deepEqual(
    entries.map(({ path, kind, executable, target }) => [path, kind === 'file' ? executable : target]),
    [
      ['Owls.app/', ''],
      ['Owls.app/Contents/', ''],
      ['Owls.app/Contents/Frameworks/', ''],
      ['Owls.app/Contents/Frameworks/A.framework/', ''],
      ['Owls.app/Contents/Frameworks/A.framework/A', 'Versions/A/A'],
      ['Owls.app/Contents/Frameworks/A.framework/Versions/', ''],
      ['Owls.app/Contents/Frameworks/A.framework/Versions/A/', ''],
      ['Owls.app/Contents/Frameworks/A.framework/Versions/A/A', false],
      ['Owls.app/Contents/MacOS/', ''],
      ['Owls.app/Contents/MacOS/Owls', true],
    ],
  );
  assert.deepEqual(await pathsOf(`${app}/`, { ignore: ['Owls.app/Contents/Frameworks'] }), [
    'Owls.app/',
    'Owls.app/Contents/',
    'Owls.app/Contents/Info.plist',
    'Owls.app/Contents/MacOS/',
    'Owls.app/Contents/MacOS/Owls',
  ]);
  symlinkSync('../link', join(app, 'out'));
  await assert.rejects(listEntries(app), /"out" cannot be zipped: it is a symlink that leaves the folder/);
});

test('a folder that is only named like a bundle is not one', async (t) => {
  const folder = tempFolder(t);
  writeTree(folder, { 'game.app/run': 'x' });
  assert.deepEqual(await pathsOf(join(folder, 'game.app')), ['run']);
});

test('a file instead of a folder is refused with what to do, and so is the root of the file system', async (t) => {
  const folder = tempFolder(t);
  for (const [name, remedy] of [
    ['game.zip', /Unpack it/],
    ['game.tar.gz', /Unpack it/],
    ['Owls.dmg', /Use the \.app/],
    ['owls.apk', /separate folder/],
    ['owls.exe', /separate folder/],
    ['index.html', /Use the folder that contains it/],
  ] as const) {
    writeFileSync(join(folder, name), 'x');
    await assert.rejects(listEntries(join(folder, name)), {
      message: `${join(folder, name)} is not a folder.`,
      remedy,
    });
  }
  await assert.rejects(listEntries('/'), /is the root of the file system/);
});

test('patterns that match nothing are reported, also if another one matches the same file', async (t) => {
  const folder = tempFolder(t);
  writeTree(folder, { 'a.pdb': '', run: '' });
  const { unusedGlobs, leftOut } = await listEntries(folder, { ignore: ['*.pdb', 'a.*', '*.PDB', 'saves/*'] });
  assert.deepEqual(unusedGlobs, ['*.PDB', 'saves/*']);
  assert.deepEqual(leftOut, [{ path: 'a.pdb', reason: 'ignored' }]);
  await assert.rejects(listEntries(folder, { ignore: ['*'] }), /contains no files, apart from what is left out/);
});

test('a name in another encoding is refused with its bytes', { skip: process.platform !== 'linux' }, async (t) => {
  const folder = tempFolder(t);
  mkdirSync(join(folder, 'data'));
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/data/gr`), Buffer.from([0xf6]), Buffer.from('n.txt')]), 'x');
  writeTree(folder, { run: 'x' });
  await assert.rejects(listEntries(folder), /"data\/gr\\xf6n\.txt" cannot be zipped: its name is not UTF-8/);
  assert.deepEqual(await pathsOf(folder, { ignore: ['gr*'] }), ['data/', 'run']);
});

test('--dereference follows symlinks, also outside the folder', async (t) => {
  const folder = tempFolder(t);
  writeTree(folder, { 'shared/level': 'level', 'game/run': 'program', 'game/sub/a': 'a' });
  symlinkSync('../shared', join(folder, 'game/data'));
  symlinkSync(join(folder, 'shared/level'), join(folder, 'game/first'));
  symlinkSync('sub', join(folder, 'game/same'));
  const game = join(folder, 'game');
  const { entries, outside } = await listEntries(game, { dereference: true });
  assert.deepEqual(
    entries.map(({ path, kind, size }) => [path, kind, size]),
    [
      ['data/', 'folder', 0],
      ['data/level', 'file', 5],
      ['first', 'file', 5],
      ['run', 'file', 7],
      ['same/', 'folder', 0],
      ['same/a', 'file', 1],
      ['sub/', 'folder', 0],
      ['sub/a', 'file', 1],
    ],
  );
  assert.deepEqual(outside.sort(), ['data/', 'first']);
  await assert.rejects(listEntries(game), { remedy: /--dereference/ });
});

test('--dereference refuses links that lead nowhere or into a folder that contains them', async (t) => {
  for (const [links, message] of [
    [{ broken: 'nowhere' }, /"broken" cannot be zipped: it is a symlink to nowhere/],
    [{ a: 'b', b: 'a' }, /"(a|b)" cannot be zipped: it is a symlink that leads back to itself/],
    [{ 'sub/up': '..' }, /"sub\/up" cannot be zipped: it is a symlink that leads to a folder that contains it/],
    [{ out: '../other', '../other/back': '../game' }, /"out\/back" cannot be zipped: it is a symlink that leads to/],
  ] as const) {
    const folder = tempFolder(t);
    writeTree(folder, { 'game/sub/x': 'x', 'other/y': 'y' });
    for (const [path, target] of Object.entries(links)) symlinkSync(target, join(folder, 'game', path));
    await assert.rejects(listEntries(join(folder, 'game'), { dereference: true }), message);
  }
});
