// The original public command-line client on the real server: requests that differ from ours, and the fields that it
// prints.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { mediaForm, named, picture, postMedia, screenshots } from './setup/images.ts';
import { type ApiResponse, makeGame, request, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { sendSymbols, symText } from './setup/symbols.ts';
import {
  type FormFields,
  formOf,
  openSession,
  postJson,
  register,
  sha256,
  shipAndScan,
  smallZip,
  upload,
  uploadFields,
} from './setup/uploads.ts';

let server: TestServer;
let game: TestGame;

before(async () => {
  server = await startServer();
  game = await makeGame(server);
});
after(() => server.stop());

const get = (path: string): Promise<ApiResponse> => request(`${server.api}${path}`, { headers: game.keyHeaders });

describe('a second program of a game', () => {
  const registration = { version: '7.0', os: 'linux', arch: 'x86_64', title: 'The game' };
  const titleOf = async () => (await get('/tool/builds?version=7.0')).body.data.builds[0].title;

  test('is refused at registration, and the build of the game does not change', async () => {
    assert.equal((await postJson(server, game, registration)).status, 201);
    for (const other of [
      { app: 'editor' },
      { app: 'editor', app_name: 'Level editor' },
      { app_name: 'Level editor' },
    ]) {
      const { status, body } = await postJson(server, game, { ...registration, title: 'The editor', ...other });
      assert.deepEqual([status, body.error?.code], [400, 4026]);
      assert.match(body.error?.message ?? '', /^app(_name)?: names another program/);
    }
    assert.equal((await postJson(server, game, { ...registration, app: 3 })).body.error?.code, 4026);
    assert.equal(await titleOf(), 'The game');
  });

  test('is refused for uploads and sessions, even when the file comes first', async () => {
    const buildId = await register(server, game, { version: '7.1' });
    const zip = smallZip();
    const fields: FormFields = { ...uploadFields(buildId, zip), app: 'editor' };
    for (const fileFirst of [false, true]) {
      const { status, body } = await upload(server, game, formOf(fields, zip, { fileFirst }));
      assert.deepEqual([status, body.error?.code], [404, 4039]);
    }
    const session = await openSession(server, game, { ...fields, filename: 'a.zip', total_size: String(zip.length) });
    assert.deepEqual([session.status, session.body.error?.code], [404, 4039]);
    const { builds } = (await get('/tool/builds?version=7.1')).body.data;
    assert.deepEqual([builds[0].state, builds[0].files], ['registered', []]);
  });

  test('is not confused with the uid, slug or name of the game itself', async () => {
    const { name } = (await get('/tool/info')).body.data;
    for (const app of [game.uid, game.slug.toUpperCase(), name, '', ' '])
      assert.equal((await postJson(server, game, { ...registration, app, app_name: name })).status, 200, app);
  });
});

test('os: any is refused with the accepted values', async () => {
  const { status, body } = await postJson(server, game, { version: '1', os: 'any', arch: 'x86_64' });
  assert.deepEqual([status, body.error?.code], [400, 4026]);
  assert.match(body.error?.message ?? '', /^os: .*windows, macos, linux, android, ios, web/);
  const zip = smallZip();
  const buildId = await register(server, game, { version: '0.1' });
  const uploaded = await upload(server, game, formOf({ ...uploadFields(buildId, zip), os: 'any' }, zip));
  assert.match(uploaded.body.error?.message ?? '', /^os: .*windows, macos, linux, android, ios, web/);
});

test('a symbol upload returns the number of files and the build', async () => {
  const buildId = await register(server, game, { version: '2.0' });
  const { status, body } = await sendSymbols(server, game, buildId, symText());
  const { build_id, count, symbols } = body.data;
  assert.deepEqual([status, build_id, count, symbols.length], [201, buildId, 1, 1]);
});

test('each build in the list has its game, files, number of symbols and page', async () => {
  const buildId = await register(server, game, { version: '3.0' });
  const zips = [smallZip('a.txt'), smallZip('b.txt')];
  for (const zip of zips) await upload(server, game, formOf(uploadFields(buildId, zip), zip));
  for (const file of ['one.so', 'two.so']) await sendSymbols(server, game, buildId, symText({ file }));
  const { builds, page, page_size, total, pagination } = (await get('/tool/builds?version=3.0&page_size=5')).body.data;
  assert.deepEqual({ page, page_size, total }, { page: 1, page_size: 5, total: 1 });
  assert.deepEqual(pagination, { page, page_size, total });
  const [build] = builds;
  assert.deepEqual([build.app_id, build.symbols], [game.uid, 2]);
  assert.deepEqual(
    build.files.map((file: { filename: string; checksum: string }) => [file.filename, file.checksum]),
    zips.map((zip) => ['game.zip', sha256(zip)]).reverse(),
  );
});

test('gallery is an alias of screenshot, and every image has its URL and position', async () => {
  const studio = await makeGame(server);
  const first = await postMedia(server, studio, mediaForm('gallery', await screenshots(2)));
  assert.equal(first.status, 201, JSON.stringify(first.body));
  await postMedia(server, studio, mediaForm('screenshot', await screenshots(1, 'more')));
  const { body } = await request(`${server.api}/tool/media`, { headers: studio.keyHeaders });
  const { gallery } = body.data as { gallery: { kind: string; position: number; url: string }[] };
  assert.deepEqual(
    gallery.map(({ kind, position }) => [kind, position]),
    [
      ['screenshot', 0],
      ['screenshot', 1],
      ['screenshot', 2],
    ],
  );
  assert.equal((await fetch(gallery[1]!.url)).status, 200);
});

test('info returns what the client prints about the game, its builds, channels, listing and images', async () => {
  const studio = await makeGame(server);
  const info = async () => (await request(`${server.api}/tool/info`, { headers: studio.keyHeaders })).body.data;
  const empty = await info();
  assert.deepEqual([empty.builds, empty.channels, empty.lint.ready, empty.lint.warnings], [0, [], false, []]);
  assert.deepEqual(empty.media, { cover: null, thumbnail: null, gallery: [], gallery_max: 20 });
  assert.ok(empty.lint.errors.some(({ message }: { message: string }) => /no cover/.test(message)));
  const { buildId } = await shipAndScan(server, studio, { version: '1.0' });
  await postMedia(server, studio, mediaForm('cover', [named('c.png', await picture())]));
  await postMedia(server, studio, mediaForm('gallery', await screenshots(1)));
  const { game_uid, url, status, builds, channels, media } = await info();
  assert.deepEqual([game_uid, status, builds], [studio.uid, 'published', 1]);
  assert.equal(url, `${server.ctx.publicUrl}/g/${studio.slug}`);
  assert.deepEqual(channels, [{ channel: 'stable', os: 'linux', arch: 'x86_64', build_id: buildId, version: '1.0' }]);
  assert.deepEqual([media.gallery.length, media.gallery[0].position, media.thumbnail], [1, 0, null]);
  const listed = await request(`${server.api}/tool/media`, { headers: studio.keyHeaders });
  assert.deepEqual([listed.body.data.cover, listed.body.data.thumbnail], [media.cover, null]);
  for (const address of [media.cover, media.gallery[0].url]) assert.equal((await fetch(address)).status, 200);
});
