// Builds that were withdrawn from a channel, as developers see them: why, and how many devices still use them. What
// games are answered about the same builds follows the same rule.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { DAY, HOUR, utcDayOf } from '../src/kernel/clock.ts';
import { callApi, makeOwnedGame, type OwnedGame, statusOf } from './setup/api-calls.ts';
import { send } from './setup/events.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { shipAndScan } from './setup/uploads.ts';

let server: TestServer;
let now = new Date();
before(async () => {
  server = await startServer({
    clock: { now: () => now },
    env: { CHAUFFEUR_LIMIT_READS: '0', CHAUFFEUR_LIMIT_PUBLIC: '0' },
  });
});
after(() => server.stop());
beforeEach(() => {
  // It is noon, so a few hours later it is still the same day.
  now = new Date(`${utcDayOf(new Date())}T12:00:00Z`);
});

type Withdrawn = {
  channel: string;
  version: string;
  reason: string;
  at: string;
  devices: number;
  devices_since: string;
};

const call = ({ game, owner }: OwnedGame, method: string, path: string, body?: unknown) =>
  callApi(server, owner, method, `/games/${game.uid}${path}`, body);

async function change(studio: OwnedGame, path: string, body: unknown = {}) {
  const { status, body: answer } = await call(studio, 'POST', path, body);
  assert.ok(status < 300, `${path}: ${JSON.stringify(answer)}`);
  return answer.data;
}

async function withdrawnOf(studio: OwnedGame): Promise<Withdrawn[]> {
  return (await call(studio, 'GET', '/channels')).body.data.withdrawn;
}

/** What each withdrawn build is listed with, such as `2 stable rolled_back`. */
const listed = async (studio: OwnedGame) =>
  (await withdrawnOf(studio)).map(({ version, channel, reason }) => `${version} ${channel} ${reason}`);

/** The reason that a game is answered that has the build and follows the channel. */
async function answered({ game, owner }: OwnedGame, buildId: string, channel = 'stable'): Promise<string | null> {
  const query = new URLSearchParams({ build_id: buildId, channel });
  const { body } = await callApi(server, owner, 'GET', `/public/games/${game.uid}/updates?${query}`);
  return body.data.withdrawn?.reason ?? null;
}

async function start({ game }: OwnedGame, buildId: string, ...devices: string[]) {
  const events = devices.map((device_uid) => ({ event: 'session_start', device_uid }));
  assert.equal((await send({ server, game, buildId }, { events })).status, 202);
}

/** Version 1 on stable, then 2 on it. Returns their build ids. */
async function withPromoted() {
  const studio = await makeOwnedGame(server);
  const { buildId: first } = await shipAndScan(server, studio.game, { version: '1' });
  now = new Date(now.getTime() + HOUR);
  const { buildId: second } = await shipAndScan(server, studio.game, { version: '2', channel: 'beta' });
  await change(studio, '/channels/stable/promote-version', { version: '2' });
  return { studio, first, second };
}

test('a build that the channel was rolled back from is listed with the devices that used it since', async () => {
  const { studio, first, second } = await withPromoted();
  assert.deepEqual(await withdrawnOf(studio), []);
  await start(studio, second, 'a', 'b', 'c');
  await start(studio, first, 'd');
  await change(studio, '/channels/stable/rollback');
  const today = utcDayOf(now);
  const [withdrawn, ...others] = await withdrawnOf(studio);
  assert.deepEqual(others, []);
  const { channel, version, reason, at, devices, devices_since } = withdrawn!;
  assert.deepEqual([channel, version, reason, at], ['stable', '2', 'rolled_back', now.toISOString()]);
  assert.deepEqual([devices, devices_since], [3, today]);
  assert.equal(await answered(studio, second), 'rolled_back');
  assert.equal(await answered(studio, second, 'beta'), null);

  // On the next day, only what happened after the rollback counts.
  now = new Date(now.getTime() + DAY);
  await start(studio, second, 'a');
  const [later] = await withdrawnOf(studio);
  assert.deepEqual([later!.devices, later!.devices_since], [1, utcDayOf(now)]);
  now = new Date(now.getTime() + 20 * DAY);
  const [quiet] = await withdrawnOf(studio);
  assert.deepEqual([quiet!.devices, quiet!.devices_since], [null, utcDayOf(new Date(now.getTime() - 6 * DAY))]);
  await start(studio, first, 'd');
  assert.equal((await withdrawnOf(studio))[0]!.devices, 0);
  now = new Date(now.getTime() + 20 * DAY);
  assert.deepEqual(await withdrawnOf(studio), []);
  await start(studio, second, 'b');
  assert.equal((await withdrawnOf(studio))[0]!.devices, 1);
});

test('promoting it again ends that, and a newer build on the channel does not', async () => {
  const { studio, second } = await withPromoted();
  await change(studio, '/channels/stable/rollback');
  await shipAndScan(server, studio.game, { version: '3' });
  assert.deepEqual(await listed(studio), ['2 stable rolled_back']);
  assert.equal(await answered(studio, second), 'rolled_back');
  await change(studio, '/channels/stable/promote-version', { version: '2' });
  assert.deepEqual([await listed(studio), await answered(studio, second)], [[], null]);
  await change(studio, '/channels/stable/promote-version', { version: '3' });
  assert.deepEqual([await listed(studio), await answered(studio, second)], [[], null]);
});

test('undoing a change to it withdraws it, even the first one of a channel, and undoing a rollback does not', async () => {
  const { studio, first, second } = await withPromoted();
  const { change_uid: rolledBack } = await change(studio, '/channels/stable/rollback');
  await change(studio, '/channels/stable/undo', { change_uid: rolledBack });
  assert.deepEqual(await listed(studio), []);
  assert.deepEqual([await answered(studio, first), await answered(studio, second)], [null, null]);
  const { change_uid: promoted } = await change(studio, '/channels/early/promote-version', { version: '2' });
  await change(studio, '/channels/early/undo', { change_uid: promoted });
  assert.deepEqual(await listed(studio), ['2 early rolled_back']);
  assert.equal(await answered(studio, second, 'early'), 'rolled_back');
});

test('a promotion that expired withdraws it until the channel moves', async () => {
  const { studio, first, second } = await withPromoted();
  await change(studio, '/channels/stable/promote-version', { version: '2', expires_in_hours: 1 });
  assert.deepEqual(await listed(studio), []);
  now = new Date(now.getTime() + 2 * HOUR);
  const [withdrawn] = await withdrawnOf(studio);
  assert.deepEqual([withdrawn!.reason, withdrawn!.at], ['expired', new Date(now.getTime() - HOUR).toISOString()]);
  assert.deepEqual([await answered(studio, second), await answered(studio, first)], ['expired', null]);
  await change(studio, '/channels/stable/promote-version', { version: '2' });
  assert.deepEqual([await listed(studio), await answered(studio, second)], [[], null]);
});

test('an aborted rollout withdraws it, a running one does not, and a promotion afterwards ends that', async () => {
  const { studio, first, second } = await withPromoted();
  await change(studio, '/channels/stable/rollback');
  const rollout = { version: '2', steps: [{ share: 50 }], guards: [] };
  const { rollout_id: rolloutId } = await change(studio, '/channels/stable/rollouts', rollout);
  assert.deepEqual(await listed(studio), []);
  now = new Date(now.getTime() + HOUR);
  await change(studio, `/rollouts/${rolloutId}/abort`);
  assert.deepEqual(
    [await listed(studio), await answered(studio, second)],
    [['2 stable rollout_aborted'], 'rollout_aborted'],
  );
  now = new Date(now.getTime() + HOUR);
  await change(studio, '/channels/stable/promote-version', { version: '2' });
  await shipAndScan(server, studio.game, { version: '3' });
  assert.deepEqual([await listed(studio), await answered(studio, second)], [[], null]);
  assert.equal(await answered(studio, first), null);
});

test('deleted builds are not listed, and neither are those of other games', async () => {
  const { studio, second } = await withPromoted();
  await change(studio, '/channels/stable/rollback');
  assert.deepEqual(await listed(studio), ['2 stable rolled_back']);
  const other = await makeOwnedGame(server);
  assert.deepEqual(await listed(other), []);
  const foreign = await callApi(server, other.owner, 'GET', `/games/${studio.game.uid}/channels`);
  assert.equal(statusOf(foreign)[0], 404);
  await call(studio, 'DELETE', `/builds/${second}`);
  assert.deepEqual([await listed(studio), await answered(studio, second)], [[], 'deleted']);
});
