import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { createReceiver } from './receive-bytes.ts';

const tooLarge = () => new Error('too large');

async function* sourceOf(...buffers: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* buffers;
}

test('measures and hashes the bytes and passes them on unchanged', async () => {
  const receiver = createReceiver({ maxBytes: 6, tooLarge });
  const buffers = [Buffer.from('abc'), Buffer.from('def')];
  assert.deepEqual(await Array.fromAsync(receiver.pass(sourceOf(...buffers))), buffers);
  assert.equal(receiver.size, 6);
  assert.equal(receiver.hash?.digest('hex'), createHash('sha256').update('abcdef').digest('hex'));
});

test('throws at the first byte over the limit', async () => {
  const receiver = createReceiver({ maxBytes: 5, tooLarge });
  await assert.rejects(Array.fromAsync(receiver.pass(sourceOf(Buffer.from('abc'), Buffer.from('def')))), /too large/);
});

test('frees only large released buffers that own their memory', () => {
  const { release } = createReceiver({ maxBytes: 1, tooLarge }).pass(sourceOf());
  const own = new Uint8Array(65_536);
  const shared = new Uint8Array(65_536).subarray(0, 65_535);
  const small = new Uint8Array(10);
  for (const bytes of [own, shared, small]) release?.(bytes);
  assert.deepEqual([own.byteLength, shared.byteLength, small.byteLength], [0, 65_535, 10]);
});
