// Tests the search for closing brackets with text from real function names.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { groupEnd, insideOf, replaceGroups } from './brackets.ts';

describe('groupEnd', () => {
  const CASES: readonly (readonly [text: string, group: string])[] = [
    ['<a<b>>::c', '<a<b>>'],
    ['(a)(b)', '(a)'],
    ['<(a>b)>c', '<(a>b)>'],
    ['<(a<b)>c', '<(a<b)>'],
    ['<a->b>c', '<a->b>'],
    ['<&A::operator< >c', '<&A::operator< >'],
    ["`initializer for 'x''y", "`initializer for 'x''"],
    ['<a(b', '<a(b'],
    ['(a]b)c', '(a]b)'],
  ];
  for (const [text, group] of CASES) {
    it(`finds the end of \`${group}\` in \`${text}\``, () => assert.equal(groupEnd(text, 0), group.length));
  }
});

describe('insideOf', () => {
  it('removes both brackets, or only the opening one if nothing closes it', () => {
    assert.equal(insideOf('<ab>', 0, 4), 'ab');
    assert.equal(insideOf('<ab', 0, 3), 'ab');
    assert.equal(insideOf('<', 0, 1), '');
  });
});

describe('replaceGroups', () => {
  it('replaces the outermost groups of the given kinds', () => {
    assert.equal(
      replaceGroups('a<b<c>>(d)e<f>', '<', (inside) => `[${inside}]`),
      'a[b<c>](d)e[f]',
    );
  });
});
