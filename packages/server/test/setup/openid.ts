// OpenID providers on this machine: a real one, and one that answers as a test says. And a browser that signs in with
// one of them.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose';
import Provider from 'oidc-provider';
import { postAuth } from './accounts.ts';
import { startServer, type TestServer } from './server.ts';

export const CLIENT_ID = 'chauffeur';
export const CLIENT_SECRET = 'a secret: with + and %';

export type Person = { sub: string; email?: string; email_verified?: boolean; name?: string };

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A provider, and a service that uses it. */
export type SignOn = { readonly server: TestServer; readonly issuer: string; stop(): Promise<void> };

/** Starts a service whose single sign-on is at an address that `handle` answers once it knows the service. */
async function startSignOn(
  env: Record<string, string>,
  handle: (server: TestServer, issuer: string) => Promise<Handler> | Handler,
): Promise<SignOn> {
  let answer: Handler = (_request, response) => response.writeHead(503).end();
  const site = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const issuer = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const server = await startServer({
    env: {
      CHAUFFEUR_OIDC_ISSUER: issuer,
      CHAUFFEUR_OIDC_CLIENT_ID: CLIENT_ID,
      CHAUFFEUR_OIDC_CLIENT_SECRET: CLIENT_SECRET,
      CHAUFFEUR_OIDC_NAME: 'Studio login',
      ...env,
    },
  });
  answer = await handle(server, issuer);
  const stop = async () => {
    await server.stop();
    site.closeAllConnections();
    site.close();
  };
  return { server, issuer, stop };
}

/** A real provider, at which `person` is always signed in. */
export async function startProvider(
  env: Record<string, string> = {},
): Promise<SignOn & { signedIn(person: Person): void }> {
  let current: Person = { sub: 'unknown' };
  const signOn = await startSignOn(env, ({ url }, issuer) => {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT_ID,
          client_secret: CLIENT_SECRET,
          redirect_uris: [`${url}/api/auth/callback/sso`],
          token_endpoint_auth_method: 'client_secret_basic',
        },
      ],
      pkce: { required: () => true },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      cookies: { keys: ['a test'] },
      features: { devInteractions: { enabled: false } },
      findAccount: (_context, id) => ({ accountId: id, claims: () => ({ ...current }) }),
      interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
      loadExistingGrant: async (context) => {
        const grant = new context.oidc.provider.Grant({
          clientId: CLIENT_ID,
          accountId: context.oidc.session!.accountId!,
        });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    });
    const rest = provider.callback();
    return (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return void rest(request, response);
      provider
        .interactionFinished(request, response, { login: { accountId: current.sub } })
        .catch(() => response.destroy());
    };
  });
  return {
    ...signOn,
    signedIn(person) {
      current = person;
    },
  };
}

/** How the scripted provider differs from a correct one. */
export type Script = {
  metadata?: object;
  claims?: Record<string, unknown>;
  /** Claims that are left out. */
  without?: string[];
  header?: Partial<JWTHeaderParameters>;
  /** Signs with a key that the provider does not publish. */
  foreignKey?: boolean;
  /** Signs with the secret of the client, as HS256. */
  sharedSecret?: boolean;
  idToken?: string;
  userinfo?: object;
  /** The routes that are not answered at all. */
  silent?: string[];
  /** Changes the redirect back to the service. */
  redirect?: (url: URL) => void;
};

/** A provider that answers as `play` says; correct by default. */
export async function startScriptedProvider(
  env: Record<string, string> = {},
): Promise<SignOn & { play(script: Script): void }> {
  let script: Script = {};
  const [pair, foreign] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'first', alg: 'RS256', use: 'sig' };
  const nonces = new Map<string, string>();
  const signOn = await startSignOn(env, (_server, issuer) => async (request, response) => {
    const url = new URL(request.url ?? '/', issuer);
    const send = (value: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (script.silent?.includes(url.pathname)) return;
    if (url.pathname === '/.well-known/openid-configuration')
      return send({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/keys`,
        token_endpoint_auth_methods_supported: ['client_secret_post'],
        ...script.metadata,
      });
    if (url.pathname === '/keys') return send({ keys: [jwk] });
    if (url.pathname === '/userinfo') return send(script.userinfo ?? {});
    if (url.pathname === '/authorize') {
      const code = crypto.randomUUID();
      nonces.set(code, url.searchParams.get('nonce') ?? '');
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', url.searchParams.get('state') ?? '');
      script.redirect?.(back);
      return response.writeHead(302, { location: back.href }).end();
    }
    const form = new URLSearchParams(await text(request));
    const code = form.get('code') ?? '';
    const nonce = nonces.get(code);
    nonces.delete(code);
    if (nonce === undefined || form.get('client_secret') !== CLIENT_SECRET)
      return response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}');
    const now = Math.floor(Date.now() / 1000);
    const claims: Record<string, unknown> = {
      ...{ iss: issuer, aud: CLIENT_ID, sub: 'scripted', iat: now, exp: now + 300, nonce },
      ...{ email: 'scripted@example.com', email_verified: true, ...script.claims },
    };
    for (const name of script.without ?? []) delete claims[name];
    const key = script.sharedSecret
      ? new TextEncoder().encode(CLIENT_SECRET.padEnd(32, '.'))
      : (script.foreignKey ? foreign : pair).privateKey;
    const header = { alg: script.sharedSecret ? 'HS256' : 'RS256', kid: 'first', ...script.header };
    const idToken = script.idToken ?? (await new SignJWT(claims).setProtectedHeader(header).sign(key));
    return send({ access_token: 'at', token_type: 'Bearer', id_token: idToken });
  });
  return {
    ...signOn,
    play(next) {
      script = next;
    },
  };
}

export type Arrival = {
  /** The page at which the browser arrives. */
  readonly page: URL;
  /** The cookies of the service. */
  readonly cookie: string;
  /** The address at which the provider sent the browser back. */
  readonly callback: string;
};

/** Signs in as a browser does: follows the redirects to the provider and back, with the cookies of each. */
export async function signInWith({ server }: Pick<SignOn, 'server'>, cookie = ''): Promise<Arrival> {
  const jars = new Map<string, Map<string, string>>();
  const keep = (origin: string, cookies: readonly string[]) => {
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    for (const each of cookies) {
      const [pair = ''] = each.split(';');
      const at = pair.indexOf('=');
      if (/max-age=0/i.test(each)) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
  };
  const cookiesAt = (origin: string) =>
    [...(jars.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  if (cookie !== '') keep(server.url, cookie.split('; '));
  const started = await startSignIn(server, cookie);
  if (started.url === null) throw new Error(`the sign-in did not start: ${started.text}`);
  keep(server.url, started.cookies);
  let callback = '';
  let next = new URL(started.url);
  for (let hop = 0; hop < 12; hop += 1) {
    if (next.pathname === '/api/auth/callback/sso') callback = next.href;
    else if (next.origin === server.url) break;
    const response = await fetch(next, { redirect: 'manual', headers: { cookie: cookiesAt(next.origin) } });
    keep(next.origin, response.headers.getSetCookie());
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${next.pathname}: ${response.status} ${await response.text()}`);
    next = new URL(location, next);
  }
  return { page: next, cookie: cookiesAt(server.url), callback };
}

/** Requests the address of the provider. */
export async function startSignIn(
  server: TestServer,
  cookie = '',
): Promise<{ status: number; url: string | null; cookies: string[]; text: string }> {
  const body = {
    provider: 'sso',
    callbackURL: '/dev',
    errorCallbackURL: `/sign-in?${new URLSearchParams({ next: '/dev' })}`,
    disableRedirect: true,
  };
  const response = await postAuth(server, '/sign-in/social', body, cookie === '' ? {} : { cookie });
  const content = await response.text();
  const { url = null } = JSON.parse(content) as { url?: string };
  return { status: response.status, url, cookies: response.headers.getSetCookie(), text: content };
}
