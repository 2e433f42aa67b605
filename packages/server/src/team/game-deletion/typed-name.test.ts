import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNameTyped } from './typed-name.ts';

test('a typed name matches with collapsed spaces and in either Unicode composition', () => {
  assert.ok(isNameTyped('Owls  of the\u00a0North ', ' Owls of the North'));
  assert.ok(isNameTyped('Caf\u00e9', 'Cafe\u0301'));
});

test('another name, another letter case, a part or an empty text does not match', () => {
  for (const typed of ['owls', 'Owl', 'Owlss', '', ' ']) assert.equal(isNameTyped('Owls', typed), false, typed);
});
