// What players find games by: the shelves of the home page, browsing, and the pages of developers. Also the checks that a
// game must pass to be listed.
import Type from 'typebox';
import { ArchName, OsInput, OsName } from '../identity.ts';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { CursorQuery, GameParams, GameRef, NextCursor, Nullable, Timestamp, Uuid } from './fields.ts';
import { BandName, Launch } from './health.ts';
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
  launch: { ...Launch, description: 'On the devices of the last 30 days; null if the health is unrated' },
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

export const getFeatured = defineOperation({
  id: 'store.featured',
  summary: "Get the game at the top of the home page: the operator's choice, or a new one each day",
  method: 'GET',
  path: '/public/featured',
  access: 'public',
  crossOrigin: true,
  output: Type.Object({
    by: Type.Enum(['operator', 'day'], { description: 'Who chose it' }),
    game: Nullable({ ...ShelfGame, description: 'null if no listed game has a cover' }),
  }),
  statuses: [200],
  errors: [],
});

const FeaturedChoice = Type.Object({
  game: Nullable(
    Type.Object({
      game_uid: Uuid,
      slug: Type.String(),
      name: Type.String(),
      listed: Type.Boolean({ description: 'Whether it can be listed now. If not, the game of the day is shown.' }),
    }),
  ),
});

export const getFeaturedChoice = defineOperation({
  id: 'operator.featured',
  summary: 'Get the game that operators chose to feature on the home page',
  method: 'GET',
  path: '/operator/featured',
  access: 'operator',
  output: FeaturedChoice,
  statuses: [200],
  errors: [],
});

export const setFeatured = defineOperation({
  id: 'operator.setFeatured',
  summary: 'Feature a game on the home page; without a game, a new one is featured each day',
  method: 'PUT',
  path: '/operator/featured',
  access: 'operator',
  body: Type.Object({ game: Nullable(GameRef) }),
  output: FeaturedChoice,
  statuses: [200],
  errors: ['notFound'],
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
  errors: ['notFound'],
});

/** The orders of a list of games. */
export const GAME_SORTS = ['newest', 'updated', 'downloads', 'name'] as const;
export type GameSort = (typeof GAME_SORTS)[number];

export const browseGames = defineOperation({
  id: 'store.browse',
  summary: 'List public games with a download on stable, newest first; with a search, matching names come first',
  method: 'GET',
  path: '/public/games',
  access: 'public',
  crossOrigin: true,
  query: Type.Object({
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: "Words to search for, by prefix, in the name, tagline, tags and the developer's name",
      }),
    ),
    os: Type.Optional(OsInput),
    tag: Type.Optional(Type.String({ minLength: 1, maxLength: 32, description: 'An exact tag' })),
    sort: Type.Optional(
      Type.Enum([...GAME_SORTS], {
        description:
          'newest: most recently published; updated: most recently released; downloads: most downloaded in the last 30 days, counted each hour; name: from A to Z. Without it, games whose name matches q come first, then the newest.',
      }),
    ),
    ...CursorQuery,
  }),
  output: Type.Object({
    games: Type.Array(ShelfGame),
    total: Type.Integer({ description: `All matches, counted up to ${LIMITS.gamesCounted}` }),
    next_cursor: NextCursor,
  }),
  statuses: [200],
  errors: [],
});

export const listTags = defineOperation({
  id: 'store.tags',
  summary: 'List the tags of public games with a download on stable, those of the most games first',
  method: 'GET',
  path: '/public/tags',
  access: 'public',
  crossOrigin: true,
  output: Type.Object({
    tags: Type.Array(Type.Object({ tag: Type.String(), games: Type.Integer() }), { maxItems: LIMITS.tagsListed }),
  }),
  statuses: [200],
  errors: [],
});

export const getDeveloper = defineOperation({
  id: 'store.developer',
  summary: 'Get a developer and their public games with a download on stable, newest first',
  method: 'GET',
  path: '/public/developers/{handle}',
  access: 'public',
  crossOrigin: true,
  params: Type.Object({ handle: Type.String({ minLength: 1, maxLength: 64 }) }),
  query: Type.Object({ ...CursorQuery }),
  output: Type.Object({
    handle: Type.String(),
    name: Type.String(),
    since: { ...Timestamp, description: 'When the account was created' },
    games: Type.Array(ShelfGame),
    next_cursor: NextCursor,
  }),
  statuses: [200],
  errors: ['notFound'],
});
