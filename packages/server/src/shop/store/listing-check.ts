// Decides whether a game is ready to be listed: an ordered list of named rules, all of which are checked.
import type { ListingRuleName } from '@chauffeur/contract/operations/shelves';

/** The input of the rules. Blank texts count as missing. */
export type ListingFacts = {
  readonly visibility: 'public' | 'invisible' | 'draft';
  readonly owner_verified: boolean;
  readonly has_name: boolean;
  readonly has_tagline: boolean;
  readonly has_description: boolean;
  readonly has_cover: boolean;
  readonly has_thumbnail: boolean;
  readonly has_screenshot: boolean;
  /**
   * The platforms on which `stable` now offers a file that passed its scan, or was not scanned because there is no
   * scanner.
   */
  readonly offers: readonly unknown[];
};

/** A broken rule and its remedy. */
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
    message: 'The email of the owner is not verified.',
    remedy: 'The owner must open the link in the verification email.',
  },
  {
    rule: 'name',
    isKept: ({ has_name }) => has_name,
    message: 'The game has no name.',
    remedy: 'Add a name.',
  },
  {
    rule: 'tagline',
    isKept: ({ has_tagline }) => has_tagline,
    message: 'The game has no tagline.',
    remedy: 'Add one line of up to 120 characters that says what the game is.',
  },
  {
    rule: 'description',
    isKept: ({ has_description }) => has_description,
    message: 'The game has no description.',
    remedy: 'Add a description for people who have never heard of the game.',
  },
  {
    rule: 'cover',
    isKept: ({ has_cover }) => has_cover,
    message: 'The game has no cover.',
    remedy: 'Upload a cover with `chauffeur media cover cover.png`.',
  },
  {
    rule: 'thumbnail',
    isKept: ({ has_thumbnail }) => has_thumbnail,
    message: 'The game has no thumbnail.',
    remedy: 'Upload a thumbnail with `chauffeur media thumbnail thumbnail.png`.',
  },
  {
    rule: 'screenshot',
    isKept: ({ has_screenshot }) => has_screenshot,
    message: 'The gallery has no screenshot.',
    remedy: 'Upload at least one screenshot with `chauffeur media add screenshot.png`.',
  },
  {
    rule: 'stable_download',
    isKept: ({ offers }) => offers.length > 0,
    message: 'The stable channel offers no download.',
    remedy: 'Upload a build to stable or promote one, and wait until it passes its scan.',
  },
];

/** The broken rules in order; empty if the game is ready to be listed. */
export function findMissing(facts: ListingFacts): Missing[] {
  return LISTING_RULES.filter(({ isKept }) => !isKept(facts)).map(({ rule, message, remedy }) => ({
    rule,
    message,
    remedy,
  }));
}
