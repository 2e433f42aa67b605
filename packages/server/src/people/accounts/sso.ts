// Single sign-on with the operator's OpenID provider, as a provider of better-auth's own routes. They keep the state of
// a sign-in in a signed cookie and in the database, and use PKCE.
import { createHash } from 'node:crypto';
import { findDisplayNameProblem } from '@chauffeur/contract/display-name';
import { LIMITS } from '@chauffeur/contract/limits';
import { cleanLine } from '@chauffeur/contract/text';
import type { BetterAuthPlugin } from 'better-auth';
import { APIError } from 'better-auth/api';
import type { Log } from '../../kernel/telemetry/log.ts';
import {
  discover,
  exchangeCode,
  type Metadata,
  type OidcSettings,
  type ProviderFields,
  readClaims,
} from './oidc-client.ts';

const SSO_PROVIDER = 'sso';

export type SsoSettings = OidcSettings & {
  /** What the button on the sign-in page is called. */
  readonly name: string;
  /** Only people with an email of these domains may sign in; empty for all. */
  readonly domains: readonly string[];
  /** Whether a person without an account gets one. */
  readonly createsAccounts: boolean;
  readonly log: Log;
};

const SCOPES = 'openid email profile';
/** Keys are fetched when they change; endpoints change very rarely. */
const METADATA_MS = 3600_000;

type Tokens = {
  idToken?: string | undefined;
  accessToken?: string | undefined;
  expectedIdTokenNonce?: string | undefined;
};

/** Discovery waits for the first sign-in, so a provider that is down stops neither the server nor other sign-ins. */
export function singleSignOn(settings: SsoSettings): BetterAuthPlugin {
  const provider = createProvider(settings);
  return {
    id: 'chauffeur-sso',
    init: (context) => ({ context: { socialProviders: [provider as never, ...context.socialProviders] } }),
  };
}

function createProvider(settings: SsoSettings) {
  const metadata = keepMetadata(settings);
  return {
    id: SSO_PROVIDER,
    name: settings.name,
    // Only the routes with a redirect: an ID token that someone else obtained must not sign in.
    options: { disableIdTokenSignIn: true, disableSignUp: !settings.createsAccounts },
    requiresIdTokenNonce: true,
    get issuer() {
      return metadata.last()?.issuer;
    },
    accountSubject: ({ profile }: { profile: ProviderFields }) => String(profile.sub),
    async createAuthorizationURL(request: Authorization): Promise<URL> {
      const found = await metadata.read().catch((error) => {
        settings.log.warn({ err: error }, 'single sign-on is unavailable');
        throw new APIError('SERVICE_UNAVAILABLE', {
          code: 'SSO_UNAVAILABLE',
          message: `${settings.name} cannot be reached. Try again later, or sign in with your password.`,
        });
      });
      return authorizationUrl(settings, found, request);
    },
    validateAuthorizationCode: async (request: { code: string; redirectURI: string; codeVerifier?: string }) =>
      exchangeCode(settings, await metadata.read(), {
        code: request.code,
        redirectUri: request.redirectURI,
        verifier: request.codeVerifier ?? '',
      }).catch((error) => {
        settings.log.warn({ err: error }, 'single sign-on: the code was not exchanged');
        throw error;
      }),
    async getUserInfo({ idToken = '', accessToken = '', expectedIdTokenNonce: nonce = '' }: Tokens) {
      const claims = await metadata
        .read()
        .then((found) => readClaims(settings, found, { idToken, accessToken, nonce }))
        .catch((error) => {
          settings.log.warn({ err: error }, 'single sign-on: the person was not identified');
          return null;
        });
      if (claims === null) return null;
      const user = personOf(claims);
      requireDomain(settings, user.email);
      return { user, data: claims };
    },
  };
}

type Authorization = { state: string; codeVerifier: string; redirectURI: string; idTokenNonce?: string | undefined };

function authorizationUrl({ clientId }: SsoSettings, found: Metadata, request: Authorization): URL {
  const url = new URL(found.authorizationEndpoint);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: request.redirectURI,
    scope: SCOPES,
    state: request.state,
    nonce: request.idTokenNonce ?? '',
    code_challenge: createHash('sha256').update(request.codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

function personOf(claims: ProviderFields & { sub: string }) {
  const email = typeof claims.email === 'string' ? claims.email.trim().toLowerCase() : '';
  const name = [claims.name, claims.preferred_username, email.split('@')[0]].find(
    (each) => typeof each === 'string' && each.trim() !== '',
  );
  return {
    email,
    // Some providers send it as text.
    emailVerified: claims.email_verified === true || claims.email_verified === 'true',
    name: safeName(String(name ?? claims.sub)),
  };
}

/** A display name as accounts may have it. */
function safeName(name: string): string {
  const [...characters] = cleanLine(name);
  const safe = characters.slice(0, LIMITS.displayNameLength).join('');
  return findDisplayNameProblem(safe) === null ? safe : 'Player';
}

/** Returns the metadata that was read last while it is recent. Requests at the same time share one discovery. */
function keepMetadata(settings: OidcSettings) {
  let kept: { at: number; metadata: Metadata } | undefined;
  let reading: Promise<Metadata> | undefined;
  return {
    last: () => kept?.metadata,
    read(): Promise<Metadata> {
      if (kept !== undefined && performance.now() - kept.at < METADATA_MS) return Promise.resolve(kept.metadata);
      reading ??= discover(settings)
        .then((metadata) => {
          kept = { at: performance.now(), metadata };
          return metadata;
        })
        .finally(() => {
          reading = undefined;
        });
      return reading;
    },
  };
}

/** The callback redirects the browser, so an error becomes a redirect to the sign-in page. */
function requireDomain({ domains }: Pick<SsoSettings, 'domains'>, email: string): void {
  const domain = email.split('@').at(-1) ?? '';
  if (domains.length === 0 || domains.includes(domain)) return;
  throw new APIError('FOUND', undefined, new Headers({ location: '/sign-in?error=SSO_DOMAIN' }));
}
