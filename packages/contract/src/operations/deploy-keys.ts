// Deploy keys: one active key per game, shown once; creating a key revokes the earlier ones.
import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { GameParams, Nullable, Timestamp, Uuid } from './fields.ts';

export const KeyRecord = Type.Object({
  key_ref: Type.String({ description: 'First 8 characters of the access token' }),
  issued_at: Timestamp,
  issued_by: Type.String(),
  revoked_at: Nullable(Timestamp),
  last_used_at: Nullable(Timestamp),
});

export const issueDeployKey = defineOperation({
  id: 'deployKeys.issue',
  summary: 'Create a deploy key; all earlier keys of the game are revoked immediately',
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
  secret: true,
  statuses: [201],
  errors: [4040],
  mcp: {
    tool: 'request_deploy_key',
    when: 'Use it only when the user asks for a deploy key, because a new key breaks CI jobs that use an earlier one.',
    scope: 'mcp:write',
    destructive: true,
  },
});

export const listDeployKeys = defineOperation({
  id: 'deployKeys.list',
  summary: "List a game's deploy keys by prefix; secrets are never shown again",
  method: 'GET',
  path: '/games/{uid}/deploy-keys',
  access: 'account',
  params: GameParams,
  output: Type.Object({ deploy_keys: Type.Array(KeyRecord) }),
  statuses: [200],
  errors: [4040],
});
