// Following a game: an email about each release, with an account or with a confirmed address.
import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { Email, GameParams, LinkToken } from './fields.ts';

const Following = Type.Object({ following: Type.Boolean() });

export const getFollow = defineOperation({
  id: 'follows.get',
  summary: 'Check whether you follow a game',
  method: 'GET',
  path: '/games/{uid}/follow',
  access: 'account',
  params: GameParams,
  output: Following,
  statuses: [200],
  errors: ['notFound'],
});

export const followGame = defineOperation({
  id: 'follows.follow',
  summary: 'Follow a game: you get an email about each release on its stable channel',
  method: 'PUT',
  path: '/games/{uid}/follow',
  access: 'account',
  audit: false,
  params: GameParams,
  output: Following,
  statuses: [200],
  errors: ['notFound', 'emailNotVerified'],
});

export const unfollowGame = defineOperation({
  id: 'follows.unfollow',
  summary: 'Stop following a game',
  method: 'DELETE',
  path: '/games/{uid}/follow',
  access: 'account',
  audit: false,
  params: GameParams,
  output: Following,
  statuses: [200],
  errors: ['notFound'],
});

export const requestFollow = defineOperation({
  id: 'follows.request',
  summary: 'Ask to follow a game by email without an account; the address gets a link to confirm it',
  method: 'POST',
  path: '/public/games/{uid}/follow',
  access: 'public',
  audit: false,
  params: GameParams,
  body: Type.Object({ email: Email }),
  output: Type.Object({}, { description: 'Empty, whether or not the address already follows the game' }),
  statuses: [200],
  errors: ['notFound', 'limitReached'],
});

const FollowedGame = Type.Object({ slug: Type.String(), name: Type.String() });

export const confirmFollow = defineOperation({
  id: 'follows.confirm',
  summary: 'Confirm the address of a person who follows a game, with the link in the email',
  method: 'POST',
  path: '/public/follows/confirm',
  access: 'public',
  audit: false,
  body: Type.Object({ token: LinkToken }),
  output: FollowedGame,
  statuses: [200],
  errors: ['notFound'],
});

export const endFollow = defineOperation({
  id: 'follows.end',
  summary: 'Stop following a game with the link in an email; email apps call it with one click',
  method: 'POST',
  path: '/public/follows/end',
  access: 'public',
  audit: false,
  query: Type.Object({ token: LinkToken }),
  bodyKind: 'bytes',
  output: Type.Object({}, { description: 'Empty, also if it had already ended' }),
  statuses: [200],
  errors: ['notFound'],
});
