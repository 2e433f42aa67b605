import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Entry } from '../zip/entries.ts';
import { batchesOf, SYMBOL_LIMITS } from './collect.ts';

const files = (count: number, size: number) => Array.from({ length: count }, () => ({ size }) as Entry);

test('uploads hold at most 200 files and 2 GiB', () => {
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
