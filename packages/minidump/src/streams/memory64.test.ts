import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDamaged, readWritten } from '../../test/dump-writer/read-written.ts';
import { MEMORY64_LIST } from './memory64.ts';

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
