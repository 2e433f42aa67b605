// Browsing public games by words, operating system and tag.
import Type from 'typebox';
import { OsInput } from '../identity.ts';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { CursorQuery, NextCursor } from './fields.ts';
import { ShelfGame } from './shelves.ts';

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
          'newest: published last; updated: released last; downloads: most often in the last 30 days, counted each hour; name: from A to Z. Without it, games whose name matches q come first, then the newest.',
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
