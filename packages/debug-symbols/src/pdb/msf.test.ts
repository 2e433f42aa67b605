import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemorySource } from '../byte-source.ts';
import { isPdb, Msf } from './msf.ts';

const BLOCK = 512;
const malformed = { name: 'DebugSymbolsError', code: 'malformed' };
const truncated = { name: 'DebugSymbolsError', code: 'truncated' };

/**
 * Builds a file with a directory in block 3 and the list of its blocks in block 4. The content of block n is n in every
 * byte, for all blocks after those.
 */
function build(directory: number[], blocks: number): Uint8Array {
  const bytes = new Uint8Array(blocks * BLOCK);
  for (let block = 5; block < blocks; block++) bytes.fill(block, block * BLOCK, (block + 1) * BLOCK);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode('Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0'));
  for (const [index, value] of [BLOCK, 1, blocks, directory.length * 4, 0, 4].entries()) {
    view.setUint32(32 + index * 4, value, true);
  }
  for (const [index, value] of directory.entries()) view.setUint32(3 * BLOCK + index * 4, value, true);
  view.setUint32(4 * BLOCK, 3, true);
  return bytes;
}

test('reads streams whose blocks are anywhere in the file', () => {
  const msf = new Msf(new MemorySource(build([2, 1000, 600, 7, 5, 6, 8], 9)));
  assert.equal(msf.streamCount, 2);
  const stream = msf.stream(0)!;
  assert.equal(stream.size, 1000);
  assert.deepEqual([...stream.read(510, 4)], [7, 7, 5, 5]);
  assert.deepEqual([...msf.stream(1)!.read(511, 2)], [6, 8]);
  assert.equal(stream.readAll().length, 1000);
});

test('shares the memory of neighbouring blocks', () => {
  const bytes = build([1, 1024, 5, 6], 7);
  const stream = new Msf(new MemorySource(bytes)).stream(0)!;
  assert.equal(stream.readAll().buffer, bytes.buffer);
});

test('has no stream with a number that is too large or was deleted', () => {
  const msf = new Msf(new MemorySource(build([2, 0xffffffff, 0], 5)));
  assert.equal(msf.stream(0), undefined);
  assert.equal(msf.stream(1)!.size, 0);
  assert.equal(msf.stream(2), undefined);
});

test('throws for a read outside of a stream', () => {
  const stream = new Msf(new MemorySource(build([1, 100, 5], 6))).stream(0)!;
  assert.throws(() => stream.read(0, 101), truncated);
  assert.throws(() => stream.read(-1, 1), truncated);
  assert.throws(() => stream.read(101, 0), truncated);
});

test('throws for a block outside of the file only when it is read', () => {
  const msf = new Msf(new MemorySource(build([1, 100, 77], 6)));
  assert.throws(() => msf.stream(0)!.readAll(), truncated);
});

test('refuses streams that are larger than the file or than their directory', () => {
  assert.throws(() => new Msf(new MemorySource(build([1, 1 << 30, 5, 5], 6))), malformed);
  assert.throws(() => new Msf(new MemorySource(build([1, 1000, 5], 6))), truncated);
  assert.throws(() => new Msf(new MemorySource(build([0x10000000], 6))), malformed);
});

test('refuses block sizes that are not powers of two', () => {
  for (const size of [0, 3, 256, 1000, 1 << 20]) {
    const bytes = build([0], 6);
    new DataView(bytes.buffer).setUint32(32, size, true);
    assert.throws(() => new Msf(new MemorySource(bytes)), malformed);
  }
});

test('distinguishes a cut file, an old version and other files', () => {
  assert.throws(() => new Msf(new MemorySource(build([0], 6).subarray(0, 5 * BLOCK))), truncated);
  const old = new TextEncoder().encode('Microsoft C/C++ program database 2.00\r\n\x1aJG\0\0'.padEnd(200));
  assert.equal(isPdb(new MemorySource(old)), true);
  assert.throws(() => new Msf(new MemorySource(old)), { code: 'unsupported' });
  assert.equal(isPdb(new MemorySource(new Uint8Array(100))), false);
  assert.throws(() => new Msf(new MemorySource(new Uint8Array(100))), { code: 'unknown-format' });
});
