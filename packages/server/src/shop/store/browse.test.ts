import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefixQueriesOf } from './browse.ts';

test('each word is searched once, as a prefix', () => {
  assert.deepEqual(prefixQueriesOf('  Small walk, small!'), ["'small':*", "'walk':*"]);
});

test('letters beyond ASCII are searched in each case that texts use', () => {
  assert.deepEqual(prefixQueriesOf('МИР'), ["'мир':* | 'Мир':* | 'МИР':*"]);
  assert.deepEqual(prefixQueriesOf('Größe'), ["'größe':* | 'grÖsse':*"]);
});

test('query operators are removed', () => {
  assert.deepEqual(prefixQueriesOf(`' | !a & b:* \\ <-> (`), ["'a':*", "'b':*"]);
});

test('a text without words gives no query', () => {
  assert.deepEqual(prefixQueriesOf(' – !? '), []);
});

test('at most eight words are searched', () => {
  assert.equal(prefixQueriesOf('a b c d e f g h i j').length, 8);
});
