import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ByteSource, MemorySource } from '../byte-source.ts';
import { DebugSymbolsError } from '../error.ts';
import { BlockReader } from './block-reader.ts';

const BLOCK_SIZE = 0x10000;

describe('BlockReader', () => {
  it('reads numbers and strings that are in two blocks', () => {
    const bytes = new Uint8Array(2 * BLOCK_SIZE).fill(0x61);
    bytes.set([0x12, 0x34, 0x56, 0x87], BLOCK_SIZE - 2);
    bytes[BLOCK_SIZE + 10] = 0;
    const reader = new BlockReader(new MemorySource(bytes));
    assert.equal(reader.u32(BLOCK_SIZE - 2), 0x8756_3412);
    assert.equal(reader.u16(BLOCK_SIZE - 1), 0x5634);
    assert.equal(reader.string(BLOCK_SIZE - 4, 100).length, 14);
    assert.equal(reader.string(BLOCK_SIZE - 4, 6).length, 6);
    assert.equal(reader.string(BLOCK_SIZE + 8, 100).length, 2);
    assert.equal(reader.string(2 * BLOCK_SIZE - 3, 100).length, 3);
  });

  it('reads each block once, while few are used', () => {
    let reads = 0;
    const source: ByteSource = {
      size: 100 * BLOCK_SIZE,
      read: (position, length) => {
        reads++;
        return new Uint8Array(length).fill(position / BLOCK_SIZE);
      },
    };
    const reader = new BlockReader(source);
    for (let round = 0; round < 3; round++) {
      for (let block = 0; block < 64; block++) assert.equal(reader.u8(block * BLOCK_SIZE + round), block);
    }
    assert.equal(reads, 64);
    assert.equal(reader.u8(64 * BLOCK_SIZE), 64);
    assert.equal(reader.u8(0), 0);
    assert.equal(reads, 66);
  });

  it('throws outside of the source', () => {
    const reader = new BlockReader(new MemorySource(Uint8Array.of(1, 2, 3)));
    for (const position of [-1, 1, 2, 3, 1e12, Number.NaN]) {
      assert.throws(
        () => reader.u32(position),
        (error) => error instanceof DebugSymbolsError && error.code === 'truncated',
      );
    }
  });
});
