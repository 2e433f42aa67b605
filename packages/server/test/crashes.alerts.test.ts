// What raises alerts about crashes: new groups, groups that are back, spikes, and the first crash of a build.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { raiseCrashAlerts } from '../src/crash/crashes/alerts/alerts.job.ts';
import { groupMessages } from '../src/crash/crashes/process/messages.job.ts';
import { HOUR } from '../src/kernel/clock.ts';
import { rows } from '../src/kernel/database/db.ts';
import type { CrashFacts } from '../src/notify/alerts/alerts.ts';
import { addBuild, addReport, callAs, makeSharedGame, recordStack, type SharedGame } from './setup/crash-reports.ts';
import { reportEvent } from './setup/sentry-events.ts';
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
    const { crash: facts, ...about } = first?.data ?? {};
    const its = { group_id: await groupOf(game), title: 'Door::open' };
    assert.deepEqual(about, { build_id: build, version: '2.0.0', os: 'linux', arch: 'x86_64', ...its });
    const { version, reports } = facts as { version: string; reports: number };
    assert.deepEqual([version, reports], ['2.0.0', 1]);
    const { crash, ...data } = group?.data ?? {};
    assert.deepEqual(data, its);
    assert.ok(crash !== undefined);
    await addReport(server.ctx, { game, buildId: build, stack: ['Door::open'] });
    assert.deepEqual(await takeAlerts(game), []);
    await addReport(server.ctx, { game, buildId: build, message: 'another one' });
    assert.deepEqual(kindsOf(await takeAlerts(game)), ['new_group']);
  });

  test('is raised for a new group of errors apart from crashes, and if it is back after its fix', async () => {
    const game = await makeSharedGame(server);
    const [old, fixed] = [
      await addBuild(server, game, { version: '1.0.0' }),
      await addBuild(server, game, { version: '1.1.0' }),
    ];
    const report = async (buildId: string, type: string) => {
      const stacktrace = { frames: [{ function: 'save', module: 'game.files', in_app: true }] };
      const sent = { exception: [{ type, value: 'no space', stacktrace, mechanism: { handled: true } }] };
      const id = await reportEvent(server, game, buildId, sent, { kind: 'error' });
      await groupMessages(server.ctx, { gameId: game.uid, reportIds: [id] });
    };
    await report(old, 'SaveError');
    const [only, ...others] = await takeAlerts(game);
    assert.deepEqual([only?.kind, others], ['new_error_group', []]);
    const { body } = await callAs(server, game.owner, `/games/${game.uid}/crash-groups?kind=error`);
    const { group_id, title } = body.data.groups[0];
    const { crash, ...data } = only?.data ?? {};
    assert.deepEqual(data, { group_id, title });
    assert.deepEqual((crash as CrashFacts).version, '1.0.0');
    await report(old, 'SaveError');
    assert.deepEqual(await takeAlerts(game), []);

    await callAs(server, game.owner, `/games/${game.uid}/crash-groups/${group_id}`, {
      method: 'PATCH',
      body: { status: 'resolved', fixed_in_version: '1.0.0' },
    });
    await report(fixed, 'SaveError');
    assert.deepEqual(kindsOf(await takeAlerts(game)), ['regression']);
    await addReport(server.ctx, { game, buildId: fixed, stack: ['Door::open'] });
    await report(fixed, 'LoadError');
    assert.deepEqual(kindsOf(await takeAlerts(game)), ['first_crash', 'new_error_group', 'new_group']);
  });

  test('has its facts for crashes, however many errors are new', async () => {
    const game = await makeSharedGame(server);
    const build = await addBuild(server, game);
    const ids = await Promise.all(
      Array.from({ length: 25 }, (_, no) =>
        reportEvent(server, game, build, { message: 'no space', fingerprint: [`${no}`] }, { kind: 'error' }),
      ),
    );
    await groupMessages(server.ctx, { gameId: game.uid, reportIds: ids });
    await addReport(server.ctx, { game, buildId: build, stack: ['Door::open'] });
    const alerts = await takeAlerts(game);
    const ofErrors = alerts.filter(({ kind }) => kind === 'new_error_group');
    assert.deepEqual([ofErrors.length, ofErrors.filter(({ data }) => 'crash' in data).length], [25, 19]);
    assert.ok(alerts.find(({ kind }) => kind === 'new_group')?.data.crash !== undefined);
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
    const { crash, ...data } = regression?.data ?? {};
    assert.deepEqual(data, { group_id: groupId, title: 'Door::open', fixed_in_version: '1.1.0' });
    assert.equal((crash as CrashFacts).version, '1.1.0');
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
    const { crash: facts, ...data } = spike?.data ?? {};
    assert.deepEqual(data, { group_id: await groupOf(game), title: 'Door::open', reports: 25, usual: 2.5 });
    assert.equal((facts as CrashFacts).reports, 30);
    assert.deepEqual(kindsOf(await takeAlerts(game, ctxAt(start + 3 * HOUR))), []);
  });

  test('carries the facts of the newest report, and counts those of the last 24 hours', async () => {
    const game = await makeSharedGame(server);
    const build = await addBuild(server, game, { version: '2.0.0' });
    const report = { game, buildId: build, stack: ['Door::open', 'Level::load'] };
    const now = Date.now();
    await addReport(ctxAt(now - 25 * HOUR), { ...report, device_uid: 'old' });
    await takeAlerts(game);
    await rows(server.ctx.db, sql`update crash_groups set alert = 'new_group' where game_id = ${game.uid}`);
    const first = await addReport(ctxAt(now - HOUR), { ...report, device_uid: 'a', user_message: 'It fell' });
    const pictured = await addReport(ctxAt(now - HOUR / 2), { ...report, device_uid: 'b' });
    const newest = await addReport(ctxAt(now), { ...report, device_uid: 'b', user_message: 'In /home/ann it fell' });
    const picture = JSON.stringify([{ name: 'a.png', kind: 'image', key: 'crashes/x', size: 1 }]);
    const announced = JSON.stringify([{ name: 'a.png', kind: 'image', key: null, size: 0 }]);
    for (const [id, attachments] of [
      [first, picture],
      [pictured, picture],
      [newest, announced],
    ])
      await rows(
        server.ctx.db,
        sql`update crash_reports set attachments = ${attachments} where game_id = ${game.uid} and report_id = ${id}`,
      );
    const alert = (await takeAlerts(game)).find(({ kind }) => kind === 'new_group');
    assert.deepEqual(alert?.data.crash, {
      crash_id: newest,
      version: '2.0.0',
      os: 'linux',
      arch: 'x86_64',
      reason: 'SIGSEGV / SEGV_MAPERR',
      functions: ['Door::open (layout.cc:14)', 'Level::load (layout.cc:14)'],
      reports: 3,
      devices: 2,
      since: new Date(now - HOUR).toISOString(),
      is_cut: false,
      user_message: 'In /home/<user> it fell',
      picture_crash_id: pictured,
    });
  });

  test('has no facts of a group whose reports were deleted or are old', async () => {
    const game = await makeSharedGame(server);
    const build = await addBuild(server, game);
    await addReport(ctxAt(Date.now() - 48 * HOUR), { game, buildId: build, stack: ['Door::open'] });
    const group = (await takeAlerts(game)).find(({ kind }) => kind === 'new_group');
    assert.deepEqual(group?.data, { group_id: await groupOf(game), title: 'Door::open' });
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
