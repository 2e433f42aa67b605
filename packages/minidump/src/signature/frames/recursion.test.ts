// Holds the search for repeated calls to stacks that ran full at any point of the circle.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findRecursion } from './recursion.ts';

const letters = (text: string) => [...text];

describe('findRecursion', () => {
  it('finds one function that calls itself', () => {
    assert.deepEqual(findRecursion(letters('aaaaaa')), ['a']);
  });

  it('gives the same circle wherever the stack ran full', () => {
    for (const stack of ['abcabcabcabc', 'bcabcabcabca', 'xcabcabcabcab', 'xyabcabcabca']) {
      assert.deepEqual(findRecursion(letters(stack)), ['a', 'b', 'c']);
    }
  });

  it('gives the shortest circle', () => {
    assert.deepEqual(findRecursion(letters('ababababababab')), ['a', 'b']);
  });

  it('finds none in calls that come once or twice', () => {
    assert.equal(findRecursion(letters('abcdefgh')), undefined);
    assert.equal(findRecursion(letters('ababc')), undefined);
    assert.equal(findRecursion([]), undefined);
  });
});
