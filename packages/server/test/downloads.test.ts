// How downloads are counted.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeGame, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { shipAndScan } from './setup/uploads.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_PUBLIC: '0', CHAUFFEUR_LIMIT_UPLOADS: '0' } });
});
after(() => server.stop());

async function shipPublic(): Promise<{ game: TestGame; buildId: string; url: string }> {
  const game = await makeGame(server);
  const { buildId, fileUid } = await shipAndScan(server, game);
  return { game, buildId, url: `${server.api}/public/games/${game.uid}/files/${fileUid}/download` };
}

async function download(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  await response.arrayBuffer();
  return response;
}

async function countOf({ game, buildId }: { game: TestGame; buildId: string }): Promise<number> {
  const headers = await signIn(server, game.owner);
  const { body } = await request(`${server.api}/games/${game.uid}/builds/${buildId}`, { headers });
  return body.data.downloads;
}

test('a download counts once, however many requests it takes', async () => {
  const shipped = await shipPublic();
  const { url } = shipped;
  assert.equal(await countOf(shipped), 0);
  const whole = await download(url);
  assert.equal(whole.status, 200);
  assert.equal(await countOf(shipped), 1);
  assert.equal((await download(url, { headers: { range: 'bytes=0-9' } })).status, 206);
  assert.equal((await download(url, { headers: { range: 'bytes=10-' } })).status, 206);
  assert.equal((await download(url, { headers: { range: 'bytes=-5' } })).status, 206);
  assert.equal(await countOf(shipped), 2);
});

test('requests that download nothing, and those of members, do not count', async () => {
  const shipped = await shipPublic();
  const { game, url } = shipped;
  assert.equal((await download(url, { method: 'HEAD' })).status, 200);
  assert.equal((await download(url, { headers: { range: 'bytes=999999999-' } })).status, 416);
  const etag = (await fetch(url, { method: 'HEAD' })).headers.get('etag') ?? '';
  assert.equal((await download(url, { headers: { 'if-none-match': etag } })).status, 304);
  assert.equal((await download(url, { headers: await signIn(server, game.owner) })).status, 200);
  assert.equal((await download(url, { headers: game.keyHeaders })).status, 200);
  assert.equal((await download(`${url}x`)).status, 404);
  assert.equal(await countOf(shipped), 0);
});

test('downloads at the same time all count, in each build', async () => {
  const [one, two] = [await shipPublic(), await shipPublic()];
  await Promise.all(Array.from({ length: 60 }, (_, no) => download(no % 3 === 0 ? one.url : two.url)));
  assert.deepEqual([await countOf(one), await countOf(two)], [20, 40]);
});
