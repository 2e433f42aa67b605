// Store images on the website, with the real server: only developers of the game can add, order and delete them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mediaForm, named, picture, screenshots } from './setup/images.ts';
import { makeGame, makePlayer, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';

let server: TestServer;
let game: TestGame;
let owner: { cookie: string };

before(async () => {
  server = await startServer({ role: 'api' });
  game = await makeGame(server, { visibility: 'draft' });
  owner = await signIn(server, game.owner);
});
after(() => server.stop());

const call = (path = '', init: RequestInit = {}, headers: Record<string, string> = owner) =>
  request(`${server.api}/games/${game.uid}/media${path}`, { ...init, headers: { ...headers, ...init.headers } });
const order = (uids: readonly string[]) =>
  call('/order', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ order: uids }),
  });

test('a developer adds, reorders and deletes images, and each response lists all of them', async () => {
  const cover = await call('', { method: 'POST', body: mediaForm('cover', [named('cover.jpg', await picture())]) });
  assert.deepEqual([cover.status, cover.body.data.cover.filename], [201, 'cover.jpg']);
  const added = await call('', { method: 'POST', body: mediaForm('screenshot', await screenshots(2)) });
  const [first, second] = added.body.data.gallery.map(({ uid }: { uid: string }) => uid);
  const ordered = await order([second, first]);
  assert.deepEqual(
    ordered.body.data.gallery.map(({ uid }: { uid: string }) => uid),
    [second, first],
  );
  const left = await call(`/${second}`, { method: 'DELETE' });
  assert.deepEqual([left.status, left.body.data.gallery.length], [200, 1]);
  const { body } = await call();
  assert.deepEqual(
    [body.data.cover.filename, body.data.thumbnail, body.data.gallery[0].uid],
    ['cover.jpg', null, first],
  );
});

test('a developer gets the same refusals as a deploy key', async () => {
  const small = await picture(100, 100);
  const refused = await call('', { method: 'POST', body: mediaForm('cover', [named('small.jpg', small)]) });
  assert.deepEqual([refused.status, refused.body.error?.code], [400, 4151]);
  assert.equal((await order([])).body.error?.code, 4154);
});

test('a stranger gets 4040, and a page of another site cannot change anything', async () => {
  const { headers } = await makePlayer(server);
  const body = mediaForm('cover', [named('cover.jpg', await picture())]);
  for (const init of [{}, { method: 'POST', body }]) {
    const response = await call('', init, headers);
    assert.deepEqual([response.status, response.body.error?.code], [404, 4040]);
  }
  const forged = await call('', { method: 'POST', body, headers: { origin: 'https://evil.example' } });
  assert.deepEqual([forged.status, forged.body.error?.code], [403, 4032]);
});
