import assert from 'node:assert/strict';
import { test } from 'node:test';
import { centralHeader, dataDescriptor, endRecords, localHeader } from './zip-layout.ts';

const GIB = 1024 ** 3;
const record = {
  name: Buffer.from('big.pak'),
  method: 8,
  crc: 0xdeadbeef,
  packed: 4.5 * GIB,
  size: 6 * GIB,
  mode: 0o100644,
  offset: 5 * GIB,
  streamed: true,
  large: true,
} as const;

test('a large file has a Zip64 field before its data and 64-bit sizes after it', () => {
  const local = localHeader(record);
  assert.equal(local.readUInt16LE(4), 45, 'version needed');
  assert.equal(local.readUInt32LE(18), 0xffffffff);
  assert.equal(local.readUInt16LE(28), 20, 'extra field with both sizes');
  const after = dataDescriptor(record);
  assert.equal(after.length, 24);
  assert.equal(after.readBigUInt64LE(8), BigInt(4.5 * GIB));
  assert.equal(after.readBigUInt64LE(16), BigInt(6 * GIB));
});

test('the Zip64 field of the central directory has only values that need it, in the specified order', () => {
  const all = centralHeader(record).subarray(46 + 7);
  assert.deepEqual(
    [all.length, ...[4, 12, 20].map((at) => Number(all.readBigUInt64LE(at)))],
    [28, 6 * GIB, 4.5 * GIB, 5 * GIB],
  );
  const far = centralHeader({ ...record, large: false, size: 3, packed: 3 }).subarray(46 + 7);
  assert.deepEqual([far.length, Number(far.readBigUInt64LE(4))], [12, 5 * GIB]);
  assert.equal(centralHeader({ ...record, large: false, size: 3, packed: 3, offset: 0 }).length, 46 + 7);
});

test('the end record uses Zip64 for more than 65,534 entries', () => {
  assert.equal(endRecords({ entries: 65_534, size: 100, offset: 100 }).length, 22);
  const large = endRecords({ entries: 70_000, size: 100, offset: 200 });
  assert.equal(large.length, 22 + 20 + 56);
  assert.equal(large.readBigUInt64LE(32), 70_000n);
  assert.equal(large.readBigUInt64LE(56 + 8), 300n, 'offset of the Zip64 end record');
});
