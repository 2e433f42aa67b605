import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movedTo } from './images.ts';

test('a screenshot moves to a position from 1', () => {
  assert.deepEqual(movedTo(['a', 'b', 'c'], 'c', 1), ['c', 'a', 'b']);
  assert.deepEqual(movedTo(['a', 'b', 'c'], 'a', 3), ['b', 'c', 'a']);
  assert.throws(() => movedTo(['a'], 'x', 1), /no screenshot/);
  for (const place of [0, 4, 1.5, Number.NaN])
    assert.throws(() => movedTo(['a', 'b', 'c'], 'a', place), /has no such position/);
});
