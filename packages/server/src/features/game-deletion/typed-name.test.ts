import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNameTyped } from './typed-name.ts';

test('a name is typed as it is shown: with single spaces, and its letters composed in either way', () => {
  assert.ok(isNameTyped('Owls  of the\u00a0North ', ' Owls of the North'));
  assert.ok(isNameTyped('Caf\u00e9', 'Cafe\u0301'));
});

test('another name, other case, a part, or nothing is not the name', () => {
  for (const typed of ['owls', 'Owl', 'Owlss', '', ' ']) assert.equal(isNameTyped('Owls', typed), false, typed);
});
