// Deleting a game: what it would take from whom, and doing it.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { GameParams, Uuid } from './fields.ts';

export const GameDeletion = Type.Object({
  game_uid: Uuid,
  name: Type.String({ description: 'What has to be typed to delete it' }),
  touches_players: Type.Boolean({ description: 'Whether players can see the game now' }),
  builds: Type.Integer(),
  files: Type.Integer(),
  bytes: Type.Integer({ description: 'Of all files' }),
  images: Type.Integer(),
  symbols: Type.Integer({ description: 'Symbol files' }),
  crash_reports: Type.Integer(),
  bug_tickets: Type.Integer(),
  events: Type.Integer(),
  devices_30_days: Type.Integer({ description: 'Devices that sent events in the last 30 days' }),
  beta_members: Type.Integer(),
  admins: Type.Integer({ description: 'People besides you who lose access' }),
  upload_sessions: Type.Integer({ description: 'Uploads in progress, which are cut off' }),
  consequences: Type.Array(Type.String(), { description: 'The same in words' }),
});

export const getGameDeletion = defineOperation({
  id: 'games.deletion',
  summary: 'What deleting a game would take, and from whom',
  method: 'GET',
  path: '/games/{uid}/deletion',
  access: 'account',
  params: GameParams,
  output: GameDeletion,
  statuses: [200],
  errors: [4031, 4040],
});

export const deleteGame = defineOperation({
  id: 'games.delete',
  summary: 'Delete a game with everything in it',
  method: 'POST',
  path: '/games/{uid}/deletion',
  access: 'account',
  params: GameParams,
  body: Type.Object({
    name: Type.String({
      maxLength: LIMITS.titleLength,
      description: 'The name of the game, to confirm which one is meant',
    }),
    password: Type.String({ maxLength: LIMITS.passwordLength, description: 'Your own, to confirm that it is you' }),
  }),
  output: Type.Object({ game_uid: Uuid, name: Type.String() }),
  statuses: [202],
  errors: [4031, 4040, 4236, 4290],
});
