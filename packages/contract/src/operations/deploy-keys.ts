// Deploy keys: issued to a game, shown once, revoked by the next issue; and what a key’s holder may know.
import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { GameParams, Nullable, Timestamp, Uuid } from './fields.ts';

const KeyRecord = Type.Object({
  key_ref: Type.String({ description: 'First 8 characters of the access token' }),
  issued_at: Timestamp,
  issued_by: Type.String(),
  revoked_at: Nullable(Timestamp),
  last_used_at: Nullable(Timestamp),
});

export const issueDeployKey = defineOperation({
  id: 'deployKeys.issue',
  summary: 'Issue a deploy key; every earlier one of the game is revoked at once',
  method: 'POST',
  path: '/games/{uid}/deploy-keys',
  access: 'account',
  params: GameParams,
  output: Type.Object({
    game_uid: Uuid,
    key_ref: Type.String(),
    access_token: Type.String(),
    secret_key: Type.String(),
  }),
  statuses: [201],
  errors: [4040],
  mcp: { tool: 'request_deploy_key', scope: 'mcp:write' },
});

export const listDeployKeys = defineOperation({
  id: 'deployKeys.list',
  summary: 'List a game’s deploy keys by prefix; secrets are never shown again',
  method: 'GET',
  path: '/games/{uid}/deploy-keys',
  access: 'account',
  params: GameParams,
  output: Type.Object({ deploy_keys: Type.Array(KeyRecord) }),
  statuses: [200],
  errors: [4040],
});

export const getDeployInfo = defineOperation({
  id: 'deployKeys.info',
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
