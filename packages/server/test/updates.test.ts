// Updates: the build that an installed game should run, by its channel and by the rollout's share of devices.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { HOUR } from '../src/kernel/clock.ts';
import { callApi, makeOwnedGame, type OwnedGame, statusOf } from './setup/api-calls.ts';
import { makePlayer, startServer, type TestServer } from './setup/server.ts';
import { register, shipAndScan } from './setup/uploads.ts';

let server: TestServer;
let now = new Date();
before(async () => {
  server = await startServer({ clock: { now: () => now }, env: { CHAUFFEUR_LIMIT_READS: '0' } });
});
after(() => server.stop());

type Update = {
  running: { version: string };
  withdrawn: { reason: string } | null;
  update: boolean;
  offered: { version: string; source: string; size: number; download_url: string } | null;
  changelog: { version: string; changelog_items: { title: string }[] }[];
};

const DEVICES = Array.from({ length: 60 }, (_, index) => `device-${index}`);

const call = ({ game, owner }: OwnedGame, method: string, path: string, body?: unknown) =>
  callApi(server, owner, method, `/games/${game.uid}${path}`, body);

async function update({ game }: OwnedGame, query: Record<string, string>, headers = {}): Promise<Update> {
  const { status, body } = await callApi(server, headers, 'GET', `${pathOf(game.uid)}?${new URLSearchParams(query)}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data as Update;
}

const pathOf = (uid: string) => `/public/games/${uid}/updates`;

/** The devices that are offered this version. */
async function devicesOf(studio: OwnedGame, installed: string, version: string): Promise<string[]> {
  const offers = await Promise.all(
    DEVICES.map(async (device_uid) => ({ device_uid, ...(await update(studio, { build_id: installed, device_uid })) })),
  );
  return offers.filter(({ offered }) => offered?.version === version).map(({ device_uid }) => device_uid);
}

/** Version 1 on stable and 2 on beta. Returns their build ids. */
async function withVersions() {
  const studio = await makeOwnedGame(server);
  const { buildId: first } = await shipAndScan(server, studio.game, { version: '1' });
  const second = await shipAndScan(server, studio.game, {
    version: '2',
    channel: 'beta',
    changelog_items: [{ title: 'Doors open' }],
  });
  return { studio, first, second: second.buildId, file: second.fileUid };
}

async function startRollout(studio: OwnedGame, share: number): Promise<string> {
  const { body } = await call(studio, 'POST', '/channels/stable/rollouts', {
    version: '2',
    steps: [{ share }],
    guards: [],
  });
  return body.data.rollout_id;
}

describe('without a rollout', () => {
  test('the build of the channel is offered, with the changes since the installed one', async () => {
    const { studio, first, second } = await withVersions();
    const { update: isUpdate, offered, changelog, withdrawn } = await update(studio, { build_id: first });
    assert.deepEqual([isUpdate, offered?.version, changelog, withdrawn], [false, '1', [], null]);
    await call(studio, 'POST', '/channels/stable/promote-version', { version: '2' });
    const promoted = await update(studio, { build_id: first });
    assert.deepEqual([promoted.update, promoted.offered?.version, promoted.offered?.source], [true, '2', 'channel']);
    assert.deepEqual(
      promoted.changelog.map(({ version, changelog_items: [item] }) => `${version}: ${item?.title}`),
      ['2: Doors open'],
    );
    assert.ok(promoted.offered!.size > 0);
    assert.equal((await fetch(promoted.offered!.download_url)).status, 200);
    await call(studio, 'POST', '/channels/stable/rollback', {});
    const rolledBack = await update(studio, { build_id: second });
    assert.deepEqual(
      [rolledBack.withdrawn?.reason, rolledBack.update, rolledBack.offered?.version],
      ['rolled_back', true, '1'],
    );
  });

  test('changes of versions that the channel never offered stay private', async () => {
    const { studio, first } = await withVersions();
    await register(server, studio.game, { version: '2.5', changelog_items: [{ title: 'Secret' }] });
    await shipAndScan(server, studio.game, {
      version: '3',
      channel: 'dev',
      changelog_items: [{ title: 'Windows' }],
    });
    await call(studio, 'POST', '/channels/stable/promote-version', { version: '3' });
    const { changelog } = await update(studio, { build_id: first });
    assert.deepEqual(
      changelog.map(({ version }) => version),
      ['3'],
    );
  });

  test('a deleted build counts as withdrawn', async () => {
    const { studio, second } = await withVersions();
    await call(studio, 'DELETE', `/builds/${second}`);
    const { withdrawn, update: isUpdate, offered } = await update(studio, { build_id: second });
    assert.deepEqual([withdrawn?.reason, isUpdate, offered?.version], ['deleted', true, '1']);
  });

  test('nothing is offered where the channel offers nothing, has expired, or is for others', async () => {
    const { studio, first } = await withVersions();
    assert.equal((await update(studio, { build_id: first, os: 'win', arch: 'x64' })).offered, null);
    assert.equal((await update(studio, { build_id: first, channel: 'nowhere' })).offered, null);
    assert.equal((await update(studio, { build_id: first, channel: 'beta' })).offered, null);
    const player = await makePlayer(server);
    await callApi(server, player.headers, 'PUT', `/games/${studio.game.uid}/beta`);
    const beta = await update(studio, { build_id: first, channel: 'beta' }, player.headers);
    assert.equal(beta.offered?.version, '2');
    assert.equal((await update(studio, { build_id: first, channel: 'dev' }, player.headers)).offered, null);
    await call(studio, 'POST', '/channels/stable/promote-version', { version: '1', expires_in_hours: 1 });
    now = new Date(now.getTime() + 2 * HOUR);
    assert.equal((await update(studio, { build_id: first })).offered, null);
  });

  test('shared caches may only keep what is the same for everyone', async () => {
    const { studio, first } = await withVersions();
    const cacheOf = async (query: string) =>
      (await fetch(`${server.api}${pathOf(studio.game.uid)}?${query}`)).headers.get('cache-control');
    assert.equal(await cacheOf(`build_id=${first}`), 'public, max-age=60');
    assert.equal(await cacheOf(`build_id=${first}&device_uid=a`), 'private, no-cache');
    assert.equal(await cacheOf(`build_id=${first}&channel=beta`), 'private, no-cache');
  });

  test('malformed and foreign ids are refused', async () => {
    const { studio, first } = await withVersions();
    const other = await withVersions();
    const get = (query: string) => callApi(server, {}, 'GET', `${pathOf(studio.game.uid)}?${query}`);
    for (const query of ['', 'build_id=x', `build_id=${first}&device_uid=`, `build_id=${first}&os=beos`])
      assert.deepEqual(statusOf(await get(query)), [400, 4002], query);
    assert.deepEqual(statusOf(await get(`build_id=${first}&device_uid=${'x'.repeat(65)}`)), [400, 4002]);
    assert.deepEqual(statusOf(await get(`build_id=${other.first}`)), [404, 4006]);
    const draft = await makeOwnedGame(server, { visibility: 'draft' });
    const hidden = await callApi(server, {}, 'GET', `${pathOf(draft.game.uid)}?build_id=${first}`);
    assert.deepEqual(statusOf(hidden), [404, 4040]);
  });
});

describe('during a rollout', () => {
  test('each device stays on its side, a larger share only adds devices, and others get the current build', async () => {
    const { studio, first } = await withVersions();
    const rolloutId = await startRollout(studio, 20);
    const some = await devicesOf(studio, first, '2');
    assert.ok(some.length > 2 && some.length < 30, `${some.length} of 60`);
    assert.deepEqual(await devicesOf(studio, first, '2'), some);
    assert.equal((await update(studio, { build_id: first })).offered?.version, '1');
    const { offered, update: isUpdate } = await update(studio, { build_id: first, device_uid: some[0]! });
    assert.deepEqual([offered?.source, isUpdate], ['rollout', true]);
    assert.equal((await fetch(offered!.download_url)).status, 200);
    await call(studio, 'POST', `/rollouts/${rolloutId}/share`, { share: 60 });
    const more = await devicesOf(studio, first, '2');
    assert.ok(more.length > some.length);
    assert.ok(new Set(some).isSubsetOf(new Set(more)));
    const game = await callApi(server, {}, 'GET', `/public/games/${studio.game.uid}`);
    assert.deepEqual(
      game.body.data.downloads.map(({ version }: { version: string }) => version),
      ['1'],
    );
  });

  test('a paused one keeps the devices that have its build, and adds none', async () => {
    const { studio, first, second } = await withVersions();
    const rolloutId = await startRollout(studio, 50);
    const [device = ''] = await devicesOf(studio, first, '2');
    await call(studio, 'POST', `/rollouts/${rolloutId}/pause`);
    assert.deepEqual(await devicesOf(studio, first, '2'), []);
    const kept = await update(studio, { build_id: second, device_uid: device });
    assert.deepEqual([kept.offered?.version, kept.update, kept.withdrawn], ['2', false, null]);
  });

  test('devices of an aborted one are offered the current build, and its file is no longer public', async () => {
    const { studio, first, second, file } = await withVersions();
    const rolloutId = await startRollout(studio, 50);
    const [device = ''] = await devicesOf(studio, first, '2');
    const download = `${server.api}/public/games/${studio.game.uid}/files/${file}/download`;
    assert.equal((await fetch(download)).status, 200);
    await call(studio, 'POST', `/rollouts/${rolloutId}/abort`);
    const withdrawn = await update(studio, { build_id: second, device_uid: device });
    assert.deepEqual(
      [withdrawn.withdrawn?.reason, withdrawn.update, withdrawn.offered?.version, withdrawn.changelog],
      ['rollout_aborted', true, '1', []],
    );
    assert.equal((await update(studio, { build_id: second })).withdrawn?.reason, 'rollout_aborted');
    assert.deepEqual(await devicesOf(studio, first, '2'), []);
    assert.equal((await fetch(download)).status, 403);
    await call(studio, 'POST', '/channels/stable/promote-version', { version: '2' });
    assert.equal((await update(studio, { build_id: second })).withdrawn, null);
  });

  test('a move of the channel ends it for all devices at once', async () => {
    const { studio, first } = await withVersions();
    await startRollout(studio, 99);
    await shipAndScan(server, studio.game, { version: '1.1' });
    assert.deepEqual(await devicesOf(studio, first, '2'), []);
    assert.equal((await devicesOf(studio, first, '1.1')).length, DEVICES.length);
  });

  test('on another channel, it is for devices that may follow that channel', async () => {
    const { studio, first } = await withVersions();
    await shipAndScan(server, studio.game, { version: '3', channel: 'dev' });
    const { status } = await call(studio, 'POST', '/channels/beta/rollouts', { version: '3', steps: [{ share: 99 }] });
    assert.equal(status, 201);
    const offeredTo = async (headers: object) => {
      const all = await Promise.all(
        DEVICES.slice(0, 20).map((device_uid) =>
          update(studio, { build_id: first, channel: 'beta', device_uid }, headers),
        ),
      );
      return all.filter(({ offered }) => offered?.version === '3').length;
    };
    assert.equal(await offeredTo({}), 0);
    assert.ok((await offeredTo(studio.owner)) > 15);
  });
});
