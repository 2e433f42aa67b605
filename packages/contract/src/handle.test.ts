import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findHandleProblem } from './handle.ts';

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
