// The list of builds on the real server: newest first, filtered, in pages.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeGame, request, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { register } from './setup/uploads.ts';

let server: TestServer;
let game: TestGame;

before(async () => {
  server = await startServer({ role: 'api' });
  game = await makeGame(server);
  for (const os of ['linux', 'windows']) {
    for (const version of ['1.0', '1.1', '1.2']) await register(server, game, { version, os });
  }
  await register(server, game, { version: '1.2', arch: 'arm64', channel: 'beta' });
  await register(server, await makeGame(server), { version: '9.9' });
});
after(() => server.stop());

function ask(query: string) {
  return request(`${server.api}/tool/builds?${query}`, { headers: game.keyHeaders });
}

async function list(query: string): Promise<{ names: string[]; total: number }> {
  const { builds, pagination } = (await ask(query)).body.data;
  return {
    names: builds.map((build: { version: string; os: string }) => `${build.version} ${build.os}`),
    ...pagination,
  };
}

test('shows the builds of the game, newest first', async () => {
  const { names, total } = await list('');
  assert.equal(total, 7);
  assert.deepEqual(names.slice(0, 3), ['1.2 linux', '1.2 windows', '1.1 windows']);
});

test('filters by version, OS, architecture and channel, including aliases', async () => {
  assert.deepEqual((await list('os=win32&version=1.1')).names, ['1.1 windows']);
  assert.equal((await list('arch=aarch64')).total, 1);
  assert.equal((await list('arch=x64')).total, 6);
  assert.equal((await list('channel=beta')).total, 1);
  assert.deepEqual(await list('version=2.0'), { names: [], page: 1, page_size: 20, total: 0 });
});

test('returns pages with each build on exactly one of them', async () => {
  const pages = await Promise.all([1, 2, 3, 4].map((page) => list(`page_size=3&page=${page}`)));
  assert.deepEqual(
    pages.map(({ names }) => names.length),
    [3, 3, 1, 0],
  );
  assert.deepEqual(
    pages.flatMap(({ names }) => names),
    (await list('page_size=100')).names,
  );
});

test('refuses an invalid page, size or filter with 4002', async () => {
  const queries = [
    'page=0',
    'page=x',
    'page=1.5',
    'page_size=0',
    'page_size=101',
    'os=amiga',
    'channel=A',
    'version=%00',
  ];
  for (const query of [...queries, 'version=a&version=b', 'page=100001']) {
    const response = await ask(query);
    assert.deepEqual([response.status, response.body.error?.code], [400, 4002], query);
    assert.match(response.body.error?.message ?? '', new RegExp(`^${query.split('=')[0]}`), query);
  }
});
