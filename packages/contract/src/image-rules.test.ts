import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import {
  cropOf,
  detectImageFormat,
  findImageProblem,
  IMAGE_FORMATS,
  type ImageFacts,
  type ImageKind,
  MAX_IMAGE_BYTES,
  servedFormat,
} from './image-rules.ts';
import { MIB } from './limits.ts';

const factsOf = (width: number, height: number, more: Partial<ImageFacts> = {}): ImageFacts => ({
  size: 1000,
  format: 'png',
  frames: 1,
  width,
  height,
  ...more,
});

type Size = readonly [width: number, height: number];
const KINDS: Record<ImageKind, { min: Size; max: Size; megabytes: number; requirement: string }> = {
  thumbnail: {
    min: [960, 540],
    max: [1920, 1080],
    megabytes: 5,
    requirement:
      'A thumbnail is a PNG, JPEG, GIF or WebP of 960×540 to 1920×1080 pixels, 16:9 (width to height 1.70 to 1.85), at most 5 MB.',
  },
  cover: {
    min: [1024, 576],
    max: [2048, 1152],
    megabytes: 8,
    requirement:
      'A cover is a PNG, JPEG, GIF or WebP of 1024×576 to 2048×1152 pixels, 16:9 (width to height 1.70 to 1.85), at most 8 MB.',
  },
  screenshot: {
    min: [1280, 720],
    max: [2048, 1152],
    megabytes: 10,
    requirement:
      'A screenshot is a PNG, JPEG, GIF or WebP of 1280×720 to 2048×1152 pixels, 16:9 (width to height 1.70 to 1.85), at most 10 MB.',
  },
};

for (const [kind, { min, max, megabytes, requirement }] of Object.entries(KINDS) as [
  ImageKind,
  (typeof KINDS)[ImageKind],
][]) {
  describe(`a ${kind}`, () => {
    const problemOf = (width: number, height: number, more?: Partial<ImageFacts>) =>
      findImageProblem(kind, factsOf(width, height, more));

    test('can have the minimum and the maximum size, but no fewer or more pixels', () => {
      assert.equal(problemOf(...min), null);
      assert.equal(problemOf(...max), null);
      const [minWidth, minHeight] = min;
      const [maxWidth, maxHeight] = max;
      const tooFew = (width: number, height: number) => `${width}×${height} pixels are too few. ${requirement}`;
      const tooMany = (width: number, height: number) => `${width}×${height} pixels are too many. ${requirement}`;
      assert.equal(problemOf(minWidth - 1, minHeight), tooFew(minWidth - 1, minHeight));
      assert.equal(problemOf(minWidth, minHeight - 1), tooFew(minWidth, minHeight - 1));
      assert.equal(problemOf(maxWidth + 1, maxHeight), tooMany(maxWidth + 1, maxHeight));
      assert.equal(problemOf(maxWidth, maxHeight + 1), tooMany(maxWidth, maxHeight + 1));
    });

    test('can have the maximum number of bytes, but not one more', () => {
      assert.equal(problemOf(...max, { size: megabytes * MIB }), null);
      assert.equal(problemOf(...max, { size: megabytes * MIB + 1 }), `larger than ${megabytes} MB. ${requirement}`);
    });

    test('can be 1.70 to 1.85 times as wide as high', () => {
      assert.equal(problemOf(1360, 800), null);
      assert.equal(problemOf(1480, 800), null);
      assert.equal(problemOf(1359, 800), `1359×800 pixels are not 16:9, 1.699 to 1. ${requirement}`);
      assert.equal(problemOf(1481, 800), `1481×800 pixels are not 16:9, 1.851 to 1. ${requirement}`);
    });
  });
}

test('an animation can have 64 million pixels in total, a limit that does not apply to still images', () => {
  assert.equal(findImageProblem('cover', factsOf(1250, 700, { format: 'gif', frames: 73 })), null);
  assert.match(
    findImageProblem('cover', factsOf(1250, 700, { format: 'gif', frames: 74 })) ?? '',
    /^74 frames are too many to animate: at 1250×700 send at most 73\. A cover is /,
  );
});

test('every image within the limits of its kind is accepted in every format', () => {
  const image = fc.record({
    kind: fc.constantFrom('thumbnail' as const, 'cover' as const, 'screenshot' as const),
    format: fc.constantFrom(...IMAGE_FORMATS),
    width: fc.integer({ min: 1280, max: 1920 }),
    size: fc.integer({ min: 1, max: 5 * MIB }),
    frames: fc.integer({ min: 1, max: 30 }),
  });
  fc.assert(
    fc.property(image, ({ kind, width, ...more }) => {
      assert.equal(findImageProblem(kind, factsOf(width, Math.round((width * 9) / 16), more)), null);
    }),
  );
});

test('screenshots have the highest size limit of all images', () => assert.equal(MAX_IMAGE_BYTES, 10 * MIB));

test('an animated GIF is served as WebP, and everything else in its own format', () => {
  assert.equal(servedFormat(factsOf(1, 1, { format: 'gif', frames: 2 })), 'webp');
  for (const format of IMAGE_FORMATS) assert.equal(servedFormat(factsOf(1, 1, { format })), format);
});

describe('the crop to 16:9', () => {
  test('removes the same amount on the left and right, or at the top and bottom', () => {
    assert.deepEqual(cropOf({ width: 1600, height: 1200 }), { left: 0, top: 150, width: 1600, height: 900 });
    assert.deepEqual(cropOf({ width: 2000, height: 900 }), { left: 200, top: 0, width: 1600, height: 900 });
  });

  test('is null if the aspect ratio is right', () => {
    assert.equal(cropOf({ width: 1280, height: 720 }), null);
    assert.equal(cropOf({ width: 1700, height: 1000 }), null);
  });

  test('is inside the image and has the right aspect ratio, for every size of a store image', () => {
    const side = fc.integer({ min: 100, max: 4096 });
    fc.assert(
      fc.property(side, side, (width, height) => {
        const crop = cropOf({ width, height });
        if (crop === null) return;
        assert.ok(crop.left >= 0 && crop.top >= 0);
        assert.ok(crop.left + crop.width <= width && crop.top + crop.height <= height);
        assert.ok(crop.width === width || crop.height === height);
        assert.equal(cropOf(crop), null);
      }),
    );
  });
});

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

describe('detectImageFormat', () => {
  it('detects each format by its first bytes', () => {
    assert.equal(detectImageFormat(bytes('\x89PNG\r\n\x1a\n')), 'png');
    assert.equal(detectImageFormat(bytes('\xff\xd8\xff\xe0........')), 'jpeg');
    assert.equal(detectImageFormat(bytes('GIF89a')), 'gif');
    assert.equal(detectImageFormat(bytes('RIFF\x10\n\0\0WEBPVP8 ')), 'webp');
  });

  it('returns null for anything else', () => {
    for (const text of ['', 'RIFF....WAVE', '<svg xmlns=', 'PNG', '\xff\xd8'])
      assert.equal(detectImageFormat(bytes(text)), null);
  });
});
