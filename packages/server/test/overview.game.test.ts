// The overview of one game on the real server: the versions of its channels, the crashes that hit most devices, and what
// is new since someone's last visit.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { DAY, MINUTE } from '../src/kernel/clock.ts';
import { changed, rows } from '../src/kernel/database/db.ts';
import { callTool, makeKey } from './setup/agents.ts';
import { callApi, makeOwnedGame, type OwnedGame } from './setup/api-calls.ts';
import { addReport } from './setup/crash-reports.ts';
import { send } from './setup/events.ts';
import { makeAdmin, makePlayer, startServer, type TestServer } from './setup/server.ts';
import { shipAndScan } from './setup/uploads.ts';

let server: TestServer;
let now = Date.now();
const pass = (ms: number) => {
  now += ms;
};
before(async () => {
  server = await startServer({
    clock: { now: () => new Date(now) },
    env: { CHAUFFEUR_LIMIT_PUBLIC: '0', CHAUFFEUR_LIMIT_UPLOADS: '0', CHAUFFEUR_LIMIT_ACCOUNT: '0' },
  });
});
after(() => server.stop());

type Reader = OwnedGame['owner'];

async function read({ game, owner }: OwnedGame, reader: Reader = owner) {
  const { status, body } = await callApi(server, reader, 'GET', `/games/${game.uid}/overview`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

async function visit({ game, owner }: OwnedGame, reader: Reader = owner): Promise<number | null> {
  const { status, body } = await callApi(server, reader, 'POST', `/games/${game.uid}/visits`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.last_visit === null ? null : Date.parse(body.data.last_visit);
}

/** Starts a build on devices, of which the first `crashed` crash before they boot. */
async function launch({ game }: OwnedGame, buildId: string, devices: number, crashed: number): Promise<void> {
  const events = Array.from({ length: devices }, (_, no) => {
    const device_uid = `device-${buildId.slice(-12)}-${no}`;
    return [
      { event: 'session_start', device_uid },
      no < crashed ? { event: 'crash', device_uid } : { event: 'boot_ok', device_uid, ms: 900 },
    ];
  }).flat();
  assert.equal((await send({ server, game, buildId }, { events })).status, 202);
}

describe('the versions of channels', () => {
  test('are the newest ones, with their health and the change since the version before', async () => {
    const studio = await makeOwnedGame(server);
    const ship = (version: string, os: string, channel = 'stable') =>
      shipAndScan(server, studio.game, { version, os, channel });
    assert.deepEqual((await read(studio)).channels, []);
    const old = await ship('1.0', 'linux');
    await ship('1.0', 'windows');
    const [onlyOne] = (await read(studio)).channels;
    assert.deepEqual([onlyOne.version, onlyOne.before, onlyOne.change], ['1.0', null, null]);
    const fresh = await ship('1.1', 'linux');
    await ship('1.2-rc', 'linux', 'beta');
    await launch(studio, old.buildId, 40, 0);
    await launch(studio, fresh.buildId, 40, 10);
    const { channels } = await read(studio);
    assert.deepEqual(
      channels.map(({ channel, version }: Record<string, string>) => [channel, version]),
      [
        ['stable', '1.1'],
        ['beta', '1.2-rc'],
      ],
    );
    const [stable, beta] = channels;
    assert.deepEqual(stable.platforms, [{ os: 'linux', arch: 'x86_64' }]);
    assert.deepEqual(stable.behind, [{ os: 'windows', arch: 'x86_64', version: '1.0' }]);
    assert.deepEqual([stable.launch.devices, stable.launch.booted, stable.crash_free.rate], [40, 30, 0.75]);
    assert.deepEqual([stable.before.version, stable.before.crash_free.rate], ['1.0', 1]);
    assert.equal(stable.change.crash_free.verdict, 'worse');
    assert.equal(stable.change.crash_free.difference, -0.25);
    assert.deepEqual([beta.before, beta.crash_free.rate, beta.launch.band], [null, null, 'unrated']);
  });

  test('after a rollback, a version is compared with the version that was rolled back', async () => {
    const studio = await makeOwnedGame(server);
    await shipAndScan(server, studio.game, { version: '1.0' });
    await shipAndScan(server, studio.game, { version: '1.1' });
    const path = `/games/${studio.game.uid}/channels/stable/rollback`;
    const { status, body } = await callApi(server, studio.owner, 'POST', path, { os: 'linux', arch: 'x86_64' });
    assert.equal(status, 200, JSON.stringify(body));
    const [stable] = (await read(studio)).channels;
    assert.deepEqual([stable.version, stable.before.version], ['1.0', '1.1']);
  });
});

test('the crashes that hit most devices are those of the last days, without groups that were dealt with', async () => {
  const studio = await makeOwnedGame(server);
  const { uid } = studio.game;
  const { buildId } = await shipAndScan(server, studio.game, { version: '1.0' });
  const crash = (name: string, device_uid?: string) =>
    addReport(server.ctx, {
      game: { uid } as never,
      buildId,
      stack: [name, 'main'],
      ...(device_uid !== undefined && { device_uid }),
    });
  for (const device of ['a', 'b', 'c', 'd']) await crash('Old::one', device);
  pass(8 * DAY);
  for (const device of ['a', 'b']) await crash('Lamp::on', device);
  pass(2 * DAY);
  for (const device of ['a', 'a', 'c']) await crash('Lamp::on', device);
  for (const device of ['a', 'b', 'c', 'd', 'e']) await crash('World::tick', device);
  for (let no = 0; no < 9; no += 1) await crash('Often::here', 'a');
  await crash('No::device');
  const { top_crashes: top } = await read(studio);
  assert.deepEqual([top.days, top.counted], [7, 'all']);
  const summarize = (groups: Record<string, unknown>[]) =>
    groups.map(({ title, devices, devices_last_day, reports }) => [title, devices, devices_last_day, reports]);
  assert.deepEqual(summarize(top.groups), [
    ['World::tick', 5, 5, 5],
    ['Lamp::on', 3, 2, 5],
    ['Often::here', 1, 1, 9],
    ['No::device', 0, 0, 1],
  ]);
  const path = `/games/${uid}/crash-groups/${top.groups[0].group_id}`;
  const { status } = await callApi(server, studio.owner, 'PATCH', path, { status: 'resolved' });
  assert.equal(status, 200);
  assert.equal((await read(studio)).top_crashes.groups[0].title, 'Lamp::on');
});

describe('a visit', () => {
  test('ends after half an hour without a page, however often pages are loaded in it', async () => {
    const studio = await makeOwnedGame(server);
    const newsSince = async () => {
      const { since, is_first_visit } = (await read(studio)).news;
      return [is_first_visit, Date.parse(since)];
    };
    assert.deepEqual(await newsSince(), [true, now - 7 * DAY]);
    assert.equal(await visit(studio), null);
    const began = now;
    for (let tab = 0; tab < 3; tab += 1) assert.equal(await visit(studio), null);
    pass(20 * MINUTE);
    assert.equal(await visit(studio), null);
    pass(29 * MINUTE);
    assert.equal(await visit(studio), null);
    const ended = now;
    assert.ok(ended > began);
    pass(2 * DAY);
    // The result doesn't depend on whether the page or the record of the visit comes first.
    assert.deepEqual(await newsSince(), [false, ended]);
    const both = await Promise.all([visit(studio), visit(studio), visit(studio)]);
    assert.deepEqual(both, [ended, ended, ended]);
    assert.deepEqual(await newsSince(), [false, ended]);
    pass(10 * MINUTE);
    assert.equal(await visit(studio), ended);
    assert.deepEqual(await newsSince(), [false, ended]);
    pass(90 * DAY);
    assert.deepEqual(await newsSince(), [false, now - 30 * DAY]);
  });

  test('is written every few minutes at most, for each person and game, and not for agents', async () => {
    const [studio, other] = [await makeOwnedGame(server), await makeOwnedGame(server)];
    const visits = () =>
      rows(
        server.ctx.db,
        sql<{ seen_at: Date; user_id: string }>`select seen_at, user_id from game_visits
          where game_id = ${studio.game.uid} order by seen_at`,
      );
    const { key } = await makeKey(server, studio.owner);
    await callTool(server, key, 'get_game_overview', { uid: studio.game.uid });
    assert.deepEqual(await visits(), []);
    await visit(studio);
    const first = new Date(now);
    pass(4 * MINUTE);
    await visit(studio);
    const admin = await makePlayer(server);
    await makeAdmin(server, studio.game.uid, admin);
    await visit(studio, admin.headers);
    assert.deepEqual(
      (await visits()).map(({ seen_at }) => seen_at),
      [first, new Date(now)],
    );
    assert.equal((await callApi(server, other.owner, 'POST', `/games/${studio.game.uid}/visits`)).status, 404);
    assert.equal((await callApi(server, {}, 'POST', `/games/${studio.game.uid}/visits`)).status, 401);
    assert.equal((await callApi(server, other.owner, 'GET', `/games/${studio.game.uid}/overview`)).status, 404);
  });
});

test('what is new since the last visit is counted, and the newest are named', async () => {
  // Builds and tickets are registered with the time of the system.
  now = Date.now();
  const studio = await makeOwnedGame(server);
  const { uid } = studio.game;
  const { buildId } = await shipAndScan(server, studio.game, { version: '1.0' });
  const crash = (name: string, build = buildId) =>
    addReport(server.ctx, { game: { uid } as never, buildId: build, stack: [name, 'main'], device_uid: 'a' });
  const file = (message: string) => callApi(server, studio.owner, 'POST', `/games/${uid}/bugs`, { message });
  await crash('Seen::before');
  const groups = await callApi(server, studio.owner, 'GET', `/games/${uid}/crash-groups`);
  const seen = groups.body.data.groups[0].group_id;
  await callApi(server, studio.owner, 'PATCH', `/games/${uid}/crash-groups/${seen}`, { status: 'resolved' });
  await visit(studio);
  // What was is over since yesterday, and the last visit since an hour.
  const [yesterday, anHourAgo] = [new Date(now - DAY), new Date(now - 60 * MINUTE)];
  await changed(
    server.ctx.db,
    sql`update crash_groups set first_seen = ${yesterday}, last_seen = ${yesterday}, resolved_at = ${yesterday}
      where game_id = ${uid}`,
  );
  await changed(server.ctx.db, sql`update game_visits set seen_at = ${anHourAgo} where game_id = ${uid}`);
  const quiet = await read(studio);
  assert.deepEqual([quiet.news.new_groups.count, quiet.news.bugs.count, quiet.news.approvals], [0, 0, []]);
  const next = await shipAndScan(server, studio.game, { version: '1.1' });
  for (const name of ['New::a', 'New::b', 'New::c', 'New::d']) await crash(name);
  await crash('Seen::before', next.buildId);
  for (const message of ['The map is dark', 'The lamp is loud']) await file(message);
  await send({ server, game: studio.game, buildId: 'BUILD_ID' }, { events: [{ event: 'boot_ok', device_uid: 'a' }] });
  const { key } = await makeKey(server, studio.owner);
  await callTool(server, key, 'promote_build', { uid, build_id: next.buildId, channel: 'stable' });
  const { news } = await read(studio);
  assert.equal(news.new_groups.count, 4);
  assert.equal(news.new_groups.groups.length, 3);
  assert.deepEqual(
    [news.regressions.count, news.regressions.groups.map(({ title }: { title: string }) => title)],
    [1, ['Seen::before']],
  );
  assert.deepEqual(
    [news.bugs.count, news.bugs.newest.map(({ title }: { title: string }) => title).toSorted()],
    [2, ['The lamp is loud', 'The map is dark']],
  );
  assert.equal(news.channel_changes.newest[0].version, '1.1');
  assert.equal(news.approvals.length, 1);
  const admin = await makePlayer(server);
  await makeAdmin(server, uid, admin);
  assert.deepEqual((await read(studio, admin.headers)).news.approvals, []);
});
