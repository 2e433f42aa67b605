// Builds as their developers see them on the real server: one build with its files, the filtered list, the overview of
// games.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { makeGame, makePlayer, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { register, ship, shipAndScan, smallZip } from './setup/uploads.ts';

let server: TestServer;
let game: TestGame;
let owner: { cookie: string };
let ready: string;
let registered: string;

before(async () => {
  server = await startServer();
  game = await makeGame(server);
  owner = await signIn(server, game.owner);
  ready = (await shipAndScan(server, game, { version: '1.0', title: 'Owls of the North' })).buildId;
  registered = await register(server, game, { version: '2.0', channel: 'beta' });
});
after(() => server.stop());

const get = (path: string, headers: Record<string, string> = owner) => request(`${server.api}${path}`, { headers });

test('a build has its files with their uploader and every scan', async () => {
  const { body } = await get(`/games/${game.uid}/builds/${ready}`);
  assert.deepEqual([body.data.version, body.data.state, body.data.files.length], ['1.0', 'ready', 1]);
  const [file] = body.data.files;
  assert.equal(file.checksum, body.data.file.checksum);
  assert.equal(file.origin.type, 'deploy_key');
  assert.equal(file.scans[0].state, 'pending');
  assert.equal(file.scans.at(-1).state, file.status);
  assert.equal(new Date(file.scans[0].at).toISOString(), file.scans[0].at);
});

test('a build without a file has an empty list of files', async () => {
  const { body } = await get(`/games/${game.uid}/builds/${registered}`);
  assert.deepEqual([body.data.state, body.data.file, body.data.files], ['registered', null, []]);
});

test('files are listed newest first', async () => {
  const { buildId } = await shipAndScan(server, game, { version: '0.1', channel: 'dev' });
  const second = await ship(server, game, { version: '0.1', channel: 'dev' }, smallZip('other.txt'));
  const { body } = await get(`/games/${game.uid}/builds/${buildId}`);
  assert.deepEqual([body.data.files.length, body.data.files[0].file_uid], [2, second.fileUid]);
});

test('builds of other people and other games are not found', async () => {
  const stranger = await makePlayer(server);
  const hidden = await get(`/games/${game.uid}/builds/${ready}`, stranger.headers);
  assert.deepEqual([hidden.status, hidden.body.error?.code], [404, 4040]);
  const other = await makeGame(server);
  const foreign = await get(`/games/${other.uid}/builds/${ready}`, await signIn(server, other.owner));
  assert.deepEqual([foreign.status, foreign.body.error?.code], [404, 4006]);
});

test('the list has the uploader of each file, and can be sorted by size and downloads', async () => {
  const own = await makeGame(server);
  const cookie = await signIn(server, own.owner);
  const list = (query: string) => get(`/games/${own.uid}/builds?${query}`, cookie);
  const sizes: [string, number][] = [
    ['1.0', 10],
    ['1.1', 3000],
    ['1.2', 500],
  ];
  for (const [version, size] of sizes)
    await ship(server, own, { version }, smallZip('game.bin', new Uint8Array(randomBytes(size))));
  await register(server, own, { version: '1.3' });
  const versions = async (query: string) =>
    (await list(query)).body.data.builds.map(({ version }: { version: string }) => version);
  assert.deepEqual(await versions(''), ['1.3', '1.2', '1.1', '1.0']);
  assert.deepEqual(await versions('sort=size'), ['1.1', '1.2', '1.0', '1.3']);
  assert.deepEqual(await versions('sort=downloads'), ['1.3', '1.2', '1.1', '1.0']);
  assert.deepEqual(await versions('sort=size&page=2&page_size=3'), ['1.3']);
  const { builds, next_cursor } = (await list('sort=size&limit=2')).body.data;
  assert.equal(next_cursor, null);
  assert.equal(builds[0].file.origin.type, 'deploy_key');
  assert.equal(builds[0].file.upload_token, null);
  const { next_cursor: cursor } = (await list('limit=2')).body.data;
  const refused = await list(`sort=size&cursor=${cursor}`);
  assert.deepEqual([refused.status, refused.body.error?.code], [400, 4002]);
});

test('the list is filtered by state and by a part of the version or title, in any letter case', async () => {
  const versions = async (query: string) => {
    const { body } = await get(`/games/${game.uid}/builds?channel=stable&${query}`);
    return body.data.builds.map(({ version }: { version: string }) => version);
  };
  assert.deepEqual(await versions('state=ready'), ['1.0']);
  assert.deepEqual(await versions('state=rejected'), []);
  assert.deepEqual(await versions('search=OWLS'), ['1.0']);
  assert.deepEqual(await versions('search=1.'), ['1.0']);
  assert.deepEqual(await versions('search=%25'), []);
  const { body } = await get(`/games/${game.uid}/builds?state=registered`);
  assert.deepEqual([body.data.builds[0].build_id, body.data.pagination.total], [registered, 1]);
});

test('each game is listed with its newest build and the builds its channels offer', async () => {
  const { body } = await get('/games');
  const [listed] = body.data.games;
  assert.equal(listed.newest_build.version, '0.1');
  assert.deepEqual(listed.channels, [
    { channel: 'dev', versions: ['0.1'] },
    { channel: 'stable', versions: ['1.0'] },
  ]);
});

test('a channel shows the scan result of its build and the target of a rollback', async () => {
  const of = async (channel: string) => {
    const { body } = await get(`/games/${game.uid}/channels`);
    return body.data.channels.find((entry: { channel: string }) => entry.channel === channel);
  };
  const first = await shipAndScan(server, game, { version: '3.0', channel: 'nightly' });
  const alone = await of('nightly');
  assert.match(alone.scan, /^(clean|unscanned)$/);
  assert.equal(alone.rollback_to, null);
  await shipAndScan(server, game, { version: '3.1', channel: 'nightly' });
  assert.deepEqual((await of('nightly')).rollback_to, { build_id: first.buildId, version: '3.0' });
});
