import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDamaged, readWritten } from '../../test/dump-writer/read-written.ts';
import { MEMORY_INFO, MEMORY_LIST, MEMORY64_LIST } from './memory.ts';

const memory = [
  { start: 0x1000n, bytes: Uint8Array.of(1, 2, 3) },
  { start: 0x7fff_ffff_0000n, bytes: Uint8Array.of(4) },
];

test('reads the address and bytes of regions', () => {
  for (const endian of ['little', 'big'] as const)
    for (const paddedLists of [false, true]) {
      const { stream, warnings } = readWritten(MEMORY_LIST, { endian, paddedLists, memory });
      assert.deepEqual(
        stream?.map(({ start, bytes }) => ({ start, bytes: bytes.array })),
        memory,
      );
      assert.deepEqual(warnings, []);
    }
});

test('reads the available part of a region that extends past the end of the file', () => {
  const { stream } = readDamaged(MEMORY_LIST, { memory }, { at: 4 + 8, value: 0xffff_ffff });
  assert.deepEqual(stream?.[0]?.bytes.array.subarray(0, 3), Uint8Array.of(1, 2, 3));
});

test('returns no bytes for a region outside the file', () => {
  const { stream } = readDamaged(MEMORY_LIST, { memory }, { at: 4 + 12, value: 0xffff_ff00 });
  assert.equal(stream?.[0]?.bytes.size, 0);
  assert.deepEqual(stream?.[1]?.bytes.array, Uint8Array.of(4));
});

const memory64 = [
  { start: 0x1000n, bytes: Uint8Array.of(1, 2, 3) },
  { start: 0x9000n, bytes: new Uint8Array(0) },
  { start: 0x7fff_ffff_0000n, bytes: Uint8Array.of(4, 5) },
];

test('reads consecutive regions', () => {
  for (const endian of ['little', 'big'] as const) {
    const { stream, warnings } = readWritten(MEMORY64_LIST, { endian, memory64 });
    assert.deepEqual(
      stream?.map(({ start, bytes }) => ({ start, bytes: bytes.array })),
      memory64,
    );
    assert.deepEqual(warnings, []);
  }
});

test('ends a region of 16 exabytes at the end of the file, and returns no bytes for the next ones', () => {
  const { stream } = readDamaged(MEMORY64_LIST, { memory64 }, { at: 16 + 8 + 4, value: 0xffff_ffff });
  const [first, ...others] = stream ?? [];
  assert.deepEqual(first?.bytes.array.subarray(0, 5), Uint8Array.of(1, 2, 3, 4, 5));
  assert.deepEqual(
    others.map(({ bytes }) => bytes.size),
    [0, 0],
  );
});

test('returns no bytes for regions outside the file', () => {
  const { stream } = readDamaged(MEMORY64_LIST, { memory64 }, { at: 12, value: 0xffff_ffff });
  assert.deepEqual(
    stream?.map(({ bytes }) => bytes.size),
    [0, 0, 0],
  );
});

test('reads the available regions of a list that claims more', () => {
  const { stream, warnings } = readDamaged(MEMORY64_LIST, { memory64 }, { at: 4, value: 0xffff_ffff });
  assert.equal(stream?.length, 3);
  assert.match(warnings.join(), /claims \d+ entries, but only 3 are available/);
});

const memoryInfo = [
  {
    base: 0x7ff9_0000_1000n,
    allocationBase: 0x7ff9_0000_0000n,
    allocationProtection: 0x80,
    size: 0x1_0000_0000n,
    state: 0x1000,
    protection: 0x20,
    type: 0x1000000,
  },
  { base: 0n, allocationBase: 0n, allocationProtection: 0, size: 0x1000n, state: 0x10000, protection: 1, type: 0 },
];

test('reads the range, protection, state and type of regions', () => {
  for (const endian of ['little', 'big'] as const)
    assert.deepEqual(readWritten(MEMORY_INFO, { endian, memoryInfo }), { stream: memoryInfo, warnings: [] });
});

test('reads the available regions if the 64-bit count is far too large', () => {
  const { stream, warnings } = readDamaged(MEMORY_INFO, { memoryInfo }, { at: 12, value: 0xffff_ffff });
  assert.equal(stream?.length, 2);
  assert.match(warnings.join(), /only 2 are available/);
});
