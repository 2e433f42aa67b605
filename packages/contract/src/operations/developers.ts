// The public page of a developer with a handle.
import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { CursorQuery, NextCursor, Timestamp } from './fields.ts';
import { ShelfGame } from './shelves.ts';

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
