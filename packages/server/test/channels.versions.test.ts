// Versions with builds for several platforms: promoted, rolled back and undone as a whole.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { HOUR } from '../src/kernel/clock.ts';
import { callApi, makeOwnedGame, type OwnedGame } from './setup/api-calls.ts';
import { request, startServer, type TestServer } from './setup/server.ts';
import { register, shipAndScan } from './setup/uploads.ts';

type Pointer = { os: string; version: string; change_uid: string; expired: boolean };
type Move = { os: string; version: string; action: string; change_uid: string };

const OSES = ['linux', 'macos', 'windows'];
const LINUX = { os: 'linux', arch: 'x86_64' };

let server: TestServer;
let now = new Date();
before(async () => {
  server = await startServer({ clock: { now: () => now } });
});
after(() => server.stop());

const call = ({ game, owner }: OwnedGame, method: string, path: string, body?: unknown) =>
  callApi(server, owner, method, `/games/${game.uid}/channels${path}`, body);

/** What the channel offers on each platform: `linux 1, macos 1`. */
async function offers(studio: OwnedGame, channel = 'stable'): Promise<string> {
  const { body } = await request(`${server.api}/public/games/${studio.game.uid}?channel=${channel}`);
  const downloads = (body.data?.downloads ?? []) as { os: string; version: string }[];
  return downloads
    .map(({ os, version }) => `${os} ${version}`)
    .sort()
    .join(', ');
}

async function movesOf(studio: OwnedGame, channel = 'stable'): Promise<Move[]> {
  return (await call(studio, 'GET', `/${channel}/history`)).body.data.moves;
}

/** A game with these versions on three platforms, all uploaded to beta, and `first` promoted to stable. */
async function withVersions(versions: readonly string[], first?: string): Promise<OwnedGame> {
  const studio = await makeOwnedGame(server);
  for (const version of versions)
    for (const os of OSES) await shipAndScan(server, studio.game, { version, os, channel: 'beta' });
  if (first !== undefined)
    assert.equal((await call(studio, 'POST', '/stable/promote-version', { version: first })).status, 200);
  return studio;
}

describe('promoting a version', () => {
  test('changes all its platforms at once, in one change of the history and of the audit log', async () => {
    const studio = await withVersions(['1', '2'], '1');
    const { status, body } = await call(studio, 'POST', '/stable/promote-version', { version: ' 2\n' });
    assert.equal(status, 200);
    assert.deepEqual(
      body.data.channels.map(({ os, version }: Pointer) => `${os} ${version}`),
      ['linux 2', 'macos 2', 'windows 2'],
    );
    assert.equal(await offers(studio), 'linux 2, macos 2, windows 2');
    const moves = (await movesOf(studio)).filter(({ change_uid }) => change_uid === body.data.change_uid);
    assert.deepEqual(
      moves.map(({ os, action }) => `${action} ${os}`).sort(),
      OSES.map((os) => `promote ${os}`),
    );
    const log = await callApi(server, studio.owner, 'GET', `/games/${studio.game.uid}/audit`);
    const entries = log.body.data.entries.filter(
      ({ operation }: { operation: string }) => operation === 'channels.promoteVersion',
    );
    assert.equal(entries.length, 2);
    const changes = Object.fromEntries(OSES.map((os) => [`stable ${os} x86_64`, { before: '1', after: '2' }]));
    assert.deepEqual(
      entries
        .map((entry: { changes: object }) => entry.changes)
        .filter((each: object) => isDeepStrictEqual(each, changes)),
      [changes],
    );
  });

  test('can be limited to platforms, and expires', async () => {
    const studio = await withVersions(['1', '2'], '1');
    const platforms = [LINUX, { os: 'win', arch: 'x64' }];
    const { status } = await call(studio, 'POST', '/stable/promote-version', {
      version: '2',
      platforms,
      expires_in_hours: 1,
    });
    assert.equal(status, 200);
    assert.equal(await offers(studio), 'linux 2, macos 1, windows 2');
    now = new Date(now.getTime() + HOUR);
    assert.equal(await offers(studio), 'macos 1');
  });

  test('is refused as a whole if one platform has no clean file, and names it', async () => {
    const studio = await withVersions(['1'], '1');
    await shipAndScan(server, studio.game, { version: '2', channel: 'beta' });
    await register(server, studio.game, { version: '2', os: 'windows', channel: 'beta' });
    const { status, body } = await call(studio, 'POST', '/stable/promote-version', { version: '2' });
    assert.deepEqual([status, body.error?.code], [409, 4099]);
    assert.match(body.error?.message ?? '', /2 has no clean file for Windows x86_64/);
    assert.equal(await offers(studio), 'linux 1, macos 1, windows 1');
    const onLinux = await call(studio, 'POST', '/stable/promote-version', { version: '2', platforms: [LINUX] });
    assert.equal(onLinux.status, 200);
    assert.equal(await offers(studio), 'linux 2, macos 1, windows 1');
  });

  test('is refused for unknown versions and platforms, and wrong input', async () => {
    const studio = await withVersions(['1']);
    const stranger = await withVersions([]);
    const codeOf = async (body: unknown, by = studio) =>
      (await call(by, 'POST', '/stable/promote-version', body)).body.error?.code;
    assert.equal(await codeOf({ version: '3' }), 4006);
    assert.equal(await codeOf({ version: '1', platforms: [{ os: 'linux', arch: 'arm64' }] }), 4006);
    assert.equal(await codeOf({ version: '1' }, stranger), 4006);
    for (const wrong of [{}, { version: 1 }, { version: '1', platforms: [] }, { version: '1', platforms: ['linux'] }])
      assert.equal(await codeOf(wrong), 4226);
    assert.deepEqual(await movesOf(studio), []);
  });

  test('works with the deploy key', async () => {
    const studio = await withVersions(['1']);
    const { status, body } = await request(`${server.api}/tool/channels/stable/promote-version`, {
      method: 'POST',
      headers: { ...studio.game.keyHeaders, 'content-type': 'application/json' },
      body: JSON.stringify({ version: '1' }),
    });
    assert.deepEqual([status, body.data.channels.length], [200, 3]);
    assert.equal(await offers(studio), 'linux 1, macos 1, windows 1');
  });

  test('at the same time as another one leaves all platforms with one of them', async () => {
    const studio = await withVersions(['1', '2'], '1');
    const versions = ['1', '2', '1', '2', '1', '2'];
    const results = await Promise.all(
      versions.map((version) => call(studio, 'POST', '/stable/promote-version', { version })),
    );
    assert.deepEqual(new Set(results.map(({ status }) => status)), new Set([200]));
    assert.match(await offers(studio), /^linux (\d), macos \1, windows \1$/);
  });
});

describe('rolling back', () => {
  test('several platforms is one change', async () => {
    const studio = await withVersions(['1', '2'], '1');
    await call(studio, 'POST', '/stable/promote-version', { version: '2' });
    const platforms = OSES.slice(0, 2).map((os) => ({ os, arch: 'x86_64' }));
    const { body } = await call(studio, 'POST', '/stable/rollback', { platforms });
    assert.equal(await offers(studio), 'linux 1, macos 1, windows 2');
    const moves = (await movesOf(studio)).filter(({ change_uid }) => change_uid === body.data.change_uid);
    assert.equal(moves.length, 2);
    const missing = await call(studio, 'POST', '/stable/rollback', { platforms: [{ os: 'linux', arch: 'arm64' }] });
    assert.equal(missing.body.error?.code, 4075);
  });
});

describe('undoing a change', () => {
  const undo = (studio: OwnedGame, changeUid: string, channel = 'stable') =>
    call(studio, 'POST', `/${channel}/undo`, { change_uid: changeUid });
  const promote = async (studio: OwnedGame, version: string) =>
    (await call(studio, 'POST', '/stable/promote-version', { version })).body.data.change_uid as string;

  test('restores what each platform offered before; undoing that restores the change', async () => {
    const studio = await withVersions(['1', '2'], '1');
    await call(studio, 'POST', '/stable/promote-version', { version: '2', platforms: [LINUX] });
    const change = await promote(studio, '2');
    const undone = await undo(studio, change);
    assert.equal(undone.status, 200);
    assert.equal(await offers(studio), 'linux 2, macos 1, windows 1');
    assert.equal((await undo(studio, undone.body.data.change_uid)).status, 200);
    assert.equal(await offers(studio), 'linux 2, macos 2, windows 2');
  });

  test('undoes a rollback, after which the next rollback leads back as before', async () => {
    const studio = await withVersions(['1', '2'], '1');
    await promote(studio, '2');
    const { body } = await call(studio, 'POST', '/stable/rollback', {});
    await undo(studio, body.data.change_uid);
    assert.equal(await offers(studio), 'linux 2, macos 2, windows 2');
    await call(studio, 'POST', '/stable/rollback', {});
    assert.equal(await offers(studio), 'linux 1, macos 1, windows 1');
  });

  test('of the first change leaves the channel with nothing, until a newer build is uploaded', async () => {
    const studio = await withVersions(['1']);
    await undo(studio, await promote(studio, '1'));
    assert.equal(await offers(studio), '');
    assert.equal((await movesOf(studio))[0]?.action, 'undo');
    await shipAndScan(server, studio.game, { version: '2' });
    assert.equal(await offers(studio), 'linux 2');
  });

  test('is refused as a whole once the channel moved again on one platform', async () => {
    const studio = await withVersions(['1', '2'], '1');
    const change = await promote(studio, '2');
    await call(studio, 'POST', '/stable/rollback', { platforms: [LINUX] });
    const { status, body } = await undo(studio, change);
    assert.deepEqual([status, body.error?.code], [409, 4076]);
    assert.match(body.error?.message ?? '', /Linux x86_64/);
    assert.equal(await offers(studio), 'linux 1, macos 2, windows 2');
  });

  test('is refused if the build of before was deleted', async () => {
    const studio = await withVersions(['1', '2'], '1');
    const change = await promote(studio, '2');
    const list = await callApi(server, studio.owner, 'GET', `/games/${studio.game.uid}/builds?version=1&os=macos`);
    await callApi(
      server,
      studio.owner,
      'DELETE',
      `/games/${studio.game.uid}/builds/${list.body.data.builds[0].build_id}`,
    );
    const { body } = await undo(studio, change);
    assert.equal(body.error?.code, 4075);
    assert.equal(await offers(studio), 'linux 2, macos 2, windows 2');
  });

  test('happens once, however often it is asked for at once', async () => {
    const studio = await withVersions(['1', '2'], '1');
    const change = await promote(studio, '2');
    const statuses = (await Promise.all([1, 2, 3].map(() => undo(studio, change)))).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [200, 409, 409]);
    assert.equal(await offers(studio), 'linux 1, macos 1, windows 1');
  });

  test('of another channel, another game or no change is not found', async () => {
    const studio = await withVersions(['1']);
    const stranger = await withVersions([]);
    const change = await promote(studio, '1');
    assert.equal((await undo(studio, change, 'beta')).body.error?.code, 4040);
    assert.equal((await undo(stranger, change)).body.error?.code, 4040);
    assert.equal((await undo(studio, 'nothing')).body.error?.code, 4226);
    assert.equal(await offers(studio), 'linux 1, macos 1, windows 1');
  });
});
