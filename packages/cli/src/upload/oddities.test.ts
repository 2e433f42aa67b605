import assert from 'node:assert/strict';
import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Os } from '@chauffeur/contract/identity';
import { tempFolder, writeTree } from '../../test/setup/temp.ts';
import { listEntries } from '../zip/entries.ts';
import { findOddities, refuseUnplayable } from './oddities.ts';

/** The warnings about a folder with these files. */
async function warningsFor(t: TestContext, os: Os, files: string[], change?: (folder: string) => void) {
  const folder = tempFolder(t);
  writeTree(folder, Object.fromEntries(files.map((path) => [path, ''])));
  change?.(folder);
  const kind = { os, build_type: 'game' };
  const listing = await listEntries(folder, { os });
  refuseUnplayable(folder, listing, kind);
  return findOddities(listing, kind);
}

test('a web build that cannot be played is refused', async (t) => {
  for (const [files, message] of [
    [['game.js'], /has no index\.html, so the game can't be played/],
    [['one.html', 'two.html'], /unclear which page the game starts with: one\.html, two\.html/],
    [['a/index.html', 'b/index.html'], /unclear .*: a\/index\.html, b\/index\.html/],
    [['index.html', ...Array.from({ length: 20_000 }, (_, i) => `${i}.js`)], /has 20,001 files.* can have 20,000/],
  ] as const)
    await assert.rejects(warningsFor(t, 'web', [...files]), message);
});

test('a web build whose page is deeper, or named in capitals, is a warning', async (t) => {
  for (const files of [
    ['index.html', 'docs/index.html'],
    ['owls/index.html', 'owls/game.js', 'readme.txt'],
    ['owls.html', 'owls.js'],
  ])
    assert.deepEqual(await warningsFor(t, 'web', files), []);
  for (const files of [['dist/web/index.html'], ['docs/index.html', 'game/game.js'], ['game.html', 'a/b/index.html']])
    assert.match((await warningsFor(t, 'web', files)).join(), /starts with \S*index\.html, which is not at the top/);
  assert.match((await warningsFor(t, 'web', ['Index.html'])).join(), /starts with Index\.html\. Rename it/);
});

test('a build without a program, or with one for another platform, is a warning', async (t) => {
  const executable = (path: string) => (folder: string) => chmodSync(join(folder, path), 0o755);
  assert.deepEqual(await warningsFor(t, 'linux', ['run'], executable('run')), []);
  assert.match((await warningsFor(t, 'linux', ['run'])).join(), /no file is executable, so linux/);
  const bundle = ['Owls.app/Contents/MacOS/Owls', 'Owls.app/Contents/Resources/run'];
  assert.match((await warningsFor(t, 'macos', bundle, executable(bundle[1]!))).join(), /MacOS\/Owls is not executable/);
  assert.deepEqual(await warningsFor(t, 'macos', bundle, executable(bundle[0]!)), []);
  assert.match(
    (await warningsFor(t, 'linux', bundle, executable(bundle[0]!))).join(),
    /Owls\.app\/ is a program for macOS/,
  );
  assert.deepEqual(await warningsFor(t, 'windows', ['Owls.EXE']), []);
  assert.match((await warningsFor(t, 'windows', ['owls.x86_64'])).join(), /has no \.exe/);
  assert.deepEqual(await warningsFor(t, 'android', ['owls.apk']), []);
  assert.match((await warningsFor(t, 'android', ['owls.exe'])).join(), /has no \.apk/);
  assert.match(
    (await warningsFor(t, 'windows', ['owls.exe', 'owls.apk'])).join(),
    /owls\.apk is a program for Android/,
  );
});

test('a folder with only an archive, and one of a project, are warnings', async (t) => {
  assert.match((await warningsFor(t, 'android', ['owls.apk', 'project.godot'])).join(), /looks like the project/);
  assert.match((await warningsFor(t, 'ios', ['owls.zip'])).join(), /an archive inside a zip/);
  assert.deepEqual(await warningsFor(t, 'ios', ['owls.zip', 'readme.txt']), []);
});

test('links and long paths in builds for Windows are warnings', async (t) => {
  const long = `${'d'.repeat(100)}/${'f'.repeat(100)}`;
  const link = (folder: string) => symlinkSync('owls.exe', join(folder, 'start'));
  assert.match(
    (await warningsFor(t, 'windows', ['owls.exe'], link)).join(),
    /1 symbolic link as text files: start\. See --dereference/,
  );
  assert.match((await warningsFor(t, 'windows', ['owls.exe', long])).join(), /1 path has more than 200 characters/);
  assert.deepEqual(await warningsFor(t, 'windows', ['owls.exe', long.slice(1)]), []);
  assert.deepEqual(await warningsFor(t, 'ios', ['owls', long]), []);
});

test('names that differ only in Unicode normalization are a warning, and on the web any that is not composed', async (t) => {
  const [composed, separate] = ['\u00e9.json', 'e\u0301.json'];
  assert.match((await warningsFor(t, 'ios', [composed, separate])).join(), /two names look the same/);
  assert.deepEqual(await warningsFor(t, 'ios', [separate]), []);
  assert.match((await warningsFor(t, 'web', ['index.html', separate])).join(), /accents as separate characters/);
  assert.deepEqual(await warningsFor(t, 'web', ['index.html', composed]), []);
});
