import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDamaged, readWritten } from '../../test/dump-writer/read-written.ts';
import { MEMORY_LIST } from './memory.ts';

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
