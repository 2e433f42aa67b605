import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { constants, deflateRawSync } from 'node:zlib';
import { type FoundBlocks, unpackFindingBlocks } from './block-finder.ts';
import { packBlockSync, STREAM_END } from './blocks.ts';

const MAX = 64 * 1024;

/** Text-like bytes, which get smaller. */
function sample(length: number, seed: number): Buffer {
  let state = seed;
  return Buffer.from(
    Uint8Array.from({ length }, () => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return 97 + ((state >>> 16) % 7);
    }),
  );
}

async function unpack(packed: Buffer, portion: number): Promise<{ content: Buffer; found: FoundBlocks }> {
  async function* portions() {
    for (let at = 0; at < packed.length; at += portion) yield packed.subarray(at, at + portion);
  }
  const chunks: Buffer[] = [];
  const reader = unpackFindingBlocks(portions(), { maxBlockBytes: MAX });
  for (;;) {
    const { value, done } = await reader.next();
    if (done) return { content: Buffer.concat(chunks), found: value };
    chunks.push(value);
  }
}

test('blocks are found, however the stream arrives', async () => {
  // What looks like the end of a block is in the last one, which is stored.
  const look = Buffer.concat([randomBytes(500), Buffer.from([0, 0, 0xff, 0xff]), randomBytes(500)]);
  const raw = [sample(40_000, 1), randomBytes(MAX), sample(10, 3), look];
  const packed = raw.map((block, index) => packBlockSync(block, index === 1 ? 0 : 6));
  const stream = Buffer.concat([...packed, STREAM_END]);
  for (const portion of [13, 1000, stream.length]) {
    const { content, found } = await unpack(stream, portion);
    assert.ok(content.equals(Buffer.concat(raw)));
    assert.equal(found.used, stream.length);
    assert.equal(
      found.blocks?.reduce((sum, block) => sum + block.packed, 0),
      stream.length - STREAM_END.length,
    );
    assert.deepEqual(
      found.blocks?.map(({ length }) => length),
      raw.map(({ length }) => length),
    );
  }
});

test('a stream of another program is unpacked as one', async () => {
  const raw = sample(300_000, 5);
  const parts = [raw.subarray(0, 100_000), raw.subarray(100_000)];
  const synced = parts.map((part, index) =>
    deflateRawSync(part, {
      finishFlush: index === 0 ? constants.Z_SYNC_FLUSH : constants.Z_FINISH,
      ...(index === 1 && { dictionary: parts[0]!.subarray(-32 * 1024) }),
    }),
  );
  const mixed = [packBlockSync(raw.subarray(0, 50_000), 6), deflateRawSync(raw.subarray(50_000))];
  for (const stream of [deflateRawSync(raw), Buffer.concat(synced), Buffer.concat(mixed)]) {
    for (const portion of [100, stream.length]) {
      const { content, found } = await unpack(stream, portion);
      assert.ok(content.equals(raw));
      assert.deepEqual(found, { blocks: null, used: stream.length });
    }
  }
});

test('bytes after the stream are not used, and damaged ones are an error', async () => {
  const stream = Buffer.concat([packBlockSync(sample(1000, 7), 6), STREAM_END]);
  const { found } = await unpack(Buffer.concat([stream, Buffer.from('more')]), 64);
  assert.deepEqual(found, { blocks: null, used: stream.length });
  await assert.rejects(unpack(stream.subarray(0, -1), 64), { code: 'Z_BUF_ERROR' });
  await assert.rejects(unpack(Buffer.from([0x07, 0xff, 0xff]), 64), { code: 'Z_DATA_ERROR' });
});

test('an empty stream has no blocks', async () => {
  assert.deepEqual(await unpack(STREAM_END, 1), { content: Buffer.alloc(0), found: { blocks: [], used: 2 } });
});
