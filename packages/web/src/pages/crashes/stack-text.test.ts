import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOfWord } from './stack-text.ts';

test('the text of a word begins with its last byte', () => {
  assert.equal(textOfWord('0x006b636f6c2d6e77'), 'wn-lock.');
  assert.equal(textOfWord('0x41ff0a7e'), '~..A');
  assert.equal(textOfWord('0x'), '');
});
