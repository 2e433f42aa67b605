import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LISTING_RULES } from '@chauffeur/contract/operations/shelves';
import { findMissing, type ListingFacts } from './listing-check.ts';

const COMPLETE: ListingFacts = {
  visibility: 'public',
  owner_verified: true,
  has_name: true,
  has_tagline: true,
  has_description: true,
  has_cover: true,
  has_thumbnail: true,
  has_screenshot: true,
  offers: [{}],
};

/** For each rule, a change that breaks only that rule. */
const BREACHES: Record<(typeof LISTING_RULES)[number], Partial<ListingFacts>> = {
  public: { visibility: 'invisible' },
  owner_verified: { owner_verified: false },
  name: { has_name: false },
  tagline: { has_tagline: false },
  description: { has_description: false },
  cover: { has_cover: false },
  thumbnail: { has_thumbnail: false },
  screenshot: { has_screenshot: false },
  stable_download: { offers: [] },
};

describe('the listing check', () => {
  test('finds nothing missing in a complete game', () => assert.deepEqual(findMissing(COMPLETE), []));

  for (const rule of LISTING_RULES) {
    test(`names only ${rule} if only that is missing, and what to do`, () => {
      const [missing, ...others] = findMissing({ ...COMPLETE, ...BREACHES[rule] });
      assert.deepEqual([missing?.rule, others], [rule, []]);
      for (const text of [missing?.message, missing?.remedy]) assert.match(text ?? '', /^[A-Z].*\.$/);
    });
  }

  test('treats a draft like an invisible game', () => {
    assert.deepEqual(
      findMissing({ ...COMPLETE, visibility: 'draft' }).map(({ rule }) => rule),
      ['public'],
    );
  });

  test('names everything that is missing, in the order of the rules', () => {
    const nothing = Object.assign({}, COMPLETE, ...Object.values(BREACHES)) as ListingFacts;
    assert.deepEqual(
      findMissing(nothing).map(({ rule }) => rule),
      [...LISTING_RULES],
    );
  });
});
