// Looking for games: by words, system and tag, page by page.
import Type from 'typebox';
import { OsInput } from '../identity.ts';
import { defineOperation } from '../operation.ts';
import { CursorQuery, NextCursor } from './fields.ts';
import { ShelfGame } from './shelves.ts';

export const browseGames = defineOperation({
  id: 'store.browse',
  summary: 'Public games with a download on stable, the newest first; with words, those named so before the others',
  method: 'GET',
  path: '/public/games',
  access: 'public',
  crossOrigin: true,
  query: Type.Object({
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Beginnings of words, each in name, tagline, tags or the developer’s name',
      }),
    ),
    os: Type.Optional(OsInput),
    tag: Type.Optional(Type.String({ minLength: 1, maxLength: 32, description: 'A tag, whole' })),
    ...CursorQuery,
  }),
  output: Type.Object({ games: Type.Array(ShelfGame), next_cursor: NextCursor }),
  statuses: [200],
  errors: [],
});
