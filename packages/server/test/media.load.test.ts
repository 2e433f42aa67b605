// Loading store images on the real server: who can, and who may cache them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '../src/kernel/secrets/ids.ts';
import { addPictures, assertRefusal, imageBlobsOf, load, named, picture, screenshots } from './setup/images.ts';
import { S3_MISSING, startS3 } from './setup/s3.ts';
import { makeGame, makePlayer, request, signIn, startServer, type TestServer } from './setup/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_MEDIA: '0' } });
});
after(() => server.stop());

async function coverOf(visibility: 'public' | 'invisible' | 'draft') {
  const game = await makeGame(server, { visibility });
  const [uid = ''] = await addPictures(server, game, 'cover', [named('cover.jpg', await picture())]);
  return { game, uid };
}

for (const visibility of ['public', 'invisible'] as const) {
  test(`everyone can load and cache the images of a game that is ${visibility}`, async () => {
    const { uid } = await coverOf(visibility);
    const { status, headers } = await load(server, uid);
    assert.equal(status, 200);
    assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox");
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('etag'), `"${uid}"`);
    assert.match(headers.get('content-disposition') ?? '', /filename="cover\.jpg"/);
    const again = await load(server, uid, { 'if-none-match': `"${uid}"` });
    assert.deepEqual([again.status, await again.text()], [304, '']);
    const head = await fetch(`${server.api}/public/media/${uid}`, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, headers.get('content-length')]);
  });
}

test('images of a draft are for members only and are not stored in shared caches', async () => {
  const { game, uid } = await coverOf('draft');
  const owner = await signIn(server, game.owner);
  const player = await makePlayer(server);
  const stranger = await makeGame(server);
  for (const headers of [{}, player.headers, stranger.keyHeaders]) {
    const response = await load(server, uid, headers as Record<string, string>);
    assert.deepEqual([response.status, (await response.json()).error.code], [404, 4040]);
    assert.equal(response.headers.get('cache-control'), 'no-store');
  }
  for (const headers of [owner, game.keyHeaders]) {
    const response = await load(server, uid, headers);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('cache-control'), 'private, no-cache');
    assert.equal(response.headers.get('vary'), 'Authorization, Cookie, X-Access-Token');
  }
});

test('an unknown image, or one whose blob is lost, is not found', async () => {
  assertRefusal(await request(`${server.api}/public/media/${newId()}`), 4040, /^uid: this image does not exist/);
  const { game, uid } = await coverOf('public');
  for (const key of await imageBlobsOf(server, game)) await server.ctx.blobs.delete(key);
  const response = await request(`${server.api}/public/media/${uid}`);
  assertRefusal(response, 4040, /^uid: this image does not exist/);
  assert.equal(response.headers.get('cache-control'), 'no-store');
});

test('the page of a game shows its images', async () => {
  const { game, uid } = await coverOf('public');
  const gallery = await addPictures(server, game, 'screenshot', await screenshots(2));
  const { body } = await request(`${server.api}/public/games/${game.uid}`);
  assert.deepEqual([body.data.cover.uid, body.data.thumbnail], [uid, null]);
  assert.deepEqual(
    body.data.gallery.map((image: { uid: string }) => image.uid),
    gallery,
  );
});

test('members get a small copy of the thumbnail with a game, or of the cover if there is none', async () => {
  const { game, uid: cover } = await coverOf('draft');
  const headers = await signIn(server, game.owner);
  const pictures = async () => {
    const { body: all } = await request(`${server.api}/games`, { headers });
    const { body: one } = await request(`${server.api}/games/${game.uid}`, { headers });
    return [all.data.games[0].picture, one.data.picture];
  };
  const urlOf = (uid: string) => `${server.api}/public/media/${uid}?width=160`;
  assert.deepEqual(await pictures(), [urlOf(cover), urlOf(cover)]);
  assert.equal((await fetch(urlOf(cover), { headers })).headers.get('content-type'), 'image/webp');
  const [thumbnail = ''] = await addPictures(server, game, 'thumbnail', [named('small.jpg', await picture(1280, 720))]);
  assert.deepEqual(await pictures(), [urlOf(thumbnail), urlOf(thumbnail)]);
  const { owner } = await makeGame(server);
  const { body: bare } = await request(`${server.api}/games`, { headers: await signIn(server, owner) });
  assert.equal(bare.data.games[0].picture, null);
});

test('images stored on S3 are also served by this server, with the same cache headers', async (t) => {
  const s3 = await startS3();
  if (s3 === null) return t.skip(S3_MISSING);
  Object.assign(process.env, s3.env);
  const server = await startServer({ env: { CHAUFFEUR_BLOBS: s3.url } });
  try {
    const game = await makeGame(server);
    const [uid = ''] = await addPictures(server, game, 'cover', [named('cover.png', await picture(1280, 720, 'png'))]);
    const response = await load(server, uid);
    assert.deepEqual([response.status, response.redirected], [200, false]);
    assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.deepEqual([...Buffer.from(await response.arrayBuffer()).subarray(1, 4)], [...Buffer.from('PNG')]);
    await addPictures(server, game, 'cover', [named('cover.jpg', await picture())]);
    // The image and its three smaller copies.
    assert.equal((await imageBlobsOf(server, game)).length, 4);
  } finally {
    await server.stop();
    await s3.stop();
  }
});
