// Playing web builds on the real server: the correct bytes and headers, only for those with access.
import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { brotliCompressSync, gunzipSync } from 'node:zlib';
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

/** Sends a raw request with any headers and an unnormalized path. */
async function read(url: string, headers: Record<string, string> = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { origin, hostname, port } = new URL(url);
  get({ hostname, port, path: url.slice(origin.length), headers, agent: false }, resolve).on('error', reject);
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
  before(async () => {
    server = await startServer();
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
    assert.deepEqual(body.data, {
      url: `${server.url}/play/${fileUid}/walk/index.html`,
      sandbox: 'allow-scripts allow-pointer-lock allow-orientation-lock allow-forms',
      keeps_saves: false,
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
    const wasm = await read(`${base}/walk.wasm.br?v=1`);
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
      'link',
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

describe('games on a domain of their own', () => {
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
