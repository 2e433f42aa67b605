// The service with its blobs on a real S3 server: uploads, chunks smaller than a part, downloads through signed
// redirects.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { S3_MISSING, type S3Server, startS3 } from './setup/s3.ts';
import { makeGame, request, startServer, type TestGame, type TestServer } from './setup/server.ts';
import {
  sendChunk,
  sha256,
  ship,
  shipAndScan,
  smallZip,
  startSession,
  untilScanned,
  zipOfSize,
} from './setup/uploads.ts';
import { buildZip } from './setup/zips.ts';

const MIB = 1024 * 1024;

describe('blobs on S3', () => {
  let s3: S3Server | null;
  let server: TestServer;
  let game: TestGame;
  before(async () => {
    s3 = await startS3();
    if (s3 === null) return;
    Object.assign(process.env, s3.env);
    server = await startServer({ env: { CHAUFFEUR_BLOBS: s3.url } });
    game = await makeGame(server);
  });
  after(async () => {
    await server?.stop();
    await s3?.stop();
  });

  async function keys(): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of server.ctx.blobs.list(`files/${game.uid}/`)) keys.push(key);
    // Scans write manifests at any time.
    return keys.filter((key) => !key.endsWith('.manifest'));
  }

  test('a single upload is scanned and downloaded through a signed URL', async (t) => {
    if (s3 === null) return t.skip(S3_MISSING);
    const zip = smallZip('größe.txt', Buffer.alloc(100_000, 'x'));
    const { fileUid } = await ship(server, game, {}, zip);
    assert.equal((await untilScanned(server, game, fileUid)).status, 'unscanned');
    const url = `${server.api}/public/games/${game.uid}/files/${fileUid}/download`;
    const redirect = await fetch(url, { redirect: 'manual' });
    assert.equal(redirect.status, 302);
    const response = await fetch(redirect.headers.get('location') ?? '');
    assert.match(
      response.headers.get('content-disposition') ?? '',
      new RegExp(`filename="${game.slug}-1.0.0-linux-x86_64.zip"`),
    );
    assert.equal(sha256(Buffer.from(await response.arrayBuffer())), sha256(zip));
    const ranged = await fetch(url, { headers: { range: 'bytes=10-19' } });
    assert.deepEqual([ranged.status, Buffer.from(await ranged.arrayBuffer())], [206, zip.subarray(10, 20)]);
  });

  test('a web build is played from its zip, with and without ranges', async (t) => {
    if (s3 === null) return t.skip(S3_MISSING);
    const script = Array.from({ length: 20_000 }, (_, no) => `step(${no});\n`).join('');
    const pieces = [
      { name: 'index.html', data: '<!doctype html><script src="walk.js"></script>', method: 8 },
      { name: 'walk.js', data: script, method: 8 },
      { name: 'rain.ogg', data: '0123456789' },
      { name: 'nothing.bin', data: '' },
    ];
    const web = { version: '2.0', os: 'web', arch: 'wasm32' };
    const { fileUid } = await shipAndScan(server, game, web, buildZip(pieces));
    const { body } = await request(`${server.api}/public/games/${game.uid}/files/${fileUid}/play`);
    // Unlike browsers, Node finds no hosts below localhost.
    const read = async (name: string, headers: Record<string, string> = {}) => {
      const response = await fetch(new URL(name, body.data.fallback.url), { headers });
      return [response.status, await response.text()];
    };
    const [status, page] = await read('');
    assert.equal(status, 200);
    // The page has the script that helps games without an origin.
    assert.match(String(page), /^<!doctype html><script>[\s\S]*<script[^>]* src="walk\.js"/);
    // Deflated bytes as stored, unpacked by fetch; unpacked by the server; a range of the unpacked bytes.
    assert.deepEqual(await read('walk.js', { 'accept-encoding': 'gzip' }), [200, script]);
    assert.deepEqual(await read('walk.js', { 'accept-encoding': 'identity' }), [200, script]);
    assert.deepEqual(await read('walk.js', { range: 'bytes=100000-100006' }), [206, script.slice(100_000, 100_007)]);
    assert.deepEqual(await read('rain.ogg', { range: 'bytes=-3' }), [206, '789']);
    assert.deepEqual(await read('nothing.bin'), [200, '']);
  });

  test('chunks of any size become one object, even if they are smaller than the minimum part size of S3', async (t) => {
    if (s3 === null) return t.skip(S3_MISSING);
    const zip = zipOfSize(12 * MIB);
    const session = await startSession(server, game, zip);
    const bounds = [0, 1, 3 * MIB, 9 * MIB, zip.length];
    let last: Awaited<ReturnType<typeof sendChunk>> | undefined;
    for (const [index, start] of bounds.slice(0, -1).entries())
      last = await sendChunk(server, game, session, zip, start, bounds[index + 1] ?? 0);
    assert.deepEqual([last?.status, last?.body.data.checksum], [201, sha256(zip)]);
    await untilScanned(server, game, last?.body.data.file_uid);
    const response = await fetch(`${server.api}/public/games/${game.uid}/files/${last?.body.data.file_uid}/download`);
    assert.equal(sha256(Buffer.from(await response.arrayBuffer())), sha256(zip));
  });

  test('a session that moves between servers ends with the correct checksum, and a wrong one leaves no object', async (t) => {
    if (s3 === null) return t.skip(S3_MISSING);
    const second = await startServer({ shareWith: server, role: 'api', env: { CHAUFFEUR_BLOBS: s3.url } });
    try {
      const zip = zipOfSize(7 * MIB);
      const session = await startSession(server, game, zip);
      await sendChunk(server, game, session, zip, 0, 6 * MIB);
      assert.equal((await sendChunk(second, game, session, zip, 6 * MIB, zip.length)).status, 201);
      const before = await keys();
      const wrong = await startSession(server, game, zip, { checksum: 'c'.repeat(64) });
      await sendChunk(server, game, wrong, zip, 0, 6 * MIB);
      const refused = await sendChunk(second, game, wrong, zip, 6 * MIB, zip.length);
      assert.equal(refused.body.error?.code, 4046);
      assert.deepEqual(await keys(), before);
    } finally {
      await second.stop();
    }
  });
});
