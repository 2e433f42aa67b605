// The weekly summary of a game: what it says, when it is made, and that it is made once.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { DAY } from '../src/kernel/clock.ts';
import { rows } from '../src/kernel/database/db.ts';
import { collectAlerts } from '../src/notify/alerts/alerts.ts';
import { summarizeWeeks } from '../src/team/weekly-summary/summarize.job.ts';
import { addBuild, addReport, callAs, makeSharedGame, type SharedGame } from './setup/crash-reports.ts';
import { makeDsn } from './setup/dsns.ts';
import { envelope, sendEnvelope } from './setup/envelopes.ts';
import { send } from './setup/events.ts';
import { makeGame, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';
import { shipAndScan } from './setup/uploads.ts';

let now = new Date('2026-11-18T12:00:00Z');
let server: TestServer;

before(async () => {
  server = await startServer({
    clock: { now: () => now },
    env: { CHAUFFEUR_LIMIT_PUBLIC: '0', CHAUFFEUR_LIMIT_UPLOADS: '0' },
  });
});
after(() => server.stop());

async function play(game: TestGame, buildId: string, device: string, crashes = false): Promise<void> {
  const events = ['session_start', ...(crashes ? ['crash'] : [])].map((event) => ({ event, device_uid: device }));
  const { status } = await send({ server, game, buildId }, { events });
  assert.equal(status, 202);
}

async function summariesOf(game: TestGame): Promise<Record<string, unknown>[]> {
  const found = await rows(
    server.ctx.db,
    sql<{ data: Record<string, unknown> }>`delete from alerts where game_id = ${game.uid} and kind = 'weekly_summary'
      returning data`,
  );
  return found.map(({ data }) => data);
}

test('a summary has the crashes, devices, versions and downloads of the week, once', async () => {
  now = new Date('2026-11-18T12:00:00Z');
  const game = await makeGame(server);
  const { buildId, fileUid } = await shipAndScan(server, game, { version: '1.2.0' });
  const shared = { uid: game.uid } as unknown as SharedGame;
  for (const stack of [['Door::open'], ['Door::open'], ['Lamp::on']])
    await addReport(server.ctx, { game: shared, buildId, stack });
  for (const device of ['a', 'b', 'c', 'd']) await play(game, buildId, device, device === 'a');
  await fetch(`${server.api}/public/games/${game.uid}/files/${fileUid}/download`).then((each) => each.arrayBuffer());
  now = new Date('2026-11-22T12:00:00Z');
  await play(game, buildId, 'b');

  await summarizeWeeks(server.ctx);
  assert.deepEqual(await summariesOf(game), []);
  now = new Date('2026-11-23T00:13:00Z');
  await summarizeWeeks(server.ctx);
  const [summary, ...others] = await summariesOf(game);
  assert.deepEqual(others, []);
  const { top_groups, ...counts } = summary as { top_groups: { title: string; reports: number }[] };
  assert.deepEqual(counts, {
    first_day: '2026-11-16',
    reports: 3,
    new_groups: 2,
    fixed_groups: 0,
    devices: 4,
    crashed_devices: 1,
    only_sessions: { sessions: 0, crashes: 0, versions: [], version_count: 0 },
    adoption: [{ version: '1.2.0', share: 1 }],
    downloads: 1,
    before: null,
  });
  assert.deepEqual(
    top_groups.map(({ title, reports }) => [title, reports]),
    [
      ['Door::open', 2],
      ['Lamp::on', 1],
    ],
  );
  await summarizeWeeks(server.ctx);
  assert.deepEqual(await summariesOf(game), []);

  now = new Date(now.getTime() + 7 * DAY);
  await summarizeWeeks(server.ctx);
  const [next] = await summariesOf(game);
  assert.equal(next, undefined, 'nothing happened in the second week');
});

test('a summary has the sessions of builds of which nothing else is known', async () => {
  now = new Date('2026-11-18T12:00:00Z');
  const game = await makeGame(server);
  const rated = await shipAndScan(server, game, { version: '1.2.0' });
  for (const version of ['2.0.0', '2.1.0', '2.2.0', '2.3.0']) await shipAndScan(server, game, { version });
  const dsn = await makeDsn(server, game);
  const report = async (version: string, fields: object = {}) => {
    const session = { sid: randomUUID(), init: true, started: now.toISOString(), status: 'ok', errors: 0 };
    const sent = { ...session, attrs: { release: `owls@${version}` }, ...fields };
    const answer = await sendEnvelope({ server, ...dsn }, envelope({}, [[{ type: 'session' }, JSON.stringify(sent)]]));
    assert.equal(answer.status, 200);
  };
  const summaryAt = async (time: string) => {
    now = new Date(time);
    await summarizeWeeks(server.ctx);
    return (await summariesOf(game))[0] as { devices: number; only_sessions: object } | undefined;
  };
  // This session is from before the week.
  now = new Date('2026-11-15T12:00:00Z');
  await report('2.3.0', { status: 'crashed' });
  now = new Date('2026-11-18T12:00:00Z');
  await play(game, rated.buildId, 'a');
  await report('1.2.0', { status: 'crashed' });
  for (const status of ['ok', 'crashed', 'exited']) await report('2.0.0', { status });
  await report('2.1.0');
  const first = await summaryAt('2026-11-23T00:13:00Z');
  assert.deepEqual(
    [first?.devices, first?.only_sessions],
    [1, { sessions: 4, crashes: 1, versions: ['2.0.0', '2.1.0'], version_count: 2 }],
  );
  // Nothing else happened in the second week, and the sessions say of no device.
  for (const version of ['2.0.0', '2.1.0', '2.2.0', '2.3.0']) await report(version);
  const second = await summaryAt('2026-11-30T00:13:00Z');
  assert.deepEqual(second?.only_sessions, {
    sessions: 4,
    crashes: 0,
    versions: ['2.0.0', '2.1.0', '2.2.0'],
    version_count: 4,
  });
});

test('a summary compares the week with the one before', async () => {
  now = new Date('2026-11-17T12:00:00Z');
  const game = await makeGame(server);
  const { buildId } = await shipAndScan(server, game);
  for (const device of ['a', 'b']) await play(game, buildId, device);
  now = new Date('2026-11-23T05:13:00Z');
  await summarizeWeeks(server.ctx);
  await summariesOf(game);
  await play(game, buildId, 'c', true);
  now = new Date('2026-11-30T05:13:00Z');
  await summarizeWeeks(server.ctx);
  const [summary] = await summariesOf(game);
  assert.deepEqual(summary?.before, { reports: 0, devices: 2, crashed_devices: 0, downloads: 0 });
  assert.deepEqual([summary?.devices, summary?.crashed_devices], [1, 1]);
});

test('summaries are made after the clock was ahead, and compared with the week before', async () => {
  now = new Date('2026-11-17T12:00:00Z');
  const game = await makeGame(server);
  const { buildId } = await shipAndScan(server, game);
  for (const device of ['a', 'b']) await play(game, buildId, device);
  const runAt = async (time: string) => {
    now = new Date(time);
    await summarizeWeeks(server.ctx);
    return summariesOf(game);
  };
  await runAt('2026-11-23T05:13:00Z');
  await runAt('2027-11-22T05:13:00Z');
  now = new Date('2026-11-24T05:13:00Z');
  await play(game, buildId, 'c');
  const [summary, ...others] = await runAt('2026-11-30T05:13:00Z');
  assert.deepEqual(others, []);
  assert.equal(summary?.devices, 1);
  assert.deepEqual(summary?.before, { reports: 0, devices: 2, crashed_devices: 0, downloads: 0 });
});

test('a summary is made on the Monday of the time zone, and is in the digest of that day', async () => {
  now = new Date('2026-11-18T12:00:00Z');
  const game = await makeSharedGame(server);
  await addReport(server.ctx, { game, buildId: await addBuild(server, game), stack: ['Door::open'] });
  const settings = { time_zone: 'Pacific/Auckland', digest_at: '00:00' };
  const { status } = await callAs(server, game.owner, `/games/${game.uid}/alerts`, { method: 'PATCH', body: settings });
  assert.equal(status, 200);
  now = new Date('2026-11-22T10:59:00Z');
  await summarizeWeeks(server.ctx);
  now = new Date('2026-11-22T11:13:00Z');
  await summarizeWeeks(server.ctx);
  await collectAlerts(server.ctx);
  // The worker collects them, too.
  const messages = await until(async () => {
    const found = await rows(
      server.ctx.db,
      sql<{ reason: string; text: string }>`select reason, content #>> '{lines,0,details,0,text}' as text
        from alert_messages where game_id = ${game.uid}`,
    );
    return found.length > 0 && found;
  });
  assert.deepEqual(messages, [{ reason: 'digest', text: '1 crash report, 1 new group, 0 fixed' }]);
});
