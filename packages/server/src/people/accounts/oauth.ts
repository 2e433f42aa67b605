// The OAuth 2.1 server for programs that act for people over MCP: better-auth's provider with this service's tables.
import { mcp } from '@better-auth/mcp';
import { getOAuthProviderState } from '@better-auth/oauth-provider';
import type { BetterAuthPlugin } from 'better-auth';
import { jwt } from 'better-auth/plugins';
import type { Clock } from '../../kernel/clock.ts';
import { agentResource, oauthIssuer, offersOAuth } from '../../request/agent-addresses.ts';
import { clientDocuments, type FetchDocument, fetchClientDocument } from './client-documents.ts';
import { editorRedirects } from './editor-redirects.ts';

/** The scopes for programs. `offline_access` allows refresh tokens and grants nothing else. */
const SCOPES = ['mcp:read', 'mcp:write', 'offline_access'];

/**
 * Short, because anyone with a bearer token can use it. Revocation is immediate, because rights are checked at each
 * use.
 */
const ACCESS_SECONDS = 600;
const REFRESH_SECONDS = 30 * 24 * 3600;

/** The claim with the id of the connection. */
const CONNECTION_CLAIM = 'connection';

export type OAuthOptions = {
  readonly publicUrl: string;
  /** The newest connection of the person to this client. */
  readonly currentConnection: (consent: { userId: string; clientId: string }) => Promise<string | undefined>;
  readonly clock: Clock;
  /** Fetches client metadata documents; by default from the public internet. */
  readonly fetchDocument?: FetchDocument | undefined;
};

export function oauthPlugins({
  publicUrl,
  currentConnection,
  clock,
  fetchDocument = fetchClientDocument,
}: OAuthOptions): BetterAuthPlugin[] {
  if (!offersOAuth(publicUrl)) return [];
  return [
    jwt({
      jwt: { issuer: oauthIssuer(publicUrl), audience: agentResource(publicUrl) },
      disableSettingJwtHeader: true,
      schema: { jwks: { modelName: 'oauth_signing_keys', fields: columnsOf(SIGNING_KEY_FIELDS) } },
    }),
    mcp({
      resource: agentResource(publicUrl),
      // A visitor signs in from the consent page and returns to it.
      loginPage: '/consent',
      consentPage: '/consent',
      scopes: SCOPES,
      grantTypes: ['authorization_code', 'refresh_token'],
      accessTokenExpiresIn: ACCESS_SECONDS,
      refreshTokenExpiresIn: REFRESH_SECONDS,
      allowDynamicClientRegistration: true,
      allowUnauthenticatedClientRegistration: true,
      // There is only one resource, for all clients.
      enforcePerClientResources: false,
      postLogin: {
        page: '/consent',
        // A request without a page (prompt=none) is refused. Otherwise any other program on the machine could use an
        // earlier consent with the same client_id and a free port (RFC 8252, section 8.6).
        shouldRedirect: async () => (await readParameter('prompt')).split(' ').includes('none'),
        consentReferenceId: async ({ user }) =>
          currentConnection({ userId: user.id, clientId: await readParameter('client_id') }),
      },
      customAccessTokenClaims: ({ referenceId }) => ({ [CONNECTION_CLAIM]: referenceId }),
      schema: MODELS,
    }) as unknown as BetterAuthPlugin,
    clientDocuments(fetchDocument, clock),
    editorRedirects(),
  ];
}

/** Reads a parameter of the current authorization request. */
async function readParameter(name: string): Promise<string> {
  return new URLSearchParams((await getOAuthProviderState())?.query).get(name) ?? '';
}

/** Routes of the plugins that issue tokens or change clients in ways that are not supported here. */
export const CLOSED_OAUTH_ROUTES = ['/token'];

export type AccessToken = {
  readonly userId: string;
  readonly clientId: string;
  readonly connectionId: string;
  readonly mayWrite: boolean;
};

/** The part of better-auth's API that verifies signatures. Its declared type depends on the plugins. */
type Verifier = { verifyJWT(input: { body: { token: string } }): Promise<{ payload: Claims | null }> };
type Claims = { sub?: string; scope?: unknown; client_id?: unknown; cnf?: unknown; [CONNECTION_CLAIM]?: unknown };

/**
 * Reads an access token after checking its signature, issuer, audience and time; null if it is invalid. A token bound
 * to a key of its sender (RFC 9449) is refused, because its proof is not checked here.
 */
export async function readAccessToken(api: unknown, token: string): Promise<AccessToken | null> {
  const { verifyJWT } = api as Partial<Verifier>;
  const claims = (await verifyJWT?.({ body: { token } }))?.payload ?? null;
  if (claims === null || claims.cnf !== undefined) return null;
  const { sub: userId, client_id: clientId, scope, [CONNECTION_CLAIM]: connectionId } = claims;
  if (typeof userId !== 'string' || typeof clientId !== 'string' || typeof connectionId !== 'string') return null;
  return { userId, clientId, connectionId, mayWrite: String(scope).split(' ').includes('mcp:write') };
}

const SIGNING_KEY_FIELDS = ['publicKey', 'privateKey', 'createdAt', 'expiresAt', 'alg', 'crv'];

const TOKEN_FIELDS = [
  ...['token', 'clientId', 'sessionId', 'userId', 'referenceId', 'authorizationCodeId', 'resources'],
  ...['requestedUserInfoClaims', 'expiresAt', 'createdAt', 'revoked', 'confirmation', 'scopes'],
];

/** The tables and columns of the provider's models. */
const MODELS = {
  oauthClient: model('oauth_clients', [
    ...['clientId', 'clientSecret', 'clientDiscoveryId', 'disabled', 'skipConsent', 'enableEndSession', 'subjectType'],
    ...[
      'scopes',
      'clientCredentialsScopes',
      'userId',
      'createdAt',
      'updatedAt',
      'name',
      'uri',
      'icon',
      'contacts',
      'tos',
    ],
    ...['policy', 'softwareId', 'softwareVersion', 'softwareStatement', 'redirectUris', 'postLogoutRedirectUris'],
    ...[
      'backchannelLogoutUri',
      'backchannelLogoutSessionRequired',
      'tokenEndpointAuthMethod',
      'applicationType',
      'jwks',
    ],
    ...['jwksUri', 'grantTypes', 'responseTypes', 'requirePKCE', 'dpopBoundAccessTokens', 'referenceId', 'metadata'],
  ]),
  oauthResource: model('oauth_resources', [
    ...['identifier', 'name', 'accessTokenTtl', 'refreshTokenTtl', 'signingAlgorithm', 'signingKeyId', 'allowedScopes'],
    ...[
      'customClaims',
      'dpopBoundAccessTokensRequired',
      'disabled',
      'createdAt',
      'updatedAt',
      'policyVersion',
      'metadata',
    ],
  ]),
  oauthClientResource: model('oauth_client_resources', ['clientId', 'resourceId', 'metadata', 'createdAt']),
  oauthRefreshToken: model('oauth_refresh_tokens', [
    ...TOKEN_FIELDS,
    ...['rotatedAt', 'rotationReplayResponse', 'rotationReplayExpiresAt', 'authTime'],
  ]),
  oauthAccessToken: model('oauth_access_tokens', [...TOKEN_FIELDS, 'refreshId']),
  oauthConsent: model('oauth_consents', [
    ...[
      'clientId',
      'userId',
      'referenceId',
      'resources',
      'requestedUserInfoClaims',
      'scopes',
      'createdAt',
      'updatedAt',
    ],
  ]),
  oauthClientAssertion: model('oauth_client_assertions', ['expiresAt']),
};

function model(modelName: string, fields: readonly string[]) {
  return { modelName, fields: columnsOf(fields) };
}

/** `client_id` for `clientId`, `require_pkce` for `requirePKCE`. */
function columnsOf(fields: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    fields.map((field) => [field, field.replace(/[A-Z]+/g, (word) => `_${word.toLowerCase()}`)]),
  );
}
