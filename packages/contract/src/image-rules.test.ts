import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  cropOf,
  IMAGE_FORMATS,
  type ImageFacts,
  type ImageKind,
  imageProblem,
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

type Corner = readonly [width: number, height: number];
const KINDS: Record<ImageKind, { least: Corner; most: Corner; megabytes: number; needed: string }> = {
  thumbnail: {
    least: [960, 540],
    most: [1920, 1080],
    megabytes: 5,
    needed:
      'A thumbnail is a PNG, JPEG, GIF or WebP of 960×540 to 1920×1080 pixels, 16:9 (width to height 1.70 to 1.85), at most 5 MB.',
  },
  cover: {
    least: [1024, 576],
    most: [2048, 1152],
    megabytes: 8,
    needed:
      'A cover is a PNG, JPEG, GIF or WebP of 1024×576 to 2048×1152 pixels, 16:9 (width to height 1.70 to 1.85), at most 8 MB.',
  },
  screenshot: {
    least: [1280, 720],
    most: [2048, 1152],
    megabytes: 10,
    needed:
      'A screenshot is a PNG, JPEG, GIF or WebP of 1280×720 to 2048×1152 pixels, 16:9 (width to height 1.70 to 1.85), at most 10 MB.',
  },
};

for (const [kind, { least, most, megabytes, needed }] of Object.entries(KINDS) as [
  ImageKind,
  (typeof KINDS)[ImageKind],
][]) {
  describe(`a ${kind}`, () => {
    const problemOf = (width: number, height: number, more?: Partial<ImageFacts>) =>
      imageProblem(kind, factsOf(width, height, more));

    test('may have the least and the most pixels, and no fewer and no more', () => {
      assert.equal(problemOf(...least), null);
      assert.equal(problemOf(...most), null);
      const [minWidth, minHeight] = least;
      const [maxWidth, maxHeight] = most;
      const tooFew = (width: number, height: number) => `${width}×${height} pixels are too few. ${needed}`;
      const tooMany = (width: number, height: number) => `${width}×${height} pixels are too many. ${needed}`;
      assert.equal(problemOf(minWidth - 1, minHeight), tooFew(minWidth - 1, minHeight));
      assert.equal(problemOf(minWidth, minHeight - 1), tooFew(minWidth, minHeight - 1));
      assert.equal(problemOf(maxWidth + 1, maxHeight), tooMany(maxWidth + 1, maxHeight));
      assert.equal(problemOf(maxWidth, maxHeight + 1), tooMany(maxWidth, maxHeight + 1));
    });

    test('may have the most bytes, and not one more', () => {
      assert.equal(problemOf(...most, { size: megabytes * MIB }), null);
      assert.equal(problemOf(...most, { size: megabytes * MIB + 1 }), `larger than ${megabytes} MB. ${needed}`);
    });

    test('may be 1.70 to 1.85 times as wide as high', () => {
      assert.equal(problemOf(1360, 800), null);
      assert.equal(problemOf(1480, 800), null);
      assert.equal(problemOf(1359, 800), `1359×800 pixels are not 16:9, 1.699 to 1. ${needed}`);
      assert.equal(problemOf(1481, 800), `1481×800 pixels are not 16:9, 1.851 to 1. ${needed}`);
    });
  });
}

test('an animation may have 64 million pixels in all, a still picture is not held to that', () => {
  assert.equal(imageProblem('cover', factsOf(1250, 700, { format: 'gif', frames: 73 })), null);
  assert.match(
    imageProblem('cover', factsOf(1250, 700, { format: 'gif', frames: 74 })) ?? '',
    /^74 frames are too many to animate: at 1250×700 send at most 73\. A cover is /,
  );
});

test('every image within the bounds of its kind is accepted, of whatever format', () => {
  const image = fc.record({
    kind: fc.constantFrom('thumbnail' as const, 'cover' as const, 'screenshot' as const),
    format: fc.constantFrom(...IMAGE_FORMATS),
    width: fc.integer({ min: 1280, max: 1920 }),
    size: fc.integer({ min: 1, max: 5 * MIB }),
    frames: fc.integer({ min: 1, max: 30 }),
  });
  fc.assert(
    fc.property(image, ({ kind, width, ...more }) => {
      assert.equal(imageProblem(kind, factsOf(width, Math.round((width * 9) / 16), more)), null);
    }),
  );
});

test('the most bytes of any image are a screenshot’s', () => assert.equal(MAX_IMAGE_BYTES, 10 * MIB));

test('a GIF that moves is served as WebP, everything else as it came', () => {
  assert.equal(servedFormat(factsOf(1, 1, { format: 'gif', frames: 2 })), 'webp');
  for (const format of IMAGE_FORMATS) assert.equal(servedFormat(factsOf(1, 1, { format })), format);
});

describe('the part of an image that is 16:9', () => {
  test('leaves off the same on both sides, above and below or left and right', () => {
    assert.deepEqual(cropOf({ width: 1600, height: 1200 }), { left: 0, top: 150, width: 1600, height: 900 });
    assert.deepEqual(cropOf({ width: 2000, height: 900 }), { left: 200, top: 0, width: 1600, height: 900 });
  });

  test('is not asked for where the shape is right', () => {
    assert.equal(cropOf({ width: 1280, height: 720 }), null);
    assert.equal(cropOf({ width: 1700, height: 1000 }), null);
  });

  test('lies inside, and has the shape, of every size that a store image may have', () => {
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
