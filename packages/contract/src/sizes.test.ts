import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sayBytes } from './sizes.ts';

test('sizes go up by 1,024', () => {
  assert.deepEqual([0, 1023, 1024, 70_246, 5 * 1024 ** 3].map(sayBytes), [
    '0 bytes',
    '1,023 bytes',
    '1.0 KiB',
    '68.6 KiB',
    '5.0 GiB',
  ]);
});
