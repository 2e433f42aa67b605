import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Slug } from './operations/fields.ts';
import { findSlugProblem, slugOf } from './slug.ts';
import { findProblem } from './validate.ts';

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

describe('findSlugProblem', () => {
  const SLUGS: readonly (readonly [slug: string, problem: RegExp | null])[] = [
    ['owls-of-the-north', null],
    ['abc', null],
    ['0193a7c0-1111-7000-8000-00000000000', null],
    ['a'.repeat(64), null],
    ['a'.repeat(65), /at most 64/],
    ['ab', /at least 3/],
    ['', /at least 3/],
    ['Owls', /lowercase/],
    ['owls north', /lowercase/],
    ['öwls', /lowercase/],
    ['-owls', /Begin and end/],
    ['owls-', /Begin and end/],
    ['0193a7c0-1111-7000-8000-000000000001', /an ID/],
  ];
  for (const [slug, problem] of SLUGS)
    it(`agrees with the API about “${slug}”`, () => {
      const found = findSlugProblem(slug);
      assert.equal(found === null, findProblem(Slug, slug) === null);
      if (problem === null) assert.equal(found, null);
      else assert.match(found ?? '', problem);
    });
});
