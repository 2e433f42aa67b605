// Tests `chauffeur doctor` and proxies with a real server, and with servers that fail in the ways it explains.
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, request as forward, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { VERSION, VERSION_HEADER } from '@chauffeur/contract/version';
import { makeCertificate } from '../packages/server/test/setup/certificate.ts';
import { findFreePort } from '../packages/server/test/setup/free-port.ts';
import { type Environment, makeFolder, runCommand, type ServiceProcess, startService } from './setup/processes.ts';
import { openStudioByCommands, type Studio } from './setup/studio.ts';

type Check = { name: string; status: string; message: string; remedy: string | null };

describe('chauffeur doctor', () => {
  let work: Awaited<ReturnType<typeof makeFolder>>;
  let service: ServiceProcess;
  let studio: Studio;
  before(async () => {
    work = await makeFolder();
    service = await startService(join(work.path, 'data'));
    studio = await openStudioByCommands(service);
  });
  after(async () => {
    await service?.stop();
    await work?.remove();
  });

  async function diagnose(changes: Environment = {}, ...flags: string[]) {
    const environment = { ...studio.environment, ...changes };
    const { code, stdout } = await runCommand(['doctor', '--json', ...flags], { environment, folder: work.path });
    const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Check[] };
    const find = (name: string) => checks.filter((check) => check.name === name);
    const problems = checks.filter(({ status }) => status === 'problem');
    assert.deepEqual([ok, code], problems.length === 0 ? [true, 0] : [false, 1], stdout);
    return { checks, problems, find };
  }

  /** Listens on a free port and returns the base URL of its API. */
  async function listen(t: TestContext, server: Server, base = 'http://127.0.0.1'): Promise<string> {
    await new Promise<void>((resolve) => server.listen(0, resolve));
    t.after(() => server.close());
    return `${base}:${(server.address() as AddressInfo).port}/api/v1`;
  }

  const asChauffeur: RequestListener = (_, response) => {
    response.writeHead(401, { [VERSION_HEADER]: VERSION }).end('{}');
  };
  const only = (url: string): Environment => ({ SERVICE_API_URL: url, SERVICE_UPLOAD_URL: '' });

  test('reports that everything works, in lines and as JSON', async () => {
    const { checks } = await diagnose();
    const names = ['address', 'proxy', 'connection', 'server', 'clock', 'key', 'upload', 'disk'];
    assert.deepEqual(
      checks.filter(({ name, status }) => status === 'ok' || name === 'disk').map(({ name }) => name),
      names,
    );
    const { stdout } = await runCommand(['doctor'], { environment: studio.environment, folder: work.path });
    assert.match(stdout, /^ok +server +Chauffeur \d/m);
    assert.match(stdout, new RegExp(`^ok +key +${studio.environment.SERVICE_ACCESS_TOKEN?.slice(0, 8)}… is`, 'm'));
    assert.equal(stdout.includes(studio.environment.SERVICE_SECRET_KEY ?? ''), false);
  });

  test('explains a missing, an incomplete and a wrong key', async () => {
    for (const [changes, message] of [
      [{ SERVICE_ACCESS_TOKEN: '' }, /access token of the deploy key is missing/],
      [{ SERVICE_SECRET_KEY: 'wrong' }, /./],
    ] as const) {
      const { problems } = await diagnose(changes);
      assert.deepEqual(
        problems.map(({ name }) => name),
        ['key'],
      );
      assert.match(problems[0]?.message ?? '', message);
      assert.ok(problems[0]?.remedy);
    }
  });

  test('explains URLs that are malformed, have no server, or another server', async (t) => {
    const other = await listen(
      t,
      createServer((_, response) => response.end('hello')),
    );
    const moved = await listen(
      t,
      createServer((_, response) => response.writeHead(301, { location: service.api }).end()),
    );
    const refused = `http://127.0.0.1:${await findFreePort()}/api/v1`;
    for (const [url, name, message] of [
      ['ftp://127.0.0.1', 'address', /is not an http or https URL/],
      ['http://nosuch.invalid/api/v1', 'connection', /DNS/],
      [refused, 'connection', /refused the connection/],
      [other, 'server', /The response is not from a Chauffeur server: status 200/],
      [moved, 'server', /redirects to http/],
    ] as const) {
      const { problems } = await diagnose(only(url));
      assert.deepEqual(
        problems.map((check) => check.name),
        [name],
        url,
      );
      assert.match(problems[0]?.message ?? '', message);
      assert.ok(problems[0]?.remedy);
    }
  });

  test('explains certificates that are expired, unknown, or for another name', async (t) => {
    const start = async (host: string, days: number) => {
      const certificate = makeCertificate(host, days);
      const file = join(work.path, `${host}-${days}.pem`);
      await writeFile(file, certificate.cert);
      return { url: await listen(t, createTlsServer(certificate, asChauffeur), 'https://localhost'), file };
    };
    const current = await start('localhost', 5);
    const unknown = await diagnose(only(current.url));
    assert.match(unknown.problems[0]?.message ?? '', /self-signed/);
    assert.match(unknown.problems[0]?.remedy ?? '', /NODE_EXTRA_CA_CERTS/);

    const trusted = await diagnose({ ...only(current.url), NODE_EXTRA_CA_CERTS: current.file });
    assert.deepEqual([trusted.find('connection')[0]?.status, trusted.find('server')[0]?.status], ['ok', 'ok']);
    assert.match(trusted.find('certificate')[0]?.message ?? '', /expires on/);

    const expired = await start('localhost', -0.5);
    const late = await diagnose({ ...only(expired.url), NODE_EXTRA_CA_CERTS: expired.file });
    assert.match(late.problems[0]?.message ?? '', /has expired/);

    const named = await start('games.example', 5);
    const misnamed = await diagnose({ ...only(named.url), NODE_EXTRA_CA_CERTS: named.file });
    assert.match(misnamed.problems[0]?.message ?? '', /another name/);

    const plain = await diagnose(only(service.api.replace('http:', 'https:')));
    assert.match(plain.problems[0]?.message ?? '', /does not use TLS/);
  });

  test('warns if the clock is wrong', async (t) => {
    const url = await listen(
      t,
      createServer((request, response) => {
        response.setHeader('date', new Date(Date.now() - 600_000).toUTCString());
        asChauffeur(request, response as never);
      }),
    );
    const [clock] = (await diagnose(only(url))).find('clock');
    assert.equal(clock?.status, 'warning');
    assert.match(clock?.message ?? '', /(9 min 5\d|10 min \d) s ahead of the server's/);
  });

  test('checks the upload host', async (t) => {
    const refused = `http://127.0.0.1:${await findFreePort()}/api/v1`;
    const { problems, find } = await diagnose({ SERVICE_UPLOAD_URL: refused });
    assert.match(problems[0]?.message ?? '', /refused the connection/);
    assert.match(find('upload')[0]?.message ?? '', new RegExp(`expects them at ${service.api}`));
    const other = await listen(
      t,
      createServer((_, response) => response.end('hello')),
    );
    assert.deepEqual(
      (await diagnose({ SERVICE_UPLOAD_URL: other })).problems.map(({ name }) => name),
      ['upload'],
    );
  });

  test('explains a temporary folder that cannot be used', async () => {
    const { problems } = await diagnose({}, '--tmp', '/proc');
    assert.deepEqual(
      problems.map(({ name }) => name),
      ['disk'],
    );
    assert.match(problems[0]?.remedy ?? '', /--tmp/);
  });

  test('the command and its uploads use the proxy of the environment', async (t) => {
    // Only the proxy knows where these hosts are.
    const api = `http://games.example:${new URL(service.url).port}/api/v1`;
    const certificate = makeCertificate('games.example', 30);
    const ca = join(work.path, 'proxied.pem');
    await writeFile(ca, certificate.cert);
    const tls = await listen(t, createTlsServer(certificate, asChauffeur), 'https://games.example');
    const proxied: string[] = [];
    const proxy = createServer((request, response) => {
      const { method, headers, url = '' } = request;
      proxied.push(url);
      const onward = forward(url.replace('games.example', '127.0.0.1'), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy());
      request.pipe(onward);
    });
    proxy.on('connect', (request, socket: Socket) => {
      proxied.push(request.url ?? '');
      const target = connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        target.pipe(socket).pipe(target);
      });
      target.on('error', () => socket.destroy());
      socket.on('error', () => target.destroy());
    });
    const address = (await listen(t, proxy)).replace('/api/v1', '');

    const through = await diagnose({ ...only(api), HTTP_PROXY: address });
    assert.deepEqual(through.problems, []);
    assert.match(through.find('proxy')[0]?.message ?? '', new RegExp(`Requests use HTTP_PROXY=${address}`));
    assert.ok(proxied.includes(`${api}/tool/info`), proxied.join());

    const secure = await diagnose({ ...only(tls), HTTPS_PROXY: address, NODE_EXTRA_CA_CERTS: ca });
    assert.equal(secure.find('server')[0]?.status, 'ok');
    assert.ok(proxied.includes(new URL(tls).host), proxied.join());

    await mkdir(join(work.path, 'game'));
    await writeFile(join(work.path, 'game/game.txt'), 'play');
    const pushed = await runCommand(['push', 'game', '--version', '1', '--os', 'windows', '--arch', 'x86_64'], {
      environment: { ...studio.environment, ...only(api), HTTP_PROXY: address },
      folder: work.path,
    });
    assert.equal(pushed.code, 0, pushed.stderr);
    assert.ok(proxied.includes(`${api}/tool/upload/files`), proxied.join());

    const count = proxied.length;
    assert.deepEqual((await diagnose({ HTTP_PROXY: address })).problems, []);
    assert.equal(proxied.length, count, 'this machine is reached directly');
    const excluded = await diagnose({ ...only(api), HTTP_PROXY: address, NO_PROXY: 'games.example' });
    assert.deepEqual(
      excluded.problems.map(({ name }) => name),
      ['connection'],
    );

    const wrong = await diagnose({ HTTP_PROXY: 'proxy.example.com' });
    assert.deepEqual(
      wrong.problems.map(({ name }) => name),
      ['proxy'],
    );
    const dead = await diagnose({ ...only(api), HTTP_PROXY: `http://127.0.0.1:${await findFreePort()}` });
    assert.match(dead.problems[0]?.remedy ?? '', /proxy/);
  });
});
