// What acts for an account without its password: personal keys, connected programs, and the deploy keys of the games that it owns.
import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { Nullable, Timestamp, Uuid } from './fields.ts';

const LiveDeployKey = Type.Object({
  game_uid: Uuid,
  slug: Type.String(),
  name: Type.String({ description: 'The name of the game' }),
  key_ref: Type.String({ description: 'How its access token begins' }),
  last_used_at: Nullable(Timestamp),
});

const Counts = {
  personal_keys: Type.Integer({ description: 'Personal keys for MCP clients' }),
  programs: Type.Integer({ description: 'Programs connected by OAuth' }),
};

export const getCredentials = defineOperation({
  id: 'credentials.get',
  summary:
    'What works without your password: personal keys, connected programs, and deploy keys of the games that you own',
  method: 'GET',
  path: '/account/credentials',
  access: 'account',
  output: Type.Object({ ...Counts, deploy_keys: Type.Array(LiveDeployKey) }),
  statuses: [200],
  errors: [],
});

const Revoked = Type.Object({
  ...Counts,
  deploy_keys: Type.Integer({ description: 'Deploy keys of the games that you own' }),
});

export const revokeCredentials = defineOperation({
  id: 'credentials.revoke',
  summary: 'Revoke all personal keys, disconnect all programs, or revoke the deploy keys of all games that you own',
  method: 'POST',
  path: '/account/credentials/revoke',
  access: 'account',
  body: Type.Object({
    personal_keys: Type.Optional(Type.Boolean()),
    programs: Type.Optional(Type.Boolean()),
    deploy_keys: Type.Optional(Type.Boolean()),
  }),
  output: Revoked,
  statuses: [200],
  errors: [],
});

export const revokeAfterReset = defineOperation({
  id: 'credentials.revokeAfterReset',
  summary: 'Revoke the deploy keys of all games that an account owns, within an hour after its password was reset',
  method: 'POST',
  path: '/account/credentials/revoke-after-reset',
  access: 'public',
  body: Type.Object({
    token: Type.String({ maxLength: 1000, description: 'revoke_token of the answer to the reset' }),
  }),
  output: Type.Object({ deploy_keys: Type.Integer({ description: 'How many were revoked' }) }),
  statuses: [200],
  errors: [],
});

/** What the answer to a reset of the password says beside `status`. */
export const ResetReport = Type.Object({
  revoked: Type.Object({ sessions: Type.Integer(), ...Counts }),
  deploy_keys: Type.Array(LiveDeployKey, { description: 'Those that still work' }),
  revoke_token: Type.String({ description: 'Lets credentials.revokeAfterReset revoke them, for an hour' }),
});
