import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { words } from '../test/trees.ts';
import { packBlock, packBlockSync, STREAM_END, storedLength, unpackBlock } from './blocks.ts';
import { DeltaError } from './error.ts';

const BLOCKS = [words(1, 50_000), randomBytes(200_000), Buffer.from('x'), words(2, 70_000)];

test('blocks one after the other are one deflate stream, and each can be unpacked alone', async () => {
  for (const level of [0, 1, 7, 9]) {
    const packed = await Promise.all(BLOCKS.map((block) => packBlock(block, level)));
    assert.deepEqual(inflateRawSync(Buffer.concat([...packed, STREAM_END])), Buffer.concat(BLOCKS));
    for (const [index, block] of BLOCKS.entries()) {
      assert.deepEqual(unpackBlock(packed[index]!, block.length), block);
      assert.deepEqual(packBlockSync(block, level), packed[index]);
      assert.ok(packed[index]!.length <= storedLength(block.length));
    }
  }
});

test('damaged blocks, and blocks of another length, are refused before they take much memory', () => {
  const [block] = BLOCKS;
  const packed = packBlockSync(block!, 6);
  const bomb = deflateRawSync(Buffer.alloc(100_000_000));
  for (const [bytes, length] of [
    [packed, block!.length - 1],
    [packed, block!.length + 1],
    [packed.subarray(0, 100), block!.length],
    [Buffer.alloc(0), 1],
    [randomBytes(1000), 1000],
    [bomb, 1000],
  ] as const)
    assert.throws(() => unpackBlock(bytes, length), DeltaError);
});
