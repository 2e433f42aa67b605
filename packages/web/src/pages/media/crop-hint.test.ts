import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ImageFacts } from '@chauffeur/contract/image-rules';
import { cropHint } from './crop-hint.ts';

const factsOf = (width: number, height: number): ImageFacts => ({ size: 1, format: 'png', frames: 1, width, height });

describe('the hint what to cut', () => {
  it('names both sides and what is left', () => {
    const { says } = cropHint('cover', factsOf(1600, 1201))!;
    assert.equal(says, 'Cut 150 pixels off the top and 151 off the bottom. 1600×900 is left, which may be sent.');
    assert.match(
      cropHint('cover', factsOf(2048, 1000))!.says,
      /^Cut 135 pixels off the left side and 135 off the right\./,
    );
  });

  it('says when the rest would not do', () => {
    assert.match(cropHint('screenshot', factsOf(1100, 1100))!.says, /But then: 1100×619 pixels are too few\./);
  });

  it('is none for an image of the right shape, whatever else is wrong with it', () => {
    assert.equal(cropHint('cover', factsOf(160, 90)), null);
  });
});
