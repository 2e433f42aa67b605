import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Bytes } from './bytes.ts';

const EIGHT = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
const truncated = { name: 'MinidumpError', code: 'truncated' };

test('reads numbers in the given byte order', () => {
  const little = new Bytes(EIGHT, true);
  const big = new Bytes(EIGHT, false);
  assert.deepEqual([little.u8(1), little.u16(0), little.u32(4)], [2, 0x0201, 0x08070605]);
  assert.deepEqual([big.u8(1), big.u16(0), big.u32(4)], [2, 0x0102, 0x05060708]);
  assert.equal(little.u64(0), 0x0807060504030201n);
  assert.equal(big.u64(0), 0x0102030405060708n);
});

test('reads the last byte, and allows an empty window at the very end', () => {
  const bytes = new Bytes(EIGHT, true);
  assert.deepEqual([bytes.u8(7), bytes.u16(6), bytes.u32(4)], [8, 0x0807, 0x08070605]);
  assert.equal(bytes.window(8, 0).size, 0);
  assert.equal(bytes.window(0, 0).size, 0);
});

test('throws `truncated` before the start, past the end and across the end', () => {
  const bytes = new Bytes(EIGHT, true);
  assert.throws(() => bytes.u8(8), truncated);
  assert.throws(() => bytes.u8(-1), truncated);
  assert.throws(() => bytes.u64(1), truncated);
  assert.throws(() => bytes.window(4, 5), truncated);
  assert.throws(() => bytes.window(0, -1), truncated);
  assert.throws(() => bytes.u32(Number.NaN), truncated);
});

test('counts positions in a window from its start, and does not read past its end', () => {
  const window = new Bytes(EIGHT, true).window(2, 4);
  assert.equal(window.u16(0), 0x0403);
  assert.equal(window.window(1, 2).u16(0), 0x0504);
  assert.deepEqual(window.array, Uint8Array.of(3, 4, 5, 6));
  assert.throws(() => window.u32(1), truncated);
});

test('stays within its part of a larger buffer', () => {
  const bytes = new Bytes(EIGHT.subarray(2, 6), true);
  assert.equal(bytes.size, 4);
  assert.equal(bytes.u32(0), 0x06050403);
  assert.deepEqual(bytes.window(1, 2).array, Uint8Array.of(4, 5));
  assert.throws(() => bytes.u8(4), truncated);
});

test('moves a cursor forward by the size of each number, from the start by default', () => {
  const cursor = new Bytes(
    Uint8Array.from({ length: 16 }, (_, index) => index),
    true,
  ).cursor();
  assert.deepEqual([cursor.u8(), cursor.at], [0, 1]);
  assert.deepEqual([cursor.u16(), cursor.at], [0x0201, 3]);
  assert.deepEqual([cursor.u32(), cursor.at], [0x06050403, 7]);
  assert.deepEqual([cursor.u64(), cursor.at], [0x0e0d0c0b0a090807n, 15]);
});

test('skips bytes and returns windows with a cursor', () => {
  const cursor = new Bytes(EIGHT, true).cursor(1);
  assert.deepEqual([cursor.u8(), cursor.u16(), cursor.at, cursor.left], [2, 0x0403, 4, 4]);
  cursor.skip(1);
  assert.deepEqual(cursor.window(3).array, Uint8Array.of(6, 7, 8));
  assert.throws(() => cursor.u8(), truncated);
});

test('never reads outside the bytes, for any position and size', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.integer(), fc.integer(), (array, at, size) => {
      const bytes = new Bytes(array, true);
      const fits = at >= 0 && size >= 0 && at + size <= array.length;
      if (fits) assert.deepEqual(bytes.window(at, size).array, array.subarray(at, at + size));
      else assert.throws(() => bytes.window(at, size), truncated);
    }),
  );
});
