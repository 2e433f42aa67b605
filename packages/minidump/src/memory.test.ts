import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { writeDump } from '../test/dump-writer/dump-writer.ts';
import { Bytes } from './bytes.ts';
import { Memory, memoryOf } from './memory.ts';
import { Minidump } from './minidump.ts';
import type { MemoryRegion } from './streams/memory.ts';

const EIGHT = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);

function region(start: bigint, array: Uint8Array, littleEndian = true): MemoryRegion {
  return { start, bytes: new Bytes(array, littleEndian) };
}

test('reads words of each size in the byte order of the dump', () => {
  const memory = new Memory([region(0x1000n, EIGHT)]);
  assert.equal(memory.word(0x1001n, 1), 0x02n);
  assert.equal(memory.word(0x1001n, 2), 0x0302n);
  assert.equal(memory.word(0x1004n, 4), 0x08070605n);
  assert.equal(memory.word(0x1000n, 8), 0x0807060504030201n);
  assert.equal(new Memory([region(0x1000n, EIGHT, false)]).word(0x1000n, 4), 0x01020304n);
});

test('returns undefined for memory that is not, or not completely, in the dump', () => {
  const memory = new Memory([region(0x1000n, EIGHT), region(0x2000n, new Uint8Array(0))]);
  assert.equal(memory.word(0xfffn, 1), undefined);
  assert.equal(memory.word(0x1008n, 1), undefined);
  assert.equal(memory.word(0x1005n, 4), undefined);
  assert.equal(memory.word(0x2000n, 1), undefined);
  assert.equal(new Memory([]).regionAt(0n), undefined);
});

test('reads memory at the end of the address space', () => {
  const memory = new Memory([region(0xffff_ffff_ffff_fff8n, EIGHT)]);
  assert.equal(memory.word(0xffff_ffff_ffff_fff8n, 8), 0x0807060504030201n);
  assert.equal(memory.word(0xffff_ffff_ffff_ffffn, 2), undefined);
});

// The 256 bytes around the instruction pointer can be in the middle of a stack that is also in the dump.
test('reads past a small region that is inside a larger one', () => {
  const memory = new Memory([region(0x1000n, new Uint8Array(64).fill(7)), region(0x1010n, EIGHT)]);
  assert.equal(memory.word(0x1020n, 4), 0x07070707n);
  assert.equal(memory.regionAt(0x1012n)?.start, 0x1000n);
});

test('prefers the region that ends later where two regions overlap', () => {
  const memory = new Memory([region(0x1000n, EIGHT), region(0x1004n, Uint8Array.of(5, 6, 7, 8, 9, 10, 11, 12))]);
  assert.equal(memory.word(0x1004n, 8), 0x0c0b0a0908070605n);
  assert.equal(memory.word(0x1000n, 4), 0x04030201n);
});

test('uses the next region above an address that has none, if it begins close enough', () => {
  const memory = new Memory([region(0x1000n, EIGHT), region(0x2800n, new Uint8Array(0)), region(0x3000n, EIGHT)]);
  assert.equal(memory.regionAtOrAbove(0x1004n, 0x1000n)?.start, 0x1000n);
  assert.equal(memory.regionAtOrAbove(0x2001n, 0x1000n)?.start, 0x3000n);
  assert.equal(memory.regionAtOrAbove(0x2000n, 0x1000n), undefined);
  assert.equal(memory.regionAtOrAbove(0x3008n, 0x1000n), undefined);
});

test('finds every byte of every region, with a value that a region has there', () => {
  const regions = fc.array(fc.tuple(fc.nat(60), fc.uint8Array({ minLength: 1, maxLength: 20 })), { maxLength: 8 });
  fc.assert(
    fc.property(regions, fc.nat(90), (list, address) => {
      const memory = new Memory(list.map(([start, array]) => region(BigInt(start), array)));
      const held = list.flatMap(([start, array]) => array[address - start] ?? []).map(BigInt);
      const found = memory.word(BigInt(address), 1);
      if (held.length === 0) assert.equal(found, undefined);
      else assert.ok(found !== undefined && held.includes(found));
    }),
  );
});

test("combines the stacks of the threads, the memory list and a full dump's memory", () => {
  const bytes = (value: number) => new Uint8Array(16).fill(value);
  const file = writeDump({
    threads: [{ id: 1, stack: { start: 0x1000n, bytes: bytes(1) } }],
    memory: [{ start: 0x2000n, bytes: bytes(2) }],
    memory64: [
      { start: 0x3000n, bytes: bytes(3) },
      { start: 0x4000n, bytes: bytes(4) },
    ],
  });
  const memory = memoryOf(new Minidump(file));
  for (const value of [1, 2, 3, 4])
    assert.equal(memory.word(BigInt(value * 0x1000 + 15), 1), BigInt(value), `region ${value}`);
});

// Writers of full dumps give some stacks a size and position 0, which is where the header of the dump is.
test('does not read a stack from position 0', () => {
  const file = writeDump({
    threads: [{ id: 1, stack: { start: 0x1000n, bytes: EIGHT } }],
    memory: [{ start: 0x1000n, bytes: EIGHT.map((byte) => byte + 0x10) }],
  });
  const stackPlace = new Minidump(file).directory[0]!.rva + 4 + 32;
  new DataView(file.buffer).setUint32(stackPlace + 4, 0, true);
  assert.equal(memoryOf(new Minidump(file)).word(0x1000n, 4), 0x14131211n);
});

test('finds a stack without a position in the memory list', () => {
  const file = writeDump({
    threads: [{ id: 1, stack: { start: 0x1000n } }],
    memory: [{ start: 0x1000n, bytes: EIGHT }],
  });
  assert.equal(memoryOf(new Minidump(file)).word(0x1000n, 4), 0x04030201n);
});
