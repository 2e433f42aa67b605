// Deploy keys: one active key per game, shown once; creating a key revokes the earlier ones. Upload tokens: named, with
// scopes and an expiry, so that several CI systems can each have their own.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation, UPLOAD_SCOPES } from '../operation.ts';
import { GameParams, GameRef, Line, Nullable, Timestamp, Uuid } from './fields.ts';

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
  tokenScope: 'none',
  role: 'admin',
  params: GameParams,
  body: Type.Object({
    revoke_tokens: Type.Optional(Type.Boolean({ description: 'Whether to revoke all upload tokens as well' })),
  }),
  output: Type.Object({
    game_uid: Uuid,
    key_ref: Type.String(),
    access_token: Type.String(),
    secret_key: Type.String(),
    revoked_tokens: Type.Integer({ description: 'Number of upload tokens that were revoked' }),
  }),
  secret: true,
  statuses: [201],
  errors: ['notFound'],
  mcp: {
    tool: 'request_deploy_key',
    when: 'Use it only when the user asks for a deploy key, because a new key breaks CI jobs that use an earlier one.',
    scope: 'mcp:write',
    destructive: true,
    without: ['revoke_tokens'],
  },
});

export const listDeployKeys = defineOperation({
  id: 'deployKeys.list',
  summary: "List a game's deploy keys by prefix; secrets are never shown again",
  method: 'GET',
  path: '/games/{uid}/deploy-keys',
  access: 'account',
  role: 'developer',
  params: GameParams,
  output: Type.Object({ deploy_keys: Type.Array(KeyRecord) }),
  statuses: [200],
  errors: ['notFound'],
});

const Scopes = Type.Array(Type.Enum(UPLOAD_SCOPES), {
  minItems: 1,
  maxItems: UPLOAD_SCOPES.length,
  description:
    'builds: register builds and upload their files; symbols: upload symbols; media: change store images; channels: promote and roll back builds',
});

const TokenName = Line('a name to recognize it by, such as that of the CI system', {
  minLength: 1,
  maxLength: LIMITS.uploadTokenNameLength,
});

export const UploadToken = Type.Object({
  token_id: Uuid,
  key_ref: Type.String({ description: 'First 8 characters of the access token' }),
  name: Type.String(),
  scopes: Type.Array(Type.Enum(UPLOAD_SCOPES)),
  state: Type.Enum(['active', 'expired', 'revoked']),
  created_by: Type.String(),
  created_at: Timestamp,
  expires_at: Nullable(Timestamp),
  revoked_at: Nullable(Timestamp),
  last_used_at: Nullable({ ...Timestamp, description: 'To the minute' }),
  last_used_from: Nullable(Type.String({ description: 'The IP address of that use' })),
});

const TokenParams = Type.Object({ uid: GameRef, token_id: Uuid });

export const createUploadToken = defineOperation({
  id: 'deployKeys.createToken',
  summary: 'Create an upload token, which works like a deploy key within its scopes; the deploy key stays valid',
  method: 'POST',
  path: '/games/{uid}/upload-tokens',
  access: 'account',
  tokenScope: 'none',
  role: 'admin',
  params: GameParams,
  body: Type.Object({
    name: TokenName,
    scopes: Scopes,
    expires_in_days: Nullable(
      Type.Integer({ minimum: 1, maximum: LIMITS.uploadTokenDays, description: 'null for a token that never expires' }),
    ),
  }),
  output: Type.Object({ ...UploadToken.properties, access_token: Type.String(), secret_key: Type.String() }),
  secret: true,
  statuses: [201],
  errors: ['notFound'],
  example: { body: { name: 'GitHub Actions', scopes: ['builds', 'symbols'], expires_in_days: 90 } },
});

export const listUploadTokens = defineOperation({
  id: 'deployKeys.tokens',
  summary: "List a game's upload tokens, active ones first; at most 100",
  method: 'GET',
  path: '/games/{uid}/upload-tokens',
  access: 'account',
  role: 'developer',
  params: GameParams,
  output: Type.Object({ upload_tokens: Type.Array(UploadToken) }),
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'list_upload_tokens',
    when: 'Use it to see which upload tokens a game has, when they expire and when they were last used.',
    scope: 'mcp:read',
  },
});

export const renameUploadToken = defineOperation({
  id: 'deployKeys.renameToken',
  summary: 'Rename an upload token',
  method: 'PATCH',
  path: '/games/{uid}/upload-tokens/{token_id}',
  access: 'account',
  role: 'admin',
  params: TokenParams,
  body: Type.Object({ name: TokenName }),
  output: UploadToken,
  statuses: [200],
  errors: ['notFound'],
});

export const revokeUploadToken = defineOperation({
  id: 'deployKeys.revokeToken',
  summary: 'Revoke an upload token',
  method: 'DELETE',
  path: '/games/{uid}/upload-tokens/{token_id}',
  access: 'account',
  role: 'admin',
  params: TokenParams,
  output: UploadToken,
  statuses: [200],
  errors: ['notFound'],
});
