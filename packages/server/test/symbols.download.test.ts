// Downloads from symbol servers that fail, hang, redirect or must not be reached.
import assert from 'node:assert/strict';
import { request as requestHttp } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { after, afterEach, before, test } from 'node:test';
import { download, SourceError } from '../src/crash/symbols/sources/download.ts';
import { INTERNET, type Internet } from '../src/kernel/network/public-request.ts';
import { type SymbolServer, startSymbolServer } from './setup/symbol-server.ts';

let server: SymbolServer;
let other: SymbolServer;
before(async () => {
  [server, other] = await Promise.all([startSymbolServer(), startSymbolServer()]);
});
after(() => Promise.all([server.close(), other.close()]));
afterEach(() => {
  for (const each of [server, other]) {
    each.files.clear();
    each.credentials.length = 0;
  }
});

const PRIVATE = { ...INTERNET, allowsPrivate: true };
const PATH = ['libm so', 'ID#1', 'a?b.sym'];
const NAME = '/libm so/ID#1/a?b.sym';

function get(options: Partial<Parameters<typeof download>[2]> & { authorization?: string } = {}) {
  const { authorization, ...rest } = options;
  const source = { url: `${server.url}/base/`, authorization };
  return download(source, PATH, { internet: PRIVATE, signal: new AbortController().signal, ...rest });
}

async function read(options: Parameters<typeof get>[0] = {}): Promise<string | null> {
  const file = await get(options);
  if (file === null) return null;
  try {
    return (await buffer(file.bytes)).toString();
  } finally {
    file.close();
  }
}

function fails(problem: RegExp) {
  return (error: unknown) => error instanceof SourceError && problem.test(error.message);
}

test('a file is downloaded from below the address, with its name encoded', async () => {
  server.files.set(`/base${NAME}`, Buffer.from('MODULE'));
  assert.equal(await read(), 'MODULE');
});

test('statuses of absent files mean that there is no file', async () => {
  for (const status of [400, 403, 404, 410]) {
    server.files.set(`/base${NAME}`, (_, response) => response.writeHead(status).end('no'));
    assert.equal(await read(), null, String(status));
  }
});

test('other statuses are failures, with the time that the server asks for', async () => {
  server.files.set(`/base${NAME}`, (_, response) => response.writeHead(429, { 'retry-after': '120' }).end());
  await assert.rejects(
    read(),
    (error) => fails(/status 429/)(error) && (error as SourceError).retryAfterMs === 120_000,
  );
  for (const [status, problem] of [
    [500, /status 500/],
    [204, /status 204/],
    [401, /user and a password/],
  ] as const) {
    server.files.set(`/base${NAME}`, (_, response) => response.writeHead(status).end());
    await assert.rejects(read(), fails(problem));
  }
});

test('a redirect is followed, without the credentials if it leads elsewhere', async () => {
  server.files.set(`/base${NAME}`, (_, response) => response.writeHead(302, { location: '/moved' }).end());
  server.files.set('/moved', (_, response) => response.writeHead(307, { location: `${other.url}/file` }).end());
  other.files.set('/file', Buffer.from('there'));
  assert.equal(await read({ authorization: 'Basic eDp5' }), 'there');
  assert.deepEqual(server.credentials, ['Basic eDp5', 'Basic eDp5']);
  assert.deepEqual(other.credentials, [undefined]);
});

test('redirects that do not end, or that lead to something else than a web address, are failures', async () => {
  server.files.set(`/base${NAME}`, (request, response) =>
    response.writeHead(301, { location: request.url ?? '' }).end(),
  );
  await assert.rejects(read(), fails(/more than 5 times/));
  for (const location of ['file:///etc/passwd', 'http://[', 'ftp://example.com/']) {
    server.files.set(`/base${NAME}`, (_, response) => response.writeHead(301, { location }).end());
    await assert.rejects(read(), fails(/not https/), location);
  }
});

test('a private address is refused unless it is allowed', async () => {
  server.files.set(`/base${NAME}`, Buffer.from('MODULE'));
  const before = server.requests.length;
  await assert.rejects(read({ internet: INTERNET }), fails(/private/));
  assert.equal(server.requests.length, before);
});

test('a redirect to a private address is refused, by name, number and after a detour', async () => {
  /** A network in which example.com is the test's server, and intern.example.com is in the local network. */
  const internet: Internet = {
    allowsPrivate: false,
    resolve: async (host) => {
      if (host === 'example.com') return [{ address: '93.184.215.14', family: 4 }];
      return host === 'intern.example.com' ? [{ address: '10.0.0.7', family: 4 }] : INTERNET.resolve(host);
    },
    request: ({ pathname }, { lookup: _, ...options }) => requestHttp(new URL(pathname, server.url), options),
  };
  const symbols = { url: 'https://example.com/base/', authorization: undefined };
  const load = () => download(symbols, PATH, { internet, signal: new AbortController().signal });
  server.files.set(`/base${NAME}`, Buffer.from('MODULE'));
  (await load())?.close();
  server.files.set('/detour', (_, response) => response.writeHead(302, { location: 'https://10.0.0.7/' }).end());
  for (const location of ['https://intern.example.com/', 'https://127.0.0.1/', 'https://[::1]/', '/detour']) {
    server.files.set(`/base${NAME}`, (_, response) => response.writeHead(302, { location }).end());
    await assert.rejects(load(), fails(/private/), location);
  }
  server.files.set(`/base${NAME}`, (_, response) => response.writeHead(302, { location: 'http://example.com/' }).end());
  await assert.rejects(load(), fails(/not https/));
});

test('a server that sends nothing, or stops in the middle, is a failure', async () => {
  server.files.set(`/base${NAME}`, () => undefined);
  await assert.rejects(read({ idleMs: 30 }), fails(/nothing for 0.03 s/));
  server.files.set(`/base${NAME}`, (_, response) => response.writeHead(200).write('MOD'));
  await assert.rejects(read({ idleMs: 30 }), fails(/nothing for 0.03 s/));
});

test('a server that never ends is a failure', async () => {
  server.files.set(`/base${NAME}`, (_, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('more'), 5);
    response.on('close', () => clearInterval(timer));
  });
  await assert.rejects(read({ totalMs: 60 }), fails(/longer than 0.06 s/));
});

test('a file that is cut off is a failure', async () => {
  server.files.set(`/base${NAME}`, (_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('MODULE', () => response.destroy());
  });
  await assert.rejects(read(), fails(/could not be reached/));
});

test('a download ends when the server stops, with the reason', async () => {
  const stopping = new AbortController();
  server.files.set(`/base${NAME}`, () => stopping.abort(new Error('stopping')));
  await assert.rejects(read({ signal: stopping.signal }), /stopping/);
});

test('a server that cannot be reached is a failure', async () => {
  const source = { url: 'http://127.0.0.1:1/', authorization: undefined };
  const options = { internet: PRIVATE, signal: new AbortController().signal };
  await assert.rejects(download(source, PATH, options), fails(/could not be reached \(ECONNREFUSED\)/));
});
