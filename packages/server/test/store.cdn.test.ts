// Downloads of public games go to a CDN, by a link that is the same for everyone within an hour.
import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { changed } from '../src/kernel/database/db.ts';
import { makeGame, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { sha256, shipAndScan, smallZip } from './setup/uploads.ts';

const HOUR = 3_600_000;
const CDN = 'https://downloads.example.com/games';

describe('downloads with a CDN', () => {
  let now = Date.UTC(2026, 10, 21, 10, 0, 30);
  let server: TestServer;
  let game: TestGame;
  let fileUid: string;
  const zip = smallZip('owls.bin', Buffer.alloc(5000, 'x'));
  before(async () => {
    server = await startServer({ clock: { now: () => new Date(now) }, env: { CHAUFFEUR_DOWNLOAD_URL: `${CDN}/` } });
    game = await makeGame(server);
    ({ fileUid } = await shipAndScan(server, game, {}, zip));
  });
  after(() => server.stop());

  const download = (of = game, file = fileUid, headers = {}) =>
    fetch(`${server.api}/public/games/${of.uid}/files/${file}/download`, { redirect: 'manual', headers });
  const linkOf = async () => (await download()).headers.get('location') ?? '';
  /** What the CDN requests for a link. */
  const fetchOrigin = (link: string, headers: Record<string, string> = {}) =>
    fetch(link.replace(CDN, server.url), { headers });

  test('are redirected to it, and it gets bytes that it may keep while the link is valid', async () => {
    const redirect = await download();
    assert.equal(redirect.status, 302);
    assert.equal(redirect.headers.get('cache-control'), 'no-cache');
    const link = redirect.headers.get('location') ?? '';
    assert.ok(link.startsWith(`${CDN}/api/v1/public/downloads/`), link);
    const response = await fetchOrigin(link);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('cache-control'), `public, max-age=${2 * 3600 - 30}, immutable`);
    assert.equal(response.headers.get('etag'), `"${sha256(zip)}"`);
    assert.match(
      response.headers.get('content-disposition') ?? '',
      new RegExp(`filename="${game.slug}-1.0.0-linux-x86_64.zip"`),
    );
    assert.equal(response.headers.get('set-cookie'), null);
    assert.equal(sha256(Buffer.from(await response.arrayBuffer())), sha256(zip));
    const part = await fetchOrigin(link, { range: 'bytes=10-19' });
    assert.equal(part.status, 206);
    assert.deepEqual(Buffer.from(await part.arrayBuffer()), zip.subarray(10, 20));
    assert.equal((await download(game, fileUid, { 'if-none-match': `"${sha256(zip)}"` })).status, 304);
  });

  test('are not cached as errors: neither a missing blob nor a wrong range', async () => {
    const link = await linkOf();
    const blob = join(server.dataFolder, 'blobs', 'files', game.uid, `${fileUid}.zip`);
    const assertNotCached = ({ headers }: Response) => {
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('content-disposition'), null);
    };
    await rename(blob, `${blob}.away`);
    const missing = await fetchOrigin(link).finally(() => rename(`${blob}.away`, blob));
    assertNotCached(missing);
    assert.deepEqual([missing.status, missing.headers.get('etag')], [500, null]);
    assert.equal(((await missing.json()) as { success: boolean }).success, false);
    const wrong = await fetchOrigin(link, { range: 'bytes=9999999-' });
    assert.equal(wrong.status, 416);
    assert.equal(wrong.headers.get('cache-control'), 'no-store');
    assert.equal((await fetchOrigin(link)).status, 200);
  });

  test('have the same link for an hour, which ends an hour later', async () => {
    const link = await linkOf();
    now += HOUR / 2;
    assert.equal(await linkOf(), link);
    now += HOUR;
    assert.notEqual(await linkOf(), link);
    assert.equal((await fetchOrigin(link)).status, 200);
    now += HOUR / 2;
    const ended = await fetchOrigin(link);
    assert.equal(ended.status, 404);
    assert.doesNotMatch(ended.headers.get('cache-control') ?? '', /public/);
  });

  test('do not use up the page views of the address of the CDN', async () => {
    const limited = await startServer({ role: 'api', shareWith: server, env: { CHAUFFEUR_LIMIT_READS: '1' } });
    try {
      const link = (await linkOf()).replace(CDN, limited.url);
      for (let count = 0; count < 5; count += 1) assert.notEqual((await fetch(link)).status, 429);
    } finally {
      await limited.stop();
    }
  });

  test('with a changed or foreign link are refused', async () => {
    const link = await linkOf();
    const token = link.split('/').at(-1) ?? '';
    for (const wrong of [
      token.slice(0, -1),
      `${token}A`,
      `${token[0] === 'A' ? 'B' : 'A'}${token.slice(1)}`,
      'x',
      '%00',
      'a'.repeat(201),
    ])
      assert.ok([400, 404].includes((await fetchOrigin(link.replace(token, wrong))).status), wrong);
  });

  test('of games that are not public, and of deleted games, do not go through it', async () => {
    const draft = await makeGame(server, { visibility: 'draft' });
    const { fileUid: hidden } = await shipAndScan(server, draft, {}, zip);
    const response = await download(draft, hidden, draft.keyHeaders);
    assert.deepEqual([response.status, response.headers.get('location')], [200, null]);
    const gone = await makeGame(server);
    const { fileUid: goneFile } = await shipAndScan(server, gone, {}, zip);
    const link = (await download(gone, goneFile)).headers.get('location') ?? '';
    await changed(
      server.ctx.db,
      sql`update all_games set deleted_at = now(), owner_id = null, slug = null, visibility = 'draft' where game_id = ${gone.uid}`,
    );
    assert.equal((await fetchOrigin(link)).status, 404);
  });
});
