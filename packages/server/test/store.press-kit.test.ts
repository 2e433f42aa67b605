// cspell:ignore Sprachen Englisch
// The press kit of a game over HTTP: what is in it, for whom it exists, and what an interrupted request leaves open.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { callApi } from './setup/api-calls.ts';
import { addPictures, callMedia, named, picture } from './setup/images.ts';
import { beginRequest } from './setup/raw.ts';
import { makeGame, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';
import { shipAndScan, smallZip } from './setup/uploads.ts';
import { addVideo, listVideosOf } from './setup/videos.ts';

describe('the press kit of a game', () => {
  let server: TestServer;
  let game: TestGame;
  let session: Record<string, string>;
  let videoUid: string;
  before(async () => {
    server = await startServer({ env: { CHAUFFEUR_LIMIT_MEDIA: '0' } });
    game = await makeGame(server);
    session = await signIn(server, game.owner);
    await shipAndScan(server, game, { version: '1.0.0' }, smallZip());
    await addPictures(server, game, 'cover', [named('../../etc/passwd.png', await picture(1600, 900, 'png'))]);
    await addPictures(server, game, 'screenshot', [
      named('b.jpg', await picture()),
      named('a.webp', await picture(1280, 720, 'webp')),
    ]);
    videoUid = await addVideo(server, game);
    await until(async () => (await listVideosOf(server, game)).every(({ status }) => status === 'unscanned'));
    await change({
      visibility: 'invisible',
      name: '../Small\u00a0Walk',
      tagline: 'Developer: someone else',
      description: '## Rain\n\nPast **forty** houses.',
      languages: ['en', 'de'],
      links: [{ kind: 'website', url: 'https://walk.example.com/' }],
    });
  });
  after(() => server.stop());

  const change = (json: object) => callApi(server, session, 'PATCH', `/games/${game.uid}`, json);
  const get = (headers: Record<string, string> = {}, uid = game.uid) =>
    fetch(`${server.url}/g/${uid}/press-kit.zip`, { headers });

  async function unpack(t: TestContext, response: Response): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'press-kit-'));
    t.after(() => rm(folder, { recursive: true }));
    const zip = Buffer.from(await response.arrayBuffer());
    assert.equal(response.headers.get('content-length'), String(zip.length));
    await writeFile(join(folder, 'kit.zip'), zip);
    await promisify(execFile)('python3', ['-m', 'zipfile', '-e', 'kit.zip', 'kit'], { cwd: folder });
    return join(folder, 'kit');
  }

  test('has the images as they are served, the description and the facts, in one folder', async (t) => {
    const response = await get();
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/zip');
    const { slug } = (await callApi(server, session, 'GET', `/games/${game.uid}`)).body.data;
    assert.equal(response.headers.get('content-disposition'), `attachment; filename="${slug}-press-kit.zip"`);
    const kit = await unpack(t, response);
    assert.deepEqual(await readdir(kit), [`${slug}-press-kit`]);
    const folder = join(kit, `${slug}-press-kit`);
    assert.deepEqual((await readdir(folder, { recursive: true })).sort(), [
      'cover.png',
      'description.md',
      'description.txt',
      'facts.txt',
      'screenshots',
      'screenshots/01.jpg',
      'screenshots/02.webp',
    ]);
    const read = (name: string) => readFile(join(folder, name), 'utf8');
    assert.equal(await read('description.md'), '## Rain\n\nPast **forty** houses.\n');
    assert.equal(await read('description.txt'), 'Rain\nPast forty houses.\n');
    const facts = await read('facts.txt');
    assert.match(facts, /^\.\.\/Small\sWalk\nDeveloper: someone else\n\nDeveloper: /);
    for (const line of [
      'Systems: Linux',
      'Languages: English, German',
      'Website: https://walk.example.com/',
      `Videos: ${server.ctx.publicUrl}/api/v1/public/videos/${videoUid}`,
    ])
      assert.ok(facts.split('\n').includes(line), facts);
    const { cover } = (await callMedia(server, game)).body.data;
    const served = Buffer.from(await (await fetch(cover)).arrayBuffer());
    assert.ok(served.equals(await readFile(join(folder, 'cover.png'))));
  });

  test('is in the language of the visitor, and sent again only after a change', async () => {
    const german = await get({ 'accept-language': 'de' });
    assert.match(await german.text(), /Sprachen: Englisch, Deutsch/);
    const first = await get();
    assert.equal(first.headers.get('cache-control'), 'public, no-cache');
    assert.match(first.headers.get('vary') ?? '', /Accept-Language/);
    const etag = first.headers.get('etag') ?? '';
    await first.arrayBuffer();
    assert.notEqual(german.headers.get('etag'), etag);
    assert.equal((await get({ 'if-none-match': etag })).status, 304);
    await change({ tagline: 'Another one' });
    const changed = await get({ 'if-none-match': etag });
    await changed.arrayBuffer();
    assert.equal(changed.status, 200);
    const head = await fetch(`${server.url}/g/${game.uid}/press-kit.zip`, { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text()], [200, '']);
  });

  test('of a draft is for its members only, and of an empty game has only facts', async (t) => {
    const draft = await makeGame(server);
    const owner = await signIn(server, draft.owner);
    await callApi(server, owner, 'PATCH', `/games/${draft.uid}`, { visibility: 'draft' });
    for (const headers of [{}, session]) {
      const { status, body } = await request(`${server.url}/g/${draft.uid}/press-kit.zip`, { headers });
      assert.deepEqual([status, body.error?.code], [404, 4040]);
    }
    assert.equal((await get({}, 'no-such-game')).status, 404);
    const own = await get(owner, draft.uid);
    assert.equal(own.headers.get('cache-control'), 'private, no-cache');
    assert.deepEqual(
      (await readdir(await unpack(t, own), { recursive: true })).map((name) => name.split('/')[1]),
      [undefined, 'facts.txt'],
    );
  });

  test('closes its files when the request is interrupted', async () => {
    const { data, info } = {
      data: randomBytes(1920 * 1080 * 3),
      info: { width: 1920, height: 1080, channels: 3 },
    } as const;
    const noise = await sharp(data, { raw: info }).png().toBuffer();
    for (let index = 0; index < 4; index += 1)
      await addPictures(server, game, 'screenshot', [named('noise.png', noise)]);
    const path = `/g/${game.uid}/press-kit.zip`;
    const socket = await beginRequest(server, { method: 'GET', path, headers: [] });
    await once(socket, 'data');
    socket.pause();
    await until(async () => (await openImages(game)) > 0);
    socket.destroy();
    await until(async () => (await openImages(game)) === 0);
    const whole = await fetch(`${server.url}${path}`);
    assert.equal(whole.status, 200);
    assert.ok((await whole.bytes()).length > noise.length);
  });
});

/** How many images of the game this process, which the server is part of, has open. */
async function openImages(game: TestGame): Promise<number> {
  const names = await readdir('/proc/self/fd');
  const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  return targets.filter((target) => target.includes(`media/${game.uid}`)).length;
}
