import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { MIB } from '@chauffeur/contract/limits';
import { beginsWith, UnpackError, unpackFile } from './unpack-file.ts';

const CONTENT = Buffer.concat([Buffer.from('MDMP'), randomBytes(700_000)]);

async function* inPieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield Uint8Array.from(bytes.subarray(at, at + size));
}

const join = async (source: AsyncIterable<Uint8Array>) => Buffer.concat(await Array.fromAsync(source));
const unpack = (bytes: Uint8Array, size = 65_536) => join(unpackFile(inPieces(bytes, size)));

const PACKERS = {
  gzip: (bytes: Uint8Array) => gzipSync(bytes),
  zstd: (bytes: Uint8Array) => zstdCompressSync(bytes),
};

for (const [name, pack] of Object.entries(PACKERS)) {
  describe(`a file that is compressed with ${name}`, () => {
    test('is unpacked, however it arrives', async () => {
      const small = CONTENT.subarray(0, 5000);
      assert.deepEqual(await unpack(pack(small), 1), small);
      assert.deepEqual(await unpack(pack(CONTENT)), CONTENT);
      assert.deepEqual(await unpack(pack(Buffer.alloc(0))), Buffer.alloc(0));
    });

    test('is unpacked as a whole if it has several parts', async () => {
      assert.deepEqual(await unpack(Buffer.concat([pack(CONTENT), pack(CONTENT)])), Buffer.concat([CONTENT, CONTENT]));
    });

    test('is refused if it is cut off or damaged', async () => {
      const packed = pack(CONTENT);
      const damaged = Buffer.from(packed);
      damaged.fill(0x55, 1000, 200_000);
      for (const bytes of [packed.subarray(0, -1), packed.subarray(0, 300_000), packed.subarray(0, 6), damaged])
        await assert.rejects(unpack(bytes), new UnpackError(name as 'gzip', 'it is damaged or cut off'));
    });

    test('is refused once it unpacks to far more than its size', async () => {
      const bomb = pack(Buffer.alloc(300 * MIB));
      let size = 0;
      await assert.rejects(async () => {
        for await (const bytes of unpackFile(inPieces(bomb, 65_536))) size += bytes.length;
      }, /more than 200 times its size/);
      assert.ok(size <= 17 * MIB, `${size} bytes`);
    });

    test('passes on an error of its source', async () => {
      async function* failing() {
        yield* inPieces(pack(CONTENT).subarray(0, 200_000), 65_536);
        throw new Error('the connection closed');
      }
      await assert.rejects(join(unpackFile(failing())), /the connection closed/);
    });

    test('is recognized by what is in it, and keeps its bytes', async () => {
      const packed = pack(CONTENT);
      for (const [start, expected] of [
        ['MDMP', true],
        ['ELF ', false],
      ] as const) {
        const { matches, all } = await beginsWith(inPieces(packed, 65_536), Buffer.from(start));
        assert.equal(matches, expected);
        assert.deepEqual(await join(all), packed);
      }
      const cut = await beginsWith(inPieces(packed.subarray(0, 5), 1), Buffer.from('MDMP'));
      assert.equal(cut.matches, false);
      assert.deepEqual(await join(cut.all), packed.subarray(0, 5));
    });
  });
}

test('a file of zstd that demands more than 8 MiB of memory is refused', async () => {
  // A frame without a checksum and a size, the exponent of its window, and an empty last block (RFC 8878, 3.1.1).
  const frameOf = (windowLog: number) => Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (windowLog - 10) << 3, 1, 0, 0]);
  assert.deepEqual(await unpack(frameOf(23)), Buffer.alloc(0));
  await assert.rejects(unpack(frameOf(24)), UnpackError);
});

test('a file that is not compressed passes through, also an empty one', async () => {
  for (const bytes of [CONTENT, Buffer.from('\x1f'), Buffer.alloc(0)]) assert.deepEqual(await unpack(bytes), bytes);
  const { matches, all } = await beginsWith(inPieces(CONTENT, 1000), Buffer.from('MDMP'));
  assert.equal(matches, true);
  assert.deepEqual(await join(all), CONTENT);
});
