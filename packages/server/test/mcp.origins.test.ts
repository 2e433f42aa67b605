// Which web pages may connect to /mcp and its OAuth endpoints, by the responses to their browsers (Fetch Standard, CORS).
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type AgentKey, makeKey } from './setup/agents.ts';
import { makeGame, signIn, startServer, type TestServer } from './setup/server.ts';

const ALLOWED = 'https://agent.example';
const OTHER = 'https://evil.example';
const OAUTH = ['register', 'token', 'revoke', 'introspect'].map((name) => `/api/auth/oauth2/${name}`);
const DOCUMENTS = [
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/oauth-authorization-server/api/auth',
  '/.well-known/oauth-authorization-server',
];

let server: TestServer;
let session: { cookie: string };
let key: AgentKey;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_MCP_ORIGINS: `${ALLOWED},https://other.example` } });
  session = await signIn(server, (await makeGame(server)).owner);
  key = await makeKey(server, session);
});
after(() => server.stop());

function preflight(path: string, origin: string, at: Pick<TestServer, 'url'> = server): Promise<Response> {
  return fetch(at.url + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,mcp-protocol-version',
    },
  });
}

function ping(headers: Record<string, string>, at: Pick<TestServer, 'url'> = server): Promise<Response> {
  return fetch(`${at.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
}

const listOf = (response: Response, name: string) =>
  (response.headers.get(`access-control-${name}`) ?? '').toLowerCase().split(', ').sort();

describe('an origin that the operator allows', () => {
  test('is answered its preflights, with what the transport needs and without cookies', async () => {
    for (const path of ['/mcp', '/mcp?tools=crashes', ...OAUTH, ...DOCUMENTS]) {
      const response = await preflight(path, ALLOWED);
      assert.equal(response.status, 204, path);
      assert.equal(response.headers.get('access-control-allow-origin'), ALLOWED, path);
      assert.equal(response.headers.get('access-control-allow-credentials'), null, path);
      assert.match(response.headers.get('vary') ?? '', /origin/i, path);
      const headers = listOf(response, 'allow-headers');
      for (const name of ['authorization', 'content-type', 'mcp-protocol-version', 'mcp-session-id', 'last-event-id'])
        assert.ok(headers.includes(name), `${path}: ${name}`);
    }
    assert.deepEqual(listOf(await preflight('/mcp', ALLOWED), 'allow-methods'), ['delete', 'get', 'post']);
  });

  test('can read responses and errors, and the headers that it needs', async () => {
    const answered = await ping({ origin: ALLOWED, authorization: `Bearer ${key.key}` });
    const refused = await ping({ origin: ALLOWED });
    assert.deepEqual([answered.status, refused.status], [200, 401]);
    for (const response of [answered, refused]) {
      assert.equal(response.headers.get('access-control-allow-origin'), ALLOWED);
      const exposed = listOf(response, 'expose-headers');
      for (const name of ['mcp-session-id', 'www-authenticate', 'retry-after']) assert.ok(exposed.includes(name), name);
    }
    for (const path of OAUTH) {
      const response = await fetch(server.url + path, {
        method: 'POST',
        headers: { origin: ALLOWED, 'content-type': 'application/x-www-form-urlencoded' },
        body: 'grant_type=none',
      });
      assert.ok(response.status >= 400 && response.status < 500, `${path}: ${response.status}`);
      assert.equal(response.headers.get('access-control-allow-origin'), ALLOWED, path);
      assert.equal(response.headers.get('access-control-allow-credentials'), null, path);
    }
  });

  test('can use no session: a cookie without a token is not enough', async () => {
    const response = await ping({ origin: ALLOWED, cookie: session.cookie });
    assert.equal(response.status, 401);
    const consent = await fetch(`${server.url}/api/auth/oauth2/consent`, {
      method: 'POST',
      headers: { origin: ALLOWED, 'content-type': 'application/json', cookie: session.cookie },
      body: '{"accept":true,"oauth_query":"a=b"}',
    });
    assert.ok(consent.status >= 400);
    assert.equal(consent.headers.get('access-control-allow-origin'), null);
    const account = await preflight('/api/v1/account/agent-keys', ALLOWED);
    assert.equal(account.headers.get('access-control-allow-origin'), null);
  });
});

describe('any other origin', () => {
  test('is refused, and its page learns nothing', async () => {
    const similar = [
      OTHER,
      'null',
      `${ALLOWED}.evil.example`,
      `${ALLOWED}:8443`,
      'http://agent.example',
      `${ALLOWED}/`,
    ];
    for (const origin of similar) {
      const response = await ping({ origin, authorization: `Bearer ${key.key}` });
      assert.equal(response.status, 403, origin);
      assert.equal(response.headers.get('access-control-allow-origin'), null, origin);
      for (const path of ['/mcp', ...OAUTH, ...DOCUMENTS]) {
        const answer = await preflight(path, origin);
        assert.equal(answer.headers.get('access-control-allow-origin'), null, `${origin} ${path}`);
        assert.equal(answer.headers.get('access-control-allow-methods'), null, `${origin} ${path}`);
      }
    }
  });

  test('is refused by default', async () => {
    const plain = await startServer({ shareWith: server });
    try {
      const response = await ping({ origin: ALLOWED, authorization: `Bearer ${key.key}` }, plain);
      assert.deepEqual([response.status, response.headers.get('access-control-allow-origin')], [403, null]);
      for (const path of ['/mcp', ...OAUTH, ...DOCUMENTS]) {
        const answer = await preflight(path, ALLOWED, plain);
        assert.equal(answer.headers.get('access-control-allow-origin'), null, path);
      }
    } finally {
      await plain.stop();
    }
  });
});

test('the address that chooses tools belongs to the same resource', async () => {
  const document = await fetch(`${server.url}/.well-known/oauth-protected-resource/mcp?tools=crashes`);
  assert.equal(((await document.json()) as { resource: string }).resource, `${server.url}/mcp`);
});
