// Versions: all builds with the same version, listed and read as one thing.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callApi, makeOwnedGame, type OwnedGame, statusOf } from './setup/api-calls.ts';
import { type ApiResponse, makePlayer, startServer, type TestServer } from './setup/server.ts';
import { register, shipAndScan } from './setup/uploads.ts';

type Version = {
  version: string;
  build_count: number;
  builds: { build_id: string; os: string; state: string; size: number | null }[];
  channels: { channel: string; os: string }[];
};

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

const list = async (studio: OwnedGame, query: Record<string, string> = {}): Promise<Version[]> => {
  const { status, body } = await get(studio, '/versions', query);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.versions;
};

function get({ game, owner }: OwnedGame, path: string, query: Record<string, string> = {}): Promise<ApiResponse> {
  return callApi(server, owner, 'GET', `/games/${game.uid}${path}?${new URLSearchParams(query)}`);
}

const namesOf = (versions: readonly Version[]) => versions.map(({ version }) => version);
const placesOf = ({ channels }: Version) => channels.map(({ channel, os }) => `${channel} ${os}`);

describe('the list of versions', () => {
  test('has each version once, with its builds and the channels that offer it, in the order of registration', async () => {
    const studio = await makeOwnedGame(server);
    await shipAndScan(server, studio.game, { version: '1.0', os: 'windows', channel: 'beta' });
    await register(server, studio.game, { version: '2.0', os: 'linux' });
    // A late build of an old version does not make it the newest.
    await shipAndScan(server, studio.game, {
      version: '1.0',
      os: 'linux',
      channel: 'stable',
      changelog_items: [{ title: 'Faster lamps' }, { title: 'More lamps' }],
    });
    const versions = await list(studio);
    assert.deepEqual(namesOf(versions), ['2.0', '1.0']);
    const [newer, older] = versions as [Version, Version];
    assert.deepEqual(
      [newer.builds.map(({ os, state, size }) => [os, state, size]), newer.channels],
      [[['linux', 'registered', null]], []],
    );
    assert.deepEqual(
      older.builds.map(({ os, state }) => [os, state]),
      [
        ['linux', 'ready'],
        ['windows', 'ready'],
      ],
    );
    assert.deepEqual(placesOf(older), ['beta windows', 'stable linux']);
    const { notes, downloads, launch } = older as unknown as Record<string, unknown>;
    assert.deepEqual(
      { notes, downloads, launch },
      { notes: 'Faster lamps', downloads: 0, launch: { band: 'unrated', devices: 0, booted: 0, crashed_on_boot: 0 } },
    );
  });

  test('can be searched, filtered by channel, and read in pages', async () => {
    const studio = await makeOwnedGame(server);
    for (const version of ['1.0', '1.1', '2.0'])
      await register(server, studio.game, { version, channel: version === '2.0' ? 'beta' : 'stable' });
    await register(server, studio.game, { version: '2.0', os: 'web', arch: 'wasm32', title: 'The 100% LAMP update' });
    assert.deepEqual(namesOf(await list(studio, { search: 'lamp' })), ['2.0']);
    assert.deepEqual(namesOf(await list(studio, { search: '100%' })), ['2.0']);
    assert.deepEqual(namesOf(await list(studio, { search: '1.' })), ['1.1', '1.0']);
    assert.deepEqual(await list(studio, { search: '_' }), []);
    assert.deepEqual(namesOf(await list(studio, { channel: 'beta' })), ['2.0']);
    const first = await get(studio, '/versions', { limit: '2' });
    assert.deepEqual(namesOf(first.body.data.versions), ['2.0', '1.1']);
    const second = await get(studio, '/versions', { limit: '2', cursor: first.body.data.next_cursor });
    assert.deepEqual([namesOf(second.body.data.versions), second.body.data.next_cursor], [['1.0'], null]);
    const misplaced = await get(studio, '/versions', { cursor: first.body.data.next_cursor, search: '1' });
    assert.deepEqual(statusOf(misplaced), [400, 4002]);
  });

  test('is filtered by what a channel offers, too', async () => {
    const studio = await makeOwnedGame(server);
    await shipAndScan(server, studio.game, { version: '1.0', channel: 'beta' });
    await shipAndScan(server, studio.game, { version: '2.0', channel: 'beta' });
    assert.deepEqual(await list(studio, { channel: 'stable' }), []);
    const promoted = await callApi(
      server,
      studio.owner,
      'POST',
      `/games/${studio.game.uid}/channels/stable/promote-version`,
      { version: '1.0' },
    );
    assert.equal(promoted.status, 200);
    assert.deepEqual(namesOf(await list(studio, { channel: 'stable' })), ['1.0']);
  });

  test('shows up to 64 builds of a version, and counts the others', async () => {
    const studio = await makeOwnedGame(server);
    for (let index = 0; index < 70; index += 1)
      await register(server, studio.game, { version: '1.0', build_type: `type-${index}` });
    const [version] = await list(studio);
    assert.deepEqual([version?.builds.length, version?.build_count], [64, 70]);
    const { body } = await get(studio, '/version', { version: '1.0' });
    assert.deepEqual([body.data.builds.length, body.data.build_count], [70, 70]);
  });
});

describe('a version', () => {
  test('is read with its neighbours, notes, commits and offers', async () => {
    const studio = await makeOwnedGame(server);
    await register(server, studio.game, { version: '1.0', os: 'windows', commit: 'a'.repeat(40) });
    const linux = await register(server, studio.game, { version: '1.0', os: 'linux', commit: 'b'.repeat(40) });
    const { buildId } = await shipAndScan(server, studio.game, { version: '1.1', os: 'linux', commit: 'c'.repeat(40) });
    await register(server, studio.game, { version: '1.2' });
    const { status, body } = await get(studio, '/version', { version: ' 1.1\n' });
    assert.equal(status, 200);
    const { previous, next, builds, commits, channels, new_groups: fresh, adoption, crash_free: free } = body.data;
    assert.deepEqual([previous.version, next.version], ['1.0', '1.2']);
    assert.deepEqual(
      builds.map((build: Version['builds'][0]) => build.build_id),
      [buildId],
    );
    assert.deepEqual(commits, {
      build_id: buildId,
      commit: 'c'.repeat(40),
      since: linux,
      since_commit: 'b'.repeat(40),
    });
    assert.deepEqual(
      channels.map(({ channel }: { channel: string }) => channel),
      ['stable'],
    );
    assert.deepEqual([fresh, adoption], [{ count: 0, groups: [] }, []]);
    assert.deepEqual(free.device_rate, { rate: null, low: null, high: null });
  });

  test('can have any name, even dots', async () => {
    const studio = await makeOwnedGame(server);
    for (const version of ['.', '..', 'a/b?c#d', '%2e%2e', 'é 1+2&v']) {
      await register(server, studio.game, { version });
      const { status, body } = await get(studio, '/version', { version });
      assert.deepEqual([status, body.data.version], [200, version]);
    }
  });

  test('that has no builds, or whose builds were all deleted, is unknown', async () => {
    const studio = await makeOwnedGame(server);
    assert.deepEqual(statusOf(await get(studio, '/version', { version: '9' })), [404, 4006]);
    const buildId = await register(server, studio.game, { version: '1.0' });
    const deleted = await callApi(server, studio.owner, 'DELETE', `/games/${studio.game.uid}/builds/${buildId}`);
    assert.equal(deleted.status, 200);
    const { body } = await get(studio, '/version', { version: '1.0' });
    assert.match(body.error?.message ?? '', /^Version 1\.0 was deleted on .* by /);
    assert.deepEqual(await list(studio), []);
    // Another build of it brings it back, with the deleted one named.
    await register(server, studio.game, { version: '1.0' });
    const again = await get(studio, '/version', { version: '1.0' });
    assert.deepEqual(
      again.body.data.deleted_builds.map(({ build_id }: { build_id: string }) => build_id),
      [buildId],
    );
  });

  test('is hidden from people who are not members, and from other games', async () => {
    const [studio, other] = [await makeOwnedGame(server), await makeOwnedGame(server)];
    await register(server, studio.game, { version: '1.0' });
    const { headers } = await makePlayer(server);
    for (const path of ['versions', 'version?version=1.0'])
      assert.equal((await callApi(server, headers, 'GET', `/games/${studio.game.uid}/${path}`)).status, 404);
    assert.deepEqual(statusOf(await get(other, '/version', { version: '1.0' })), [404, 4006]);
  });

  test('is read with the deploy key, without the titles of crashes', async () => {
    const { game } = await makeOwnedGame(server);
    await register(server, game, { version: '1.0' });
    const listed = await callApi(server, game.keyHeaders, 'GET', '/tool/versions');
    assert.deepEqual(namesOf(listed.body.data.versions), ['1.0']);
    const read = await callApi(server, game.keyHeaders, 'GET', '/tool/version?version=1.0');
    assert.deepEqual([read.status, read.body.data.version, read.body.data.new_groups], [200, '1.0', { count: 0 }]);
    assert.equal((await callApi(server, {}, 'GET', '/tool/versions')).status, 401);
  });
});
