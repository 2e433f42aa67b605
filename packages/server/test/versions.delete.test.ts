// Versions are deleted as a whole, or on some platforms, or not at all.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callApi, makeOwnedGame, type OwnedGame, statusOf } from './setup/api-calls.ts';
import { makeMember, makePlayer, startServer, type TestServer } from './setup/server.ts';
import { register, shipAndScan } from './setup/uploads.ts';

const OSES = ['linux', 'macos', 'windows'];

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

const call = ({ game, owner }: OwnedGame, method: string, path: string, body?: unknown) =>
  callApi(server, owner, method, `/games/${game.uid}${path}`, body);

const remove = (studio: OwnedGame, body: object) => call(studio, 'POST', '/version/deletion', body);

/** The builds that the game has: `1.0 linux`. */
async function buildsOf(studio: OwnedGame): Promise<string[]> {
  const { body } = await call(studio, 'GET', '/builds?page_size=100');
  return body.data.builds.map(({ version, os }: Record<string, string>) => `${version} ${os}`).sort();
}

/** A game with a version on three platforms of stable. */
async function withVersion(): Promise<OwnedGame> {
  const studio = await makeOwnedGame(server);
  for (const os of OSES) await shipAndScan(server, studio.game, { version: '1.0', os });
  return studio;
}

describe('deleting a version', () => {
  test('deletes all its builds in one change of each channel and one entry of the audit log', async () => {
    const studio = await withVersion();
    await register(server, studio.game, { version: '2.0' });
    const preview = await call(studio, 'GET', '/version/deletion?version=1.0');
    assert.equal(preview.status, 200);
    const { builds, channels, files, touches_players, consequences } = preview.body.data;
    assert.deepEqual([builds.length, channels.length, files, touches_players], [3, 3, 3, true]);
    assert.equal(consequences.at(-1), 'This cannot be undone.');
    const { status, body } = await remove(studio, { version: ' 1.0\n' });
    assert.equal(status, 200);
    assert.deepEqual(
      body.data.channels.map(({ channel, os }: Record<string, string>) => `${channel} ${os}`),
      OSES.map((os) => `stable ${os}`),
    );
    assert.deepEqual([body.data.files, body.data.builds.length], [3, 3]);
    assert.deepEqual(await buildsOf(studio), ['2.0 linux']);
    const history = await call(studio, 'GET', '/channels/stable/history');
    const deletions = history.body.data.moves.filter(({ action }: { action: string }) => action === 'delete');
    assert.equal(deletions.length, 3);
    assert.equal(new Set(deletions.map(({ change_uid }: { change_uid: string }) => change_uid)).size, 1);
    const audit = await call(studio, 'GET', '/audit');
    const entries = audit.body.data.entries.filter(({ operation }: { operation: string }) =>
      operation.startsWith('versions.'),
    );
    assert.equal(entries.length, 1);
    assert.match(JSON.stringify(entries[0]), /Linux x86_64.*macOS x86_64.*Windows x86_64/);
    assert.deepEqual(statusOf(await remove(studio, { version: '1.0' })), [404, 4006]);
  });

  test('deletes only the named builds, of which a platform can have several', async () => {
    const studio = await withVersion();
    const other = await makeOwnedGame(server);
    const stranger = await register(server, other.game, { version: '1.0' });
    const beta = await register(server, studio.game, { version: '1.0', channel: 'beta' });
    const { body } = await call(studio, 'GET', '/builds?os=linux&channel=stable');
    const [{ build_id: linux }] = body.data.builds;
    for (const id of [stranger, '00000000-0000-7000-8000-000000000000'])
      assert.deepEqual(statusOf(await remove(studio, { version: '1.0', build_ids: [linux, id] })), [404, 4006]);
    for (const wrong of [[], 'x', ['x'], Array(201).fill(linux)])
      assert.deepEqual(statusOf(await remove(studio, { version: '1.0', build_ids: wrong })), [400, 4002]);
    assert.equal((await buildsOf(studio)).length, 4);
    const windows = [{ os: 'windows', arch: 'x86_64' }];
    const none = await remove(studio, { version: '1.0', build_ids: [linux], platforms: windows });
    assert.deepEqual(statusOf(none), [404, 4006]);
    const removed = await remove(studio, { version: '1.0', build_ids: [linux.toUpperCase(), beta] });
    assert.equal(removed.body.data.builds.length, 2);
    assert.deepEqual(await buildsOf(studio), ['1.0 macos', '1.0 windows']);
  });

  test('deletes only the builds for the chosen platforms', async () => {
    const studio = await withVersion();
    const preview = await call(studio, 'GET', '/version/deletion?version=1.0&platforms=win64/x64,linux/amd64');
    assert.deepEqual(preview.body.data.builds.map(({ os }: { os: string }) => os).sort(), ['linux', 'windows']);
    const platforms = [
      { os: 'windows', arch: 'x86_64' },
      { os: 'linux', arch: 'amd64' },
    ];
    const refused = await remove(studio, { version: '1.0', platforms: [...platforms, { os: 'web', arch: 'wasm32' }] });
    assert.deepEqual(statusOf(refused), [404, 4006]);
    assert.match(refused.body.error?.message ?? '', /no build for .*wasm32/i);
    assert.equal((await buildsOf(studio)).length, 3);
    assert.equal((await remove(studio, { version: '1.0', platforms })).status, 200);
    assert.deepEqual(await buildsOf(studio), ['1.0 macos']);
    for (const query of ['version=1.0&platforms=x', 'version=1.0&platforms=linux/x86_64,', 'platforms=linux/x86_64'])
      assert.deepEqual(statusOf(await call(studio, 'GET', `/version/deletion?${query}`)), [400, 4002], query);
  });

  test('at the same time as a promotion leaves no channel with a deleted build', async () => {
    const studio = await withVersion();
    const [deleted, promoted] = await Promise.all([
      remove(studio, { version: '1.0' }),
      call(studio, 'POST', '/channels/beta/promote-version', { version: '1.0' }),
    ]);
    assert.equal(deleted.status, 200);
    assert.ok(promoted.status === 200 || [4006, 4099].includes(promoted.body.error?.code ?? 0));
    assert.deepEqual((await call(studio, 'GET', '/channels')).body.data.channels, []);
  });

  test('twice at once, or while one of its builds is deleted, succeeds once or refuses the whole', async () => {
    const studio = await withVersion();
    const both = await Promise.all([remove(studio, { version: '1.0' }), remove(studio, { version: '1.0' })]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 404]);
    assert.deepEqual(await buildsOf(studio), []);
  });

  test('is refused beyond 200 builds, so that one request has a bound', async () => {
    const studio = await makeOwnedGame(server);
    for (let index = 0; index <= 200; index += 1)
      await register(server, studio.game, { version: '1.0', build_type: `type-${index}` });
    const { status, body } = await remove(studio, { version: '1.0' });
    assert.deepEqual([status, body.error?.code], [400, 4002]);
    assert.match(body.error?.message ?? '', /201 builds/);
  });

  test('needs the role of a developer, in this game', async () => {
    const studio = await withVersion();
    const stranger = await makePlayer(server);
    const path = `/games/${studio.game.uid}/version/deletion`;
    assert.equal((await callApi(server, stranger.headers, 'POST', path, { version: '1.0' })).status, 404);
    await makeMember(server, studio.game.uid, stranger, 'triager');
    assert.equal((await callApi(server, stranger.headers, 'POST', path, { version: '1.0' })).status, 403);
    const other = await makeOwnedGame(server);
    assert.deepEqual(statusOf(await remove(other, { version: '1.0' })), [404, 4006]);
  });
});
