import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { noise } from '../test/trees.ts';
import { Cutter, cut } from './cutter.ts';

const SIZES = { uncut: 0, min: 64, average: 128, max: 512 };

test('cuts depend on the content only, however it is split', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(20_000), fc.array(fc.nat(3000)), (seed, length, splits) => {
      const content = noise(seed, length);
      const cutter = new Cutter(SIZES);
      const lengths: number[] = [];
      let at = 0;
      for (const split of [...splits, length]) {
        lengths.push(...cutter.push(content.subarray(at, at + split)));
        at += split;
      }
      const last = cutter.finish();
      assert.deepEqual(last > 0 ? [...lengths, last] : lengths, cut(content, SIZES));
    }),
  );
});

test('blocks are within their limits, apart from the last one', () => {
  for (const content of [noise(1, 100_000), Buffer.alloc(100_000)]) {
    const lengths = cut(content, SIZES);
    assert.equal(
      lengths.reduce((sum, length) => sum + length, 0),
      content.length,
    );
    for (const length of lengths.slice(0, -1)) assert.ok(length >= SIZES.min && length <= SIZES.max, String(length));
    assert.ok(lengths.at(-1)! <= SIZES.max);
  }
});

test('an insertion changes the blocks around it only', () => {
  const content = noise(2, 100_000);
  const edited = Buffer.concat([content.subarray(0, 30_000), Buffer.from('inserted'), content.subarray(30_000)]);
  const blocksOf = (bytes: Buffer) => {
    let end = 0;
    return cut(bytes, SIZES).map((length) => {
      end += length;
      return bytes.toString('latin1', end - length, end);
    });
  };
  const before = new Set(blocksOf(content));
  assert.ok(blocksOf(edited).filter((block) => !before.has(block)).length <= 8);
});

test('files up to the length of one block are not cut, and an empty file has no block', () => {
  assert.deepEqual(cut(noise(3, 1000), { ...SIZES, uncut: 1000 }), [1000]);
  assert.ok(cut(noise(3, 1001), { ...SIZES, uncut: 1000 }).length > 1);
  assert.deepEqual(cut(Buffer.alloc(0), SIZES), []);
});

test('the places of the cuts are part of the format and stay the same', () => {
  const content = Buffer.from(Array.from({ length: 1000 }, (_, at) => (at * at) % 251));
  assert.deepEqual(cut(content, SIZES), [260, 251, 251, 238]);
});
