import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { moved } from './moved.ts';

describe('moved', () => {
  it('moves one item and keeps the order of the others', () => {
    assert.deepEqual(moved(['a', 'b', 'c'], 0, 2), ['b', 'c', 'a']);
    assert.deepEqual(moved(['a', 'b', 'c'], 2, 0), ['c', 'a', 'b']);
  });

  it('changes nothing if an index does not exist', () => {
    for (const [from, to] of [
      [0, -1],
      [2, 3],
      [7, 0],
    ] as const)
      assert.deepEqual(moved(['a', 'b', 'c'], from, to), ['a', 'b', 'c']);
  });
});
