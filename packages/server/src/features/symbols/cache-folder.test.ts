// Copies of compiled symbols on a machine whose blobs are elsewhere: made once, whole, and not more than fit.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { type BlobSettings, openBlobStore } from '../../kernel/blobs/open.ts';
import { BlobMissingError, type BlobStore } from '../../kernel/blobs/store.ts';
import { MINUTE } from '../../kernel/clock.ts';
import { type CacheFolder, openCacheFolder } from './cache-folder.ts';

/** As for S3: that the store is one of files is not known to the folder, whose copies are made by reading it. */
const ELSEWHERE: BlobSettings = { kind: 's3', bucket: 'b', region: 'r' };

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
const openCopies = (mostBytes = 1e6): CacheFolder =>
  openCacheFolder(ELSEWHERE, { blobs, folder, mostBytes, now: () => new Date(time) });
const kept = async () => (await readdir(folder)).map((name) => name.at(-7)).sort();

async function* give(bytes: Buffer) {
  yield bytes;
}

test('blobs that are files are used where they lie', async () => {
  const settings: BlobSettings = { kind: 'files', folder: join(root, 'blobs') };
  const files = openCacheFolder(settings, { blobs, folder, mostBytes: 1, now: () => new Date() });
  assert.equal(await files.fileOf(keyOf('a')), join(root, 'blobs', keyOf('a')));
  await assert.rejects(files.fileOf(keyOf('x')), BlobMissingError);
  assert.deepEqual(await kept(), []);
});

test('a copy is made once, by one process or by two at once, and is whole', async () => {
  const [one, two] = [openCopies(), openCopies()];
  const asked = [one, one, two, two, one].map((copies) => copies.fileOf(keyOf('a')));
  const paths = new Set(await Promise.all(asked));
  assert.equal(paths.size, 1);
  assert.deepEqual(await readFile([...paths][0]!), Buffer.alloc(1000, 'a'));
  assert.deepEqual(await kept(), ['a']);
});

test('a blob that is missing leaves nothing, and can be had later', async () => {
  await assert.rejects(openCopies().fileOf(keyOf('x')), BlobMissingError);
  assert.deepEqual(await readdir(folder), []);
});

test('the copies that were not wanted for longest go first, and none that was wanted just now', async () => {
  const copies = openCopies(2000);
  for (const name of ['a', 'b']) {
    await copies.fileOf(keyOf(name));
    time += 20 * MINUTE;
  }
  await copies.fileOf(keyOf('a'));
  time += 20 * MINUTE;
  await copies.fileOf(keyOf('c'));
  assert.deepEqual(await kept(), ['a', 'c']);
  await copies.fileOf(keyOf('a'));
  await copies.fileOf(keyOf('d'));
  assert.deepEqual(await kept(), ['a', 'c', 'd'], 'more than fit, since all were handed out within ten minutes');
});

test('what a killed process was copying goes with the next copy', async () => {
  const part = join(folder, 'x.part');
  await writeFile(part, 'half');
  await utimes(part, new Date(time - 60 * MINUTE), new Date(time - 60 * MINUTE));
  await openCopies().fileOf(keyOf('a'));
  assert.equal(existsSync(part), false);
});
