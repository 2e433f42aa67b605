// Tests the reading of archives that tar writes.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempFolder, writeTree } from '../../test/setup/temp.ts';
import { listTar, readAt } from './tar.ts';

const LONG = `${'folder/'.repeat(30)}a-name-of-a-file.sym`;

async function read(path: string): Promise<Record<string, string>> {
  await using archive = await open(path);
  const files: Record<string, string> = {};
  for await (const { path: name, offset, size } of listTar(archive))
    files[name] = (await readAt(archive, offset, size)).toString();
  return files;
}

for (const format of ['gnu', 'pax', 'ustar', 'v7']) {
  test(`files are listed with their contents: ${format}`, async (t) => {
    const cwd = tempFolder(t);
    const files = {
      'a.sym': 'a',
      'empty.txt': '',
      'ü.sym': 'x'.repeat(1500),
      ...(format.length === 3 && { [LONG]: 'long' }),
    };
    writeTree(cwd, files);
    execFileSync('tar', ['-cf', 'all.tar', `--format=${format}`, ...Object.keys(files)], { cwd });
    assert.deepEqual(await read(join(cwd, 'all.tar')), files);
  });
}

test('names do not begin with the folder that was packed', async (t) => {
  const cwd = tempFolder(t);
  writeTree(cwd, { 'bin/game.sym': 'a' });
  execFileSync('tar', ['-cf', '../all.tar', '.'], { cwd: join(cwd, 'bin') });
  assert.deepEqual(await read(join(cwd, 'all.tar')), { 'game.sym': 'a' });
});

test('an archive that is cut off or damaged is read up to there', async (t) => {
  const cwd = tempFolder(t);
  writeTree(cwd, { a: 'a', b: 'b'.repeat(5000) });
  execFileSync('tar', ['-cf', 'all.tar', 'a', 'b'], { cwd });
  const bytes = readFileSync(join(cwd, 'all.tar'));
  const fails = async (name: string, content: Buffer, reason: RegExp) => {
    writeFileSync(join(cwd, name), content);
    await using archive = await open(join(cwd, name));
    const names: string[] = [];
    await assert.rejects(async () => {
      for await (const { path } of listTar(archive)) names.push(path);
    }, reason);
    assert.deepEqual(names, ['a']);
  };
  await fails('cut.tar', bytes.subarray(0, 3000), /cut off/);
  bytes[1024 + 130] = 0x7f;
  await fails('damaged.tar', bytes, /damaged/);
});
