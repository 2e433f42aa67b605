// The crash groups of two builds compared, on a real server.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addBuild, addReport, callAs } from './setup/crash-reports.ts';
import { send } from './setup/events.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { idsOf, makeTriagedGame, post, type TriagedGame } from './setup/triage.ts';

/** Runs no jobs. */
let server: TestServer;
before(async () => {
  server = await startServer({ role: 'api' });
});
after(() => server.stop());

/** `a` is in both builds, `b` only in the first, `c` only in the second; a third build has all of them. */
async function openBuilds() {
  const studio = await makeTriagedGame(server);
  const second = await addBuild(server, studio.game, { version: '2.0.0' });
  const third = await addBuild(server, studio.game, { version: '3.0.0' });
  const add = async (buildId: string, ...stacks: string[]) => {
    for (const name of stacks) await addReport(server.ctx, { game: studio.game, buildId, stack: [name] });
  };
  await add(studio.build, 'a', 'a', 'b');
  await add(second, 'a', 'c', 'c');
  await add(third, 'a', 'b', 'c');
  return { studio, second };
}

const pathOf = ({ game, build }: TriagedGame, other: string) =>
  `/games/${game.uid}/builds/${build}/crashes/comparison?other=${other}`;

async function compare(studio: TriagedGame, other: string) {
  const { status, body } = await callAs(server, studio.game.owner, pathOf(studio, other));
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

type Group = { title: string; reports: number; other_reports: number };
const rowsOf = ({ groups }: { groups: Group[] }) =>
  groups.map(({ title, reports, other_reports }) => [title, reports, other_reports]);

describe('the crash groups of two builds', () => {
  test('are in one of them or in both, with their reports', async () => {
    const { studio, second } = await openBuilds();
    const data = await compare(studio, second);
    assert.deepEqual(rowsOf(data.only_build), [['b', 1, 0]]);
    assert.deepEqual(rowsOf(data.only_other), [['c', 0, 2]]);
    assert.deepEqual(rowsOf(data.both), [['a', 2, 1]]);
    assert.deepEqual([data.build.version, data.other.version, data.both.count], ['1.0.0', '2.0.0', 1]);
    assert.equal(data.both.groups[0].per_thousand, null, 'no events were sent');
    assert.deepEqual(rowsOf((await compare(studio, studio.build)).both), [
      ['a', 2, 2],
      ['b', 1, 1],
    ]);
  });

  test('have reports per 1,000 devices of the build', async () => {
    const { studio, second } = await openBuilds();
    const events = ['d1', 'd2', 'd3', 'd4'].map((device_uid) => ({ event: 'boot_ok', device_uid }));
    await send({ server, game: { uid: studio.game.uid } as never, buildId: studio.build }, { events });
    const { build, other, both } = await compare(studio, second);
    assert.deepEqual([build.devices, other.devices], [4, 0]);
    assert.deepEqual([both.groups[0].per_thousand, both.groups[0].other_per_thousand], [500, null]);
  });

  test('count merged groups as one', async () => {
    const { studio, second } = await openBuilds();
    const [b = '', c = ''] = await idsOf(studio, 'b', 'c');
    await post(studio, '/merge', { group_ids: [b, c], into: b });
    const data = await compare(studio, second);
    assert.deepEqual([data.only_build.count, data.only_other.count], [0, 0]);
    assert.deepEqual(rowsOf(data.both), [
      ['a', 2, 1],
      ['b', 1, 2],
    ]);
  });

  test('are the 50 with the most reports, and their number', async () => {
    const { studio, second } = await openBuilds();
    for (let no = 0; no < 60; no += 1) {
      const name = `n${'x'.repeat(no)}`;
      await addReport(server.ctx, { game: studio.game, buildId: studio.build, stack: [name] });
    }
    for (let no = 0; no < 2; no += 1)
      await addReport(server.ctx, { game: studio.game, buildId: studio.build, stack: ['often'] });
    const { only_build: groups } = await compare(studio, second);
    assert.deepEqual([groups.count, groups.groups.length], [62, 50]);
    assert.deepEqual(rowsOf(groups)[0], ['often', 2, 0]);
  });

  test('are only for members, and of builds of the game', async () => {
    const { studio, second } = await openBuilds();
    const other = await openBuilds();
    const { owner } = studio.game;
    assert.equal((await callAs(server, null, pathOf(studio, second))).status, 401);
    const stranger = await callAs(server, other.studio.game.owner, pathOf(studio, second));
    assert.equal(stranger.body.error?.code, 4040);
    assert.equal((await callAs(server, owner, pathOf(studio, other.second))).body.error?.code, 4006);
    const foreign = pathOf({ ...studio, build: other.second }, second);
    assert.equal((await callAs(server, owner, foreign)).body.error?.code, 4006);
    for (const query of ['x', '', `${second}&other=${second}`])
      assert.equal((await callAs(server, owner, pathOf(studio, query))).status, 400, query);
  });
});
