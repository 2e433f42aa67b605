import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import sharp from 'sharp';
import { animatedWebp, pngChunk } from '../../../test/setup/images.ts';
import { disarmImage } from './disarm-image.ts';

const red = sharp({ create: { width: 8, height: 8, channels: 3, background: '#c81e28' } });

/** Inserts chunks after the header of a PNG. */
function insert(png: Buffer, ...chunks: Buffer[]): Buffer {
  return Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)]);
}

describe('disarmImage', () => {
  test('removes texts, repeated profiles, the frames of an APNG and what follows the end of a PNG', async () => {
    const png = await red.clone().withIccProfile('srgb').png().toBuffer();
    const text = pngChunk('zTXt', Buffer.concat([Buffer.from('key\0\0'), deflateSync(Buffer.alloc(100_000))]));
    const profile = pngChunk('iCCP', Buffer.from('again\0\0'));
    const armed = Buffer.concat([insert(png, text, text, pngChunk('acTL', Buffer.alloc(8))), Buffer.from('hidden')]);
    const twice = Buffer.concat([png.subarray(0, -12), profile, png.subarray(-12)]);
    const pure = insert(png);
    // The library adds no other chunks.
    assert.deepEqual(disarmImage(pure), pure);
    assert.deepEqual(disarmImage(armed), pure);
    assert.deepEqual(disarmImage(twice), pure);
  });

  test('leaves a PNG that is cut off or damaged for the library to refuse', async () => {
    const png = await red.clone().png().toBuffer();
    for (const broken of [png.subarray(0, -20), png.subarray(0, 20), Buffer.concat([png.subarray(0, 33), png])]) {
      const left = disarmImage(broken);
      assert.ok(left);
      await assert.rejects(sharp(left, { failOn: 'error' }).raw().toBuffer());
    }
  });

  test('refuses a JPEG of more scans than any program writes, and no other', async () => {
    const jpeg = await red.clone().jpeg({ progressive: true }).toBuffer();
    assert.equal(disarmImage(jpeg), jpeg);
    const scan = jpeg.subarray(jpeg.lastIndexOf(Buffer.from([0xff, 0xda])), -2);
    const armed = (count: number) =>
      Buffer.concat([jpeg.subarray(0, -2), ...Array<Buffer>(count).fill(scan), jpeg.subarray(-2)]);
    assert.notEqual(disarmImage(armed(100)), null);
    assert.equal(disarmImage(armed(500)), null);
  });

  test('refuses a WebP of more frames than can be found one after the other in time, and no other', async () => {
    const webp = await red.clone().webp({ lossless: true }).toBuffer();
    assert.equal(disarmImage(webp), webp);
    assert.notEqual(disarmImage(animatedWebp(webp, 1000)), null);
    assert.equal(disarmImage(animatedWebp(webp, 5000)), null);
  });

  test('returns any other bytes as they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const other = Buffer.concat([Buffer.from('RIFF'), bytes]);
        return disarmImage(other) === other;
      }),
    );
  });
});
