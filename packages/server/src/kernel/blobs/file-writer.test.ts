import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeDurably } from './file-writer.ts';

const MIB = 1024 * 1024;
const folder = await mkdtemp(join(tmpdir(), 'chauffeur-writer-'));
const path = join(folder, 'file');
after(() => rm(folder, { recursive: true }));

async function* inBuffers(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

for (const [bytes, size] of [
  [5000, 1],
  [3 * MIB + 5, 1000],
  [3 * MIB, MIB],
  [9 * MIB, 4 * MIB],
  [150 * MIB, 64 * 1024],
] as const) {
  test(`writes ${bytes} bytes that arrive in buffers of ${size}`, async () => {
    const whole = randomBytes(bytes);
    await using file = await open(path, 'w');
    assert.equal(await writeDurably(file, 0, inBuffers(whole, size)), bytes);
    assert.ok(whole.equals(await readFile(path)));
  });
}

test('starts at the given byte and keeps the bytes before it', async () => {
  await using file = await open(path, 'w');
  await file.write('0123456789');
  await writeDurably(file, 4, inBuffers(Buffer.from('abc'), 1));
  assert.equal(await readFile(path, 'utf8'), '0123abc789');
});

test('does not write to the file after the source has failed', async () => {
  await using file = await open(path, 'w');
  const source = async function* () {
    yield* inBuffers(randomBytes(3 * MIB), MIB);
    throw new Error('the client is gone');
  };
  await assert.rejects(writeDurably(file, 0, source()), /the client is gone/);
  assert.equal((await file.stat()).size, 3 * MIB);
});

test('rejects with the reason of a failed write, and closes the source', async () => {
  await using file = await open(path, 'r');
  let released = false;
  const source = async function* () {
    try {
      for (;;) yield randomBytes(MIB);
    } finally {
      released = true;
    }
  };
  await assert.rejects(writeDurably(file, 0, source()), { code: 'EBADF' });
  assert.ok(released);
});

test('releases every buffer after it is written', async () => {
  await using file = await open(path, 'w');
  const released: number[] = [];
  const source = {
    [Symbol.asyncIterator]: () => inBuffers(randomBytes(MIB), 100_000),
    release: (bytes: Uint8Array) => released.push(bytes.length),
  };
  await writeDurably(file, 0, source);
  // Concurrent writes can end in any order.
  released.sort((a, b) => b - a);
  assert.deepEqual(released, [...Array(10).fill(100_000), MIB - 1_000_000]);
});
