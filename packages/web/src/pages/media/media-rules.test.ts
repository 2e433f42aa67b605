import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ImageFacts } from '@chauffeur/contract/image-rules';
import { cropHint, moved } from './media-rules.ts';

const factsOf = (width: number, height: number): ImageFacts => ({ size: 1, format: 'png', frames: 1, width, height });

describe('cropHint', () => {
  it('names both sides and the result', () => {
    const { description } = cropHint('cover', factsOf(1600, 1201))!;
    assert.equal(
      description,
      'Crop 150 pixels at the top and 151 at the bottom. The result, 1600×900, can be uploaded.',
    );
    assert.match(
      cropHint('cover', factsOf(2048, 1000))!.description,
      /^Crop 135 pixels on the left and 135 on the right\./,
    );
  });

  it('says if the result would still not be accepted', () => {
    const { description } = cropHint('screenshot', factsOf(1100, 1100))!;
    assert.match(description, /The result would still not be accepted: .*1100×619/);
  });

  it('returns null if the aspect ratio is right, even if something else is wrong', () => {
    assert.equal(cropHint('cover', factsOf(160, 90)), null);
  });
});

describe('moved', () => {
  it('moves one item and keeps the order of the others', () => {
    assert.deepEqual(moved(['a', 'b', 'c'], 0, 2), ['b', 'c', 'a']);
    assert.deepEqual(moved(['a', 'b', 'c'], 2, 0), ['c', 'a', 'b']);
  });

  it('changes nothing if an index does not exist', () => {
    for (const [from, to] of [
      [0, -1],
      [2, 3],
      [7, 0],
    ] as const)
      assert.deepEqual(moved(['a', 'b', 'c'], from, to), ['a', 'b', 'c']);
  });
});
