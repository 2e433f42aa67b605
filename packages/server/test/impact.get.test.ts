// Whom crashes hit, on a real server: devices, sessions and facets of groups, builds and queries, and filters by them.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { facetIdsOf, MAX_KEYS, MAX_VALUES } from '../src/crash/crashes/groups/facet-ids.ts';
import { groupMessages } from '../src/crash/crashes/process/messages.job.ts';
import { regroupReports } from '../src/crash/crashes/process/regroup.job.ts';
import { changed } from '../src/kernel/database/db.ts';
import { addBuild, addReport, callAs, makeSharedGame, type ReportInput } from './setup/crash-reports.ts';
import { request, startServer, type TestServer } from './setup/server.ts';
import { call, done, idsOf, listedGroups, makeTriagedGame, post, type TriagedGame } from './setup/triage.ts';

/** Runs no jobs: the tests do. */
let server: TestServer;
before(async () => {
  server = await startServer({ role: 'api' });
});
after(() => server.stop());

const RTX = { gpu: 'NVIDIA GeForce RTX 3060', driver_version: '551.86', ram_gb: 16, level: 'garage' };
const RX = { gpu: 'AMD Radeon RX 580', driver_version: '31.0.21921', ram_gb: 8, level: 'city' };

/** Two groups: `a` of three devices in two builds, `b` of one of these devices. */
async function openCrashes() {
  const studio = await makeTriagedGame(server);
  const second = await addBuild(server, studio.game, { version: '2.0.0' });
  const add = (input: Omit<ReportInput, 'game' | 'buildId'>, buildId = studio.build) =>
    addReport(server.ctx, { game: studio.game, buildId, ...input });
  await add({ stack: ['a'], device_uid: 'd1', session_id: 's1', metadata: RTX });
  await add({ stack: ['a'], device_uid: 'd1', session_id: 's1', metadata: RTX });
  await add({ stack: ['a'], device_uid: 'd2', session_id: 's2', metadata: RTX }, second);
  await add({ stack: ['a'], device_uid: 'd3', metadata: RX });
  const last = await add({ stack: ['b'], device_uid: 'd1', session_id: 's3', metadata: RX });
  await add({ stack: ['b'] });
  return { studio, second, last };
}

async function impactOf({ game }: TriagedGame, query: Record<string, string> = {}) {
  const { status, body } = await callAs(
    server,
    game.owner,
    `/games/${game.uid}/crash-impact?${new URLSearchParams(query)}`,
  );
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

type Shown = { facet: string; values: { value: string; reports: number; devices: number }[]; other: object };
const valuesOf = (facets: readonly Shown[], facet: string) =>
  facets.find((each) => each.facet === facet)?.values.map(({ value, reports, devices }) => [value, reports, devices]);

describe('the impact of crashes', () => {
  test('of a group counts devices and sessions once, and its facets', async () => {
    const { studio, second } = await openCrashes();
    const [a = ''] = await idsOf(studio, 'a');
    const impact = await impactOf(studio, { group_id: a });
    assert.deepEqual([impact.reports, impact.devices, impact.sessions, impact.counted], [4, 3, 2, 'all']);
    assert.deepEqual(valuesOf(impact.facets, 'gpu'), [
      ['NVIDIA GeForce RTX 3060', 3, 2],
      ['AMD Radeon RX 580', 1, 1],
    ]);
    assert.deepEqual(valuesOf(impact.facets, 'ram'), [
      ['16 GB', 3, 2],
      ['8 GB', 1, 1],
    ]);
    assert.deepEqual(valuesOf(impact.facets, 'os_version'), [['Linux 6.8', 4, 3]]);
    assert.deepEqual(valuesOf(impact.facets, 'metadata.level'), [
      ['garage', 3, 2],
      ['city', 1, 1],
    ]);
    assert.deepEqual(
      impact.builds.map(({ build_id, version, reports, devices, sessions }: Record<string, unknown>) => [
        ...[build_id, version, reports, devices, sessions],
      ]),
      [
        [studio.build, '1.0.0', 3, 2, 1],
        [second, '2.0.0', 1, 1, 1],
      ],
    );
    assert.equal(impact.devices_of, null, 'no events were sent');
    const one = await impactOf(studio, { group_id: a, values: '1' });
    assert.deepEqual(one.facets.find(({ facet }: Shown) => facet === 'gpu').other, { values: 1, reports: 1 });
    const inBuild = await impactOf(studio, { group_id: a, build_id: studio.build });
    assert.deepEqual([inBuild.reports, inBuild.devices, inBuild.sessions], [3, 2, 1]);
    assert.deepEqual(valuesOf(inBuild.facets, 'gpu')?.[0], ['NVIDIA GeForce RTX 3060', 2, 1]);
  });

  test('of a build counts a device of several groups once, and says which groups it hit most', async () => {
    const { studio } = await openCrashes();
    const impact = await impactOf(studio, { build_id: studio.build });
    assert.deepEqual([impact.reports, impact.devices, impact.sessions], [5, 2, 2]);
    assert.deepEqual(
      impact.groups.map(({ title, devices }: Record<string, unknown>) => [title, devices]),
      [
        ['a', 2],
        ['b', 1],
      ],
    );
    assert.deepEqual(valuesOf(impact.facets, 'gpu'), [
      ['AMD Radeon RX 580', 2, 2],
      ['NVIDIA GeForce RTX 3060', 2, 1],
    ]);
    const ofVersion = await impactOf(studio, { query: 'version:1.0.0' });
    assert.deepEqual([ofVersion.devices, ofVersion.facets], [impact.devices, impact.facets]);
    const both = await impactOf(studio, { query: 'version:1.0.0 gpu:*radeon*' });
    assert.deepEqual([both.reports, both.devices], [2, 2]);
    const queried = await impactOf(studio, { query: 'metadata.level:city' });
    assert.deepEqual([queried.reports, queried.devices, queried.counted], [2, 2, 'all']);
    assert.deepEqual(Object.keys(queried).sort(), Object.keys(impact).sort());
    for (const query of [
      'message:a',
      'message:b',
      'message:a gpu:*radeon*',
      'message:nothing',
      'message:a -metadata.level:city',
    ]) {
      const { body } = await callAs(
        server,
        studio.game.owner,
        `/games/${studio.game.uid}/crashes?${new URLSearchParams({ query })}`,
      );
      assert.equal((await impactOf(studio, { query })).reports, body.data.crashes.length, query);
    }
    assert.ok((await impactOf(studio, { query: 'message:a' })).reports > 0);
    const everything = await impactOf(studio);
    assert.deepEqual([everything.reports, everything.devices], [6, 3]);
    assert.deepEqual(valuesOf(everything.facets, 'gpu'), [
      ['NVIDIA GeForce RTX 3060', 3, 2],
      ['AMD Radeon RX 580', 2, 2],
    ]);
  });

  test('is a share of the devices that sent events', async () => {
    const { studio } = await openCrashes();
    const { game } = studio;
    for (const device_uid of ['d1', 'd9'])
      await request(`${server.api}/public/events`, {
        method: 'POST',
        headers: { 'x-app-id': game.uid, 'x-build-id': studio.build, 'content-type': 'application/json' },
        body: JSON.stringify({ event: 'boot_ok', device_uid }),
      });
    const [a = ''] = await idsOf(studio, 'a');
    assert.deepEqual((await impactOf(studio, { group_id: a })).devices_of, { scope: 'game', devices: 2 });
    assert.deepEqual((await impactOf(studio, { build_id: studio.build })).devices_of, { scope: 'build', devices: 2 });
  });

  test('of merged groups counts their devices once', async () => {
    const { studio } = await openCrashes();
    const [a = '', b = ''] = await idsOf(studio, 'a', 'b');
    await post(studio, '/merge', { group_ids: [a, b], into: a });
    for (const group_id of [a, b]) {
      const { reports, devices } = await impactOf(studio, { group_id });
      assert.deepEqual([reports, devices], [6, 3]);
    }
    assert.deepEqual(
      (await listedGroups(studio)).map((group) => [group.title, (group as unknown as { devices: number }).devices]),
      [['a', 3]],
    );
  });

  test('is only for members, and of existing groups', async () => {
    const { studio } = await openCrashes();
    const other = await openCrashes();
    const [a = ''] = await idsOf(other.studio, 'a');
    const path = `/games/${studio.game.uid}/crash-impact`;
    assert.equal((await callAs(server, studio.game.owner, `${path}?group_id=${a}`)).status, 404);
    for (const each of [path, `/games/${studio.game.uid}/crash-facets`]) {
      assert.equal((await callAs(server, null, each)).status, 401);
      assert.equal((await callAs(server, other.studio.game.owner, each)).status, 404);
    }
    for (const query of ['group_id=x', 'values=0', 'values=101', 'query=gpu:'])
      assert.equal((await callAs(server, studio.game.owner, `${path}?${query}`)).status, 400, query);
  });
});

describe('filters by facets and devices', () => {
  test('find groups with such a report, and the reports', async () => {
    const { studio, last } = await openCrashes();
    const { game } = studio;
    const titles = async (query: string) =>
      (await listedGroups(studio, `?${new URLSearchParams({ query, sort: 'devices' })}`)).map(({ title }) => title);
    const count = async (query: string) => {
      const { body } = await callAs(server, game.owner, `/games/${game.uid}/crashes?${new URLSearchParams({ query })}`);
      return body.data?.crashes.length;
    };
    const cases: readonly (readonly [string, string[], number])[] = [
      ['gpu:"NVIDIA GeForce RTX 3060"', ['a'], 3],
      ['gpu:*radeon*', ['a', 'b'], 2],
      ['gpu:*radeon*,*3060', ['a', 'b'], 5],
      ['-gpu:*3060', ['b'], 3],
      ['ram:"8 GB" driver:31*', ['a', 'b'], 2],
      ['os_version:"linux 6.8"', ['a', 'b'], 6],
      ['metadata.level:GARAGE', ['a'], 3],
      ['metadata.Level:gar*', ['a'], 3],
      ['metadata.gpu:*radeon*', ['a', 'b'], 2],
      ['metadata.other:1', [], 0],
      ['device:d1', ['a', 'b'], 3],
      ['device:d2,d3', ['a'], 2],
      ['-device:d1', [], 3],
      ['devices:>1', ['a'], 4],
      ['devices:1', ['b'], 2],
      ['store:steam', [], 0],
    ];
    for (const [query, groups, reports] of cases) {
      assert.deepEqual(await titles(query), groups, query);
      assert.equal(await count(query), reports, query);
      assert.equal((await impactOf(studio, { query })).reports, reports, query);
    }
    const { body } = await callAs(server, game.owner, `/games/${game.uid}/crashes/${last}`);
    assert.deepEqual([body.data.device_uid, body.data.session_id], ['d1', 's3']);
    assert.deepEqual(
      body.data.facets.map(({ facet, value }: Record<string, string>) => `${facet}=${value}`),
      [
        'cores=8',
        'driver=31.0.21921',
        'gpu=AMD Radeon RX 580',
        'metadata.level=city',
        'os_version=Linux 6.8',
        'ram=8 GB',
      ],
    );
  });

  test('have names and values to choose from', async () => {
    const { studio } = await openCrashes();
    const { game } = studio;
    const list = async (query: string) =>
      (await callAs(server, game.owner, `/games/${game.uid}/crash-facets?${query}`)).body.data;
    assert.deepEqual((await list('')).facets, ['cores', 'driver', 'gpu', 'metadata.level', 'os_version', 'ram']);
    assert.deepEqual((await list('')).values, []);
    assert.deepEqual((await list('facet=gpu&part=rtx')).values, ['NVIDIA GeForce RTX 3060']);
    assert.deepEqual((await list('facet=metadata.LEVEL')).values, ['city', 'garage']);
  });

  test('sort groups by devices, page by page', async () => {
    const { studio } = await openCrashes();
    const first = await done(studio, '?sort=devices&limit=1');
    const second = await done(studio, `?sort=devices&limit=1&cursor=${encodeURIComponent(first.next_cursor)}`);
    assert.deepEqual([first.groups[0].devices, second.groups[0].devices, second.next_cursor], [3, 1, null]);
    assert.equal((await call(studio, '?sort=device')).status, 400);
  });
});

describe('facets of a game', () => {
  test('have a limited number of values and keys; further values are counted together', async () => {
    const game = await makeSharedGame(server);
    const facets = Array.from({ length: MAX_VALUES.metadata + 20 }, (_, no) => ['metadata.run', `${no}`] as const);
    const keys = Array.from({ length: MAX_KEYS + 10 }, (_, no) => [`metadata.key${no}`, 'x'] as const);
    const learn = (id: string, pairs: readonly (readonly [string, string])[]) =>
      facetIdsOf(server.ctx, game.uid, new Map([[id, pairs]]));
    for (const [index, pair] of facets.entries()) await learn(`${index}`, [pair]);
    const runs = await learn('all', facets);
    assert.equal(runs.get('all')!.length, MAX_VALUES.metadata + 1);
    assert.equal((await learn('all', keys)).get('all')!.length, MAX_KEYS - 1);
    assert.equal((await learn('again', keys)).get('again')!.length, MAX_KEYS - 1);
  });

  test('are counted again after the rules changed, also of reports from before', async () => {
    const { studio } = await openCrashes();
    const { game } = studio;
    const before = await impactOf(studio);
    await changed(server.ctx.db, sql`delete from crash_impact where game_id = ${game.uid}`);
    for (const table of ['crash_group_values', 'crash_totals', 'crash_total_values'])
      await changed(server.ctx.db, sql`delete from ${sql.table(table)} where game_id = ${game.uid}`);
    await changed(server.ctx.db, sql`delete from crash_group_builds where game_id = ${game.uid}`);
    await changed(server.ctx.db, sql`update crash_groups set devices = 0, sessions = 0 where game_id = ${game.uid}`);
    await changed(server.ctx.db, sql`update crash_reports set facets_version = 0 where game_id = ${game.uid}`);
    for (let run = 0; run < 2; run += 1) await regroupReports(server.ctx, { gameId: game.uid, before: null });
    const again = await impactOf(studio);
    assert.deepEqual([again.reports, again.devices, again.sessions], [before.reports, before.devices, before.sessions]);
    assert.deepEqual(valuesOf(again.facets, 'gpu'), valuesOf(before.facets, 'gpu'));
  });
});

describe('the ids of a device', () => {
  test('are shown with its crashes, and removed from them with its other data', async () => {
    const { studio, last } = await openCrashes();
    const { game } = studio;
    await addReport(server.ctx, { game, buildId: studio.build, message: 'late', device_uid: 'd1' });
    const path = `/games/${game.uid}/devices/d1`;
    const device = (await callAs(server, game.owner, path)).body.data;
    assert.equal(device.crashes.length, 4);
    const { body } = await callAs(server, game.owner, path, { method: 'DELETE' });
    assert.equal(body.data.crashes, 4);
    assert.deepEqual((await callAs(server, game.owner, path)).body.data.crashes, []);
    const report = (await callAs(server, game.owner, `/games/${game.uid}/crashes/${last}`)).body.data;
    assert.deepEqual([report.device_uid, report.session_id], [null, null]);
    const [a = ''] = await idsOf(studio, 'a');
    const impact = await impactOf(studio, { group_id: a });
    assert.deepEqual([impact.reports, impact.devices, impact.sessions], [4, 2, 1]);
    assert.deepEqual(valuesOf(impact.facets, 'gpu')?.[0], ['NVIDIA GeForce RTX 3060', 3, 1]);
    assert.equal((await callAs(server, game.owner, path, { method: 'DELETE' })).body.data.crashes, 0);
  });

  test('count no device or session if they are not valid', async () => {
    const studio = await makeTriagedGame(server);
    const send = (body: object) =>
      request(`${server.api}/public/crashes`, {
        method: 'POST',
        headers: { 'x-app-id': studio.game.uid, 'x-build-id': studio.build, 'content-type': 'application/json' },
        body: JSON.stringify({ message: 'x', ...body }),
      });
    const ids: string[] = [];
    for (const bad of ['', 'a b', 'x'.repeat(65), 'é', '\u202e']) {
      const { status, body } = await send({ device_uid: bad, session_id: bad });
      assert.equal(status, 201, JSON.stringify(bad));
      ids.push(body.data.id);
    }
    for (const name of ['device_uid', 'session_id']) assert.equal((await send({ [name]: true })).status, 400, name);
    const { body } = await send({ device_uid: 'x'.repeat(64), session_id: '!' });
    await groupMessages(server.ctx, { gameId: studio.game.uid, reportIds: [...ids, body.data.id] });
    const { reports, devices, sessions } = await impactOf(studio);
    assert.deepEqual([reports, devices, sessions], [6, 1, 1]);
  });
});
