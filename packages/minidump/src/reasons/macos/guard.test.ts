// Tests the codes of each type of EXC_GUARD.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeGuard } from './guard.ts';

const CASES: [code: bigint, subcode: bigint, expected: string][] = [
  [0n, 0n, 'GUARD_TYPE_NONE'],
  [pack(1n, 2n, 0x1203n), 0n, 'GUARD_TYPE_MACH_PORT / GUARD_EXC_MOD_REFS port name: 4611'],
  [pack(1n, 0x20n, 0x1203n), 17n, 'GUARD_TYPE_MACH_PORT / GUARD_EXC_IMMOVABLE port name: 4611 subcode: 17'],
  [pack(2n, 1n, 7n), 42n, 'GUARD_TYPE_FD / GUARD_EXC_CLOSE file descriptor: 7 guard identifier: 42'],
  [
    pack(2n, 0x21n, 7n),
    42n,
    'GUARD_TYPE_FD / GUARD_EXC_CLOSE | GUARD_EXC_MISMATCH file descriptor: 7 guard identifier: 42',
  ],
  [pack(2n, 0x81n, 7n), 42n, 'GUARD_TYPE_FD / 0x4000008100000007 / 0x000000000000002a'],
  [pack(2n, 0n, 7n), 42n, 'GUARD_TYPE_FD / 0x4000000000000007 / 0x000000000000002a'],
  [pack(3n, 0n, 0xf000_0001n), 5n, 'GUARD_TYPE_USER / namespace: 4026531841 guard identifier: 5'],
  [pack(4n, 4n, 99n), 5n, 'GUARD_TYPE_VN / GUARD_EXC_UNLINK pid: 99 guard identifier: 5'],
  [pack(5n, 1n, 0n), 4096n, 'GUARD_TYPE_VIRT_MEMORY / GUARD_EXC_DEALLOC_GAP offset: 4096'],
  [pack(6n, 0n, 0n), 197n, 'GUARD_TYPE_REJECTED_SC / syscall: 197'],
  [pack(6n, 0n, 1n), 31n, 'GUARD_TYPE_REJECTED_SC / mach trap: 31'],
];
for (const [code, subcode, expected] of CASES) {
  test(`describes ${expected}`, () => assert.equal(describeGuard(code, subcode), expected));
}

test('returns undefined for an unknown type', () => {
  assert.equal(describeGuard(pack(7n, 1n, 0n), 0n), undefined);
});

/** Packs a code like the kernel: type [63:61], flavor [60:32], target [31:0]. */
function pack(type: bigint, flavor: bigint, target: bigint): bigint {
  return (type << 61n) | (flavor << 32n) | target;
}
