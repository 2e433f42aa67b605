// cspell:ignore ftyp isom mdia trak
// Adding videos on the real server: what is refused and leaves nothing, limits, and interrupted uploads.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import { sql } from 'kysely';
import { changed } from '../src/kernel/database/db.ts';
import { assertRefusal } from './setup/images.ts';
import { beginRequest, fieldPart, filePart, multipartOf, sendRaw } from './setup/raw.ts';
import {
  makeGame,
  makePlayer,
  request,
  signIn,
  startServer,
  stoppedClock,
  type TestGame,
  type TestServer,
} from './setup/server.ts';
import { mountSmallDisk, unmountSmallDisk } from './setup/small-disk.ts';
import { until } from './setup/until.ts';
import {
  addVideo,
  box,
  CLUSTER,
  element,
  listVideosOf,
  mp4,
  postVideo,
  readVideoFixture,
  videoBlobsOf,
  videoForm,
  webmInfo,
  webm as webmOf,
} from './setup/videos.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ role: 'api', env: { CHAUFFEUR_LIMIT_MEDIA: '0' } });
});
after(() => server.stop());

async function assertNothingLeft(game: TestGame): Promise<void> {
  assert.deepEqual([await listVideosOf(server, game), await videoBlobsOf(server, game)], [[], []]);
}

const webm = await readVideoFixture('vp9.webm');
const headersOf = (game: TestGame, more: object = {}) => ({
  ...game.keyHeaders,
  'content-type': 'multipart/form-data; boundary=B',
  ...more,
});

describe('a video', () => {
  test('is stored as it is, with what its container says', async () => {
    const game = await makeGame(server);
    const { status, body } = await postVideo(server, game, videoForm(webm, 'Trailer é.MP4'));
    assert.equal(status, 201, JSON.stringify(body));
    const { added, videos } = body.data;
    const { uid, url, uploaded_at, ...facts } = added;
    assert.deepEqual(facts, {
      content_type: 'video/webm',
      width: 426,
      height: 240,
      duration_seconds: 1.008,
      size: webm.length,
      filename: 'Trailer é.MP4',
      position: 0,
      status: 'pending',
      detail: null,
    });
    assert.deepEqual(videos, [added]);
    assert.equal(url, `${server.ctx.publicUrl}/api/v1/public/videos/${uid}`);
    assert.ok(Date.parse(uploaded_at) > 0);
    const [key = ''] = await videoBlobsOf(server, game);
    assert.equal(key, `videos/${game.uid}/${uid}`);
    const hash = createHash('sha256');
    for await (const bytes of await server.ctx.blobs.read(key)) hash.update(bytes);
    assert.equal(hash.digest('hex'), createHash('sha256').update(webm).digest('hex'));
  });

  test('can be added on the website by developers of the game only', async () => {
    const game = await makeGame(server, { visibility: 'draft' });
    const owner = await signIn(server, game.owner);
    const { headers: stranger } = await makePlayer(server);
    const url = `${server.api}/games/${game.uid}/videos`;
    const add = (headers: Record<string, string>) => request(url, { method: 'POST', headers, body: videoForm(webm) });
    assertRefusal(await add(stranger), 4040, /./);
    assertRefusal(await add({ ...owner, origin: 'https://evil.example' }), 4032, /./);
    await assertNothingLeft(game);
    assert.equal((await add(owner)).status, 201);
    assertRefusal(await request(url, { headers: stranger }), 4040, /./);
    assert.equal((await request(url, { headers: owner })).body.data.videos.length, 1);
  });
});

describe('what is refused leaves nothing', () => {
  const refusals: [string, () => Buffer, RegExp][] = [
    [
      'a page',
      () => Buffer.from('<!doctype html><script>alert(1)</script>'),
      /^trailer\.mp4: neither an MP4 nor a WebM\./,
    ],
    ['nothing', () => Buffer.alloc(0), /^trailer\.mp4: neither/],
    ['half a video', () => webm.subarray(0, 1000), /^trailer\.mp4: damaged or cut off\. Export it again\./],
    ['a video with an archive', () => Buffer.concat([webm, Buffer.from('PK\x03\x04')]), /^trailer\.mp4: damaged/],
    // There are as many as fit: remembering them would take more memory than the thread has.
    [
      'a million tracks of an MP4',
      () => mp4(Buffer.alloc(15 * MIB, box('trak', box('mdia', box('hdlr', Buffer.alloc(12)))))),
      /^trailer\.mp4: made of too many tracks\./,
    ],
    [
      'a million tracks of a WebM',
      () => webmOf(webmInfo(), element(0x1654ae6b, Buffer.alloc(MIB, Buffer.from([0xae, 0x80]))), CLUSTER),
      /^trailer\.mp4: made of too many tracks\./,
    ],
    ['a start without a movie', () => box('ftyp', Buffer.from('isom\0\0\0\0')), /^trailer\.mp4: damaged/],
  ];
  for (const [name, bytes, message] of refusals)
    test(name, async () => {
      const game = await makeGame(server);
      assertRefusal(await postVideo(server, game, videoForm(bytes())), 4155, message);
      await assertNothingLeft(game);
    });

  test('a form without a file, with two, with another part or a bad name', async () => {
    const game = await makeGame(server);
    const file = filePart(webm, { filename: 'a.webm' });
    const forms = [
      multipartOf([fieldPart('kind', 'cover')]),
      multipartOf([file, file]),
      multipartOf([filePart(webm, { name: 'video', filename: 'a.webm' })]),
      multipartOf([filePart(webm, { filename: '' })]),
      multipartOf([filePart(webm, { filename: `${'a'.repeat(300)}.webm` })]),
      Buffer.from('x'),
    ];
    for (const body of forms) {
      const response = await request(`${server.api}/tool/videos`, {
        method: 'POST',
        headers: headersOf(game),
        body: new Uint8Array(body),
      });
      assertRefusal(response, 4150, /./);
    }
    assertRefusal(await postVideo(server, game, 'x'), 4150, /multipart/);
    await assertNothingLeft(game);
  });

  test('a video over the size limit, announced or not', { timeout: 60_000 }, async () => {
    const game = await makeGame(server);
    const large = Buffer.alloc(LIMITS.videoBytes + 1);
    (await readVideoFixture('vp9.mp4')).copy(large);
    assertRefusal(await postVideo(server, game, videoForm(large)), 4155, /^larger than 100 MB\. A video is/);
    const unannounced = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(multipartOf([filePart(large, { filename: 'a.mp4' })])));
        controller.close();
      },
    });
    const response = await request(`${server.api}/tool/videos`, {
      method: 'POST',
      headers: headersOf(game),
      body: unannounced,
      duplex: 'half',
    } as RequestInit);
    assertRefusal(response, 4155, /^larger than 100 MB\./);
    await assertNothingLeft(game);
  });

  test('an upload that is cut anywhere', async () => {
    const game = await makeGame(server);
    const body = multipartOf([filePart(webm, { filename: 'a.webm' })]);
    const headers = Object.entries(headersOf(game, { 'content-length': String(body.length) }));
    for (let length = 0; length < body.length; length += 300) {
      const cut = { method: 'POST', path: '/api/v1/tool/videos', headers, body: body.subarray(0, length) };
      const response = await sendRaw(server, cut, { endAfter: true });
      assert.ok(response === null || response.status === 400, `${length}: ${response?.status}`);
      (await beginRequest(server, cut)).resetAndDestroy();
    }
    await until(async () => (await videoBlobsOf(server, game)).length === 0);
    await assertNothingLeft(game);
  });
});

test('a video whose bytes are removed meanwhile, as those of a deleted game, is not found', {
  timeout: 60_000,
}, async () => {
  const game = await makeGame(server);
  let isRemoving = true;
  const removing = (async () => {
    while (isRemoving) {
      for (const key of await videoBlobsOf(server, game)) await server.ctx.blobs.delete(key);
      await changed(server.ctx.db, sql`delete from videos where game_id = ${game.uid}`);
    }
  })();
  let outcome = '';
  // 5030 if bytes are removed while they arrive, after which clients try again.
  while (['', '201 ', '503 5030'].includes(outcome)) {
    const { status, body } = await postVideo(server, game, videoForm(webm));
    outcome = `${status} ${body.error?.code ?? ''}`;
  }
  isRemoving = false;
  await removing;
  assert.equal(outcome, '404 4040');
});

test('a video for which there is no space is refused, and a smaller one is stored', async (t) => {
  const server = await startServer({ role: 'api' });
  const disk = mountSmallDisk(join(server.dataFolder, 'blobs'), 4 * MIB);
  t.after(() => {
    if (disk !== null) unmountSmallDisk(disk);
    return server.stop();
  });
  if (disk === null) return t.skip('skipped: this account cannot mount a disk');
  const game = await makeGame(server);
  const large = Buffer.concat([webm, Buffer.alloc(6 * MIB)]);
  const { status, body } = await postVideo(server, game, videoForm(large));
  assert.deepEqual([status, body.error?.code], [507, 5070], JSON.stringify(body));
  assert.deepEqual(await videoBlobsOf(server, game), []);
  await addVideo(server, game);
});

describe('limits', () => {
  test('a game has at most 3 videos, even if many arrive at once', async () => {
    const game = await makeGame(server);
    const responses = await Promise.all(Array.from({ length: 20 }, () => postVideo(server, game, videoForm(webm))));
    assert.equal(responses.filter(({ status }) => status === 201).length, LIMITS.videoFiles);
    for (const response of responses)
      if (response.status !== 201)
        assertRefusal(response, 4152, /^The game has 3 of at most 3 videos\. Delete one first\.$/);
    const videos = await listVideosOf(server, game);
    assert.deepEqual(
      videos.map(({ position }) => position),
      [0, 1, 2],
    );
    assert.deepEqual(await videoBlobsOf(server, game), videos.map(({ uid }) => `videos/${game.uid}/${uid}`).sort());
  });

  test('the storage quota counts videos, and refuses a video that does not fit', async (t) => {
    const game = await makeGame(server);
    const small = await startServer({ shareWith: server, role: 'api', env: { CHAUFFEUR_LIMIT_STORAGE_MB: '1' } });
    t.after(() => small.stop());
    const [bytes, part] = [await readVideoFixture('vp9.mp4'), 600_000];
    // A video with space for later changes.
    const padded = Buffer.concat([bytes, box('free', Buffer.alloc(part - bytes.length - 8))]);
    const responses = await Promise.all(Array.from({ length: 3 }, () => postVideo(small, game, videoForm(padded))));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 403, 403]);
    for (const response of responses)
      if (response.status !== 201) assertRefusal(response, 4292, /exceeds the 1\.0 MiB of storage/);
    assert.equal((await videoBlobsOf(server, game)).length, 1);
    const headers = await signIn(server, game.owner);
    const { storage } = (await request(`${server.api}/games/${game.uid}/usage`, { headers })).body.data;
    assert.deepEqual([storage.videos_bytes, storage.used_bytes], [part, part]);
    const announced = Buffer.concat([padded, box('free', Buffer.alloc(3_000_000))]);
    assertRefusal(await postVideo(small, game, videoForm(announced)), 4292, /Delete some/);
  });

  test('uploads are counted per hour, together with images', async (t) => {
    const game = await makeGame(server);
    const strict = await startServer({
      shareWith: server,
      role: 'api',
      clock: stoppedClock(),
      env: { CHAUFFEUR_LIMIT_MEDIA: '1' },
    });
    t.after(() => strict.stop());
    await addVideo(strict, game);
    assertRefusal(await postVideo(strict, game, videoForm(webm)), 4290, /media uploads/);
  });
});
