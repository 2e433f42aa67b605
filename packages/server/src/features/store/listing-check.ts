// Decides whether a game is fit for the shelves: an ordered list of named rules, all of which are looked at.
import type { ListingRuleName } from '@chauffeur/contract/operations/shelves';

/** What the rules look at. Texts count as absent when they are blank. */
export type ListingFacts = {
  readonly visibility: 'public' | 'invisible' | 'draft';
  readonly owner_verified: boolean;
  readonly has_name: boolean;
  readonly has_tagline: boolean;
  readonly has_description: boolean;
  readonly has_cover: boolean;
  readonly has_thumbnail: boolean;
  readonly has_screenshot: boolean;
  /** Where `stable` offers a file now: one that its scan passed, or that no scanner was there to scan. */
  readonly offers: readonly unknown[];
};

/** What a rule misses, and what to do about it. */
export type Missing = { readonly rule: ListingRuleName; readonly message: string; readonly remedy: string };
type Rule = Missing & { readonly isKept: (facts: ListingFacts) => boolean };

const LISTING_RULES: readonly Rule[] = [
  {
    rule: 'public',
    isKept: ({ visibility }) => visibility === 'public',
    message: 'The game is not public.',
    remedy: 'Set its visibility to public.',
  },
  {
    rule: 'owner_verified',
    isKept: ({ owner_verified }) => owner_verified,
    message: 'The email of the game’s owner is not verified.',
    remedy: 'The owner opens the link in the verification mail.',
  },
  {
    rule: 'name',
    isKept: ({ has_name }) => has_name,
    message: 'The game has no name.',
    remedy: 'Give it a name.',
  },
  {
    rule: 'tagline',
    isKept: ({ has_tagline }) => has_tagline,
    message: 'The game has no tagline.',
    remedy: 'Say in one line of up to 120 characters what the game is.',
  },
  {
    rule: 'description',
    isKept: ({ has_description }) => has_description,
    message: 'The game has no description.',
    remedy: 'Describe the game for somebody who has never heard of it.',
  },
  {
    rule: 'cover',
    isKept: ({ has_cover }) => has_cover,
    message: 'The game has no cover.',
    remedy: 'Upload one: `chauffeur media cover <file>`.',
  },
  {
    rule: 'thumbnail',
    isKept: ({ has_thumbnail }) => has_thumbnail,
    message: 'The game has no thumbnail.',
    remedy: 'Upload one: `chauffeur media thumbnail <file>`.',
  },
  {
    rule: 'screenshot',
    isKept: ({ has_screenshot }) => has_screenshot,
    message: 'The gallery has no screenshot.',
    remedy: 'Upload at least one: `chauffeur media add <files>`.',
  },
  {
    rule: 'stable_download',
    isKept: ({ offers }) => offers.length > 0,
    message: 'The stable channel offers no download.',
    remedy: 'Upload a build to stable or promote one to it, and wait until its scan has passed.',
  },
];

/** What the game lacks, in the order of the rules; nothing when it is fit for the shelves. */
export function findMissing(facts: ListingFacts): Missing[] {
  return LISTING_RULES.filter(({ isKept }) => !isKept(facts)).map(({ rule, message, remedy }) => ({
    rule,
    message,
    remedy,
  }));
}
