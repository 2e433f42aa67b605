import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { collect, inPieces } from '../test/requests.ts';
import { decodeBody } from './encoding.ts';

const LIMITS = { maxBytes: 10_000_000 };
const TEXT = Buffer.from(`{"event_id":"1"}\n{"type":"event"}\n${Array.from({ length: 4000 }, (_, n) => n * n).join()}`);
const ENCODED = [
  ['gzip', 'gzip', gzipSync(TEXT)],
  ['zlib', 'deflate', deflateSync(TEXT)],
  ['deflate without a header', 'deflate', deflateRawSync(TEXT)],
  ['Brotli', 'br', brotliCompressSync(TEXT)],
  ['zstd', 'zstd', zstdCompressSync(TEXT)],
  ['nothing', '', TEXT],
] as const;

const decode = (bytes: Uint8Array, encoding?: string, { size = 1000, ...limits } = { size: 1000, ...LIMITS }) =>
  collect(decodeBody(inPieces(bytes, size), encoding, limits));

describe('decodeBody', () => {
  for (const [name, encoding, bytes] of ENCODED) {
    it(`decodes ${name}, in pieces of any size`, async () => {
      for (const size of [1, 7, bytes.length])
        assert.deepEqual(await decode(bytes, encoding, { size, ...LIMITS }), TEXT);
    });

    it(`returns what had arrived of a body in ${name} that was cut off`, async () => {
      for (const part of [0, 2, 3, 10, bytes.length >> 1, bytes.length - 1]) {
        const decoded = await decode(bytes.subarray(0, part), encoding);
        assert.ok(TEXT.subarray(0, decoded.length).equals(decoded));
      }
    });

    it(`throws only its own error for ${name} with a wrong byte anywhere`, async () => {
      for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 60)) {
        const damaged = Buffer.from(bytes);
        damaged[at]! ^= 0x55;
        await decode(damaged, encoding).catch((error: { code?: string }) =>
          assert.ok(['malformed', 'too-large'].includes(error.code ?? ''), String(error)),
        );
      }
    });

    it(`stops ${name} that decodes to more than allowed`, async () => {
      const source = decodeBody(inPieces(bytes), encoding, { maxBytes: 100 });
      const pieces: Uint8Array[] = [];
      const read = async () => {
        for await (const piece of source) pieces.push(piece);
      };
      await assert.rejects(read(), { code: 'too-large' });
      assert.ok(TEXT.subarray(0, 100).equals(Buffer.concat(pieces)));
    });
  }

  it('recognizes an encoding that is not named, or wrongly named', async () => {
    for (const [name, , bytes] of ENCODED) {
      if (name === 'Brotli' || name === 'deflate without a header') continue;
      for (const encoding of [undefined, '', 'identity', 'gzip', 'deflate', 'zstd'])
        assert.deepEqual(await decode(bytes, encoding), TEXT, `${name} as ${encoding}`);
    }
    assert.deepEqual(await decode(TEXT, 'br'), TEXT);
  });

  it('undoes several encodings, the last one first', async () => {
    assert.deepEqual(await decode(brotliCompressSync(gzipSync(TEXT)), 'gzip, br'), TEXT);
    assert.deepEqual(await decode(gzipSync(zstdCompressSync(TEXT)), 'ZSTD,GZIP'), TEXT);
  });

  it('refuses an encoding that is unknown, and a long chain', async () => {
    await assert.rejects(decode(TEXT, 'compress'), { code: 'unsupported' });
    await assert.rejects(decode(TEXT, 'constructor'), { code: 'unsupported' });
    await assert.rejects(decode(TEXT, 'gzip, gzip, gzip, gzip'), { code: 'unsupported' });
  });

  it('holds little of a body that decodes to a thousand times its size', async () => {
    const bomb = gzipSync(gzipSync(Buffer.alloc(50_000_000)));
    let length = 0;
    const read = async () => {
      for await (const piece of decodeBody(inPieces(bomb), 'gzip, gzip', { maxBytes: 12_000_000 }))
        length += piece.length;
    };
    await assert.rejects(read(), { code: 'too-large' });
    assert.equal(length, 12_000_000);
  });

  for (const [name, encode] of [
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['gzip, gzip', (bytes: Buffer) => gzipSync(gzipSync(bytes))],
  ] as const)
    it(`decodes 16 MB of a few bytes in ${name}, but not 100 MB`, async () => {
      const of = (length: number) => decode(encode(Buffer.alloc(length)), name, { size: 1000, maxBytes: 200_000_000 });
      assert.equal((await of(16_000_000)).length, 16_000_000);
      await assert.rejects(of(100_000_000), { code: 'too-large' });
    });

  it('decodes what is a hundred times as large', async () => {
    const bytes = Buffer.concat(
      Array.from({ length: 3000 }, () => Buffer.concat([randomBytes(150), Buffer.alloc(15_000)])),
    );
    const packed = zstdCompressSync(bytes);
    assert.ok(bytes.length / packed.length > 60);
    assert.equal((await decode(packed, 'zstd', { size: 1000, maxBytes: 200_000_000 })).length, bytes.length);
  });

  it('passes on an error of the source after what came before it', async () => {
    async function* source() {
      yield gzipSync(TEXT).subarray(0, 5000);
      throw new Error('cut');
    }
    const pieces: Uint8Array[] = [];
    const read = async () => {
      for await (const piece of decodeBody(source(), 'gzip', LIMITS)) pieces.push(piece);
    };
    await assert.rejects(read(), { message: 'cut' });
    assert.ok(Buffer.concat(pieces).length > 0);
  });

  it('closes the source if the reader stops early', async () => {
    let isClosed = false;
    async function* source() {
      try {
        for (;;) yield gzipSync(TEXT);
      } finally {
        isClosed = true;
      }
    }
    for await (const _ of decodeBody(source(), 'gzip', LIMITS)) break;
    await new Promise(setImmediate);
    assert.ok(isClosed);
  });
});
