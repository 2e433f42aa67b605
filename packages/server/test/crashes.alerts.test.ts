// What raises alerts about crashes: new groups, groups that are back, spikes, and the first crash of a build.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { raiseCrashAlerts } from '../src/crash/crashes/alerts/alerts.job.ts';
import { HOUR } from '../src/kernel/clock.ts';
import { rows } from '../src/kernel/database/db.ts';
import { addBuild, addReport, callAs, makeSharedGame, recordStack, type SharedGame } from './setup/crash-reports.ts';
import { startServer, type TestServer } from './setup/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ role: 'api' });
});
after(() => server.stop());

type AlertRow = { kind: string; subject: string; data: Record<string, unknown> };

/** Raises what is due, and takes the game's alerts. */
async function takeAlerts(game: SharedGame, ctx = server.ctx): Promise<AlertRow[]> {
  await raiseCrashAlerts(ctx);
  const taken = await rows(
    server.ctx.db,
    sql<AlertRow>`delete from alerts where game_id = ${game.uid} returning kind, subject, data`,
  );
  return taken.sort((a, b) => (a.kind < b.kind ? -1 : 1));
}

const kindsOf = (alerts: readonly AlertRow[]) => alerts.map(({ kind }) => kind);

async function groupOf(game: SharedGame): Promise<string> {
  const { body } = await callAs(server, game.owner, `/games/${game.uid}/crash-groups`);
  return body.data.groups[0].group_id;
}

function ctxAt(time: number) {
  return { ...server.ctx, clock: { now: () => new Date(time) } };
}

describe('an alert', () => {
  test('is raised for a new group and for the first crash of a build, once', async () => {
    const game = await makeSharedGame(server);
    const build = await addBuild(server, game, { version: '2.0.0' });
    await addReport(server.ctx, { game, buildId: build, stack: ['Door::open'] });
    const [first, group, ...others] = await takeAlerts(game);
    assert.deepEqual(others, []);
    assert.equal(first?.kind, 'first_crash');
    assert.deepEqual(first?.data, { build_id: build, version: '2.0.0', os: 'linux', arch: 'x86_64' });
    assert.deepEqual(group?.data, { group_id: await groupOf(game), title: 'Door::open' });
    await addReport(server.ctx, { game, buildId: build, stack: ['Door::open'] });
    assert.deepEqual(await takeAlerts(game), []);
    await addReport(server.ctx, { game, buildId: build, message: 'another one' });
    assert.deepEqual(kindsOf(await takeAlerts(game)), ['new_group']);
  });

  test('is raised for a group that is back after its fix', async () => {
    const game = await makeSharedGame(server);
    const old = await addBuild(server, game, { version: '1.0.0' });
    await addReport(server.ctx, { game, buildId: old, stack: ['Door::open'] });
    const groupId = await groupOf(game);
    await callAs(server, game.owner, `/games/${game.uid}/crash-groups/${groupId}`, {
      method: 'PATCH',
      body: { status: 'resolved', fixed_in_version: '1.1.0' },
    });
    await takeAlerts(game);
    await addReport(server.ctx, { game, buildId: old, stack: ['Door::open'] });
    assert.deepEqual(await takeAlerts(game), []);
    const fixed = await addBuild(server, game, { version: '1.1.0' });
    await addReport(server.ctx, { game, buildId: fixed, stack: ['Door::open'] });
    const [, regression] = await takeAlerts(game);
    assert.equal(regression?.kind, 'regression');
    assert.deepEqual(regression?.data, { group_id: groupId, title: 'Door::open', fixed_in_version: '1.1.0' });
  });

  test('is raised for a spike: many more reports in an hour than before', async () => {
    const game = await makeSharedGame(server);
    const build = await addBuild(server, game);
    const start = Math.floor(Date.now() / HOUR) * HOUR + 5 * HOUR;
    const crash = async (time: number, count: number) => {
      for (let no = 0; no < count; no += 1)
        await addReport(ctxAt(time), { game, buildId: build, stack: ['Door::open'] });
    };
    await crash(start, 2);
    await takeAlerts(game, ctxAt(start));
    await crash(start + HOUR, 3);
    assert.deepEqual(await takeAlerts(game, ctxAt(start + HOUR)), []);
    await crash(start + 2 * HOUR, 19);
    assert.deepEqual(await takeAlerts(game, ctxAt(start + 2 * HOUR)), []);
    await crash(start + 2 * HOUR + 1000, 6);
    const [spike, ...others] = await takeAlerts(game, ctxAt(start + 2 * HOUR + 2000));
    assert.deepEqual([spike?.kind, others], ['spike', []]);
    assert.deepEqual(spike?.data, { group_id: await groupOf(game), title: 'Door::open', reports: 25, usual: 2.5 });
    assert.deepEqual(kindsOf(await takeAlerts(game, ctxAt(start + 3 * HOUR))), []);
  });

  test('is not raised for groups into which new rules move existing reports', async () => {
    const game = await makeSharedGame(server);
    const build = await addBuild(server, game);
    const report = await addReport(server.ctx, { game, buildId: build, stack: ['Door::open'] });
    await takeAlerts(game);
    await recordStack(server.ctx, game.uid, report, ['Window::open']);
    assert.deepEqual(await takeAlerts(game), []);
  });
});
