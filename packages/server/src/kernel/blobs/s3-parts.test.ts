import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cutPieces, keyOfTail, nextSlot, readS3State, tailName, tailNames } from './s3-parts.ts';

async function* each(buffers: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* buffers;
}

test('cuts buffers into pieces of one size without losing bytes; the last piece can be smaller', async () => {
  const buffers = fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(buffers, fc.integer({ min: 1, max: 40 }), async (input, pieceBytes) => {
      const pieces: Buffer[] = [];
      for await (const { buffers, size } of cutPieces(each(input), pieceBytes)) {
        const piece = Buffer.concat(buffers);
        assert.equal(piece.length, size);
        pieces.push(piece);
      }
      assert.deepEqual(Buffer.concat(pieces), Buffer.concat(input));
      for (const piece of pieces.slice(0, -1)) assert.equal(piece.length, pieceBytes);
      for (const piece of pieces.slice(-1)) assert.ok(piece.length > 0 && piece.length <= pieceBytes);
    }),
  );
});

test('makes exactly one piece of a chunk with the size of a piece', async () => {
  let pieces = 0;
  for await (const { size } of cutPieces(each([new Uint8Array(6), new Uint8Array(10)]), 16)) {
    pieces += 1;
    assert.equal(size, 16);
  }
  assert.equal(pieces, 1);
});

test('returns the key of a tail, and null for other names', () => {
  for (const name of tailNames('files/a.zip')) assert.equal(keyOfTail(name), 'files/a.zip');
  assert.equal(keyOfTail('files/a.zip'), null);
});

test('never overwrites the previous tail', () => {
  const first = { slot: nextSlot(null), size: 1 };
  const second = { slot: nextSlot(first), size: 1 };
  assert.notEqual(tailName('a', second.slot), tailName('a', first.slot));
  assert.equal(nextSlot(second), first.slot);
});

test('reads the state of a new upload as empty', () => {
  assert.deepEqual(readS3State({ key: 'a', size: 0 }), { uploadId: null, parts: [], tail: null });
});

test('rejects a state whose parts do not add up to the size', () => {
  const parts = { uploadId: 'u', parts: [{ etag: '"e"', size: 10 }], tail: { slot: 0, size: 3 } };
  assert.deepEqual(readS3State({ key: 'a', size: 13, parts }), parts);
  assert.throws(() => readS3State({ key: 'a', size: 12, parts }), /have 13 bytes, not 12/);
  assert.throws(() => readS3State({ key: 'a', size: 5 }), /have 0 bytes, not 5/);
});
