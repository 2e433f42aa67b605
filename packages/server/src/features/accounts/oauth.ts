// The OAuth 2.1 server by which programs get to act for people over MCP: better-auth's provider, over this service's tables.
import { mcp } from '@better-auth/mcp';
import { getOAuthProviderState } from '@better-auth/oauth-provider';
import type { BetterAuthPlugin } from 'better-auth';
import { jwt } from 'better-auth/plugins';
import type { Clock } from '../../kernel/clock.ts';
import { type FetchDocument, fetchClientDocument } from './client-document-fetch.ts';
import { clientDocuments } from './client-documents.ts';
import { editorRedirects } from './editor-redirects.ts';

/** What a program may be given. `offline_access` has it get refresh tokens, and is no right of its own. */
const SCOPES = ['mcp:read', 'mcp:write', 'offline_access'];

/** Short, since a token is a bearer’s; what it allows is looked up at each use, so its end does not wait for this. */
const ACCESS_SECONDS = 600;
const REFRESH_SECONDS = 30 * 24 * 3600;

/** The claim that names the connection, which a person agreed to. */
const CONNECTION_CLAIM = 'connection';

export type OAuthOptions = {
  readonly publicUrl: string;
  /** The connection that the person agreed to last for this client. */
  readonly currentConnection: (consent: { userId: string; clientId: string }) => Promise<string | undefined>;
  readonly clock: Clock;
  /** How the documents of programs are read; from the public internet where absent. */
  readonly fetchDocument?: FetchDocument | undefined;
};

/** The address that access tokens are for (RFC 8707). */
export function agentResource(publicUrl: string): string {
  return `${publicUrl}/mcp`;
}

/** Who issues them. */
export function oauthIssuer(publicUrl: string): string {
  return `${publicUrl}/api/auth`;
}

/** OAuth wants HTTPS, but on the machine itself (RFC 8252, section 8.3): elsewhere there are personal keys only. */
export function offersOAuth(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

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
      // A visitor who is not signed in does so on the way to the consent page, and comes back to it.
      loginPage: '/consent',
      consentPage: '/consent',
      scopes: SCOPES,
      grantTypes: ['authorization_code', 'refresh_token'],
      accessTokenExpiresIn: ACCESS_SECONDS,
      refreshTokenExpiresIn: REFRESH_SECONDS,
      allowDynamicClientRegistration: true,
      allowUnauthenticatedClientRegistration: true,
      // There is one resource, which every client is here for.
      enforcePerClientResources: false,
      postLogin: {
        page: '/consent',
        // A program that wants no page shown (prompt=none) is told that one has to be: a consent of before could be taken up by any other
        // program on the machine that comes with the same client_id and a free port (RFC 8252, section 8.6).
        shouldRedirect: async () => (await askedFor('prompt')).split(' ').includes('none'),
        consentReferenceId: async ({ user }) =>
          currentConnection({ userId: user.id, clientId: await askedFor('client_id') }),
      },
      customAccessTokenClaims: ({ referenceId }) => ({ [CONNECTION_CLAIM]: referenceId }),
      schema: MODELS,
    }) as unknown as BetterAuthPlugin,
    clientDocuments(fetchDocument, clock),
    editorRedirects(),
  ];
}

/** A parameter of the authorization request that is under way. */
async function askedFor(name: string): Promise<string> {
  return new URLSearchParams((await getOAuthProviderState())?.query).get(name) ?? '';
}

/** Routes of the plugins that make tokens or change clients in ways that are not offered here. */
export const CLOSED_OAUTH_ROUTES = ['/token'];

export type AccessToken = {
  readonly userId: string;
  readonly clientId: string;
  readonly connectionId: string;
  readonly mayWrite: boolean;
};

/** What better-auth checks a signature by; its own type depends on the plugins. */
type Verifier = { verifyJWT(input: { body: { token: string } }): Promise<{ payload: Claims | null }> };
type Claims = { sub?: string; scope?: unknown; client_id?: unknown; cnf?: unknown; [CONNECTION_CLAIM]?: unknown };

/**
 * What an access token says, once its signature, issuer, audience and time are right; null for any other text. A token bound to a key of its
 * sender (RFC 9449) is refused: its proof is not looked at here.
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

/** The provider’s models by the tables that keep them. */
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
