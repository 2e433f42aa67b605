// `chauffeur login` and `logout` against a server that decides at once, and what commands do with the stored key.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { runCli } from './setup/run-cli.ts';
import { tempFolder } from './setup/temp.ts';

type Received = { path: string; body: Record<string, string>; headers: IncomingHttpHeaders };
type Answer = { status: string; login?: object };

const CODE = 'CODE-TEST';
const approved = (key: string, game: object | null = null): Answer => ({
  status: 'approved',
  login: { key, key_ref: key.slice(0, 14), user: 'Ada', game },
});

/** A server that returns these answers to polls, in order. */
async function startServer(t: TestContext, answers: Answer[], page = 'https://games.example/cli/login?code=x') {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url?.replace('/api/v1', '') ?? '';
    const body = request.method === 'POST' ? ((await json(request)) as Record<string, string>) : {};
    received.push({ path, body, headers: request.headers });
    const data = dataOf(path);
    response.writeHead(data === null ? 401 : 200, { 'content-type': 'application/json' });
    const error = { code: 4027, message: 'No such login.' };
    response.end(JSON.stringify(data === null ? { success: false, error } : { success: true, data }));
  });
  function dataOf(path: string): object | null {
    if (path === '/public/cli/logins')
      return { device_code: 'device', user_code: CODE, verification_url: page, expires_in: 600, interval: 0 };
    if (path === '/public/cli/logins/token') return { interval: 0, login: null, ...answers.shift() };
    return path === '/public/cli/logins/revoke' ? { revoked: true } : null;
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  return { url, received, pathsOf: () => received.map(({ path }) => path) };
}

const fileIn = (cwd: string) => join(cwd, '.config', 'chauffeur', 'credentials.json');
const readFile = (cwd: string) => JSON.parse(readFileSync(fileIn(cwd), 'utf8'));

test('login takes a bare address, and refuses another --url', async (t) => {
  const cwd = tempFolder(t);
  const { url } = await startServer(t, [approved('chf_cli_secret')]);
  const address = new URL(url).host;
  const differs = await runCli(['login', address, '--url', 'games.example'], { cwd });
  assert.equal(differs.code, 1);
  assert.match(differs.stderr, /--url names another server/);
  const { code, stderr } = await runCli(['login', address], { cwd });
  assert.equal(code, 0, stderr);
  assert.equal(readFile(cwd).default, url);
  assert.equal((await runCli(['logout', `http://${address}/`], { cwd })).code, 0);
  assert.deepEqual(readFile(cwd).logins, []);
});

test('login shows the code, waits for the approval and stores the key, which later commands use', async (t) => {
  const cwd = tempFolder(t);
  const { url, received } = await startServer(t, [
    { status: 'pending' },
    { status: 'slow_down' },
    approved('chf_cli_secret', { game_uid: 'x', slug: 'owls', name: 'Owls' }),
  ]);
  const result = await runCli(['login', '--quiet', '--url', url], { cwd });
  assert.equal(result.code, 0, result.stderr);
  assert.match(result.stderr, /Your code: CODE-TEST\nOpen https:\/\/games\.example\/cli\/login\?code=x\n/);
  assert.match(result.stdout, /^Signed in to http:\/\/127\.0\.0\.1:\d+ as Ada\.\nThe login is for the game owls\.\n$/);
  assert.doesNotMatch(result.stdout + result.stderr, /chf_cli_secret|device/);
  assert.deepEqual(readFile(cwd), {
    default: url,
    logins: [{ url, key: 'chf_cli_secret', user: 'Ada', game: 'owls' }],
  });
  const [start] = received;
  assert.match(`${start?.body.host}, ${start?.body.os}`, /^[ -~]{3,130}$/);
  assert.equal(start?.headers.authorization, undefined);

  const refused = await runCli(['info', '--game', 'foxes'], { cwd });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /\(code 4027\)\n {2}Run chauffeur login again\./);
  const { headers } = received.at(-1) as Received;
  assert.deepEqual([headers.authorization, headers['x-app-id']], ['Bearer chf_cli_secret', 'foxes']);
});

test('a new login replaces the earlier one of the server, and revokes it', async (t) => {
  const cwd = tempFolder(t);
  const { url, received } = await startServer(t, [approved('chf_cli_first'), approved('chf_cli_second')]);
  for (const _ of [1, 2]) assert.equal((await runCli(['login', '--url', url], { cwd })).code, 0);
  assert.deepEqual(
    received.filter(({ path }) => path.endsWith('/revoke')).map(({ body }) => body.key),
    ['chf_cli_first'],
  );
  assert.deepEqual(
    readFile(cwd).logins.map(({ key }: { key: string }) => key),
    ['chf_cli_second'],
  );
});

test('logout revokes the key and forgets it', async (t) => {
  const cwd = tempFolder(t);
  const { url, received } = await startServer(t, [approved('chf_cli_secret')]);
  await runCli(['login', '--url', url], { cwd });
  const result = await runCli(['logout', '--json'], { cwd });
  assert.deepEqual(JSON.parse(result.stdout), { url, signed_out: true });
  assert.deepEqual(received.at(-1)?.body, { key: 'chf_cli_secret' });
  assert.equal(readFileSync(fileIn(cwd), 'utf8').includes('chf_cli_secret'), false);
  const again = await runCli(['logout', '--url', url], { cwd });
  assert.deepEqual([again.code, again.stdout], [0, `You were not signed in to ${new URL(url).origin}.\n`]);
  const info = await runCli(['info', '--url', url], { cwd });
  assert.equal(info.code, 1);
  assert.match(info.stderr, /You are not signed in .*\n {2}Run chauffeur login, or set SERVICE_ACCESS_TOKEN/);
});

test('logout keeps a key that it could not revoke', async (t) => {
  const cwd = tempFolder(t);
  const { url } = await startServer(t, [approved('chf_cli_secret')]);
  await runCli(['login', '--url', url], { cwd });
  const stored = readFile(cwd);
  stored.logins[0].url = 'http://127.0.0.1:1/api/v1';
  writeFileSync(fileIn(cwd), JSON.stringify(stored));
  assert.equal((await runCli(['logout', '--url', 'http://127.0.0.1:1/api/v1'], { cwd })).code, 3);
  assert.equal(readFile(cwd).logins[0].key, 'chf_cli_secret');
});

test('a login that is denied or expires stores nothing', async (t) => {
  for (const [status, message] of [
    ['denied', /The login was denied/],
    ['expired', /The code expired/],
  ] as const) {
    const cwd = tempFolder(t);
    const { url } = await startServer(t, [{ status: 'pending' }, { status }]);
    const result = await runCli(['login', '--url', url], { cwd });
    assert.equal(result.code, 1);
    assert.match(result.stderr, message);
    assert.equal(existsSync(fileIn(cwd)), false);
  }
});

test('a key that cannot be stored is revoked', async (t) => {
  const cwd = tempFolder(t);
  const { url, pathsOf } = await startServer(t, [approved('chf_cli_secret')]);
  mkdirSync(join(cwd, '.config'));
  symlinkSync(join(cwd, 'missing', 'folder'), join(cwd, '.config', 'chauffeur'));
  const result = await runCli(['login', '--url', url], { cwd });
  assert.equal(result.code, 1);
  assert.match(result.stderr, /cannot be written/);
  assert.equal(pathsOf().at(-1), '/public/cli/logins/revoke');
});

test('login asks for nothing while others can read the stored keys', async (t) => {
  const cwd = tempFolder(t);
  const { url, pathsOf } = await startServer(t, [approved('chf_cli_secret')]);
  await runCli(['login', '--url', url], { cwd });
  assert.equal(statSync(fileIn(cwd)).mode & 0o777, 0o600);
  chmodSync(fileIn(cwd), 0o644);
  const before = pathsOf().length;
  for (const command of ['login', 'logout', 'info']) {
    const result = await runCli([command], { cwd });
    assert.equal(result.code, 1, command);
    assert.match(result.stderr, /Other users can read .*\n {2}Run: chmod 600/);
  }
  assert.equal(pathsOf().length, before);
});

test('a page that is not a web address is refused', async (t) => {
  for (const page of ['file:///etc/passwd', 'javascript:alert(1)', '--help', '\u001b[2J']) {
    const cwd = tempFolder(t);
    const { url } = await startServer(t, [], page);
    const result = await runCli(['login', '--url', url], { cwd });
    assert.equal(result.code, 3, page);
    assert.match(result.stderr, /not from a Chauffeur server/);
    assert.equal(result.stderr.includes(page), false);
  }
});

test('variables take precedence over the login, whose file is then not read', async (t) => {
  const cwd = tempFolder(t);
  const { url, received } = await startServer(t, []);
  mkdirSync(join(cwd, '.config', 'chauffeur'), { recursive: true });
  writeFileSync(fileIn(cwd), 'damaged', { mode: 0o644 });
  const env = { SERVICE_API_URL: url, SERVICE_ACCESS_TOKEN: 'token', SERVICE_SECRET_KEY: 'secret' };
  assert.equal((await runCli(['info'], { cwd, env })).code, 2);
  const { headers } = received[0] as Received;
  assert.deepEqual([headers['x-access-token'], headers.authorization], ['token', undefined]);
});
