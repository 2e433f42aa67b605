// Tests the search for repeating calls with stacks that overflowed at any point of the cycle.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findRecursion } from '../rules/stack-overflow.ts';

const letters = (text: string) => [...text];

describe('findRecursion', () => {
  it('finds a function that calls itself', () => {
    assert.deepEqual(findRecursion(letters('aaaaaa')), ['a']);
  });

  it('returns the same cycle wherever the stack overflowed', () => {
    for (const stack of ['abcabcabcabc', 'bcabcabcabca', 'xcabcabcabcab', 'xyabcabcabca']) {
      assert.deepEqual(findRecursion(letters(stack)), ['a', 'b', 'c']);
    }
  });

  it('returns the shortest cycle', () => {
    assert.deepEqual(findRecursion(letters('ababababababab')), ['a', 'b']);
  });

  it('finds no cycle in calls that occur once or twice', () => {
    assert.equal(findRecursion(letters('abcdefgh')), undefined);
    assert.equal(findRecursion(letters('ababc')), undefined);
    assert.equal(findRecursion([]), undefined);
  });
});
