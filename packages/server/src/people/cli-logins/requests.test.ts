// Codes that people compare and type.
// cspell:ignore BCDF GHJK BCDFGHJK BCDFGHJKLMNPQRSTVWXZ
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalUserCode, newUserCode } from './requests.ts';

test('a code has eight consonants in two groups, and is new each time', () => {
  const codes = Array.from({ length: 100 }, newUserCode);
  for (const code of codes) assert.match(code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  assert.equal(new Set(codes).size, codes.length);
});

test('a typed code is accepted in any letter case, with or without the hyphen', () => {
  for (const typed of ['BCDF-GHJK', 'bcdfghjk', 'bcdf-GHJK']) assert.equal(canonicalUserCode(typed), 'BCDF-GHJK');
});
