// Playing web builds on the real server: the correct bytes and headers, only for those with access.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type IncomingMessage, request as send } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { MIB } from '@chauffeur/contract/limits';
import { makeGame, makePlayer, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { shipAndScan } from './setup/uploads.ts';
import { buildZip, type ZipPiece } from './setup/zips.ts';

const SCRIPT = 'console.log("walk");\n'.repeat(500);
const PIECES: readonly ZipPiece[] = [
  { name: 'walk/' },
  { name: 'walk/index.html', data: '<!doctype html><script src="walk.js"></script>', method: 8 },
  { name: 'walk/walk.js', data: SCRIPT, method: 8, extra: Buffer.from([0xfe, 0xca, 2, 0, 1, 2]) },
  { name: 'walk/steps größer.ogg', data: '0123456789' },
  { name: 'walk/walk.wasm.br', data: brotliCompressSync(Buffer.from('\0asm')), method: 8 },
  { name: 'walk/nothing.bin', data: '' },
  { name: 'walk/link', data: 'walk.js', mode: 0o120777 },
];
const WEB = { os: 'web', arch: 'wasm32' };

/**
 * Sends a raw request with any headers and an unnormalized path. Browsers resolve names below `localhost` themselves,
 * Node doesn't.
 */
async function read(url: string, headers: Record<string, string> = {}, method = 'GET') {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { origin, host, port } = new URL(url);
  const path = url.slice(origin.length);
  const options = { hostname: '127.0.0.1', port, path, method, headers: { host, ...headers }, agent: false };
  send(options, resolve).on('error', reject).end();
  const response = await promise;
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) };
}

describe('a web build in the browser', () => {
  let server: TestServer;
  let game: TestGame;
  let base: string;
  let fileUid: string;
  let port: string;
  before(async () => {
    server = await startServer();
    ({ port } = new URL(server.url));
    game = await makeGame(server);
    ({ fileUid } = await ship());
    base = `${server.url}/play/${fileUid}/walk`;
  });
  after(() => server.stop());

  let count = 0;
  const ship = (of = game, channel = 'stable', pieces = PIECES, platform = WEB) =>
    shipAndScan(server, of, { version: `1.${count++}`, channel, ...platform }, buildZip(pieces));
  const askFor = (file: string, headers: Record<string, string> = {}, of = game) =>
    request(`${server.api}/public/games/${of.uid}/files/${file}/play`, { headers });

  test('has a URL that starts with its page, and declares what its frame may do', async () => {
    const { status, body } = await askFor(fileUid);
    assert.equal(status, 200);
    const flags = 'allow-scripts allow-pointer-lock allow-orientation-lock allow-forms';
    assert.deepEqual(body.data, {
      url: `http://${game.uid}.localhost:${port}/play/${fileUid}/walk/index.html`,
      sandbox: `${flags} allow-same-origin`,
      keeps_saves: true,
      fallback: { url: `${server.url}/play/${fileUid}/walk/index.html`, sandbox: flags },
      expires_at: null,
    });
  });

  test('serves a deflated entry as stored in the zip, which unpacks to the entry', async () => {
    const { status, headers, bytes } = await read(`${base}/walk.js`, { 'accept-encoding': 'br, gzip' });
    assert.deepEqual([status, headers['content-encoding']], [200, 'gzip']);
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
    assert.equal(Number(headers['content-length']), bytes.length);
    assert.equal(gunzipSync(bytes).toString(), SCRIPT);
    const plain = await read(`${base}/walk.js`);
    assert.deepEqual([plain.headers['content-encoding'], plain.bytes.toString()], [undefined, SCRIPT]);
    assert.notEqual(plain.headers.etag, headers.etag);
    assert.match(String(headers.vary), /Accept-Encoding/);
  });

  test('uses the names in the zip, decoded once, and leaves files compressed by the engine to the browser', async () => {
    const ogg = await read(`${base}/${encodeURIComponent('steps größer.ogg')}`);
    assert.deepEqual([ogg.headers['content-type'], ogg.bytes.toString()], ['audio/ogg', '0123456789']);
    const wasm = await read(`${base}/walk.wasm.br?v=1`, { 'accept-encoding': 'gzip, br' });
    assert.deepEqual([wasm.headers['content-type'], wasm.headers['content-encoding']], ['application/wasm', 'br']);
    assert.deepEqual(wasm.bytes, brotliCompressSync(Buffer.from('\0asm')));
    assert.deepEqual((await read(`${base}/nothing.bin`)).bytes.length, 0);
  });

  test('supports ranges and conditional requests, for compressed entries too', async () => {
    const ogg = `${base}/${encodeURIComponent('steps größer.ogg')}`;
    const part = await read(ogg, { range: 'bytes=2-4', 'accept-encoding': 'gzip' });
    assert.deepEqual([part.status, part.headers['content-range'], part.bytes.toString()], [206, 'bytes 2-4/10', '234']);
    const end = await read(`${base}/walk.js`, { range: 'bytes=-5', 'accept-encoding': 'gzip' });
    assert.deepEqual([end.status, end.bytes.toString()], [206, SCRIPT.slice(-5)]);
    assert.equal((await read(ogg, { range: 'bytes=10-' })).status, 416);
    const { headers } = await read(ogg);
    assert.equal((await read(ogg, { 'if-none-match': String(headers.etag) })).status, 304);
  });

  test('isolates every response from the site, gives it an opaque origin and sets its content type', async () => {
    for (const path of ['index.html', 'walk.js', 'no-such-file', 'link']) {
      const { headers } = await read(`${base}/${path}`);
      assert.match(String(headers['content-security-policy']), /^sandbox allow-scripts /, path);
      assert.doesNotMatch(
        String(headers['content-security-policy']),
        /same-origin|top-navigation|popups|downloads/,
        path,
      );
      assert.equal(headers['access-control-allow-origin'], '*', path);
      assert.equal(headers['x-content-type-options'], 'nosniff', path);
      assert.equal(headers['cross-origin-resource-policy'], 'cross-origin', path);
      assert.equal(headers['set-cookie'], undefined, path);
    }
  });

  test('lets browsers cache what never changes, except the page, which must not load after it was withdrawn', async () => {
    assert.equal((await read(`${base}/walk.js`)).headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal((await read(`${base}/index.html`)).headers['cache-control'], 'public, no-cache');
    assert.equal((await read(`${base}/no-such-file`)).headers['cache-control'], 'no-store');
  });

  test('serves only files that the zip directory lists', async () => {
    const tricks = [
      '',
      '..',
      '../walk/walk.js',
      '%2e%2e/walk/walk.js',
      '..%2fwalk%2fwalk.js',
      '..%5cwalk%5cwalk.js',
      '%252e%252e/walk/walk.js',
      'walk.js/',
      'walk.js%00.html',
      'WALK.JS',
      './walk.js',
      '/walk.js',
      '%',
      'constructor',
      'x'.repeat(5000),
    ];
    for (const trick of tricks)
      assert.ok([400, 404, 414].includes((await read(`${base}/${trick}`)).status ?? 0), trick);
  });

  test('redirects to the page of the game when opened outside its frame, and refuses service workers', async () => {
    const direct = await read(`${base}/index.html`, { 'sec-fetch-dest': 'document' });
    assert.deepEqual([direct.status, direct.headers.location], [302, `${server.url}/g/${game.uid}/play`]);
    assert.equal((await read(`${base}/index.html`, { 'sec-fetch-dest': 'iframe' })).status, 200);
    assert.equal((await read(`${base}/walk.js`, { 'service-worker': 'script' })).status, 404);
  });

  test('that is not for everyone has its own URL, which cannot be derived from the build id', async () => {
    const dev = await ship(game, 'dev');
    assert.equal((await askFor(dev.fileUid)).body.error?.code, 4074);
    assert.equal((await read(`${server.url}/play/${dev.fileUid}/walk/walk.js`)).status, 403);
    const player = await makePlayer(server);
    assert.equal((await askFor(dev.fileUid, player.headers)).body.error?.code, 4074);
    const { body } = await askFor(dev.fileUid, await signIn(server, game.owner));
    const hours = (Date.parse(body.data.expires_at) - Date.now()) / 3_600_000;
    assert.ok(hours > 11.9 && hours <= 12, body.data.expires_at);
    const { status, headers } = await read(body.data.url.replace('index.html', 'walk.js'));
    assert.deepEqual([status, headers['cache-control']], [200, 'private, max-age=31536000, immutable']);
    const [, pass = ''] = /\/play\/([^/]+)\//.exec(body.data.url) ?? [];
    const forged = pass.slice(0, -1) + (pass.endsWith('A') ? 'B' : 'A');
    for (const bad of [forged, 'x', '%00', game.uid])
      assert.equal((await read(`${server.url}/play/${bad}/walk/walk.js`)).status, 404, bad);
  });

  test('of a draft can be played by its members only', async () => {
    const draft = await makeGame(server, { visibility: 'draft' });
    const { fileUid: hidden } = await ship(draft);
    assert.equal((await askFor(hidden, {}, draft)).status, 404);
    assert.equal((await read(`${server.url}/play/${hidden}/walk/walk.js`)).status, 404);
    const { body } = await askFor(hidden, await signIn(server, draft.owner), draft);
    assert.equal((await read(body.data.url)).status, 200);
  });

  test('continues for current players when the next build goes live, while new players get that build', async () => {
    const own = await makeGame(server);
    const first = await ship(own);
    const unseen = `${server.url}/play/${first.fileUid}/walk`;
    assert.equal((await read(`${unseen}/index.html`)).status, 200);
    await ship(own);
    assert.equal((await read(`${unseen}/walk.js`)).status, 200);
    assert.equal((await askFor(first.fileUid, {}, own)).body.error?.code, 4074);
  });

  test('is refused with 4092 and a reason if it is not a web build or has no start page', async () => {
    const linux = await ship(game, 'tux', PIECES, { os: 'linux', arch: 'x86_64' });
    assert.equal((await askFor(linux.fileUid)).body.error?.code, 4092);
    assert.equal((await read(`${server.url}/play/${linux.fileUid}/walk/index.html`)).status, 409);
    const noStartPage = await ship(game, 'bare', [{ name: 'game.exe', data: 'x' }]);
    const { status, body } = await askFor(noStartPage.fileUid);
    assert.deepEqual([status, body.error?.code], [409, 4092]);
    assert.match(body.error?.message ?? '', /index\.html/);
    const many = Array.from({ length: 20_001 }, (_, index) => ({ name: `${index}.txt` }));
    const full = await ship(game, 'full', [{ name: 'index.html', data: 'x' }, ...many]);
    assert.match((await askFor(full.fileUid)).body.error?.message ?? '', /too many files/);
  });

  test('responds to many concurrent first requests', async () => {
    const fresh = await ship(game, 'fresh');
    const url = `${server.url}/play/${fresh.fileUid}/walk/walk.js`;
    const responses = await Promise.all(
      Array.from({ length: 300 }, () => fetch(url).then(async (r) => (await r.text()) === SCRIPT)),
    );
    assert.ok(responses.every(Boolean));
  });
});

describe('a game on a loopback address', () => {
  let server: TestServer;
  let game: TestGame;
  let other: TestGame;
  let fileUid: string;
  let port: string;
  before(async () => {
    server = await startServer();
    ({ port } = new URL(server.url));
    [game, other] = await Promise.all([makeGame(server), makeGame(server)]);
    ({ fileUid } = await shipAndScan(server, game, WEB, buildZip(PIECES)));
  });
  after(() => server.stop());

  const on = (host: string, path: string, headers: Record<string, string> = {}, method = 'GET') =>
    read(server.url + path, { host: `${host}:${port}`, ...headers }, method);

  test('has its own host, on which it keeps its origin, and runs in a sandbox on the host of the website', async () => {
    const path = `/play/${fileUid}/walk/index.html`;
    const own = await on(`${game.uid}.localhost`, path);
    assert.equal(own.status, 200);
    assert.match(String(own.headers['content-security-policy']), /^sandbox .* allow-same-origin$/);
    assert.doesNotMatch(own.bytes.toString(), /crossorigin|importScripts/);
    for (const host of ['127.0.0.1', 'localhost', 'example.com']) {
      const shared = await on(host, path);
      assert.equal(shared.status, 200, host);
      assert.doesNotMatch(String(shared.headers['content-security-policy']), /same-origin/, host);
      assert.match(shared.bytes.toString(), /importScripts.*<script crossorigin src="walk.js">/s, host);
    }
    for (const host of [`${other.uid}.localhost`, `${fileUid}.localhost`])
      assert.equal((await on(host, path)).status, 404);
  });

  test('shares no host with the website, except that a page may ask whether the host can be reached', async () => {
    const host = `${game.uid}.localhost`;
    for (const path of [
      '/',
      '/sign-in',
      '/api/v1/public/games',
      '/api/auth/get-session',
      '/ready',
      '/play?a',
      '/plays',
    ])
      assert.equal((await on(host, path, { accept: 'text/html' })).status, 404, path);
    const probe = await on(host, '/play');
    assert.deepEqual([probe.status, probe.headers['access-control-allow-origin']], [204, '*']);
    assert.equal(probe.headers['cache-control'], 'no-store');
    assert.equal((await on('127.0.0.1', '/play')).status, 404);
  });

  test('cannot use a session: a page on its host is a page of another site', async () => {
    const session = await signIn(server, game.owner);
    for (const origin of [`http://${game.uid}.localhost:${port}`, 'null', 'http://x.localhost']) {
      const { status, body } = await request(`${server.api}/games`, {
        method: 'POST',
        headers: { ...session, origin, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'forged' }),
      });
      assert.deepEqual([status, body.error?.code], [403, 4032], origin);
    }
  });

  test('may install a service worker on its host, which removes itself when the build is withdrawn', async () => {
    const host = `${game.uid}.localhost`;
    const script = { 'service-worker': 'script' };
    assert.match((await on(host, `/play/${fileUid}/walk/walk.js`, script)).bytes.toString(), /^console/);
    const gone = await on(host, `/play/${game.uid}/walk/walk.js`, script);
    assert.deepEqual([gone.status, gone.headers['cache-control']], [200, 'no-store']);
    assert.match(gone.bytes.toString(), /registration\.unregister\(\)/);
    assert.equal((await on('127.0.0.1', `/play/${fileUid}/walk/walk.js`, script)).status, 404);
  });

  test('lets its pages send any header to its own files, and read what a part of a file says about the whole', async () => {
    const path = `/play/${fileUid}/walk/walk.js`;
    const asking = {
      origin: 'null',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'x-game',
    };
    const preflight = await on('127.0.0.1', path, asking, 'OPTIONS');
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers['access-control-allow-origin'], '*');
    assert.equal(preflight.headers['access-control-allow-headers'], '*, Authorization');
    assert.equal(preflight.headers['access-control-allow-methods'], 'GET, HEAD');
    const part = await on('127.0.0.1', path, { origin: 'null', range: 'bytes=0-0' });
    assert.match(String(part.headers['access-control-expose-headers']), /Accept-Ranges.*Content-Range/);
  });

  test('that is not for everyone has a URL that opens nothing on the host of another game', async () => {
    const dev = await shipAndScan(server, game, { ...WEB, version: '2', channel: 'dev' }, buildZip(PIECES));
    const { body } = await request(`${server.api}/public/games/${game.uid}/files/${dev.fileUid}/play`, {
      headers: await signIn(server, game.owner),
    });
    const { pathname, host } = new URL(body.data.url);
    assert.equal((await on(host.split(':')[0]!, pathname)).status, 200);
    assert.equal((await on(`${other.uid}.localhost`, pathname)).status, 404);
    assert.equal((await on(host.split(':')[0]!, `/play/${dev.fileUid}/walk/index.html`)).status, 403);
  });
});

describe('what exports contain', () => {
  let server: TestServer;
  let game: TestGame;
  let count = 0;
  before(async () => {
    server = await startServer();
    game = await makeGame(server);
  });
  after(() => server.stop());

  async function ship(pieces: readonly ZipPiece[]): Promise<{ base: string; fileUid: string }> {
    const build = { version: `1.${count++}`, channel: `c${count}`, ...WEB };
    const { fileUid } = await shipAndScan(server, game, build, buildZip(pieces));
    return { base: `${server.url}/play/${fileUid}`, fileUid };
  }
  const PAGE: ZipPiece = { name: 'index.html', data: '<!doctype html><img src=a.png>' };
  const textOf = async (url: string, headers?: Record<string, string>) => (await read(url, headers)).bytes.toString();

  test('names that begin with ./ are the same as without it, in the browser and in the list of files', async () => {
    const names = ['./', './index.html', './data//./level.txt'];
    const { base, fileUid } = await ship(
      names.map((name) => ({ name, data: name.endsWith('/') ? '' : name, method: 8 })),
    );
    const { body } = await request(`${server.api}/public/games/${game.uid}/files/${fileUid}/play`);
    assert.ok(body.data.url.endsWith(`/play/${fileUid}/index.html`), body.data.url);
    assert.equal(await textOf(`${base}/data/level.txt`), './data//./level.txt');
    const { body: provenance } = await request(`${server.api}/public/games/${game.uid}/files/${fileUid}/provenance`);
    assert.deepEqual(
      provenance.data.entries.map(({ path }: { path: string }) => path),
      ['index.html', 'data/level.txt'],
    );
  });

  test('symbolic links lead to what they lead to in the folder, and nowhere else', async () => {
    const link = (name: string, data: string): ZipPiece => ({ name, data, mode: 0o120777, method: 8 });
    const { base, fileUid } = await ship([
      { name: 'web/Game.html', data: '<!doctype html>linked', method: 8 },
      link('web/index.html', 'Game.html'),
      { name: 'shared/a.png', data: 'image' },
      link('web/data', '../shared'),
      link('web/again', 'data'),
      link('web/nothing', 'missing.png'),
    ]);
    const { body } = await request(`${server.api}/public/games/${game.uid}/files/${fileUid}/play`);
    assert.ok(body.data.url.endsWith('/web/index.html'), body.data.url);
    assert.match(await textOf(`${base}/web/index.html`), /linked$/);
    assert.equal(await textOf(`${base}/web/data/a.png`), 'image');
    assert.equal(await textOf(`${base}/web/again/a.png`), 'image');
    for (const path of [
      'web/nothing',
      'web/data',
      'web/data/../index.html',
      'web/data/%2e%2e/index.html',
      'web/data//a.png',
    ])
      assert.equal((await read(`${base}/${path}`)).status, 404, path);
  });

  test('a link that leaves the zip is refused, and so are circular ones', async () => {
    for (const pieces of [
      [['out', '../secret']],
      [['up', '..']],
      [
        ['a', 'b'],
        ['b', 'a'],
      ],
    ]) {
      const links = pieces.map(([name = '', data = '']): ZipPiece => ({ name: `web/${name}`, data, mode: 0o120777 }));
      const build = { version: `2.${count++}`, channel: 'links', ...WEB };
      const scanned = await shipAndScan(
        server,
        game,
        build,
        buildZip([{ name: 'web/index.html', data: 'x' }, ...links]),
      );
      const { body } = await request(`${server.api}/public/games/${game.uid}/files/${scanned.fileUid}/play`);
      assert.notEqual(body.error, null, JSON.stringify(pieces));
    }
  });

  test('files of the engine are decoded for clients that do not accept their encoding', async () => {
    const script = Buffer.from('run();\n'.repeat(1000));
    const { base } = await ship([
      PAGE,
      { name: 'a.js.br', data: brotliCompressSync(script) },
      { name: 'b.js.gz', data: gzipSync(script), method: 8 },
      { name: 'c.js.unityweb', data: gzipSync(script) },
      { name: 'd.js.unityweb', data: unityBrotli(script) },
      { name: 'e.data.unityweb', data: 'plain' },
      { name: 'f.data.unityweb', data: '' },
      { name: 'level.bin.gz', data: gzipSync(script) },
    ]);
    for (const [name, coding] of [
      ['a.js.br', 'br'],
      ['b.js.gz', 'gzip'],
      ['c.js.unityweb', 'gzip'],
      ['d.js.unityweb', 'br'],
    ] as const) {
      const coded = await read(`${base}/${name}`, { 'accept-encoding': 'gzip, br' });
      assert.deepEqual([coded.headers['content-encoding'], coded.status], [coding, 200], name);
      const unpack = coding === 'br' ? brotliDecompressSync : gunzipSync;
      assert.deepEqual(unpack(coded.bytes), script, name);
      for (const accepted of ['', coding === 'br' ? 'gzip, deflate' : 'br', `${coding};q=0`]) {
        const plain = await read(`${base}/${name}`, { 'accept-encoding': accepted, range: 'bytes=0-5' });
        assert.deepEqual([plain.status, plain.headers['content-encoding']], [200, undefined], name);
        assert.deepEqual(plain.bytes, script, `${name} for ${accepted}`);
        assert.match(String(plain.headers['content-type']), /^text\/javascript/);
        assert.notEqual(plain.headers.etag, coded.headers.etag);
        const again = await read(`${base}/${name}`, {
          'accept-encoding': accepted,
          'if-none-match': String(plain.headers.etag),
        });
        assert.equal(again.status, 304);
      }
      const head = await read(`${base}/${name}`, {}, 'HEAD');
      assert.deepEqual([head.status, head.bytes.length, head.headers['content-length']], [200, 0, undefined]);
    }
    assert.equal(await textOf(`${base}/e.data.unityweb`), 'plain');
    assert.equal(await textOf(`${base}/f.data.unityweb`), '');
    assert.deepEqual((await read(`${base}/level.bin.gz`)).bytes, gzipSync(script));
  });

  test('a file that is not what its name says gets 4092, or ends where it is damaged', async () => {
    const half = brotliCompressSync(randomBytes(500_000)).subarray(0, 300_000);
    const { base } = await ship([
      PAGE,
      { name: 'a.wasm.br', data: 'not brotli' },
      { name: 'b.wasm.gz', data: '' },
      { name: 'c.wasm.br', data: half },
    ]);
    const refused = await read(`${base}/a.wasm.br`);
    assert.equal(refused.status, 409);
    assert.match(refused.bytes.toString(), /4092.*not compressed/);
    assert.ok((await read(`${base}/b.wasm.gz`)).status! < 500);
    await assert.rejects(read(`${base}/c.wasm.br`), /aborted|ECONNRESET/);
    assert.equal((await read(`${base}/index.html`)).status, 200);
  });

  test('a part of a compressed file can be read wherever it is, and many at once', async () => {
    const film = Buffer.alloc(48 * MIB);
    for (let at = 0; at < film.length; at += 65_536) film.writeUInt32LE(at, at);
    randomBytes(MIB).copy(film, 40 * MIB);
    const { base } = await ship([PAGE, { name: 'film.webm', data: film, method: 8 }]);
    const { headers } = await read(`${base}/film.webm`, { range: 'bytes=0-9' });
    assert.deepEqual([headers['content-range'], headers['accept-ranges']], [`bytes 0-9/${film.length}`, 'bytes']);
    const starts = Array.from({ length: 12 }, (_, index) => 32 * MIB + index * MIB + 5);
    const parts = await Promise.all(starts.map((at) => read(`${base}/film.webm`, { range: `bytes=${at}-${at + 99}` })));
    for (const [index, { status, bytes }] of parts.entries()) {
      assert.equal(status, 206);
      assert.deepEqual(bytes, film.subarray(starts[index]!, starts[index]! + 100));
    }
    const end = await read(`${base}/film.webm`, { range: `bytes=-${MIB}` });
    assert.deepEqual(end.bytes, film.subarray(-MIB));
    const statuses = await Promise.all(
      Array.from(
        { length: 40 },
        async () => (await read(`${base}/film.webm`, { range: 'bytes=45000000-45000001' })).status,
      ),
    );
    assert.ok(
      statuses.every((status) => status === 206 || status === 503),
      String(statuses),
    );
    assert.ok(statuses.filter((status) => status === 206).length >= 32);
    assert.equal((await read(`${base}/film.webm`, { range: 'bytes=45000000-45000001' })).status, 206);
  });

  test('a page gets help for the sandbox when it is shown, but not when it is read as text or is very large', async () => {
    const large = `<!doctype html><img src=a.png>${randomBytes(MIB).toString('hex')}`;
    const { base } = await ship([
      { ...PAGE, method: 8 },
      { name: 'large.html', data: large, method: 8 },
    ]);
    const help = /^<!doctype html><script>\(.*\)\(\);<\/script><img crossorigin src=a\.png>$/s;
    const shown = await read(`${base}/index.html`, { 'sec-fetch-dest': 'iframe', 'accept-encoding': 'gzip' });
    assert.match(gunzipSync(shown.bytes).toString(), help);
    assert.match(await textOf(`${base}/index.html`), help);
    assert.match(String(shown.headers.vary), /Sec-Fetch-Dest/);
    const head = await read(`${base}/index.html`, { 'accept-encoding': 'gzip' }, 'HEAD');
    assert.equal(head.headers['content-length'], String(shown.bytes.length));
    const etag = String(shown.headers.etag);
    const conditions = { 'if-none-match': etag, 'accept-encoding': 'gzip' };
    assert.equal((await read(`${base}/index.html`, conditions)).status, 304);
    assert.equal(
      await textOf(`${base}/index.html`, { ...conditions, 'sec-fetch-dest': 'empty', 'accept-encoding': '' }),
      PAGE.data,
    );
    assert.equal(await textOf(`${base}/large.html`), large);
  });
});

/** Brotli with the comment that Unity adds: a metadata block, then the content uncompressed (RFC 7932, section 9.2). */
function unityBrotli(content: Buffer): Buffer {
  const comment = Buffer.from('UnityWeb Compressed Content (brotli)');
  const bits: number[] = [];
  const add = (value: number, count: number) => {
    for (let bit = 0; bit < count; bit++) bits.push((value >> bit) & 1);
  };
  const flush = () => {
    while (bits.length % 8 !== 0) bits.push(0);
    const bytes = Buffer.alloc(bits.length / 8);
    for (const [index, bit] of bits.splice(0).entries()) bytes[index >> 3]! |= bit << (index & 7);
    return bytes;
  };
  // WBITS 16; not last; no length in nibbles, which means metadata; reserved; one byte of length.
  for (const [value, count] of [
    [0, 1],
    [0, 1],
    [3, 2],
    [0, 1],
    [1, 2],
    [comment.length - 1, 8],
  ] as const)
    add(value, count);
  const before = [flush(), comment];
  // Not last; four nibbles of length; uncompressed.
  for (const [value, count] of [
    [0, 1],
    [0, 2],
    [content.length - 1, 16],
    [1, 1],
  ] as const)
    add(value, count);
  // Last and empty.
  return Buffer.concat([...before, flush(), content, Buffer.from([3])]);
}

describe('games on their own domain', () => {
  let server: TestServer;
  let game: TestGame;
  let fileUid: string;
  before(async () => {
    server = await startServer({
      env: { CHAUFFEUR_PUBLIC_URL: 'http://games.example', CHAUFFEUR_PLAY_URL: 'http://*.play.test' },
    });
    game = await makeGame(server);
    ({ fileUid } = await shipAndScan(server, game, WEB, buildZip(PIECES)));
  });
  after(() => server.stop());

  const on = (host: string, path: string, headers: Record<string, string> = {}) =>
    read(server.url + path, { host, ...headers });

  test('gives each game its own host and origin, and serves it nowhere else', async () => {
    const { body } = await request(`${server.api}/public/games/${game.uid}/files/${fileUid}/play`);
    assert.equal(body.data.url, `http://${game.uid}.play.test/play/${fileUid}/walk/index.html`);
    assert.equal(body.data.keeps_saves, true);
    assert.match(body.data.sandbox, /allow-same-origin$/);
    const { pathname } = new URL(body.data.url);
    const own = await on(`${game.uid}.play.test`, pathname);
    assert.equal(own.status, 200);
    assert.match(String(own.headers['content-security-policy']), /^sandbox .* allow-same-origin$/);
    assert.equal((await on(`${game.uid}.play.test:8443`, pathname)).status, 200);
    for (const host of ['games.example', `${fileUid}.play.test`, `a.${game.uid}.play.test`, 'evil.example'])
      assert.equal((await on(host, pathname)).status, 404, host);
  });

  test('serves neither website nor API on the hosts of games', async () => {
    const host = `${game.uid}.play.test`;
    for (const path of [
      '/',
      '/sign-in',
      '/api/v1/public/games',
      '/api/auth/get-session',
      '/ready',
      '/scheme.js',
      '/robots.txt',
    ]) {
      const { status, bytes } = await on(host, path, { accept: 'text/html' });
      assert.equal(status, 404, path);
      assert.match(bytes.toString(), /"code":4040/, path);
    }
    assert.equal((await on('games.example', '/health')).status, 200);
  });

  test('knows the hosts of games however they are written, and by no other header than Host', async () => {
    const host = `${game.uid}.play.test`;
    for (const name of [host.toUpperCase(), `${host}.`, `${host}.:80`, `a.${host}`, 'play.test'])
      assert.equal((await on(name, '/api/v1/public/games')).status, 404, name);
    const trusting = await startServer({
      role: 'api',
      shareWith: server,
      env: {
        CHAUFFEUR_PUBLIC_URL: 'http://games.example',
        CHAUFFEUR_PLAY_URL: 'http://*.play.test',
        CHAUFFEUR_TRUST_PROXY: '1',
      },
    });
    try {
      const sent = (from: string, forwarded: string) =>
        read(`${trusting.url}/api/v1/public/games`, { host: from, 'x-forwarded-host': forwarded });
      assert.equal((await sent(host, 'games.example')).status, 404);
      assert.equal((await sent('games.example', host)).status, 200);
    } finally {
      await trusting.stop();
    }
  });
});

test('a game host that could set cookies for the website prevents the start', async () => {
  const { readConfig } = await import('../src/config.ts');
  const site = { CHAUFFEUR_PUBLIC_URL: 'https://games.example.com' };
  for (const play of [
    'https://games.example.com',
    'https://*.games.example.com',
    'https://example.com',
    'https://x.y/path',
    'https://a*.b.c',
    'ftp://x.y',
  ])
    assert.throws(() => readConfig({ ...site, CHAUFFEUR_PLAY_URL: play }), /CHAUFFEUR_PLAY_URL/, play);
  assert.throws(() => readConfig({ CHAUFFEUR_PLAY_URL: 'https://*.play.example' }), /CHAUFFEUR_PUBLIC_URL/);
  for (const play of ['https://*.games-play.example', 'https://games-play.example', 'http://*.localhost:4000'])
    assert.equal(readConfig({ ...site, CHAUFFEUR_PLAY_URL: `${play}/` }).playUrl, play);
});
