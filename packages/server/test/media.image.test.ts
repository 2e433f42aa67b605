import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { type EncodedImage, encodeImage } from '../src/ship/media/encode-image.ts';
import type { ImageKind } from '../src/ship/media/media.ts';
import { animatedWebp, pngChunk } from './setup/images.ts';

describe('encoding an image', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chauffeur-image-'));
  });
  after(() => rm(folder, { recursive: true }));

  async function encode(bytes: Uint8Array, kind: ImageKind = 'cover') {
    const [source, target] = [join(folder, 'source'), join(folder, 'target')];
    await writeFile(source, bytes);
    return { target, result: await encodeImage({ source, target, kind }) };
  }

  async function encoded(bytes: Uint8Array): Promise<{ result: EncodedImage; bytes: Buffer }> {
    const { target, result } = await encode(bytes);
    if ('refused' in result) assert.fail(result.refused);
    return { result, bytes: await readFile(target) };
  }

  async function refusal(bytes: Uint8Array): Promise<string> {
    const { result } = await encode(bytes);
    return 'refused' in result ? result.refused : assert.fail('was accepted');
  }

  const red = (width = 1280, height = 720) =>
    sharp({ create: { width, height, channels: 3, background: { r: 200, g: 30, b: 40 } } });

  for (const format of ['png', 'jpeg', 'gif', 'webp'] as const) {
    test(`keeps a ${format} in its format, size and colour`, async () => {
      const { result, bytes } = await encoded(await red().toFormat(format).toBuffer());
      const { copies, ...image } = result;
      assert.deepEqual(image, { format, width: 1280, height: 720, size: bytes.length });
      assert.deepEqual(
        copies.map(({ width }) => width),
        [160, 480, 960],
      );
      const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
      assert.deepEqual([info.width, info.height], [1280, 720]);
      const [r = 0, g = 0, b = 0] = data;
      assert.ok(Math.abs(r - 200) < 4 && Math.abs(g - 30) < 4 && Math.abs(b - 40) < 4, `${r} ${g} ${b}`);
    });
  }

  test('removes camera metadata and applies the orientation', async () => {
    const upright = await red(720, 1280)
      .withExif({ IFD0: { Copyright: 'somebody at home' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const { result, bytes } = await encoded(upright);
    assert.deepEqual([result.width, result.height], [1280, 720]);
    const { exif, icc, xmp, orientation } = await sharp(bytes).metadata();
    assert.deepEqual([exif, icc, xmp, orientation], [undefined, undefined, undefined, undefined]);
    assert.equal(bytes.includes('somebody at home'), false);
  });

  test('removes data hidden after the image', async () => {
    const page = Buffer.from('<script>alert(1)</script>');
    const { bytes } = await encoded(Buffer.concat([await red().png().toBuffer(), page]));
    assert.equal(bytes.includes(page), false);
  });

  test('converts 16-bit and CMYK images for browsers', async () => {
    const deep = await encoded(await red().toColourspace('rgb16').png().toBuffer());
    const printed = await encoded(await red().toColourspace('cmyk').jpeg().toBuffer());
    assert.equal((await sharp(deep.bytes).metadata()).depth, 'uchar');
    assert.equal((await sharp(printed.bytes).metadata()).space, 'srgb');
  });

  const frames = (count: number) => {
    const pixels = Buffer.alloc(1024 * 576 * 3 * count);
    for (let frame = 0; frame < count; frame += 1)
      pixels.fill(40 * frame, frame * 1024 * 576 * 3, (frame + 1) * 1024 * 576 * 3);
    return sharp(pixels, { raw: { width: 1024, height: 576 * count, channels: 3, pageHeight: 576 } });
  };

  for (const format of ['gif', 'webp'] as const) {
    test(`converts an animated ${format} to animated WebP`, async () => {
      const animation = await frames(3)
        .toFormat(format, { delay: [100, 200, 300], loop: 2 })
        .toBuffer();
      const { result, bytes } = await encoded(animation);
      assert.deepEqual(result, { format: 'webp', width: 1024, height: 576, size: bytes.length, copies: [] });
      const { pages, delay, loop } = await sharp(bytes).metadata();
      assert.deepEqual([pages, delay, loop], [3, [100, 200, 300], 2]);
    });
  }

  test('refuses other formats, other files and empty files', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1280" height="720"/>');
    const tiff = await red().tiff().toBuffer();
    for (const bytes of [svg, tiff, Buffer.from('MZ an executable'), Buffer.alloc(0)]) {
      assert.match(
        await refusal(bytes),
        /^not a readable PNG, JPEG, GIF or WebP\. A cover is a PNG, JPEG, GIF or WebP of 1024×576/,
      );
    }
  });

  test('refuses a damaged or truncated image', async () => {
    const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
    const picture = sharp({ create: { width: 1280, height: 720, channels: 3, background: 'black', noise } });
    for (const format of ['png', 'jpeg', 'gif', 'webp'] as const) {
      const bytes = await picture.clone().toFormat(format, { effort: 1 }).toBuffer();
      assert.match(await refusal(bytes.subarray(0, bytes.length / 2)), /^damaged|^not a readable/, format);
    }
  });

  test('refuses a header that announces too many pixels before decoding any', async () => {
    const bytes = await red().png().toBuffer();
    bytes.writeUInt32BE(16_000, 16);
    bytes.writeUInt32BE(9000, 20);
    bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29);
    assert.match(await refusal(bytes), /^16000×9000 pixels are too many\./);
  });

  test('unpacks no texts of a PNG, which could fill the memory', async () => {
    const png = await red().png().toBuffer();
    const text = pngChunk('zTXt', Buffer.concat([Buffer.from('key\0\0'), deflateSync(Buffer.alloc(7_900_000, 'A'))]));
    const before = process.resourceUsage().maxRSS;
    const { result } = await encoded(
      Buffer.concat([png.subarray(0, 33), ...Array<Buffer>(200).fill(text), png.subarray(33)]),
    );
    assert.equal(result.width, 1280);
    const grown = (process.resourceUsage().maxRSS - before) / 1024;
    assert.ok(grown < 600, `${grown} MiB`);
  });

  test('refuses a JPEG of endless scans before it is decoded', async () => {
    const jpeg = await red(2048, 1152).jpeg({ progressive: true }).toBuffer();
    const scan = jpeg.subarray(jpeg.lastIndexOf(Buffer.from([0xff, 0xda])), -2);
    const armed = Buffer.concat([jpeg.subarray(0, -2), ...Array<Buffer>(3000).fill(scan), jpeg.subarray(-2)]);
    const before = process.cpuUsage();
    assert.match(await refusal(armed), /too many scans/);
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 3e6, `${user + system} µs`);
  });

  test('refuses a WebP of endless frames before its header is read', async () => {
    const pixels = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } });
    const armed = animatedWebp(await pixels.webp({ lossless: true }).toBuffer(), 60_000);
    assert.ok(armed.length < 5_000_000);
    const before = process.cpuUsage();
    assert.match(await refusal(armed), /too many scans or frames/);
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 3e6, `${user + system} µs`);
  });

  test('does not blame the image if the output file cannot be written', async () => {
    const source = join(folder, 'source');
    await writeFile(source, await red().png().toBuffer());
    const target = join(folder, 'no such folder', 'target');
    await assert.rejects(encodeImage({ source, target, kind: 'cover' }), /ENOENT/);
    await assert.rejects(stat(target), { code: 'ENOENT' });
  });

  test('completes many concurrent requests', async () => {
    const source = join(folder, 'many');
    await writeFile(source, await red().jpeg().toBuffer());
    const tasks = Array.from({ length: 6 }, (_, index) =>
      encodeImage({ source, target: join(folder, `many.${index}`), kind: 'screenshot' }),
    );
    for (const result of await Promise.all(tasks)) assert.ok('format' in result);
  });

  test('does not remove a file that another request is reading', async () => {
    const picture = await red().png().toBuffer();
    const source = join(folder, 'shared');
    await writeFile(source, picture);
    let reading = true;
    const results = Promise.all(
      Array.from({ length: 16 }, (_, index) => encodeImage({ source, target: `${source}.${index}`, kind: 'cover' })),
    ).finally(() => {
      reading = false;
    });
    let failures = 0;
    while (reading)
      await sharp(picture)
        .metadata()
        .catch(() => (failures += 1));
    for (const result of await results) assert.ok('format' in result);
    assert.equal(failures, 0);
  });
});
