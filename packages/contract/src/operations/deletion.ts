// Deleting a game or a build: a preview of the consequences, and the deletion.
import Type from 'typebox';
import { ArchName, OsName } from '../identity.ts';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { BuildParams, GameParams, Nullable, Timestamp, Uuid } from './fields.ts';

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
  tokenScope: 'none',
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

export const BuildDeletion = Type.Object({
  build_id: Uuid,
  version: Type.String(),
  os: OsName,
  arch: ArchName,
  channels: Type.Array(Type.Object({ channel: Type.String(), expires_at: Nullable(Timestamp) }), {
    description: 'Channels that offer it now and would offer nothing on its platform',
  }),
  rollouts: Type.Array(Type.String(), { description: 'Channels on which a rollout offers it, which would end' }),
  touches_players: Type.Boolean({ description: 'Whether players on stable would lose the download' }),
  files: Type.Integer(),
  bytes: Type.Integer({ description: 'Total size of its files' }),
  symbols: Type.Integer({ description: 'Number of symbol files' }),
  upload_sessions: Type.Integer({ description: 'Uploads in progress, which would be aborted' }),
  crash_reports: Type.Integer({ description: 'Crash reports of the build; they are kept' }),
  devices_30_days: Type.Integer({ description: 'Devices that sent events from it in the last 30 days' }),
  consequences: Type.Array(Type.String(), { description: 'The consequences in sentences' }),
});

export const getBuildDeletion = defineOperation({
  id: 'builds.deletion',
  summary: 'Preview the consequences of deleting a build',
  method: 'GET',
  path: '/games/{uid}/builds/{build_id}/deletion',
  access: 'account',
  role: 'developer',
  params: BuildParams,
  output: BuildDeletion,
  statuses: [200],
  errors: ['unknownBuild', 'notFound'],
});

export const DeletedBuild = Type.Object({
  build_id: Uuid,
  version: Type.String(),
  channels: Type.Array(Type.String(), { description: 'Channels that offered it and now offer nothing' }),
  files: Type.Integer({ description: 'Number of deleted files' }),
});

export const deleteBuild = defineOperation({
  id: 'builds.delete',
  summary: 'Delete a build with its files and symbols; channels that offered it then offer nothing',
  method: 'DELETE',
  path: '/games/{uid}/builds/{build_id}',
  access: 'account',
  role: 'developer',
  params: BuildParams,
  output: DeletedBuild,
  statuses: [200],
  errors: ['unknownBuild', 'notFound'],
  mcp: {
    tool: 'delete_build',
    when: 'Use it only when the user asks to remove a build permanently. To stop offering a build, use promote_build with another build or rollback_channel instead.',
    scope: 'mcp:write',
  },
});
