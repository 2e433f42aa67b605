// Browsing public games by words, operating system and tag.
import Type from 'typebox';
import { OsInput } from '../identity.ts';
import { defineOperation } from '../operation.ts';
import { CursorQuery, NextCursor } from './fields.ts';
import { ShelfGame } from './shelves.ts';

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
    ...CursorQuery,
  }),
  output: Type.Object({ games: Type.Array(ShelfGame), next_cursor: NextCursor }),
  statuses: [200],
  errors: [],
});
