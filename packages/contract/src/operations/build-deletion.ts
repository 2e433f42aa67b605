// Deleting a build: what it would take from whom, and doing it.
import Type from 'typebox';
import { ArchName, OsName } from '../identity.ts';
import { defineOperation } from '../operation.ts';
import { GameRef, Nullable, Timestamp, Uuid } from './fields.ts';

const BuildParams = Type.Object({ uid: GameRef, build_id: Uuid });

export const BuildDeletion = Type.Object({
  build_id: Uuid,
  version: Type.String(),
  os: OsName,
  arch: ArchName,
  channels: Type.Array(Type.Object({ channel: Type.String(), expires_at: Nullable(Timestamp) }), {
    description: 'Those that offer it now on its platform; they would offer nothing',
  }),
  touches_players: Type.Boolean({ description: 'Whether players of stable would lose their download' }),
  files: Type.Integer(),
  bytes: Type.Integer({ description: 'Of all its files' }),
  symbols: Type.Integer({ description: 'Symbol files of it' }),
  upload_sessions: Type.Integer({ description: 'Uploads for it that have not ended, and would be broken off' }),
  crash_reports: Type.Integer({ description: 'Reports that came from it; they stay' }),
  devices_30_days: Type.Integer({ description: 'Devices that sent events with it in the last 30 days' }),
  consequences: Type.Array(Type.String(), { description: 'The same in words' }),
});

export const getBuildDeletion = defineOperation({
  id: 'builds.deletion',
  summary: 'What deleting a build would take, and from whom',
  method: 'GET',
  path: '/games/{uid}/builds/{build_id}/deletion',
  access: 'account',
  params: BuildParams,
  output: BuildDeletion,
  statuses: [200],
  errors: [4006, 4040],
});

export const DeletedBuild = Type.Object({
  build_id: Uuid,
  version: Type.String(),
  channels: Type.Array(Type.String(), { description: 'Those that offered it and offer nothing now' }),
  files: Type.Integer({ description: 'How many went with it' }),
});

export const deleteBuild = defineOperation({
  id: 'builds.delete',
  summary: 'Delete a build with its files and symbols; channels that offered it offer nothing then',
  method: 'DELETE',
  path: '/games/{uid}/builds/{build_id}',
  access: 'account',
  params: BuildParams,
  output: DeletedBuild,
  statuses: [200],
  errors: [4006, 4040],
  mcp: { tool: 'delete_build', scope: 'mcp:write' },
});
