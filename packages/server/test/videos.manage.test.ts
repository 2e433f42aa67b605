// The scans, the files, the order and the deletion of videos on the real server.
import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { bytesOfBuffer } from '../src/kernel/blobs/byte-source.ts';
import { DAY } from '../src/kernel/clock.ts';
import { changed, rows } from '../src/kernel/database/db.ts';
import { ScannerUnavailableError } from '../src/kernel/scanner/scanner.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { scanUploadedVideo, sweepVideos } from '../src/ship/videos/videos.ts';
import { EICAR, EICAR_SIGNATURE, NO_CLAMD, startClamd } from './setup/clamd.ts';
import { assertRefusal } from './setup/images.ts';
import { S3_MISSING, startS3 } from './setup/s3.ts';
import { makeGame, makePlayer, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';
import { addVideo, box, listVideosOf, postVideo, readVideoFixture, videoBlobsOf, videoForm } from './setup/videos.ts';

const ATTEMPT = { number: 1, last: false, signal: new AbortController().signal };

let server: TestServer;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_MEDIA: '0' } });
});
after(() => server.stop());

const load = (uid: string, headers: Record<string, string> = {}, at = server, method = 'GET') =>
  fetch(`${at.api}/public/videos/${uid}`, { headers, method });

/** Adds a video, and waits until it can be loaded. */
async function addPlayable(game: TestGame, at = server): Promise<string> {
  const uid = await addVideo(at, game);
  await until(async () => (await statusOf(game, uid, at)) !== 'pending');
  return uid;
}

async function statusOf(game: TestGame, uid: string, at = server): Promise<string | undefined> {
  return (await listVideosOf(at, game)).find((video) => video.uid === uid)?.status;
}

const publicVideosOf = async (game: TestGame, headers: Record<string, string> = {}, at = server) =>
  (await request(`${at.api}/public/games/${game.uid}`, { headers })).body.data.video_files;

describe('the scan', () => {
  async function startScanned(t: TestContext) {
    const clamd = await startClamd();
    if (clamd === null) {
      t.skip(NO_CLAMD);
      return null;
    }
    t.after(clamd.stop);
    const scanned = await startServer({ role: 'api', env: { CHAUFFEUR_CLAMD: clamd.address } });
    t.after(() => scanned.stop());
    return { clamd, scanned };
  }

  test('is needed before anyone sees a video', async (t) => {
    const setup = await startScanned(t);
    if (setup === null) return;
    const { scanned } = setup;
    const game = await makeGame(scanned);
    const uid = await addVideo(scanned, game);
    for (const headers of [{}, game.keyHeaders, await signIn(scanned, game.owner)]) {
      assert.equal((await load(uid, headers as Record<string, string>, scanned)).status, 404);
      assert.deepEqual(await publicVideosOf(game, headers as Record<string, string>, scanned), []);
    }
    await scanUploadedVideo(scanned.ctx, { videoId: uid }, ATTEMPT);
    assert.equal(await statusOf(game, uid, scanned), 'clean');
    assert.equal((await load(uid, {}, scanned)).status, 200);
    const [shown] = await publicVideosOf(game, {}, scanned);
    assert.deepEqual([shown.uid, shown.width, 'status' in shown], [uid, 426, false]);
    await scanUploadedVideo(scanned.ctx, { videoId: uid }, ATTEMPT);
    assert.equal((await load(uid, {}, scanned)).status, 200);
  });

  test('rejects a video with a virus, deletes its bytes and frees its storage', async (t) => {
    const setup = await startScanned(t);
    if (setup === null) return;
    const { scanned } = setup;
    const game = await makeGame(scanned);
    const bytes = Buffer.concat([await readVideoFixture('vp9.mp4'), box('free', EICAR)]);
    const uid = (await postVideo(scanned, game, videoForm(bytes))).body.data.added.uid;
    await scanUploadedVideo(scanned.ctx, { videoId: uid }, ATTEMPT);
    const [video] = await listVideosOf(scanned, game);
    assert.deepEqual(
      [video?.status, video?.detail],
      ['infected', `The scanner found ${EICAR_SIGNATURE} in the video.`],
    );
    assert.deepEqual(await videoBlobsOf(scanned, game), []);
    assert.equal((await load(uid, {}, scanned)).status, 404);
    assert.deepEqual(await publicVideosOf(game, {}, scanned), []);
    const alerts = await rows(
      scanned.ctx.db,
      sql<{
        kind: string;
        data: { filename: string };
      }>`select kind, data from alerts where game_id = ${game.uid}`,
    );
    assert.deepEqual(
      alerts.map(({ kind, data }) => [kind, data.filename]),
      [['upload_rejected', 'trailer.mp4']],
    );
    const headers = await signIn(scanned, game.owner);
    const usage = await request(`${scanned.api}/games/${game.uid}/usage`, { headers });
    assert.equal(usage.body.data.storage.videos_bytes, 0);
  });

  test('is retried while the scanner cannot be reached, and fails in the end', async (t) => {
    const setup = await startScanned(t);
    if (setup === null) return;
    const { clamd, scanned } = setup;
    await clamd.kill();
    const game = await makeGame(scanned);
    const uid = await addVideo(scanned, game);
    await assert.rejects(scanUploadedVideo(scanned.ctx, { videoId: uid }, ATTEMPT), ScannerUnavailableError);
    assert.equal(await statusOf(game, uid, scanned), 'pending');
    assert.equal((await videoBlobsOf(scanned, game)).length, 1);
    await scanUploadedVideo(scanned.ctx, { videoId: uid }, { ...ATTEMPT, last: true });
    assert.deepEqual(
      (await listVideosOf(scanned, game)).map(({ status, detail }) => [status, detail]),
      [['error', 'The scanner could not be reached. Upload the file again later.']],
    );
    assert.deepEqual(await videoBlobsOf(scanned, game), []);
  });

  test('finds a video that was deleted in the meantime, or whose bytes are lost', async (t) => {
    const setup = await startScanned(t);
    if (setup === null) return;
    const { scanned } = setup;
    await scanUploadedVideo(scanned.ctx, { videoId: newId() }, ATTEMPT);
    const game = await makeGame(scanned);
    const uid = await addVideo(scanned, game);
    await scanned.ctx.blobs.delete(`videos/${game.uid}/${uid}`);
    await scanUploadedVideo(scanned.ctx, { videoId: uid }, ATTEMPT);
    assert.deepEqual(
      (await listVideosOf(scanned, game)).map(({ detail }) => detail),
      ['The stored file is missing. Upload it again.'],
    );
  });
});

describe('the file', () => {
  const bytes = readVideoFixture('vp9.mp4');

  test('has the type of its container, and can be cached and played in ranges', async () => {
    const game = await makeGame(server);
    const uid = await addPlayable(game);
    const whole = await load(uid);
    assert.equal(whole.status, 200);
    const expected = {
      'content-type': 'video/mp4',
      'accept-ranges': 'bytes',
      etag: `"${uid}"`,
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'content-length': String((await bytes).length),
    };
    for (const [name, value] of Object.entries(expected)) assert.equal(whole.headers.get(name), value, name);
    assert.deepEqual(Buffer.from(await whole.arrayBuffer()), await bytes);
    const head = await load(uid, {}, server, 'HEAD');
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, expected['content-length']]);
    assert.equal((await load(uid, { 'if-none-match': `"${uid}"` })).status, 304);
  });

  test('responds to any range as the standard says', async () => {
    const { length } = await bytes;
    const game = await makeGame(server);
    const uid = await addPlayable(game);
    const huge = '9'.repeat(15);
    const cases: [string, number, string | null][] = [
      ['bytes=0-', 206, `bytes 0-${length - 1}/${length}`],
      ['bytes=0-0', 206, `bytes 0-0/${length}`],
      ['bytes=100-199', 206, `bytes 100-199/${length}`],
      ['bytes=-1', 206, `bytes ${length - 1}-${length - 1}/${length}`],
      [`bytes=5-${huge}`, 206, `bytes 5-${length - 1}/${length}`],
      [`bytes=-${huge}`, 206, `bytes 0-${length - 1}/${length}`],
      [`bytes=${length}-`, 416, `bytes */${length}`],
      [`bytes=${huge}-`, 416, `bytes */${length}`],
      ['bytes=-0', 416, `bytes */${length}`],
      // What is malformed, and several ranges, get the whole file.
      ['bytes=5-4', 200, null],
      ['bytes=-', 200, null],
      [`bytes=0-${'9'.repeat(400)}`, 200, null],
      ['bytes=0-1,3-4', 200, null],
      [`bytes=${'0-,'.repeat(1000)}0-`, 200, null],
      ['bytes=a-b', 200, null],
      ['lines=0-1', 200, null],
    ];
    for (const [range, status, contentRange] of cases) {
      const response = await load(uid, { range });
      const sent = Buffer.from(await response.arrayBuffer());
      assert.deepEqual([response.status, response.headers.get('content-range')], [status, contentRange], range);
      if (status === 416) continue;
      const [, start = '0', end = String(length - 1)] = /^bytes (\d+)-(\d+)/.exec(contentRange ?? '') ?? [];
      assert.deepEqual(sent, (await bytes).subarray(Number(start), Number(end) + 1), range);
    }
    const other = await load(uid, { range: 'bytes=0-0', 'if-range': '"other"' });
    assert.equal(other.status, 200);
    await other.arrayBuffer();
  });

  test('of a draft is for its members only, and is not kept by shared caches', async () => {
    const game = await makeGame(server, { visibility: 'draft' });
    const uid = await addPlayable(game);
    const { headers: player } = await makePlayer(server);
    for (const headers of [{}, player, (await makeGame(server)).keyHeaders]) {
      const response = await load(uid, headers as Record<string, string>);
      assert.deepEqual([response.status, (await response.json()).error.code], [404, 4040]);
    }
    for (const headers of [await signIn(server, game.owner), game.keyHeaders]) {
      const response = await load(uid, headers as Record<string, string>);
      assert.deepEqual([response.status, response.headers.get('cache-control')], [200, 'private, no-cache']);
      assert.equal(response.headers.get('vary'), 'Authorization, Cookie, X-Access-Token');
      await response.arrayBuffer();
    }
  });

  test('that is unknown, or whose bytes are lost, is not found', async () => {
    assertRefusal(await request(`${server.api}/public/videos/${newId()}`), 4040, /^uid: this video does not exist/);
    const game = await makeGame(server);
    const uid = await addPlayable(game);
    await server.ctx.blobs.delete(`videos/${game.uid}/${uid}`);
    for (const headers of [{}, { range: 'bytes=0-9' }])
      assertRefusal(await request(`${server.api}/public/videos/${uid}`, { headers }), 4040, /^uid: this video/);
  });

  test('is stored on S3 and served from here', async (t) => {
    const s3 = await startS3();
    if (s3 === null) return t.skip(S3_MISSING);
    t.after(() => s3.stop());
    Object.assign(process.env, s3.env);
    const onS3 = await startServer({ env: { CHAUFFEUR_BLOBS: s3.url } });
    t.after(() => onS3.stop());
    const game = await makeGame(onS3);
    const uid = await addPlayable(game, onS3);
    const response = await load(uid, { range: 'bytes=10-19' }, onS3);
    assert.deepEqual([response.status, response.redirected], [206, false]);
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), (await bytes).subarray(10, 20));
  });
});

describe('the videos of a game', () => {
  const call = (game: TestGame, path: string, init: RequestInit = {}) =>
    request(`${server.api}/tool/videos${path}`, { ...init, headers: { ...game.keyHeaders, ...init.headers } });
  const order = (game: TestGame, uids: unknown) =>
    call(game, '/order', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ order: uids }),
    });
  const uidsOf = async (game: TestGame) => (await listVideosOf(server, game)).map(({ uid }) => uid);

  test('have an order, which names each of them exactly once', async () => {
    const game = await makeGame(server);
    const [a, b, c] = [await addPlayable(game), await addPlayable(game), await addPlayable(game)];
    assert.equal((await order(game, [c.toUpperCase(), a, b])).status, 200);
    assert.deepEqual(await uidsOf(game), [c, a, b]);
    assert.deepEqual(
      (await publicVideosOf(game)).map(({ uid }: { uid: string }) => uid),
      [c, a, b],
    );
    const other = await addVideo(server, await makeGame(server));
    for (const uids of [[], [a], [a, b, b], [a, b, other], [a, b, c, other], [a, b, c, c]])
      assertRefusal(await order(game, uids), 4154, /^order: must name each of the 3 videos exactly once\./);
    for (const uids of [undefined, 'x', ['x'], [1], [null], [[a]], { a }])
      assertRefusal(await order(game, uids), 4150, /^order/);
    assert.deepEqual(await uidsOf(game), [c, a, b]);
  });

  test('keep an order without gaps when they are deleted and sorted at the same time', async () => {
    const game = await makeGame(server);
    const [a, b, c] = [await addPlayable(game), await addPlayable(game), await addPlayable(game)];
    await Promise.all([
      order(game, [c, b, a]),
      call(game, `/${b}`, { method: 'DELETE' }),
      order(game, [a, c, b]),
      call(game, `/${b}`, { method: 'DELETE' }),
    ]);
    const left = await listVideosOf(server, game);
    assert.deepEqual(left.map(({ uid }) => uid).sort(), [a, c].sort());
    assert.deepEqual(
      left.map(({ position }) => position),
      [0, 1],
    );
  });

  test('are deleted with their bytes, and only by the game that has them', async () => {
    const [game, other] = [await makeGame(server), await makeGame(server)];
    const uid = await addPlayable(game);
    assertRefusal(await call(other, `/${uid}`, { method: 'DELETE' }), 4040, /^uid: this video does not exist/);
    const headers = await signIn(server, other.owner);
    for (const path of [`/games/${other.uid}/videos/${uid}`, `/games/${game.uid}/videos/${uid}`])
      assertRefusal(await request(`${server.api}${path}`, { method: 'DELETE', headers }), 4040, /./);
    assert.equal((await load(uid)).status, 200);
    const { status, body } = await call(game, `/${uid.toUpperCase()}`, { method: 'DELETE' });
    assert.deepEqual([status, body.data], [200, { videos: [] }]);
    assert.equal((await load(uid)).status, 404);
    assert.deepEqual(await videoBlobsOf(server, game), []);
    assertRefusal(await call(game, `/${uid}`, { method: 'DELETE' }), 4040, /./);
    for (const bad of ['x', '%00', newId().slice(1)])
      assert.equal((await call(game, `/${bad}`, { method: 'DELETE' })).status, 400, bad);
  });

  test('are in the audit log', async () => {
    const game = await makeGame(server);
    const uid = await addPlayable(game);
    await call(game, `/${uid}`, { method: 'DELETE' });
    const headers = await signIn(server, game.owner);
    const { body } = await request(`${server.api}/games/${game.uid}/audit?what=videos`, { headers });
    const entries = body.data.entries.map(
      ({ operation, changes }: { operation: string; changes: { video?: { after: string } } }) => [
        operation,
        changes.video?.after,
      ],
    );
    assert.deepEqual(entries, [
      ['videos.delete', undefined],
      ['videos.add', 'trailer.mp4'],
    ]);
  });

  test('lose what nothing refers to after a day', async (t) => {
    let now = Date.now();
    // No jobs run: that of the scan deletes the bytes of a rejected video at once.
    const idle = await startServer({ role: 'api', clock: { now: () => new Date(now) } });
    t.after(() => idle.stop());
    const game = await makeGame(idle);
    const [kept, rejected] = [await addVideo(idle, game), await addVideo(idle, game)];
    await changed(idle.ctx.db, sql`update videos set scan_state = 'infected' where video_id = ${rejected}`);
    const orphan = `videos/${game.uid}/${newId()}`;
    await idle.ctx.blobs.put(orphan, bytesOfBuffer(Buffer.from('x')));
    // A process that was killed during an upload leaves this.
    const begun = await idle.ctx.blobs.begin(`videos/${game.uid}/${newId()}`);
    await idle.ctx.blobs.append(begun, bytesOfBuffer(Buffer.from('x')));
    await sweepVideos(idle.ctx);
    assert.equal((await videoBlobsOf(idle, game)).length, 4);
    now += 2 * DAY;
    await sweepVideos(idle.ctx);
    assert.deepEqual(await videoBlobsOf(idle, game), [`videos/${game.uid}/${kept}`]);
  });
});
