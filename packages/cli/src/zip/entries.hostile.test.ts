// A folder that lists many more files than it has.
import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempFolder, writeTree } from '../../test/setup/temp.ts';
import { listEntries } from './entries.ts';

test('links that lead to each other’s folders many times end at the limit of entries', async (t) => {
  const folder = tempFolder(t);
  const files = Object.fromEntries(Array.from({ length: 400 }, (_, number) => [`${number}.dat`, '']));
  // Each folder is listed twice as often as the one before it, so ten of them have 400,000 files.
  for (let level = 0; level < 10; level++) {
    writeTree(join(folder, String(level)), files);
    for (const name of ['a', 'b']) symlinkSync(`../${level + 1}`, join(folder, String(level), name));
  }
  writeTree(folder, { '10/file': '' });
  await assert.rejects(listEntries(join(folder, '0'), { dereference: true }), /more than 200,000 files and folders/);
});
