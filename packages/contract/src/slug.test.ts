import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { Slug } from './operations/fields.ts';
import { findHandleProblem, findSlugProblem, slugOf } from './slug.ts';
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

test('lowercase letters and digits with single hyphens between them are accepted', () => {
  for (const handle of ['zoe', 'small-walk', '3-men', 'a-b-c', '007', 'x'.repeat(32)])
    assert.equal(findHandleProblem(handle), null, handle);
});

test('other handles are refused with advice', () => {
  const refused: readonly [string, RegExp][] = [
    ['', /3 to 32/],
    ['ab', /3 to 32/],
    ['x'.repeat(33), /3 to 32/],
    ['Zoe', /lowercase/],
    ['zoë', /lowercase/],
    ['a b', /lowercase/],
    ['a/b', /lowercase/],
    ['zoe\n', /lowercase/],
    ['-zoe', /between/],
    ['zoe-', /between/],
    ['z--e', /between/],
    ['admin', /reserved/],
    ['chauffeur', /reserved/],
  ];
  for (const [handle, advice] of refused)
    assert.match(findHandleProblem(handle) ?? 'none', advice, JSON.stringify(handle));
});

test('a valid handle needs no escaping in a URL', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), (text) => {
      if (findHandleProblem(text) === null) assert.equal(new URL(`/@${text}`, 'http://x').pathname, `/@${text}`);
    }),
  );
});
