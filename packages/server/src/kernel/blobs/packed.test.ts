import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { openFileStore } from './filesystem.ts';
import { freeUnpacked, packNow, putPacked, readUnpacked, unpackNow } from './packed.ts';
import { BlobMissingError, type BlobStore, PackedTooLargeError } from './store.ts';

const TEXT = Buffer.from('a line of a log\n'.repeat(100_000));
const NOISE = randomBytes(300_000);
const PIECE = 50_000;

describe('a packed blob', () => {
  let folder: string;
  let blobs: BlobStore;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chauffeur-packed-'));
    blobs = openFileStore({ folder });
  });
  after(() => rm(folder, { recursive: true }));

  /** Each piece has its own memory and is overwritten when it is released. */
  function sourceOf(bytes: Buffer, released: Uint8Array[] = []) {
    async function* pieces() {
      for (let at = 0; at < bytes.length; at += PIECE) yield new Uint8Array(bytes.subarray(at, at + PIECE));
    }
    return {
      [Symbol.asyncIterator]: pieces,
      release: (piece: Uint8Array) => {
        released.push(piece.slice());
        piece.fill(0);
      },
    };
  }

  it('is stored as zstd and reads as the original bytes, as a whole or in ranges', async () => {
    for (const [name, bytes] of Object.entries({ text: TEXT, noise: NOISE, empty: Buffer.alloc(0) })) {
      const key = `x/${name}.zst`;
      const released: Uint8Array[] = [];
      const sizes = await putPacked(blobs, key, sourceOf(bytes, released), 1e7);
      const stored = await readFile(join(folder, key));
      assert.deepEqual(sizes, { size: bytes.length, stored: stored.length });
      assert.deepEqual(zstdDecompressSync(stored), bytes);
      assert.deepEqual(Buffer.concat(released), bytes);
      assert.deepEqual(await buffer(await readUnpacked(blobs, key)), bytes);
      for (const [start, end] of [
        [0, 0],
        [7, 260_000],
        [262_143, 262_145],
        [bytes.length - 3, bytes.length - 1],
      ] as const)
        if (start >= 0 && start < bytes.length)
          assert.deepEqual(
            await buffer(await readUnpacked(blobs, key, { start, end })),
            bytes.subarray(start, end + 1),
          );
    }
    assert.ok((await blobs.stat('x/text.zst'))!.size < TEXT.length / 100);
  });

  it('is not stored if it exceeds its limit or its source fails', async () => {
    await assert.rejects(putPacked(blobs, 'x/large.zst', sourceOf(NOISE), NOISE.length / 2), PackedTooLargeError);
    async function* failing() {
      yield NOISE.subarray(0, PIECE);
      throw new Error('the sender went away');
    }
    await assert.rejects(putPacked(blobs, 'x/broken.zst', failing(), 1e7), /went away/);
    for (const key of ['x/large.zst', 'x/broken.zst']) assert.equal(await blobs.stat(key), null);
  });

  it('leaves no memory to the garbage collector, whatever its size', async () => {
    async function* repeated(bytes: Buffer, count: number) {
      for (let no = 0; no < count; no += 1) yield bytes;
    }
    for (const [bytes, count] of [
      [TEXT, 0],
      [TEXT, 1],
      [TEXT, 4],
      [NOISE, 1],
      [NOISE, 20],
    ] as const) {
      const store = (no: number) => putPacked(blobs, `x/${no}.zst`, repeated(bytes, count), 1e8);
      await store(0);
      const before = process.memoryUsage().arrayBuffers;
      for (let no = 0; no < 30; no += 1) await store(no);
      const left = process.memoryUsage().arrayBuffers - before;
      assert.ok(left < 1e6, `${left} bytes are left`);
    }
  });

  it('cannot be read if it is missing, truncated or damaged', async () => {
    await assert.rejects(readUnpacked(blobs, 'x/none.zst'), BlobMissingError);
    await putPacked(blobs, 'x/whole.zst', sourceOf(NOISE), 1e7);
    const whole = await readFile(join(folder, 'x/whole.zst'));
    await writeFile(join(folder, 'x/cut.zst'), whole.subarray(0, 1000));
    whole[1000]! ^= 1;
    await writeFile(join(folder, 'x/damaged.zst'), whole);
    for (const key of ['x/cut.zst', 'x/damaged.zst'])
      await assert.rejects(async () => buffer(await readUnpacked(blobs, key)));
  });

  it('is read unchanged if its key does not have the suffix', async () => {
    await blobs.put('x/plain.txt', sourceOf(TEXT));
    assert.deepEqual(await buffer(await readUnpacked(blobs, 'x/plain.txt')), TEXT);
    assert.equal((await buffer(await readUnpacked(blobs, 'x/plain.txt', { start: 2, end: 5 }))).toString(), 'line');
  });

  it('is unpacked synchronously into memory that can be freed, but fails above its limit', () => {
    const packed = packNow(TEXT);
    for (const expected of [TEXT.length, 10]) {
      const bytes = unpackNow(packed, TEXT.length, expected);
      assert.deepEqual(bytes, TEXT);
      freeUnpacked(bytes);
      assert.equal(bytes.length, 0);
    }
    assert.throws(() => unpackNow(packed, TEXT.length - 1, TEXT.length - 1));
  });
});
