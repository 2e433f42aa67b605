import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { handleProblem } from './handle.ts';

test('takes lowercase words and digits with single hyphens between them', () => {
  for (const handle of ['zoe', 'small-walk', '3-men', 'a-b-c', '007', 'x'.repeat(32)])
    assert.equal(handleProblem(handle), null, handle);
});

test('says what is wrong with others', () => {
  const wrong: readonly [string, RegExp][] = [
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
    ['admin', /speak for/],
    ['chauffeur', /speak for/],
  ];
  for (const [handle, says] of wrong) assert.match(handleProblem(handle) ?? 'none', says, JSON.stringify(handle));
});

test('a handle that is taken stands in an address as it is', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), (text) => {
      if (handleProblem(text) === null) assert.equal(new URL(`/@${text}`, 'http://x').pathname, `/@${text}`);
    }),
  );
});
