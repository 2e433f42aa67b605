// API tokens: secrets with which a script calls the API for a person, within scopes and until they expire.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { TOKEN_SCOPES } from '../token-scopes.ts';
import { GameRef, Line, Nullable, Timestamp, Uuid } from './fields.ts';

const Scope = Type.Enum([...TOKEN_SCOPES]);

const ApiToken = Type.Object({
  token_id: Uuid,
  token_ref: Type.String({ description: 'The first characters of the token' }),
  name: Type.String(),
  scopes: Type.Array(Scope),
  games: Nullable(
    Type.Array(Type.Object({ game_uid: Uuid, slug: Type.String(), name: Type.String() }), {
      description:
        'The only games it has access to, none after they were deleted; null for all of your games, including future games',
    }),
  ),
  state: Type.Enum(['active', 'expired', 'revoked']),
  created_at: Timestamp,
  expires_at: Timestamp,
  last_used_at: Nullable({ ...Timestamp, description: 'To the minute' }),
  last_used_from: Nullable(Type.String({ description: 'The IP address of that use' })),
  revoked_at: Nullable(Timestamp),
});

export const createApiToken = defineOperation({
  id: 'apiTokens.create',
  summary: 'Create a token for scripts that call the API for you; it is shown once',
  method: 'POST',
  path: '/account/api-tokens',
  access: 'account',
  role: 'viewer',
  body: Type.Object({
    name: Line('a name to recognize it by, such as that of the script', {
      minLength: 1,
      maxLength: LIMITS.apiTokenNameLength,
    }),
    scopes: Type.Array(Scope, {
      minItems: 1,
      maxItems: TOKEN_SCOPES.length,
      description: 'What it may do; write access to a part of the API includes read access',
    }),
    // Required, so that a misspelled name doesn't give access to all games.
    games: Nullable(
      Type.Array(GameRef, {
        minItems: 1,
        maxItems: LIMITS.apiTokenGames,
        description: 'The only games it gets access to; null for all of your games, including future games',
      }),
    ),
    expires_in_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LIMITS.apiTokenDays,
        description: `${LIMITS.apiTokenDefaultDays} if omitted`,
      }),
    ),
  }),
  output: Type.Object({ ...ApiToken.properties, token: Type.String({ description: 'The token' }) }),
  secret: true,
  statuses: [201],
  errors: ['notFound'],
  example: { body: { name: 'Crash report of the week', scopes: ['crashes:read'], games: null, expires_in_days: 90 } },
});

export const listApiTokens = defineOperation({
  id: 'apiTokens.list',
  summary: 'List your API tokens, newest first, including tokens that ended in the last 30 days',
  method: 'GET',
  path: '/account/api-tokens',
  access: 'account',
  output: Type.Object({ tokens: Type.Array(ApiToken) }),
  statuses: [200],
  errors: [],
});

export const revokeApiToken = defineOperation({
  id: 'apiTokens.revoke',
  summary: 'Revoke an API token; it stops working immediately',
  method: 'DELETE',
  path: '/account/api-tokens/{token_id}',
  access: 'account',
  params: Type.Object({ token_id: Uuid }),
  output: ApiToken,
  statuses: [200],
  errors: ['notFound'],
});
