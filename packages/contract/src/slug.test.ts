import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { slugOf } from './slug.ts';

describe('slugOf', () => {
  it('keeps Latin letters and digits, without accents', () => {
    assert.deepEqual(
      ['Owls of the North', 'Café 2', '--a!b--c'].map((name) => slugOf(name)),
      ['owls-of-the-north', 'cafe-2', 'a-b-c'],
    );
  });

  it('adds a prefix if too little is left of a name, or if it looks like a uid', () => {
    assert.deepEqual(
      ['', 'Go', '東京'].map((name) => slugOf(name)),
      ['game', 'game-go', 'game'],
    );
    assert.match(slugOf('0193a7c0-1111-7000-8000-000000000001'), /^game-/);
  });

  it('adds a number for slugs that are taken', () => {
    assert.equal(slugOf('Owls', 2), 'owls-3');
  });
});
