import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MUTATIONS, mutate, Random } from './mutations.ts';

const INPUT = Uint8Array.from({ length: 500 }, (_, index) => index);

test('a seed always gives the same mutation', () => {
  for (let seed = 0; seed < 100; seed += 1)
    assert.deepEqual(mutate(INPUT, new Random(seed)), mutate(INPUT, new Random(seed)));
});

test('the input is not changed, even if it is a Buffer, whose slices share its memory', () => {
  const buffer = Buffer.from(INPUT);
  for (let seed = 0; seed < 200; seed += 1) mutate(buffer, new Random(seed));
  assert.deepEqual(new Uint8Array(buffer), INPUT);
});

test('every mutation usually changes something, and accepts a file of one byte', () => {
  for (const [index, mutation] of MUTATIONS.entries()) {
    const changed = Array.from({ length: 100 }, (_, seed) => mutation(INPUT.slice(), new Random(seed)));
    const same = changed.filter((output) => Buffer.compare(output, INPUT) === 0);
    assert.ok(same.length < 20, `mutation ${index}: ${same.length} of 100 are the same`);
    assert.ok(mutation(Uint8Array.of(7), new Random(1)) instanceof Uint8Array);
  }
});

test('different seeds give different numbers, all below their limit', () => {
  const numbers = Array.from({ length: 1000 }, (_, seed) => new Random(seed).below(1_000_000));
  assert.ok(new Set(numbers).size > 990);
  assert.ok(numbers.every((number) => Number.isInteger(number) && number >= 0 && number < 1_000_000));
});
