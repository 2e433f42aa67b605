import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemorySource } from '../byte-source.ts';
import { words } from './test-symbols.ts';
import { TypeHashes } from './type-hashes.ts';

const encode = (text: string) => new TextEncoder().encode(text);

function createHashes(buckets: number, hashes: number[]): TypeHashes {
  const header = words(0, 56, 0x1000, 0x1000 + hashes.length, 0, 0, 4, buckets, 0, hashes.length * 4, 0, 0, 0, 0);
  return new TypeHashes(header, new MemorySource(words(...hashes)));
}

test('finds the records with the hash of a name', () => {
  // `Foo`: 0x6f46 ^ 0x6f, then the bits for lower case, and the two shifts.
  const folded = (0x6f46 ^ 0x6f) | 0x20202020;
  const mixed = folded ^ (folded >>> 11);
  const hash = (mixed ^ (mixed >>> 16)) >>> 0;
  const hashes = createHashes(1021, [5, hash % 1021, 7, hash % 1021]);
  assert.deepEqual([...hashes.candidates(encode('Foo'))], [0x1001, 0x1003]);
  assert.deepEqual([...hashes.candidates(encode('foo'))], [0x1001, 0x1003]);
});

test('has no records if the table is missing or has no buckets', () => {
  assert.equal(createHashes(0, [1, 2]).candidates(encode('Foo')).length, 0);
  assert.equal(createHashes(7, []).candidates(encode('Foo')).length, 0);
});
