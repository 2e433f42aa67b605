// Local copies of compiled symbols for remote blobs: made once, complete, and within the size limit.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { openBlobStore } from '../../kernel/blobs/open.ts';
import { BlobMissingError, type BlobStore } from '../../kernel/blobs/store.ts';
import { MINUTE } from '../../kernel/clock.ts';
import { type CacheFolder, openCacheFolder } from './cache-folder.ts';

let root = '';
let folder = '';
let blobs: BlobStore;
let time = Date.now();
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'chauffeur-caches-'));
  blobs = openBlobStore({ kind: 'files', folder: join(root, 'blobs') });
  for (const name of ['a', 'b', 'c', 'd']) {
    const upload = await blobs.append(await blobs.begin(keyOf(name)), give(Buffer.alloc(1000, name)));
    await blobs.complete(upload);
  }
});
beforeEach(async () => {
  folder = await mkdtemp(join(root, 'copies-'));
});
after(() => rm(root, { recursive: true }));

const keyOf = (name: string) => `symbols/game/${name}.cache`;
const openCopies = (maxBytes = 1e6): CacheFolder =>
  openCacheFolder({ blobs: { ...blobs, localPath: async () => null }, folder, maxBytes, now: () => new Date(time) });
const copiedNames = async () => (await readdir(folder)).map((name) => name.at(-7)).sort();

async function* give(bytes: Buffer) {
  yield bytes;
}

test('blobs that are local files are used in place', async () => {
  const files = openCacheFolder({ blobs, folder, maxBytes: 1, now: () => new Date() });
  assert.equal(await files.fileOf(keyOf('a')), join(root, 'blobs', keyOf('a')));
  await assert.rejects(files.fileOf(keyOf('x')), BlobMissingError);
  assert.deepEqual(await copiedNames(), []);
});

test('a copy is made once and completely, even by two processes at the same time', async () => {
  const [first, second] = [openCopies(), openCopies()];
  const copies = [first, first, second, second, first].map((folder) => folder.fileOf(keyOf('a')));
  const paths = new Set(await Promise.all(copies));
  assert.equal(paths.size, 1);
  assert.deepEqual(await readFile([...paths][0]!), Buffer.alloc(1000, 'a'));
  assert.deepEqual(await copiedNames(), ['a']);
});

test('a missing blob leaves nothing and can be copied later', async () => {
  await assert.rejects(openCopies().fileOf(keyOf('x')), BlobMissingError);
  assert.deepEqual(await readdir(folder), []);
});

test('the least recently used copies are deleted first, and never a recently used one', async () => {
  const copies = openCopies(2000);
  for (const name of ['a', 'b']) {
    await copies.fileOf(keyOf(name));
    time += 20 * MINUTE;
  }
  await copies.fileOf(keyOf('a'));
  time += 20 * MINUTE;
  await copies.fileOf(keyOf('c'));
  assert.deepEqual(await copiedNames(), ['a', 'c']);
  await copies.fileOf(keyOf('a'));
  await copies.fileOf(keyOf('d'));
  assert.deepEqual(await copiedNames(), ['a', 'c', 'd'], 'copies over the limit are kept for ten minutes after use');
});

test('partial copies of a killed process are deleted with the next copy', async () => {
  const part = join(folder, 'x.part');
  await writeFile(part, 'half');
  await utimes(part, new Date(time - 60 * MINUTE), new Date(time - 60 * MINUTE));
  await openCopies().fileOf(keyOf('a'));
  assert.equal(existsSync(part), false);
});
