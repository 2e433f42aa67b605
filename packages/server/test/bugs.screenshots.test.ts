// Screenshots of bug tickets on a real server: uploaded once, encoded again, shown to members only, and deleted with the
// ticket.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import sharp from 'sharp';
import { changed } from '../src/kernel/database/db.ts';
import { sweepScreenshots } from '../src/shop/bugs/screenshots.ts';
import { statusOf } from './setup/api-calls.ts';
import { callAs, makeSharedGame, type SharedGame } from './setup/crash-reports.ts';
import { picture } from './setup/images.ts';
import { makePlayer, request, startServer, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_BUGS: '0' } });
});
after(() => server.stop());

type Upload = { url: string; method: string; max_bytes: number; expires_at: string };
type Filed = { bug_uid: string; uploads: { screenshots?: Upload[] } };

async function file(game: SharedGame, screenshots: number): Promise<Filed> {
  const body = { message: 'The owl is blue', screenshots };
  const filed = await callAs(server, null, `/public/games/${game.uid}/bugs`, { method: 'POST', body });
  assert.equal(filed.status, 201, JSON.stringify(filed.body));
  return filed.body.data;
}

const put = (url: string, body: Buffer | string) =>
  request(url, { method: 'PUT', body: body as string | Uint8Array<ArrayBuffer> });

async function detailOf(game: SharedGame, bugUid: string) {
  return (await callAs(server, game.owner, `/games/${game.uid}/bugs/${bugUid}`)).body.data;
}

/** Waits until each screenshot has an image or a problem. */
function settled(game: SharedGame, bugUid: string, count: number) {
  return until(async () => {
    const { screenshots } = await detailOf(game, bugUid);
    const isDone = ({ image, problem }: { image: unknown; problem: unknown }) => image !== null || problem !== null;
    return screenshots.length === count && screenshots.every(isDone) && screenshots;
  });
}

async function keysOf(game: SharedGame): Promise<string[]> {
  return (await Array.fromAsync(server.ctx.blobs.list(`bugs/${game.uid}/`))).map(({ key }) => key);
}

describe('screenshots of a bug ticket', () => {
  test('are encoded again without metadata, and shown to members of the game only', async () => {
    const [game, other] = [await makeSharedGame(server), await makeSharedGame(server)];
    const { bug_uid, uploads } = await file(game, 2);
    assert.deepEqual(
      uploads.screenshots!.map(({ method, max_bytes }) => [method, max_bytes]),
      Array(2).fill(['PUT', 10 * 1024 * 1024]),
    );
    const original = await sharp(await picture(2560, 1440, 'png'))
      .withExif({ IFD0: { Copyright: 'A secret place' } })
      .png()
      .toBuffer();
    for (const { url } of uploads.screenshots!) assert.equal((await put(url, original)).status, 200);
    const shots = await settled(game, bug_uid, 2);
    assert.deepEqual(shots[0], { ...shots[0], image: { width: 1920, height: 1080 }, problem: null });
    const path = `/games/${game.uid}/bugs/${bug_uid}/screenshots/${shots[0].screenshot_uid}`;
    const image = await fetch(`${server.api}${path}`, { headers: game.owner.headers });
    const metadata = await sharp(Buffer.from(await image.arrayBuffer())).metadata();
    assert.deepEqual([metadata.format, metadata.exif], ['webp', undefined]);
    for (const [name, value] of [
      ['content-type', 'image/webp'],
      ['cache-control', 'private, max-age=3600'],
      ['content-security-policy', "default-src 'none'; sandbox"],
      ['x-content-type-options', 'nosniff'],
    ] as const)
      assert.equal(image.headers.get(name), value);
    assert.deepEqual(statusOf(await callAs(server, other.owner, path)), [404, 4040]);
    assert.deepEqual(statusOf(await callAs(server, await makePlayer(server), path)), [404, 4040]);
    assert.equal((await callAs(server, null, path)).status, 401);
    const elsewhere = path.replace(game.uid, other.uid);
    assert.deepEqual(statusOf(await callAs(server, other.owner, elsewhere)), [404, 4040]);
    // Only the images are left, and not what was sent.
    const keys = await until(async () => {
      const found = await keysOf(game);
      return found.length === 2 && found;
    });
    assert.ok(keys.every((key) => key.endsWith('.webp')));
  });

  test('are uploaded once to each address, of many attempts at the same time', async () => {
    const game = await makeSharedGame(server);
    const { bug_uid, uploads } = await file(game, 1);
    const [{ url }] = uploads.screenshots as [Upload];
    const image = await picture();
    const results = await Promise.all(Array.from({ length: 5 }, () => put(url, image)));
    assert.deepEqual(results.map(({ status }) => status).toSorted(), [200, 404, 404, 404, 404]);
    await settled(game, bug_uid, 1);
    await until(async () => (await keysOf(game)).length === 1);
    assert.deepEqual(statusOf(await put(url, image)), [404, 4040]);
  });

  test('are refused if they are too large, empty, late or for a deleted ticket, and their addresses stay usable', async () => {
    const game = await makeSharedGame(server);
    const { bug_uid, uploads } = await file(game, 3);
    const [first, second, third] = uploads.screenshots!.map(({ url }) => url) as [string, string, string];
    assert.deepEqual(statusOf(await put(first, Buffer.alloc(10 * 1024 * 1024 + 1))), [413, 4043]);
    assert.equal((await put(first, '')).status, 400);
    const encoded = await fetch(first, { method: 'PUT', body: 'no gzip', headers: { 'content-encoding': 'gzip' } });
    assert.equal(encoded.status, 400);
    for (const url of [`${first}x`, first.slice(0, -1), `${server.api}/public/bugs/screenshots/x`])
      assert.deepEqual(statusOf(await put(url, await picture())), [404, 4040]);
    assert.deepEqual(await keysOf(game), []);
    // What isn't an image is refused later, by name.
    assert.equal((await put(first, 'no image')).status, 200);
    assert.equal((await put(second, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).status, 200);
    const shots = await settled(game, bug_uid, 2);
    for (const { image, problem } of shots)
      assert.deepEqual([image, problem], [null, 'Not a readable PNG, JPEG, GIF or WebP.']);
    const [{ screenshot_uid }] = shots;
    const path = `/games/${game.uid}/bugs/${bug_uid}/screenshots/${screenshot_uid}`;
    assert.deepEqual(statusOf(await callAs(server, game.owner, path)), [404, 4040]);
    await changed(server.ctx.db, sql`delete from bug_tickets where bug_id = ${bug_uid}`);
    assert.deepEqual(statusOf(await put(third, await picture())), [404, 4040]);
  });

  test('can have any size up to the limit', async () => {
    const game = await makeSharedGame(server);
    const { bug_uid, uploads } = await file(game, 1);
    const noise = { raw: { width: 1600, height: 1200, channels: 3 } } as const;
    const large = await sharp(randomBytes(1600 * 1200 * 3), noise)
      .png()
      .toBuffer();
    assert.ok(large.length > 5_000_000, String(large.length));
    assert.equal((await put(uploads.screenshots![0]!.url, large)).status, 200);
    const [shot] = await settled(game, bug_uid, 1);
    assert.deepEqual(shot.image, { width: 1600, height: 1200 });
  });

  test('are announced by a number within the limit', async () => {
    const game = await makeSharedGame(server);
    for (const screenshots of [-1, 4, 1.5, '1', null]) {
      const body = { message: 'Stuck', screenshots };
      const filed = await callAs(server, null, `/public/games/${game.uid}/bugs`, { method: 'POST', body });
      assert.deepEqual(statusOf(filed), [400, 4002], String(screenshots));
    }
    assert.equal((await file(game, 0)).uploads.screenshots, undefined);
  });

  test('leave no blob behind once their ticket is deleted', async () => {
    const game = await makeSharedGame(server);
    const { bug_uid, uploads } = await file(game, 1);
    await put(uploads.screenshots![0]!.url, await picture());
    await settled(game, bug_uid, 1);
    await until(async () => (await keysOf(game)).length === 1);
    const later = { ...server.ctx, clock: { now: () => new Date(Date.now() + 25 * 3_600_000) } };
    await sweepScreenshots(later);
    assert.equal((await keysOf(game)).length, 1);
    await changed(server.ctx.db, sql`delete from bug_tickets where bug_id = ${bug_uid}`);
    await sweepScreenshots(later);
    assert.deepEqual(await keysOf(game), []);
  });
});
