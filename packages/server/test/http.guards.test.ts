// Guards of every request and response over HTTP: secrets are not cached, HTTPS stays on, other sites are refused,
// metrics are closed, bodies and reads are bounded.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { bodyBoundsOf } from '@chauffeur/contract/body-bounds';
import { pathOf } from '@chauffeur/contract/operation';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import { createGame } from '@chauffeur/contract/operations/games';
import { mergeCrashGroups } from '@chauffeur/contract/operations/triage';
import { MINUTE } from '../src/kernel/clock.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { makeKey } from './setup/agents.ts';
import { readResponse } from './setup/raw.ts';
import { makeGame, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { register } from './setup/uploads.ts';

const PUBLIC_URL = 'https://games.example.com';
const READS = 5;
const START = new Date('2026-11-21T10:00:20Z').getTime();

type Sent = { method?: string; headers?: Record<string, string>; body?: object; bytes?: Uint8Array };
type Got = { status: number; headers: IncomingHttpHeaders; text: string; code: number | undefined };

let server: TestServer;
let game: TestGame;
let buildId: string;
let now = START;
before(async () => {
  server = await startServer({
    role: 'api',
    clock: { now: () => new Date(now) },
    env: { CHAUFFEUR_PUBLIC_URL: PUBLIC_URL, CHAUFFEUR_TRUST_PROXY: '1', CHAUFFEUR_LIMIT_READS: String(READS) },
  });
  game = await makeGame(server);
  buildId = await register(server, game, { version: '1.0' });
});
after(() => server.stop());

/** Sends what a proxy sends, with headers that `fetch` would not allow. */
async function send(path: string, { method = 'GET', headers = {}, body, bytes }: Sent = {}, to = server): Promise<Got> {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const outgoing = httpRequest(new URL(path, to.url), { method, headers: { ...json, ...headers } });
  outgoing.end(body === undefined ? bytes : JSON.stringify(body));
  const [response] = await once(outgoing, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const isJson = (response.headers['content-type'] ?? '').startsWith('application/json') && text !== '';
  return {
    status: response.statusCode,
    headers: response.headers,
    text,
    code: isJson ? JSON.parse(text)?.error?.code : undefined,
  };
}

async function signIn(): Promise<Record<string, string>> {
  const { email, password } = game.owner;
  const { status, headers } = await send('/api/auth/sign-in/email', {
    method: 'POST',
    headers: { origin: PUBLIC_URL },
    body: { email, password },
  });
  assert.equal(status, 200);
  assert.equal(headers['cache-control'], 'no-store');
  return { cookie: (headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]).join('; ') };
}

describe('a response that carries a secret', () => {
  test('is never cached, for every operation and every outcome', async () => {
    const secrets = OPERATIONS.filter(({ secret }) => secret);
    assert.ok(secrets.length >= 10);
    for (const operation of secrets) {
      now += MINUTE;
      const params = Object.fromEntries([...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, newId()]));
      const { headers } = await send(`/api/v1${pathOf(operation, params)}`, { method: operation.method });
      assert.equal(headers['cache-control'], 'no-store', operation.id);
    }
  });

  test('is never cached when it succeeds', async () => {
    const cookie = await signIn();
    const path = `/api/v1/games/${game.uid}`;
    const responses = {
      'a session': await send('/api/auth/get-session', { headers: cookie }),
      'a crash report': await send('/api/v1/public/crashes', {
        method: 'POST',
        headers: { 'x-app-id': game.uid, 'x-build-id': buildId },
        body: { has_dump: true },
      }),
      'a personal key': await send('/api/v1/account/agent-keys', {
        method: 'POST',
        headers: cookie,
        body: { name: 'A key', may_write: true },
      }),
      'an address for symbols': await send(`${path}/symbol-token`, { method: 'POST', headers: cookie }),
      'a deploy key': await send(`${path}/deploy-keys`, { method: 'POST', headers: cookie }),
    };
    for (const [name, { status, headers }] of Object.entries(responses))
      assert.deepEqual([status < 300, headers['cache-control']], [true, 'no-store'], `${name}: ${status}`);
  });

  test('is never cached over MCP and OAuth', async () => {
    const { key } = await makeKey({ ...server, api: `${server.url}/api/v1` }, (await signIn()) as { cookie: string });
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_games', arguments: {} } };
    const mcp = await send('/mcp', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, accept: 'application/json, text/event-stream' },
      body: call,
    });
    assert.deepEqual([mcp.status, mcp.headers['cache-control']], [200, 'no-store']);
    for (const path of ['/mcp', '/api/auth/oauth2/token', '/api/auth/oauth2/register']) {
      const { headers } = await send(path, { method: 'POST', body: {} });
      assert.equal(headers['cache-control'], 'no-store', path);
    }
  });
});

describe('a request whose head can be read in two ways', () => {
  /** Each line is a header; the rest of the head and the body are as they are sent. */
  async function sendHead(lines: readonly string[], { target = '/health', version = '1.1', method = 'GET' } = {}) {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.end(`${[`${method} ${target} HTTP/${version}`, ...lines].join('\r\n')}\r\n\r\n`);
    return readResponse(socket);
  }

  test('is refused with 4002, for every route', async () => {
    const [good, evil] = ['Host: games.example.com', 'Host: evil.example'];
    const heads: [string[], Parameters<typeof sendHead>[1]?][] = [
      [[good, evil]],
      [[good, good]],
      [[]],
      [['Host: player@games.example.com']],
      [['Host: games.example.com, evil.example']],
      [[good], { target: 'http://evil.example/health' }],
      [[good], { version: '2.0' }],
      [[good, 'X-Access-Token: a', 'X-Access-Token: b']],
      [[good, 'Origin: https://games.example.com', 'Origin: https://evil.example']],
      [[good, 'Content-Length: 0', 'Content-Length: 1'], { method: 'POST' }],
      [[good, 'Content-Length: 2', 'Transfer-Encoding: chunked'], { method: 'POST' }],
      [[good, 'X-A: b', ' c']],
    ];
    for (const [lines, options = {}] of heads)
      for (const target of [
        '/health',
        '/',
        '/api/v1/games',
        '/api/auth/get-session',
        '/mcp',
        '/play/a/b',
        '/nowhere',
      ]) {
        const answer = await sendHead(lines, { target, ...options });
        const name = `${lines.join(', ')} ${JSON.stringify(options)} at ${target}`;
        assert.deepEqual([answer?.status, answer?.body?.error?.code], [400, 4002], name);
        assert.equal(answer?.headers.get('connection'), 'close', name);
      }
  });

  test('is accepted from a health check that uses HTTP/1.0 without a host', async () => {
    assert.equal((await sendHead([], { version: '1.0' }))?.status, 200);
  });
});

describe('a service at an HTTPS address', () => {
  test('sends HSTS with every response', async () => {
    now += MINUTE;
    for (const path of ['/', '/health', '/api/v1/public/games', '/api/v1/games', '/api/auth/get-session', '/nowhere'])
      assert.equal((await send(path)).headers['strict-transport-security'], 'max-age=31536000', path);
  });

  test('sets only cookies that no other host of its domain can set', async () => {
    const { headers } = await send('/api/auth/sign-in/email', {
      method: 'POST',
      headers: { origin: PUBLIC_URL },
      body: { email: game.owner.email, password: game.owner.password },
    });
    const set = headers['set-cookie'] ?? [];
    assert.ok(set.length > 0);
    for (const cookie of set) assert.match(cookie, /^__Host-chauffeur\..*; Path=\/;.*; Secure/);
    const cookie = set.map((each) => each.split(';')[0]).join('; ');
    assert.equal((await send('/api/v1/games', { headers: { cookie } })).status, 200);
    for (const prefix of ['', '__Secure-']) {
      const tossed = { cookie: cookie.replaceAll('__Host-', prefix) };
      assert.equal((await send('/api/v1/games', { headers: tossed })).status, 401, prefix);
    }
  });

  test('accepts changes from its own pages, whatever the proxy does to Host', async () => {
    const cookie = await signIn();
    const { host } = new URL(server.url);
    const change = (origin: string, to: string) =>
      send('/api/v1/games', { method: 'POST', headers: { ...cookie, origin, host: to }, body: { name: 'A Game' } });
    for (const to of [host, 'games.example.com', 'backend:4000'])
      assert.equal((await change(PUBLIC_URL, to)).status, 201, to);
    for (const [origin, to] of [
      [`http://${host}`, host],
      ['http://backend:4000', 'backend:4000'],
      ['http://games.example.com', 'games.example.com'],
      ['https://evil.example', 'evil.example'],
    ] as const) {
      const { status, code } = await change(origin, to);
      assert.deepEqual([status, code], [403, 4032], `${origin} at ${to}`);
    }
  });

  test('still accepts crash reports and events from pages of any site', async () => {
    const { status, headers } = await send('/api/v1/public/events', {
      method: 'POST',
      headers: { origin: 'https://elsewhere.example', 'x-app-id': game.uid, 'x-build-id': buildId },
      body: { events: [] },
    });
    assert.deepEqual([status, headers['access-control-allow-origin']], [202, '*']);
  });
});

describe('/metrics without a token', () => {
  test('is open on the same machine, and closed to requests that a proxy there forwards', async () => {
    assert.equal((await send('/metrics')).status, 200);
    const proxied: Record<string, string>[] = [
      { 'x-forwarded-for': '203.0.113.9' },
      { 'x-forwarded-for': '127.0.0.1' },
      { host: 'games.example.com' },
    ];
    for (const headers of proxied) {
      const { status, text } = await send('/metrics', { headers });
      assert.equal(status, 403, JSON.stringify(headers));
      assert.match(text, /CHAUFFEUR_METRICS_TOKEN/);
    }
  });
});

describe('a body of many small values', () => {
  for (const operation of [createGame, mergeCrashGroups]) {
    const { bytes, values } = bodyBoundsOf(operation);
    test(`is refused by ${operation.id} before it is parsed`, async () => {
      const owner = await signIn();
      const small = Buffer.from(`{"unknown":[${'{},'.repeat(Math.floor(bytes / 3) - 20)}{}`);
      const path = `/api/v1${operation.path.replace('{uid}', game.uid)}`;
      const headers = { ...owner, 'content-type': 'application/json' };
      const { status, text } = await send(path, { method: operation.method, headers, bytes: small });
      // It isn't even JSON.
      assert.equal(status, 400);
      assert.match(text, new RegExp(`body: more than ${values} values\\. Send fewer\\.`));
    });
  }

  test('is refused by sign-in before it is parsed', async () => {
    const bytes = Buffer.from(`[${'{},'.repeat(2000)}`);
    const headers = { origin: PUBLIC_URL, 'content-type': 'application/json' };
    const { status, text } = await send('/api/auth/sign-in/email', { method: 'POST', headers, bytes });
    assert.equal(status, 400);
    assert.match(text, /body: more than 1000 values\. Send fewer\./);
  });

  test('is refused as a form', async () => {
    const { keyHeaders } = await makeGame(server);
    const bytes = Buffer.from('a=1&'.repeat(101));
    const headers = { ...keyHeaders, 'content-type': 'application/x-www-form-urlencoded' };
    const { status, text } = await send('/api/v1/tool/upload/sessions', { method: 'POST', headers, bytes });
    assert.equal(status, 400);
    assert.match(text, /body: more than 100 fields\. Send fewer\./);
  });
});

describe('a compressed JSON body', () => {
  const MIB = 1024 * 1024;
  const BOMBS = [MIB + 1, 100 * MIB].map((size) => gzipSync(Buffer.alloc(size, ' ')));
  const event = () => ({ event: 'level_complete', app_id: game.uid, build_id: buildId });
  const ROUTES: readonly [path: string, body: () => object, status: number][] = [
    ['/api/v1/public/crashes', () => ({ message: 'boom' }), 201],
    ['/api/v1/public/events', () => ({ events: [event()] }), 202],
    ['/v1/events', () => ({ events: [event()] }), 202],
  ];

  const post = (path: string, body: Uint8Array, headers: Record<string, string>) =>
    send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-app-id': game.uid, 'x-build-id': buildId, ...headers },
      bytes: body,
    });

  for (const [path, body, status] of ROUTES) {
    test(`is accepted by ${path}, whatever its Content-Type`, async () => {
      const text = JSON.stringify(body());
      for (const type of ['application/json', 'text/plain']) {
        const headers = { 'content-type': type };
        const gzip = await post(path, gzipSync(text), { ...headers, 'content-encoding': 'gzip' });
        assert.equal(gzip.status, status, gzip.text);
        const deflate = await post(path, deflateSync(text), { ...headers, 'content-encoding': 'deflate' });
        assert.equal(deflate.status, status, deflate.text);
      }
    });

    test(`is refused by ${path} with 4001 if it unpacks to more than 1 MiB`, async () => {
      for (const bomb of BOMBS) {
        for (const type of ['application/json', 'text/plain']) {
          const refused = await post(path, bomb, { 'content-type': type, 'content-encoding': 'gzip' });
          assert.deepEqual(
            [refused.status, refused.code],
            [400, 4001],
            `${bomb.length} bytes as ${type}: ${refused.text}`,
          );
        }
      }
    });

    test(`is refused by ${path} with 4001 if it is cut, not compressed or compressed in another way`, async () => {
      const text = JSON.stringify(body());
      const packed = gzipSync(text);
      const broken: [Uint8Array, string][] = [
        [packed.subarray(0, packed.length - 9), 'gzip'],
        [Buffer.from(text), 'gzip'],
        [packed, 'br'],
        [packed, 'gzip, gzip'],
      ];
      for (const [bytes, encoding] of broken) {
        const refused = await post(path, bytes, { 'content-encoding': encoding });
        assert.deepEqual([refused.status, refused.code], [400, 4001], `${encoding}: ${refused.text}`);
      }
    });
  }
});

describe('the read limit', () => {
  beforeEach(() => {
    now += MINUTE;
  });

  const read = (address: string, path = '/api/v1/public/games', headers: Record<string, string> = {}) =>
    send(path, { headers: { 'x-forwarded-for': address, ...headers } });

  async function useUp(address: string): Promise<void> {
    for (let reads = 0; reads < READS; reads += 1) assert.equal((await read(address)).status, 200);
  }

  test('refuses further reads from an address until the next minute, and no other address', async () => {
    await useUp('203.0.113.1');
    const refused = await read('203.0.113.1');
    assert.deepEqual([refused.status, refused.code, refused.headers['retry-after']], [429, 4290, '40']);
    assert.equal((await read('203.0.113.2')).status, 200);
    now += MINUTE;
    assert.equal((await read('203.0.113.1')).status, 200);
  });

  test('counts an IPv6 network as one address', async () => {
    await useUp('2001:db8:1:2::1');
    assert.equal((await read('2001:db8:1:2:ffff::9')).status, 429);
    assert.equal((await read('2001:db8:1:3::1')).status, 200);
  });

  test('cannot be bypassed with forged addresses', async () => {
    await useUp('203.0.113.3');
    for (const madeUp of ['198.51.100.7', '127.0.0.1', 'unknown'])
      assert.equal((await read(`${madeUp}, 203.0.113.3`)).status, 429, madeUp);
  });

  test('counts pages, the sitemap and public routes together, and responds to a page request with a page', async () => {
    const html = { accept: 'text/html' };
    await read('203.0.113.4', '/', html);
    await read('203.0.113.4', '/games/nothing', html);
    await read('203.0.113.4', '/sitemap.xml');
    await read('203.0.113.4', '/api/v1/public/shelves/new');
    await send('/api/v1/public/games', { method: 'HEAD', headers: { 'x-forwarded-for': '203.0.113.4' } });
    const page = await read('203.0.113.4', '/', html);
    assert.deepEqual([page.status, page.headers['retry-after']], [429, '40']);
    assert.match(page.text, /<h1>Too many requests<\/h1>[\s\S]*in 40 seconds/);
    for (const path of ['/sitemap.xml', '/api/v1/public/shelves/new', `/api/v1/public/games/${game.slug}`])
      assert.equal((await read('203.0.113.4', path)).code, 4290, path);
  });

  test('allows pages of other sites to read the refusal', async () => {
    await useUp('203.0.113.5');
    const { status, headers } = await read('203.0.113.5', `/api/v1/public/crashes/${newId()}`, {
      origin: 'https://game.example',
    });
    assert.deepEqual([status, headers['access-control-allow-origin']], [429, '*']);
  });

  test("does not apply to monitors, players' games and the images of pages", async () => {
    await useUp('203.0.113.6');
    const from = { 'x-forwarded-for': '203.0.113.6' };
    assert.equal((await send('/health', { headers: from })).status, 200);
    assert.equal((await send('/ready', { headers: from })).status, 200);
    assert.equal((await read('203.0.113.6', `/api/v1/public/media/${newId()}`)).status, 404);
    assert.equal((await read('203.0.113.6', '/play/nothing/index.html')).status, 404);
    assert.equal((await send('/api/v1/games', { headers: { ...from, ...(await signIn()) } })).status, 200);
    const events = await send('/api/v1/public/events', {
      method: 'POST',
      headers: { ...from, 'x-app-id': game.uid, 'x-build-id': buildId },
      body: { events: [] },
    });
    assert.equal(events.status, 202);
  });

  test('is lifted by 0', async () => {
    const open = await startServer({ role: 'api', shareWith: server, env: { CHAUFFEUR_LIMIT_READS: '0' } });
    try {
      const responses = await Promise.all(Array.from({ length: 20 }, () => send('/api/v1/public/games', {}, open)));
      assert.ok(responses.every(({ status }) => status === 200));
      assert.equal(responses[0]?.headers['strict-transport-security'], undefined, 'no HSTS at an HTTP address');
    } finally {
      await open.stop();
    }
  });
});
