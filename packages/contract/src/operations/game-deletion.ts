// Deleting a game: a preview of the consequences, and the deletion.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { GameParams, Uuid } from './fields.ts';

export const GameDeletion = Type.Object({
  game_uid: Uuid,
  name: Type.String({ description: 'The name to type in order to delete the game' }),
  touches_players: Type.Boolean({ description: 'Whether players can see the game' }),
  builds: Type.Integer(),
  files: Type.Integer(),
  bytes: Type.Integer({ description: 'Total size of the files' }),
  images: Type.Integer(),
  videos: Type.Integer(),
  symbols: Type.Integer({ description: 'Number of symbol files' }),
  crash_reports: Type.Integer(),
  bug_tickets: Type.Integer(),
  events: Type.Integer(),
  devices_30_days: Type.Integer({ description: 'Devices that sent events in the last 30 days' }),
  beta_members: Type.Integer(),
  admins: Type.Integer({ description: 'Other people who lose access' }),
  upload_sessions: Type.Integer({ description: 'Uploads in progress, which are aborted' }),
  consequences: Type.Array(Type.String(), { description: 'The consequences in sentences' }),
});

export const getGameDeletion = defineOperation({
  id: 'games.deletion',
  summary: 'Preview the consequences of deleting a game',
  method: 'GET',
  path: '/games/{uid}/deletion',
  access: 'account',
  role: 'owner',
  params: GameParams,
  output: GameDeletion,
  statuses: [200],
  errors: ['notAllowed', 'notFound'],
});

export const deleteGame = defineOperation({
  id: 'games.delete',
  summary: 'Delete a game and everything in it',
  method: 'POST',
  path: '/games/{uid}/deletion',
  access: 'account',
  role: 'owner',
  params: GameParams,
  body: Type.Object({
    name: Type.String({
      maxLength: LIMITS.titleLength,
      description: 'The name of the game, as confirmation',
    }),
    password: Type.String({ maxLength: LIMITS.passwordLength, description: 'Your password, as confirmation' }),
  }),
  output: Type.Object({ game_uid: Uuid, name: Type.String() }),
  statuses: [202],
  errors: ['notAllowed', 'notFound', 'wrongPassword', 'limitReached'],
});
