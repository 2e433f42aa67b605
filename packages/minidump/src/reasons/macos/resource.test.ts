// Tests the fields of each type of EXC_RESOURCE, with values that need the full width of the field.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeResource } from './resource.ts';

const CASES: [code: bigint, subcode: bigint, expected: string][] = [
  [
    pack(1n, 1n, (30n << 7n) | 80n),
    95n,
    'RESOURCE_TYPE_CPU / FLAVOR_CPU_MONITOR interval: 30s CPU limit: 80% CPU consumed: 95%',
  ],
  [
    pack(2n, 1n, (300n << 20n) | 4100n),
    5000n,
    'RESOURCE_TYPE_WAKEUPS / FLAVOR_WAKEUPS_MONITOR interval: 300s wakeups permitted: 4100 wakeups observed: 5000',
  ],
  [pack(3n, 1n, 2048n), 0n, 'RESOURCE_TYPE_MEMORY / FLAVOR_HIGH_WATERMARK high watermark limit: 2048MiB'],
  [
    pack(4n, 2n, (60n << 15n) | 1024n),
    2000n,
    'RESOURCE_TYPE_IO / FLAVOR_IO_LOGICAL_WRITES interval: 60s I/O limit: 1024MiB I/O observed: 2000MiB',
  ],
  [pack(5n, 1n, 512n), 0n, 'RESOURCE_TYPE_THREADS / FLAVOR_THREADS_HIGH_WATERMARK high watermark limit: 512'],
  [pack(6n, 1n, 200_000n), 0n, 'RESOURCE_TYPE_PORTS / FLAVOR_PORT_SPACE_FULL ports allocated: 200000'],
  [pack(3n, 7n, 1n), 2n, 'RESOURCE_TYPE_MEMORY / 0x7c00000000000001 / 0x0000000000000002'],
];
for (const [code, subcode, expected] of CASES) {
  test(`describes ${expected}`, () => assert.equal(describeResource(code, subcode), expected));
}

test('returns undefined for an unknown type', () => {
  assert.equal(describeResource(pack(7n, 1n, 0n), 0n), undefined);
});

/** Packs a code like the kernel: type [63:61], flavor [60:58], and the other fields below. */
function pack(type: bigint, flavor: bigint, rest: bigint): bigint {
  return (type << 61n) | (flavor << 58n) | rest;
}
