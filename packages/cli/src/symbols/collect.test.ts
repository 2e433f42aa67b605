// Tests which symbol files are uploaded, and how they are split into uploads.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { tempFolder, writeTree } from '../../test/setup/temp.ts';
import { batchesOf, findSymbolFiles, SYMBOL_LIMITS, skipUploaded } from './collect.ts';

const files = (count: number, size: number) => Array.from({ length: count }, () => ({ size }));

test('an upload has at most 200 files and 2 GiB', () => {
  assert.deepEqual(
    batchesOf(files(450, 10)).map((batch) => batch.length),
    [200, 200, 50],
  );
  assert.deepEqual(
    batchesOf(files(9, SYMBOL_LIMITS.fileBytes)).map((batch) => batch.length),
    [4, 4, 1],
  );
  assert.deepEqual(batchesOf([]), []);
});

test('uploaded files are recognized by content, not by name', async (t) => {
  const folder = tempFolder(t);
  const text = (name: string) => `MODULE Linux x86_64 ABC0 ${name}\n`;
  writeTree(folder, { 'a.sym': text('a'), 'deep/again.SYM': text('a'), 'b.sym': text('b') });
  const { signal } = new AbortController();
  const symbolFiles = await findSymbolFiles(folder, signal);
  const uploaded = new Set([createHash('sha256').update(text('a')).digest('hex')]);
  const left = await skipUploaded(symbolFiles, uploaded, signal);
  assert.deepEqual([symbolFiles.length, left.map(({ entry }) => entry?.path)], [3, ['b.sym']]);
  assert.equal((await skipUploaded(symbolFiles, new Set(), signal)).length, 3);
});
