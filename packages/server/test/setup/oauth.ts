// An OAuth client for tests, and the person who agrees to it, step by step and over HTTP.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { request, type TestServer } from './server.ts';

export type Registered = { client_id: string; redirect_uris: string[]; grant_types: string[] };
export type Tokens = {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  scope: string;
  token_type: string;
};

export const REDIRECT = 'http://localhost:3118/callback';

type Reached = Pick<TestServer, 'url'>;

/** Registers a program as one on a person's machine does. */
export async function registerClient(server: Reached, more: object = {}): Promise<Registered> {
  const { status, body } = await post(`${server.url}/api/auth/oauth2/register`, {
    client_name: 'Test program',
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'none',
    ...more,
  });
  if (status !== 201) throw new Error(`registering answered ${status}: ${JSON.stringify(body)}`);
  return body as never;
}

type Asking = {
  client: Registered;
  verifier: string;
  request: string /** What the browser was given on the way. */;
  cookie?: string;
};

/** Sends the person's browser to the authorization endpoint; answers what the consent page was opened with. */
export async function askConsent(
  server: Reached,
  client: Registered,
  cookie: string,
  query: Record<string, string> = {},
): Promise<Asking> {
  const verifier = randomBytes(32).toString('base64url');
  const { location, cookie: given } = await authorize(server, cookie, {
    client_id: client.client_id,
    response_type: 'code',
    redirect_uri: REDIRECT,
    scope: 'mcp:read mcp:write',
    state: 'state-1',
    resource: `${server.url}/mcp`,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...query,
  });
  const url = new URL(location, server.url);
  if (url.pathname !== '/consent') throw new Error(`sent to ${location} in place of the consent page`);
  return { client, verifier, request: url.searchParams.get('request') ?? '', cookie: given };
}

/** Where the authorization endpoint sends a browser. */
export async function authorize(server: Reached, cookie: string, query: Record<string, string>) {
  // Not by fetch, which says that it is a script’s.
  const asking = get(`${server.url}/api/auth/oauth2/authorize?${new URLSearchParams(query)}`, {
    headers: { cookie, accept: 'text/html', 'sec-fetch-mode': 'navigate' },
  });
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  answer.resume();
  const set = (answer.headers['set-cookie'] ?? []).map((line) => line.split(';')[0]);
  return { status: answer.statusCode ?? 0, location: answer.headers.location ?? '', cookie: set.join('; ') };
}

export type Consent = { accept?: boolean; mayWrite?: boolean; game?: string; scope?: string };

/** Does what the consent page does; answers the address that the browser goes on to. */
export async function agree(
  server: TestServer,
  cookie: string,
  { client, request: query, cookie: given = '' }: Asking,
  { accept = true, mayWrite = true, game, scope = 'mcp:read mcp:write offline_access' }: Consent = {},
): Promise<URL> {
  const headers = { cookie: given === '' ? cookie : `${cookie}; ${given}`, origin: server.url };
  if (accept) {
    const body = { client_id: client.client_id, may_write: mayWrite, ...(game !== undefined && { game }) };
    const made = await request(`${server.api}/account/agent-connections`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (made.status !== 201) throw new Error(`connecting answered ${made.status}: ${JSON.stringify(made.body)}`);
  }
  const { status, body } = await post(
    `${server.url}/api/auth/oauth2/consent`,
    { accept, scope, oauth_query: query },
    headers,
  );
  if (status !== 200) throw new Error(`consent answered ${status}: ${JSON.stringify(body)}`);
  return new URL((body as { url: string }).url);
}

/** Exchanges what it is given at the token endpoint. */
export async function tokenRequest(server: TestServer, fields: Record<string, string>) {
  const response = await fetch(`${server.url}/api/auth/oauth2/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields),
  });
  return { status: response.status, body: (await response.json()) as Tokens & { error?: string } };
}

/** The whole way: registration, consent, tokens. */
export async function connectProgram(
  server: TestServer,
  cookie: string,
  consent: Consent = {},
): Promise<Tokens & { client: Registered }> {
  return connectClient(server, cookie, await registerClient(server), consent);
}

/** Consent and tokens, for a program that is known. */
export async function connectClient(
  server: TestServer,
  cookie: string,
  client: Registered,
  consent: Consent = {},
  redirect_uri = REDIRECT,
): Promise<Tokens & { client: Registered }> {
  const asking = await askConsent(server, client, cookie, { redirect_uri });
  const back = await agree(server, cookie, asking, consent);
  const { status, body } = await tokenRequest(server, {
    grant_type: 'authorization_code',
    client_id: client.client_id,
    code: back.searchParams.get('code') ?? '',
    code_verifier: asking.verifier,
    redirect_uri,
    resource: `${server.url}/mcp`,
  });
  if (status !== 200) throw new Error(`the token endpoint answered ${status}: ${JSON.stringify(body)}`);
  return { ...body, client };
}

export function refresh(server: TestServer, { client_id }: Registered, token: string) {
  return tokenRequest(server, { grant_type: 'refresh_token', client_id, refresh_token: token });
}

async function post(url: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}
