import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';
import { checkSuites, orderFiles, pickShare, SUITES, type Suite } from './suites.ts';

test('every file is in exactly one share, and the shares are about the same size', () => {
  const sizes = new Map(Array.from({ length: 50 }, (_, index) => [`${index}.test.ts`, (index * 37) % 101]));
  const shares = [1, 2, 3].map((share) => pickShare(sizes, { share, of: 3 }));
  assert.deepEqual(shares.flat().sort(), [...sizes.keys()].sort());
  const totals = shares.map((paths) => paths.reduce((total, path) => total + (sizes.get(path) ?? 0), 0));
  assert.ok(Math.max(...totals) - Math.min(...totals) < 101, `${totals}`);
});

test('every test file is in exactly one suite', async () => {
  await assert.doesNotReject(checkSuites());
  const { server: _, ...others } = SUITES;
  await assert.rejects(checkSuites(others), /packages\/server\/test\/blobs\.test\.ts: none/);
  const again = { ...SUITES, again: { files: ['packages/server/test/blobs.test.ts'] } };
  await assert.rejects(checkSuites(again), /packages\/server\/test\/blobs\.test\.ts: server, again/);
});

test('the files that take longest start first', async () => {
  for (const suite of Object.values<Suite>(SUITES)) {
    const files = await orderFiles(suite);
    const { longest = [] } = suite;
    assert.deepEqual(
      files.slice(0, longest.length).map((path) => basename(path, '.test.ts')),
      longest,
    );
  }
});
