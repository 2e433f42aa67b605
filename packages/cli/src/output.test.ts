import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCount } from './output.ts';

test('counts have the noun in the right number', () => {
  const counts = [0, 1, 2, 1240].map((count) => formatCount(count, 'entry', 'entries'));
  assert.deepEqual(counts, ['0 entries', '1 entry', '2 entries', '1,240 entries']);
  assert.equal(formatCount(2, 'file'), '2 files');
});
