import assert from 'node:assert/strict';
import { test } from 'node:test';
import { questionsOf } from './search-words.ts';

test('each word is asked for once, as the beginning of a word', () => {
  assert.deepEqual(questionsOf('  Small walk, small!'), ["'small':*", "'walk':*"]);
});

test('letters beyond ASCII are asked for in each case that texts have them in', () => {
  assert.deepEqual(questionsOf('МИР'), ["'мир':* | 'Мир':* | 'МИР':*"]);
  assert.deepEqual(questionsOf('Größe'), ["'größe':* | 'grÖsse':*"]);
});

test('what means something in a query is left out', () => {
  assert.deepEqual(questionsOf(`' | !a & b:* \\ <-> (`), ["'a':*", "'b':*"]);
});

test('a text without a word asks nothing', () => {
  assert.deepEqual(questionsOf(' – !? '), []);
});

test('no more than eight words are asked for', () => {
  assert.equal(questionsOf('a b c d e f g h i j').length, 8);
});
