// Adding store images on the real server: what is accepted, the errors otherwise, and that a refusal leaves nothing.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { MIB } from '@chauffeur/contract/limits';
import sharp from 'sharp';
import {
  addPictures,
  assertRefusal,
  blobsOfPicture,
  callMedia,
  type Format,
  galleryOf,
  imageBlobsOf,
  load,
  mediaForm,
  named,
  picture,
  postMedia,
  screenshots,
} from './setup/images.ts';
import { beginRequest, multipartOf, sendRaw } from './setup/raw.ts';
import { makeGame, request, startServer, stoppedClock, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';

let server: TestServer;
/** The folder for files that are being received, where tests look for leftovers. */
let temporary: string;

before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_MEDIA: '0' } });
  temporary = join(server.dataFolder, 'spool');
  await mkdir(temporary);
});
after(() => server.stop());

test('a game without images has an empty list', async () => {
  const { status, body } = await callMedia(server, await makeGame(server));
  assert.deepEqual([status, body.data], [200, { cover: null, thumbnail: null, gallery: [], images: [] }]);
});

for (const format of ['png', 'jpeg', 'gif', 'webp'] as Format[]) {
  test(`a ${format} cover is stored and served in its format`, async () => {
    const game = await makeGame(server);
    const response = await postMedia(
      server,
      game,
      mediaForm('cover', [named('Titel ü.bin', await picture(1600, 900, format))]),
    );
    assert.equal(response.status, 201);
    const { added, cover, thumbnail, gallery } = response.body.data;
    assert.deepEqual(added, [cover]);
    assert.deepEqual([thumbnail, gallery], [null, []]);
    const { uid, size, uploaded_at, copies, ...rest } = cover;
    assert.deepEqual(rest, {
      kind: 'cover',
      filename: 'Titel ü.bin',
      content_type: `image/${format}`,
      width: 1600,
      height: 900,
      url: `${server.url}/api/v1/public/media/${uid}`,
      position: 0,
    });
    assert.ok(Math.abs(Date.now() - Date.parse(uploaded_at)) < 60_000);
    assert.match(uploaded_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const image = await fetch(cover.url);
    const bytes = Buffer.from(await image.arrayBuffer());
    assert.deepEqual([image.status, image.headers.get('content-type')], [200, `image/${format}`]);
    assert.equal(bytes.length, size);
    const metadata = await sharp(bytes).metadata();
    assert.deepEqual([metadata.format, metadata.width, metadata.height], [format, 1600, 900]);
    assert.deepEqual(
      copies.map(({ width, height }: { width: number; height: number }) => [width, height]),
      [
        [160, 90],
        [480, 270],
        [960, 540],
      ],
    );
    for (const copy of copies) {
      const small = await fetch(copy.url);
      assert.deepEqual([small.status, small.headers.get('content-type')], [200, 'image/webp']);
      const bytes = Buffer.from(await small.arrayBuffer());
      assert.deepEqual([bytes.length, (await sharp(bytes).metadata()).width], [copy.size, copy.width]);
    }
    assert.equal((await fetch(`${cover.url}?width=481`)).status, 404);
  });
}

for (const kind of ['cover', 'thumbnail']) {
  test(`a new ${kind} replaces the previous one and its bytes`, async () => {
    const game = await makeGame(server);
    const [first = ''] = await addPictures(server, game, kind, [named('a.png', await picture())]);
    const [second = ''] = await addPictures(server, game, kind, [named('b.png', await picture(1600, 900))]);
    const { body } = await callMedia(server, game);
    const [image] = body.data.images;
    assert.deepEqual([image.kind, image.uid, image.filename, body.data[kind]], [kind, second, 'b.png', image.url]);
    assert.deepEqual(await imageBlobsOf(server, game), blobsOfPicture(game, second));
    assert.equal((await load(server, first)).status, 404);
  });
}

test('two concurrent covers leave one cover and one blob', async () => {
  const game = await makeGame(server);
  const bytes = await picture();
  await Promise.all(['a', 'b', 'c'].map((name) => addPictures(server, game, 'cover', [named(name, bytes)])));
  const { body } = await callMedia(server, game);
  assert.deepEqual(await imageBlobsOf(server, game), blobsOfPicture(game, body.data.images[0].uid));
});

test('screenshots are appended to the gallery in form order, whether the kind comes first or last', async () => {
  const game = await makeGame(server);
  const first = await addPictures(server, game, 'screenshot', await screenshots(2));
  const later = mediaForm('screenshot', await screenshots(10, 'later'), { kindLast: true });
  const { status, body } = await postMedia(server, game, later);
  assert.equal(status, 201);
  const names = body.data.gallery.map((image: { filename: string }) => image.filename);
  assert.deepEqual(names, [
    'shot-0.jpg',
    'shot-1.jpg',
    ...Array.from({ length: 10 }, (_, index) => `later-${index}.jpg`),
  ]);
  assert.deepEqual(
    await galleryOf(server, game),
    first.concat(body.data.added.map((image: { uid: string }) => image.uid)),
  );
});

test('an image at the minimum or maximum size of its kind is accepted', async () => {
  const game = await makeGame(server);
  for (const [kind, ...corners] of [
    ['thumbnail', [960, 540], [1920, 1080]],
    ['cover', [1024, 576], [2048, 1152]],
    ['screenshot', [1280, 720], [2048, 1152]],
  ] as const) {
    for (const [width, height] of corners)
      await addPictures(server, game, kind, [named('x', await picture(width, height))]);
  }
  const { body } = await callMedia(server, game);
  const { thumbnail, cover, gallery } = body.data;
  assert.deepEqual([thumbnail !== null, cover !== null, gallery.length], [true, true, 2]);
});

const padded = async (bytes: number) => Buffer.concat([await picture(1280, 720, 'png')], bytes);
for (const [kind, megabytes] of [
  ['thumbnail', 5],
  ['cover', 8],
  ['screenshot', 10],
] as const) {
  test(`a ${kind} of ${megabytes} MB is accepted, and one byte more is refused`, async () => {
    const game = await makeGame(server);
    await addPictures(server, game, kind, [named('fits.png', await padded(megabytes * MIB))]);
    const response = await postMedia(
      server,
      game,
      mediaForm(kind, [named('big.png', await padded(megabytes * MIB + 1))]),
    );
    assertRefusal(response, 4151, new RegExp(`^big\\.png: larger than ${megabytes} MB[.,] .*`));
    assert.deepEqual(response.body.error?.data, { index: 0 });
  });
}

const requirement =
  'A cover is a PNG, JPEG, GIF or WebP of 1024×576 to 2048×1152 pixels, 16:9 (width to height 1.70 to 1.85), at most 8 MB.';
const REFUSED: Record<string, { bytes: () => Promise<Buffer>; reason: string }> = {
  'too small': { bytes: () => picture(1023, 576), reason: '1023×576 pixels are too few' },
  'too large': { bytes: () => picture(2049, 1152), reason: '2049×1152 pixels are too many' },
  'not 16:9': { bytes: () => picture(1280, 960), reason: '1280×960 pixels are not 16:9, 1.333 to 1' },
  'a text': {
    bytes: async () => Buffer.from('not an image'),
    reason: 'not a readable PNG, JPEG, GIF or WebP',
  },
  'an SVG': {
    bytes: async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1280" height="720"/>'),
    reason: 'not a readable PNG, JPEG, GIF or WebP',
  },
  empty: { bytes: async () => Buffer.alloc(0), reason: 'not a readable PNG, JPEG, GIF or WebP' },
  truncated: {
    bytes: async () => (await picture(1280, 720, 'png')).subarray(0, -60),
    reason: 'damaged, truncated or too slow to decode. Export it again',
  },
};
for (const [what, { bytes, reason }] of Object.entries(REFUSED)) {
  test(`a cover that is ${what} is refused with the requirement`, async () => {
    const game = await makeGame(server);
    const response = await postMedia(server, game, mediaForm('cover', [named('x.png', await bytes())]));
    assertRefusal(response, 4151, /./);
    assert.equal(response.body.error?.message, `x.png: ${reason}. ${requirement}`);
  });
}

test('if one of several images is invalid, none is added, nothing is left and the error names its index', async () => {
  const game = await makeGame(server);
  const [before = ''] = await addPictures(server, game, 'screenshot', await screenshots(1));
  const files = await screenshots(4);
  files[2] = named('small.jpg', await picture(640, 360));
  const response = await postMedia(server, game, mediaForm('screenshot', files));
  assertRefusal(response, 4151, /^small\.jpg: 640×360 pixels are too few\. A screenshot is /);
  assert.deepEqual(response.body.error?.data, { index: 2 });
  assert.deepEqual(await galleryOf(server, game), [before]);
  assert.deepEqual(await imageBlobsOf(server, game), blobsOfPicture(game, before));
  assert.deepEqual(await readdir(temporary), []);
});

test('a file over 10 MB is refused while it is still being sent', async () => {
  const game = await makeGame(server);
  const form = mediaForm('screenshot', [...(await screenshots(1)), named('big.png', randomBytes(12 * MIB))]);
  const response = await postMedia(server, game, form);
  assertRefusal(response, 4151, /^big\.png: larger than 10 MB\. Make it smaller\.$/);
  assert.deepEqual(response.body.error?.data, { index: 1 });
});

const BAD_FORMS: Record<string, { body: () => Promise<RequestInit['body']>; message: RegExp }> = {
  'without a kind': {
    body: async () => mediaForm(undefined, await screenshots(1)),
    message: /^kind: missing\. Send it\.$/,
  },
  'of an unknown kind': {
    body: async () => mediaForm('banner', await screenshots(1)),
    message: /^kind: not an accepted value\. Use one of cover, thumbnail, screenshot, gallery\.$/,
  },
  'without a file': { body: async () => mediaForm('cover', []), message: /no part named file/ },
  'with eleven files': {
    body: async () => mediaForm('screenshot', await screenshots(11)),
    message: /send 1 to 10 file parts, each named file/,
  },
  'with two covers': {
    body: async () => mediaForm('cover', await screenshots(2)),
    message: /^file: a game has one cover\. Send exactly one file part\.$/,
  },
  'with two thumbnails': {
    body: async () => mediaForm('thumbnail', await screenshots(2)),
    message: /^file: a game has one thumbnail\. Send exactly one file part\.$/,
  },
  'with two kinds': {
    body: async () => {
      const form = mediaForm('cover', await screenshots(1));
      form.append('kind', 'cover');
      return form;
    },
    message: /a field was sent twice/,
  },
  'with a file under another name': {
    body: async () => {
      const form = mediaForm('cover', await screenshots(1));
      form.append('image', new Blob(['x']), 'x.png');
      return form;
    },
    message: /each named file/,
  },
  'with a file whose name is too long': {
    body: async () => mediaForm('cover', [named('x'.repeat(256), await picture())]),
    message: /^filename: longer than 255 characters/,
  },
  'that is JSON': { body: async () => '{"kind":"cover"}', message: /Content-Type must be multipart\/form-data/ },
};
for (const [what, { body, message }] of Object.entries(BAD_FORMS)) {
  test(`a form ${what} is refused and leaves nothing`, async () => {
    const game = await makeGame(server);
    assertRefusal(await postMedia(server, game, await body()), 4150, message);
    assert.deepEqual(await imageBlobsOf(server, game), []);
    assert.deepEqual(await readdir(temporary), []);
  });
}

test('an interrupted form leaves nothing, and the next one is accepted', async () => {
  const game = await makeGame(server);
  const content = await picture(1280, 720, 'png');
  const body = multipartOf([
    { headers: 'Content-Disposition: form-data; name="kind"', content: 'cover' },
    { headers: 'Content-Disposition: form-data; name="file"; filename="x.png"', content },
  ]);
  const headers = Object.entries({
    ...game.keyHeaders,
    'Content-Type': 'multipart/form-data; boundary=B',
    'Content-Length': String(body.length),
  });
  const post = { method: 'POST', path: '/api/v1/tool/media', headers };
  const socket = await beginRequest(server, { ...post, body: body.subarray(0, body.length / 2) });
  await until(async () => (await readdir(temporary)).length > 0);
  socket.destroy();
  await until(async () => (await readdir(temporary)).length === 0);
  assert.equal((await sendRaw(server, { ...post, body }))?.status, 201);
});

test('without a deploy key nothing can be listed or added', async () => {
  for (const method of ['GET', 'POST'])
    assertRefusal(await request(`${server.api}/tool/media`, { method }), 4020, /access token/);
});

test('image uploads are limited per hour, and the response says when to retry', async () => {
  const server = await startServer({ clock: stoppedClock(), env: { CHAUFFEUR_LIMIT_MEDIA: '2' } });
  try {
    const game = await makeGame(server);
    const files = [named('a.jpg', await picture())];
    await addPictures(server, game, 'cover', files);
    assert.equal((await postMedia(server, game, mediaForm('cover', []))).body.error?.code, 4150);
    const { status, headers, body } = await postMedia(server, game, mediaForm('cover', files));
    assert.deepEqual([status, body.error?.code], [429, 4290]);
    assert.match(body.error?.message ?? '', /limit of 2 media uploads an hour/);
    const seconds = Number(headers.get('retry-after'));
    assert.ok(seconds >= 1 && seconds <= 3600, String(seconds));
    assert.equal(body.error?.data.retry_after, seconds);
    await addPictures(server, await makeGame(server), 'cover', files);
  } finally {
    await server.stop();
  }
});
