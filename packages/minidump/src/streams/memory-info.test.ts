import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDamaged, readWritten } from '../../test/dump-writer/read-written.ts';
import { MEMORY_INFO } from './memory-info.ts';

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
