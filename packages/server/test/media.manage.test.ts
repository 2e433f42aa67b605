// The limit and order of the gallery, deleting images, and sweeping leftovers, on the real server.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { HOUR } from '../src/kernel/clock.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { sweepMedia } from '../src/ship/media/media.ts';
import {
  addPictures,
  assertRefusal,
  blobsOfPicture,
  callMedia,
  galleryOf,
  imageBlobsOf,
  load,
  mediaForm,
  postMedia,
  screenshots,
} from './setup/images.ts';
import { makeGame, startServer, type TestGame, type TestServer } from './setup/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_MEDIA: '0' } });
});
after(() => server.stop());

const remove = (game: TestGame, ref: string) => callMedia(server, game, `/${ref}`, { method: 'DELETE' });
const order = (game: TestGame, uids: unknown) =>
  callMedia(server, game, '/order', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ order: uids }),
  });

describe('the gallery', () => {
  test('holds 20 images, and the error for more says how many there are, even for concurrent requests', async () => {
    const game = await makeGame(server);
    await addPictures(server, game, 'screenshot', await screenshots(10));
    const responses = await Promise.all(
      [7, 7].map(async (count) => postMedia(server, game, mediaForm('screenshot', await screenshots(count)))),
    );
    assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 409]);
    const refused = responses.find(({ status }) => status === 409);
    if (refused === undefined) assert.fail();
    assertRefusal(
      refused,
      4152,
      /^The gallery has 17 of at most 20 images and no room for 7 more\. Delete some first\.$/,
    );
    await addPictures(server, game, 'screenshot', await screenshots(3));
    assert.equal((await galleryOf(server, game)).length, 20);
    assert.equal((await imageBlobsOf(server, game)).length, 20 * 4);
    assertRefusal(await postMedia(server, game, mediaForm('screenshot', await screenshots(1))), 4152, /has 20/);
    await addPictures(server, game, 'cover', await screenshots(1));
  });

  test('accepts a new order with uids in either letter case, and appends new images to it', async () => {
    const game = await makeGame(server);
    const [a = '', b = '', c = ''] = await addPictures(server, game, 'screenshot', await screenshots(3));
    const { status, body } = await order(game, [c.toUpperCase(), a, b]);
    assert.equal(status, 200);
    assert.deepEqual(
      body.data.gallery.map((image: { uid: string }) => image.uid),
      [c, a, b],
    );
    const [d = ''] = await addPictures(server, game, 'screenshot', await screenshots(1));
    assert.deepEqual(await galleryOf(server, game), [c, a, b, d]);
  });

  test('is not changed by an order that does not name exactly its images', async () => {
    const game = await makeGame(server);
    const [a = '', b = ''] = await addPictures(server, game, 'screenshot', await screenshots(2));
    const [cover = ''] = await addPictures(server, game, 'cover', await screenshots(1));
    for (const uids of [[], [a], [a, a], [a, b, b], [a, b, cover], [a, cover], [a, b, newId()]]) {
      assertRefusal(
        await order(game, uids),
        4154,
        /^order: must name each of the 2 images in the gallery exactly once\./,
      );
    }
    assert.deepEqual(await galleryOf(server, game), [a, b]);
    for (const uids of [undefined, 'x', ['x'], [1], [null]]) assertRefusal(await order(game, uids), 4150, /^order/);
  });

  test('has an empty order when it is empty', async () => {
    assert.equal((await order(await makeGame(server), [])).status, 200);
  });

  test('keeps an order without gaps when images are deleted and reordered concurrently', async () => {
    const game = await makeGame(server);
    const uids = await addPictures(server, game, 'screenshot', await screenshots(6));
    const [deleted = '', ...left] = uids;
    await Promise.all([order(game, uids.toReversed()), remove(game, deleted), order(game, uids.toSorted())]);
    const { body } = await order(game, left);
    assert.deepEqual(
      body.data.gallery.map((image: { uid: string }) => image.uid),
      left,
    );
    const [last = ''] = await addPictures(server, game, 'screenshot', await screenshots(1));
    assert.deepEqual(await galleryOf(server, game), [...left, last]);
  });
});

describe('deleting', () => {
  test('removes a screenshot by its uid, with its bytes', async () => {
    const game = await makeGame(server);
    const [a = '', b = '', c = ''] = await addPictures(server, game, 'screenshot', await screenshots(3));
    const { status, body } = await remove(game, b.toUpperCase());
    assert.equal(status, 200);
    assert.deepEqual(
      body.data.gallery.map((image: { uid: string }) => image.uid),
      [a, c],
    );
    assert.deepEqual(
      await imageBlobsOf(server, game),
      [a, c].sort().flatMap((uid) => blobsOfPicture(game, uid)),
    );
    assert.equal((await load(server, b)).status, 404);
  });

  for (const visibility of ['invisible', 'draft'] as const) {
    test(`removes the cover and thumbnail of a game that is ${visibility} by kind or uid`, async () => {
      const game = await makeGame(server, { visibility });
      await addPictures(server, game, 'cover', await screenshots(1));
      const [thumbnail = ''] = await addPictures(server, game, 'thumbnail', await screenshots(1));
      assert.equal((await remove(game, 'cover')).body.data.cover, null);
      const { body } = await remove(game, thumbnail);
      assert.deepEqual(body.data, { cover: null, thumbnail: null, gallery: [] });
      assert.deepEqual(await imageBlobsOf(server, game), []);
    });
  }

  test('is refused for the cover and thumbnail of a public game', async () => {
    const game = await makeGame(server);
    for (const kind of ['cover', 'thumbnail']) {
      const [uid = ''] = await addPictures(server, game, kind, await screenshots(1));
      for (const ref of [kind, uid]) {
        assertRefusal(await remove(game, ref), 4153, new RegExp(`^A public game needs its ${kind}\\.`));
      }
      assert.equal((await load(server, uid)).status, 200);
    }
  });

  test('is refused for unknown images and images of other games', async () => {
    const game = await makeGame(server, { visibility: 'invisible' });
    const [foreign = ''] = await addPictures(server, await makeGame(server), 'screenshot', await screenshots(1));
    await addPictures(server, game, 'screenshot', await screenshots(1));
    for (const ref of [newId(), foreign, 'cover', 'thumbnail', 'screenshot', 'banner'])
      assertRefusal(await remove(game, ref), 4040, /^uid: this image does not exist/);
    assertRefusal(await remove(game, 'x'.repeat(65)), 4150, /^uid: longer than 64 characters/);
    assert.equal((await load(server, foreign)).status, 200);
  });
});

test('the sweeper removes only unreferenced blobs that are older than a day', async () => {
  const game = await makeGame(server);
  const [kept = ''] = await addPictures(server, game, 'cover', await screenshots(1));
  for (const ending of ['png', '480.webp'])
    await server.ctx.blobs.complete(await server.ctx.blobs.begin(`media/${game.uid}/${newId()}.${ending}`));
  const hours = (count: number) => ({ now: () => new Date(Date.now() + count * HOUR) });
  await sweepMedia({ ...server.ctx, clock: hours(23) });
  assert.equal((await imageBlobsOf(server, game)).length, 4 + 2);
  await sweepMedia({ ...server.ctx, clock: hours(25) });
  assert.deepEqual(await imageBlobsOf(server, game), blobsOfPicture(game, kept));
});
