// Channels on the real server: how uploads, promotions, rollbacks and expiries move them, and who sees what they offer.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { HOUR } from '../src/kernel/clock.ts';
import { callApi, makeOwnedGame, type OwnedGame, statusOf } from './setup/api-calls.ts';
import { makePlayer, request, startServer, type TestServer } from './setup/server.ts';
import { formOf, register, shipAndScan, smallZip, untilScanned, upload, uploadFields } from './setup/uploads.ts';

describe('channels', () => {
  let server: TestServer;
  let now = new Date();
  before(async () => {
    server = await startServer({ clock: { now: () => now } });
  });
  after(() => server.stop());

  const open = () => makeOwnedGame(server);
  const call = ({ game, owner }: OwnedGame, method: string, path: string, body?: unknown) =>
    callApi(server, owner, method, `/games/${game.uid}/channels${path}`, body);

  /** The channel's entry for the OS on x86_64, if any. */
  async function pointer(studio: OwnedGame, channel = 'stable', os = 'linux') {
    const { body } = await call(studio, 'GET', '');
    return body.data.channels.find(
      (entry: { channel: string; os: string }) => entry.channel === channel && entry.os === os,
    );
  }

  test('a newer build advances its channel after its scan; an older one does not', async () => {
    const studio = await open();
    const older = await register(server, studio.game, { version: '1.0' });
    await shipAndScan(server, studio.game, { version: '2.0' });
    assert.equal((await pointer(studio)).version, '2.0');
    const zip = smallZip();
    const late = await upload(server, studio.game, formOf(uploadFields(older, zip), zip));
    await untilScanned(server, studio.game, late.body.data.file_uid);
    assert.equal((await pointer(studio)).version, '2.0');
  });

  test('each platform of a channel points at its own build', async () => {
    const studio = await open();
    await shipAndScan(server, studio.game, { version: '1.0', os: 'windows' });
    await shipAndScan(server, studio.game, { version: '2.0', os: 'linux' });
    assert.equal((await pointer(studio, 'stable', 'windows')).version, '1.0');
    assert.equal((await pointer(studio, 'stable', 'linux')).version, '2.0');
  });

  test('promote points at a build, and repeated rollbacks go back until none is left', async () => {
    const studio = await open();
    const builds = [];
    for (const version of ['1', '2', '3']) builds.push((await shipAndScan(server, studio.game, { version })).buildId);
    assert.equal((await call(studio, 'POST', '/stable/promote', { build_id: builds[0] })).body.data.version, '1');
    for (const version of ['3', '2', '1']) {
      const { status, body } = await call(studio, 'POST', '/stable/rollback', {});
      assert.deepEqual([status, body.data.channels[0].version], [200, version]);
    }
    const last = await call(studio, 'POST', '/stable/rollback', {});
    assert.deepEqual([last.status, last.body.error?.code], [409, 4075]);
    const { body } = await call(studio, 'GET', '/stable/history');
    const actions = body.data.moves.map(
      (move: { action: string; version: string }) => `${move.action} ${move.version}`,
    );
    assert.deepEqual(actions, [
      'rollback 1',
      'rollback 2',
      'rollback 3',
      'promote 1',
      'advance 3',
      'advance 2',
      'advance 1',
    ]);
    assert.equal(body.data.moves[0].by, 'Owner');
    assert.equal(body.data.moves[6].by, 'upload');
  });

  test('the list names the target of a rollback, or null if there is none', async () => {
    const studio = await open();
    const builds: string[] = [];
    const previous = async () => (await pointer(studio)).previous_build_id;
    for (const version of ['1', '2', '3']) {
      builds.push((await shipAndScan(server, studio.game, { version })).buildId);
      assert.equal(await previous(), builds.at(-2) ?? null);
    }
    for (const expected of [builds[0], null]) {
      const { body } = await call(studio, 'POST', '/stable/rollback', {});
      assert.deepEqual([body.data.channels[0].previous_build_id, await previous()], [expected, expected]);
    }
    assert.equal((await call(studio, 'POST', '/stable/rollback', {})).body.error?.code, 4075);
    // Promoting the same build again only changes its expiry.
    const again = await call(studio, 'POST', '/stable/promote', { build_id: builds[0] });
    assert.equal(again.body.data.previous_build_id, null);
    const moved = await call(studio, 'POST', '/stable/promote', { build_id: builds[2] });
    assert.equal(moved.body.data.previous_build_id, builds[0]);
  });

  test('after a rollback, the next newer build advances the channel again', async () => {
    const studio = await open();
    for (const version of ['1', '2']) await shipAndScan(server, studio.game, { version });
    await call(studio, 'POST', '/stable/rollback', {});
    assert.equal((await pointer(studio)).version, '1');
    await shipAndScan(server, studio.game, { version: '3' });
    assert.equal((await pointer(studio)).version, '3');
  });

  test('an expired promotion offers nothing until the channel moves again', async () => {
    const studio = await open();
    const { buildId } = await shipAndScan(server, studio.game, { version: '1', channel: 'nightly' });
    await call(studio, 'POST', '/event/promote', { build_id: buildId, expires_in_hours: 2 });
    const offered = async () =>
      (await request(`${server.api}/public/games/${studio.game.uid}?channel=event`)).body.data.downloads.length;
    assert.equal(await offered(), 1);
    now = new Date(now.getTime() + 2 * HOUR);
    assert.equal(await offered(), 0);
    assert.equal((await pointer(studio, 'event')).expired, true);
    await call(studio, 'POST', '/event/promote', { build_id: buildId });
    assert.equal(await offered(), 1);
  });

  test('invalid names and hours are refused with 4226, unknown builds with 4006, builds without a file with 4099', async () => {
    const studio = await open();
    const build_id = await register(server, studio.game);
    const codes = async (path: string, body: unknown) => statusOf(await call(studio, 'POST', path, body));
    assert.deepEqual(await codes('/Stable/promote', { build_id }), [422, 4226]);
    assert.deepEqual(await codes('/stable/promote', { build_id, expires_in_hours: 2161 }), [422, 4226]);
    assert.deepEqual(await codes('/stable/promote', { build_id, expires_in_hours: -1 }), [422, 4226]);
    assert.deepEqual(await codes('/stable/promote', { build_id: 'nonsense' }), [404, 4006]);
    assert.deepEqual(await codes('/stable/promote', { build_id: studio.game.uid }), [404, 4006]);
    assert.deepEqual(await codes('/stable/promote', { build_id }), [409, 4099]);
    const stranger = await makePlayer(server);
    const foreign = await request(`${server.api}/games/${studio.game.uid}/channels`, { headers: stranger.headers });
    assert.deepEqual(statusOf(foreign), [404, 4040]);
  });

  test('concurrent moves leave one consistent history', async () => {
    const studio = await open();
    const builds = [];
    for (const version of ['1', '2', '3']) builds.push((await shipAndScan(server, studio.game, { version })).buildId);
    await Promise.all(
      builds.flatMap((build_id) => [1, 2].map(() => call(studio, 'POST', '/stable/promote', { build_id }))),
    );
    const { body } = await call(studio, 'GET', '/stable/history');
    const moves = body.data.moves as { build_id: string; previous_build_id: string | null }[];
    for (const [index, move] of moves.entries())
      assert.equal(move.previous_build_id, moves[index + 1]?.build_id ?? null);
  });

  test('stable is for everyone, beta for beta members, dev for game members, others for anyone with the link', async () => {
    const studio = await open();
    const { game } = studio;
    for (const channel of ['stable', 'beta', 'dev', 'secret'])
      await shipAndScan(server, game, { version: channel, channel });
    const player = await makePlayer(server);
    const listChannels = async (headers: Record<string, string>, query = '') => {
      const { body } = await request(`${server.api}/public/games/${game.slug}${query}`, { headers });
      return body.data.downloads.map((offer: { channel: string }) => offer.channel).sort();
    };
    assert.deepEqual(await listChannels({}), ['stable']);
    assert.deepEqual(await listChannels(player.headers), ['stable']);
    await request(`${server.api}/games/${game.uid}/beta`, { method: 'PUT', headers: player.headers });
    assert.deepEqual(await listChannels(player.headers), ['beta', 'stable']);
    assert.deepEqual(await listChannels({}, '?channel=secret'), ['secret']);
    assert.deepEqual(await listChannels({}, '?channel=dev'), []);
    assert.deepEqual(await listChannels(studio.owner), ['beta', 'dev', 'secret', 'stable']);
    assert.deepEqual(await listChannels(game.keyHeaders), ['beta', 'dev', 'secret', 'stable']);
    await request(`${server.api}/games/${game.uid}/beta`, { method: 'DELETE', headers: player.headers });
    assert.deepEqual(await listChannels(player.headers), ['stable']);
  });
});
