import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectTo } from './select-to.ts';

const IDS = ['a', 'b', 'c', 'd', 'e'];

test('a press with Shift selects the rows in between, in both directions', () => {
  assert.deepEqual(selectTo(IDS, ['b'], 'd', 9), ['b', 'c', 'd']);
  assert.deepEqual(selectTo(IDS, ['e', 'd'], 'b', 9), ['e', 'd', 'c', 'b']);
});

test('without a row to begin from, it selects one row', () => {
  assert.deepEqual(selectTo(IDS, [], 'd', 9), ['d']);
  assert.deepEqual(selectTo(IDS, ['gone'], 'd', 9), ['gone', 'd']);
});

test('no more rows are selected than can be', () => {
  assert.deepEqual(selectTo(IDS, ['a'], 'e', 3), ['a', 'b', 'c']);
});
