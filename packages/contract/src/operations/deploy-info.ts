// What the holder of a deploy key may know of its game.
import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { Timestamp, Uuid } from './fields.ts';

export const getDeployInfo = defineOperation({
  id: 'deployInfo.get',
  summary: 'The game of the deploy key, its addresses and its recent builds; never a secret',
  method: 'GET',
  path: '/tool/info',
  access: 'deploy_key',
  output: Type.Object({
    app_id: Uuid,
    name: Type.String(),
    slug: Type.String(),
    visibility: Type.String(),
    owner_verified: Type.Boolean(),
    key_ref: Type.String(),
    urls: Type.Object({ api: Type.String(), upload: Type.String(), crashes: Type.String(), events: Type.String() }),
    limits: Type.Object({
      uploads_per_hour: Type.Integer(),
      chunks_per_hour: Type.Integer(),
      open_sessions: Type.Integer(),
      file_bytes: Type.Integer(),
    }),
    recent_builds: Type.Array(
      Type.Object({
        build_id: Uuid,
        version: Type.String(),
        os: Type.String(),
        arch: Type.String(),
        channel: Type.String(),
        state: Type.String(),
        created_at: Timestamp,
      }),
    ),
  }),
  statuses: [200],
  errors: [],
});
