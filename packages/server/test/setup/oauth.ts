// An OAuth client for tests and the person who consents to it, one HTTP request at a time.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { request, type TestServer } from './server.ts';

export type RegisteredClient = { client_id: string; redirect_uris: string[]; grant_types: string[] };
export type Tokens = {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  scope: string;
  token_type: string;
};

export const REDIRECT = 'http://localhost:3118/callback';

type ServerUrl = Pick<TestServer, 'url'>;

/** Registers a client as a program on a person's machine does. */
export async function registerClient(server: ServerUrl, more: object = {}): Promise<RegisteredClient> {
  const { status, body } = await post(`${server.url}/api/auth/oauth2/register`, {
    client_name: 'Test program',
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'none',
    ...more,
  });
  if (status !== 201) throw new Error(`registration returned ${status}: ${JSON.stringify(body)}`);
  return body as never;
}

/** A request that waits on the consent page. */
type ConsentRequest = {
  client: RegisteredClient;
  verifier: string;
  request: string;
  /** The cookies that the authorization endpoint set. */
  cookie?: string;
};

/** Sends the person's browser to the authorization endpoint. Returns the request that the consent page received. */
export async function requestConsent(
  server: ServerUrl,
  client: RegisteredClient,
  cookie: string,
  query: Record<string, string> = {},
): Promise<ConsentRequest> {
  const verifier = randomBytes(32).toString('base64url');
  const { location, cookie: setCookies } = await authorize(server, cookie, {
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
  if (url.pathname !== '/consent') throw new Error(`redirected to ${location} instead of the consent page`);
  return { client, verifier, request: url.searchParams.get('request') ?? '', cookie: setCookies };
}

/** Returns where the authorization endpoint redirects a browser, and the cookies that it sets. */
export async function authorize(server: ServerUrl, cookie: string, query: Record<string, string>) {
  // `fetch` would send `Sec-Fetch-Mode: cors`, which identifies a script.
  const navigation = get(`${server.url}/api/auth/oauth2/authorize?${new URLSearchParams(query)}`, {
    headers: { cookie, accept: 'text/html', 'sec-fetch-mode': 'navigate' },
  });
  const [response] = (await once(navigation, 'response')) as [IncomingMessage];
  response.resume();
  const cookies = (response.headers['set-cookie'] ?? []).map((line) => line.split(';')[0]);
  return { status: response.statusCode ?? 0, location: response.headers.location ?? '', cookie: cookies.join('; ') };
}

export type Consent = { accept?: boolean; mayWrite?: boolean; game?: string; scope?: string };

/** Decides the request as the consent page does. Returns the URL that the browser is redirected to. */
export async function giveConsent(
  server: TestServer,
  cookie: string,
  { client, request: query, cookie: requestCookie = '' }: ConsentRequest,
  { accept = true, mayWrite = true, game, scope = 'mcp:read mcp:write offline_access' }: Consent = {},
): Promise<URL> {
  const headers = { cookie: requestCookie === '' ? cookie : `${cookie}; ${requestCookie}`, origin: server.url };
  if (accept) {
    const body = { client_id: client.client_id, may_write: mayWrite, ...(game !== undefined && { game }) };
    const connection = await request(`${server.api}/account/agent-connections`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (connection.status !== 201) {
      throw new Error(`connecting returned ${connection.status}: ${JSON.stringify(connection.body)}`);
    }
  }
  const { status, body } = await post(
    `${server.url}/api/auth/oauth2/consent`,
    { accept, scope, oauth_query: query },
    headers,
  );
  if (status !== 200) throw new Error(`consent returned ${status}: ${JSON.stringify(body)}`);
  return new URL((body as { url: string }).url);
}

/** Sends these fields to the token endpoint. */
export async function requestTokens(server: TestServer, fields: Record<string, string>) {
  const response = await fetch(`${server.url}/api/auth/oauth2/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields),
  });
  return { status: response.status, body: (await response.json()) as Tokens & { error?: string } };
}

/** Returns the fields that exchange the code in the redirect URL, which `giveConsent` returned. */
export function codeFields({ client, verifier }: ConsentRequest, redirect: URL) {
  return {
    grant_type: 'authorization_code',
    client_id: client.client_id,
    code: redirect.searchParams.get('code') ?? '',
    code_verifier: verifier,
    redirect_uri: REDIRECT,
  };
}

/** Exchanges the code in the redirect URL, which `giveConsent` returned; `changes` replace or add fields. */
export function exchangeCode(
  server: TestServer,
  consentRequest: ConsentRequest,
  redirect: URL,
  changes: Record<string, string> = {},
) {
  return requestTokens(server, { ...codeFields(consentRequest, redirect), ...changes });
}

/** Registers a client, gives consent and gets tokens. */
export async function connectProgram(
  server: TestServer,
  cookie: string,
  consent: Consent = {},
): Promise<Tokens & { client: RegisteredClient }> {
  return connectClient(server, cookie, await registerClient(server), consent);
}

/** Gives consent to a registered client and gets tokens. */
export async function connectClient(
  server: TestServer,
  cookie: string,
  client: RegisteredClient,
  consent: Consent = {},
  redirect_uri = REDIRECT,
): Promise<Tokens & { client: RegisteredClient }> {
  const consentRequest = await requestConsent(server, client, cookie, { redirect_uri });
  const redirect = await giveConsent(server, cookie, consentRequest, consent);
  const resource = `${server.url}/mcp`;
  const { status, body } = await exchangeCode(server, consentRequest, redirect, { redirect_uri, resource });
  if (status !== 200) throw new Error(`the token endpoint returned ${status}: ${JSON.stringify(body)}`);
  return { ...body, client };
}

export function refresh(server: TestServer, { client_id }: RegisteredClient, token: string) {
  return requestTokens(server, { grant_type: 'refresh_token', client_id, refresh_token: token });
}

/** Calls MCP with the token. */
export function pingMcp(server: ServerUrl, token: string): Promise<Response> {
  return fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
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
