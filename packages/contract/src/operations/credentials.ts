// Credentials that work without an account's password: personal keys, API tokens, connected programs, logins of the
// command and the deploy keys of its games.
import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { Nullable, Timestamp, Uuid } from './fields.ts';

const LiveDeployKey = Type.Object({
  game_uid: Uuid,
  slug: Type.String(),
  name: Type.String({ description: 'The name of the game' }),
  key_ref: Type.String({ description: 'The first characters of the access token' }),
  last_used_at: Nullable(Timestamp),
  upload_token: Nullable(Type.String({ description: 'The name of an upload token; null for a deploy key' })),
});

const Counts = {
  personal_keys: Type.Integer({ description: 'Personal keys for MCP clients' }),
  api_tokens: Type.Integer({ description: 'API tokens' }),
  programs: Type.Integer({ description: 'Programs connected by OAuth' }),
  cli_logins: Type.Integer({ description: 'Logins of the chauffeur command' }),
};

export const getCredentials = defineOperation({
  id: 'credentials.get',
  summary:
    'List the credentials that work without your password: personal keys, API tokens, connected programs, logins of the chauffeur command, and deploy keys and upload tokens of your games',
  method: 'GET',
  path: '/account/credentials',
  access: 'account',
  output: Type.Object({ ...Counts, deploy_keys: Type.Array(LiveDeployKey) }),
  statuses: [200],
  errors: [],
});

const Revoked = Type.Object({
  ...Counts,
  deploy_keys: Type.Integer({ description: 'Deploy keys and upload tokens of the games you own' }),
});

export const revokeCredentials = defineOperation({
  id: 'credentials.revoke',
  summary:
    'Revoke all personal keys or API tokens, disconnect all programs, sign out all commands, or revoke the deploy keys and upload tokens of all games you own',
  method: 'POST',
  path: '/account/credentials/revoke',
  access: 'account',
  body: Type.Object({
    personal_keys: Type.Optional(Type.Boolean()),
    api_tokens: Type.Optional(Type.Boolean()),
    programs: Type.Optional(Type.Boolean()),
    cli_logins: Type.Optional(Type.Boolean()),
    deploy_keys: Type.Optional(Type.Boolean()),
  }),
  output: Revoked,
  statuses: [200],
  errors: [],
});

export const revokeAfterReset = defineOperation({
  id: 'credentials.revokeAfterReset',
  summary: 'Revoke the deploy keys and upload tokens of all games an account owns, within an hour of a password reset',
  method: 'POST',
  path: '/account/credentials/revoke-after-reset',
  access: 'public',
  audit: true,
  body: Type.Object({
    token: Type.String({ maxLength: 1000, description: 'revoke_token from the response to the reset' }),
  }),
  output: Type.Object({ deploy_keys: Type.Integer({ description: 'Number of revoked keys and tokens' }) }),
  statuses: [200],
  errors: [],
});

/** What the response to a password reset contains in addition to `status`. */
export const ResetReport = Type.Object({
  revoked: Type.Object({ sessions: Type.Integer(), ...Counts }),
  deploy_keys: Type.Array(LiveDeployKey, { description: 'Deploy keys and upload tokens that still work' }),
  revoke_token: Type.String({ description: 'For credentials.revokeAfterReset; valid for an hour' }),
});
