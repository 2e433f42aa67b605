import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDamaged, readWritten } from '../../test/dump-writer/read-written.ts';
import { MEMORY64_LIST } from './memory64.ts';

const memory64 = [
  { start: 0x1000n, bytes: Uint8Array.of(1, 2, 3) },
  { start: 0x9000n, bytes: new Uint8Array(0) },
  { start: 0x7fff_ffff_0000n, bytes: Uint8Array.of(4, 5) },
];

test('Regions follow each other from one position.', () => {
  for (const endian of ['little', 'big'] as const) {
    const { stream, warnings } = readWritten(MEMORY64_LIST, { endian, memory64 });
    assert.deepEqual(
      stream?.map(({ start, bytes }) => ({ start, bytes: bytes.array })),
      memory64,
    );
    assert.deepEqual(warnings, []);
  }
});

test('A region of 16 exabytes ends where the file does, and those after it are empty.', () => {
  const { stream } = readDamaged(MEMORY64_LIST, { memory64 }, { at: 16 + 8 + 4, value: 0xffff_ffff });
  const [first, ...others] = stream ?? [];
  assert.deepEqual(first?.bytes.array.subarray(0, 5), Uint8Array.of(1, 2, 3, 4, 5));
  assert.deepEqual(
    others.map(({ bytes }) => bytes.size),
    [0, 0],
  );
});

test('Regions from a position beyond all files have no bytes.', () => {
  const { stream } = readDamaged(MEMORY64_LIST, { memory64 }, { at: 12, value: 0xffff_ffff });
  assert.deepEqual(
    stream?.map(({ bytes }) => bytes.size),
    [0, 0, 0],
  );
});

test('Of a list that claims more regions than there are, those that are there are read.', () => {
  const { stream, warnings } = readDamaged(MEMORY64_LIST, { memory64 }, { at: 4, value: 0xffff_ffff });
  assert.equal(stream?.length, 3);
  assert.match(warnings.join(), /claims \d+ entries; 3 of them are there/);
});
