import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRecent } from './cache.ts';

test('evicts the value that was not used for longest', () => {
  const recent = createRecent<string, number>(2);
  recent.set('a', 1);
  recent.set('b', 2);
  assert.equal(recent.get('a'), 1);
  recent.set('c', 3);
  assert.deepEqual([recent.get('a'), recent.get('b'), recent.get('c')], [1, undefined, 3]);
});

test('a heavy value replaces several others, and a value that is too heavy is not stored', () => {
  const recent = createRecent<string, number>(10);
  for (const key of ['a', 'b', 'c']) recent.set(key, 1, 3);
  recent.set('d', 2, 7);
  assert.deepEqual([recent.get('a'), recent.get('b'), recent.get('c'), recent.get('d')], [undefined, undefined, 1, 2]);
  recent.set('e', 3, 11);
  assert.equal(recent.get('e'), undefined);
});

test('a value that replaces another one is counted once', () => {
  const recent = createRecent<string, number>(10);
  for (let n = 0; n < 5; n += 1) recent.set('a', n, 6);
  recent.set('b', 9, 4);
  assert.deepEqual([recent.get('a'), recent.get('b')], [4, 9]);
});
