// Tests how symbol files are split into uploads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchesOf, SYMBOL_LIMITS } from './batches.ts';

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
