// The shelves of the store's home page, and the checks a game must pass to be listed.
import Type from 'typebox';
import { ArchName, OsInput, OsName } from '../identity.ts';
import { defineOperation } from '../operation.ts';
import { GameParams, Nullable, Timestamp, Uuid } from './fields.ts';
import { BandName } from './health.ts';
import { MediaImage } from './media.ts';

export const SHELVES = ['unheard_of', 'tonight', 'new', 'recently_updated'] as const;
export type ShelfName = (typeof SHELVES)[number];

/** The rules of the listing check, in order. */
export const LISTING_RULES = [
  'public',
  'owner_verified',
  'name',
  'tagline',
  'description',
  'cover',
  'thumbnail',
  'screenshot',
  'stable_download',
] as const;
export type ListingRuleName = (typeof LISTING_RULES)[number];

export const ShelfGame = Type.Object({
  game_uid: Uuid,
  slug: Type.String(),
  name: Type.String(),
  developer: Type.String(),
  tagline: Type.String(),
  thumbnail: Nullable(MediaImage),
  cover: Nullable(MediaImage),
  platforms: Type.Array(Type.Object({ os: OsName, arch: ArchName }), {
    description: 'Platforms with a download on stable',
  }),
  health: BandName,
  published_at: Timestamp,
  updated_at: Type.String({ description: 'When stable last changed, in ISO 8601' }),
  plays_in_browser: Type.Boolean(),
});

export const getShelf = defineOperation({
  id: 'store.shelf',
  summary: 'List up to 12 public games of a shelf; the same for every caller',
  method: 'GET',
  path: '/public/shelves/{shelf}',
  access: 'public',
  crossOrigin: true,
  params: Type.Object({ shelf: Type.Enum([...SHELVES]) }),
  query: Type.Object({ os: Type.Optional(OsInput) }),
  output: Type.Object({
    shelf: Type.Enum([...SHELVES]),
    day: Type.String({ description: 'UTC day of the selection, such as 2026-11-30' }),
    games: Type.Array(ShelfGame),
  }),
  statuses: [200, 304],
  errors: [],
});

export const getListing = defineOperation({
  id: 'store.listing',
  summary: 'Check whether a game can be listed, and what is missing',
  method: 'GET',
  path: '/games/{uid}/listing',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  output: Type.Object({
    passed: Type.Boolean(),
    missing: Type.Array(
      Type.Object({ rule: Type.Enum([...LISTING_RULES]), message: Type.String(), remedy: Type.String() }),
    ),
  }),
  statuses: [200],
  errors: [4040],
});
