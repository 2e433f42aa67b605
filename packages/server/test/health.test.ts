// Launch health for developers and players on a real server.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { listingBands } from '../src/analytics/health/health.ts';
import { DAY } from '../src/kernel/clock.ts';
import { changed } from '../src/kernel/database/db.ts';
import { addBuild, callAs, makeSharedGame, type SharedGame } from './setup/crash-reports.ts';
import { send } from './setup/events.ts';
import { makeGame, signIn, startServer, type TestServer } from './setup/server.ts';
import { ship, shipAndScan } from './setup/uploads.ts';

let now = new Date('2026-11-01T12:00:00Z');
let server: TestServer;
let game: SharedGame;

before(async () => {
  server = await startServer({
    clock: { now: () => now },
    env: { CHAUFFEUR_LIMIT_PUBLIC: '0', CHAUFFEUR_LIMIT_UPLOADS: '0' },
  });
});
beforeEach(async () => {
  game = await makeSharedGame(server);
});
after(() => server.stop());

/** Starts the build on `devices` devices: the first `crashed` of them crash, and all but the last `silent` boot. */
async function launch(
  uid: string,
  buildId: string,
  devices: number,
  { crashed = 0, silent = 0, ms = 1000 } = {},
): Promise<void> {
  const events = Array.from({ length: devices }, (_, no) => {
    const device_uid = `device-${no}`;
    const crash = no < crashed ? [{ event: 'crash', device_uid }] : [];
    const boot = no < devices - silent ? [{ event: 'boot_ok', device_uid, ms }] : [];
    return [
      { event: 'session_start', device_uid },
      ...crash,
      ...boot,
      { event: 'session_end', device_uid, seconds: 120 },
    ];
  }).flat();
  for (let from = 0; from < events.length; from += 100) {
    const { status } = await send(
      { server, game: { uid } as never, buildId },
      { events: events.slice(from, from + 100) },
    );
    assert.equal(status, 202);
  }
}

async function bandOfListing(uid: string) {
  return (await listingBands(server.ctx, [uid])).get(uid);
}

async function listOf(query = '') {
  const { status, body } = await callAs(server, game.admin, `/games/${game.uid}/health${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

describe('the health of builds', () => {
  test('has the numbers for the band', async () => {
    const buildId = await addBuild(server, game);
    await launch(game.uid, buildId, 40, { crashed: 2, silent: 1, ms: 4000 });
    const { builds, next_cursor } = await listOf();
    const { registered_at: _, ...build } = builds[0];
    const { boot_ms, session_seconds, crash_free, ...rest } = build;
    assert.deepEqual(crash_free, {
      since: '2026-10-03',
      devices: 40,
      crashed_devices: 2,
      device_rate: 0.95,
      sessions: 40,
      crashes: 2,
      sdk_sessions: 0,
      session_rate: 0.95,
    });
    assert.deepEqual(rest, {
      build_id: buildId,
      version: '1.0.0',
      build_type: 'game',
      os: 'linux',
      arch: 'x86_64',
      channel: 'stable',
      band: 'mixed',
      devices: 40,
      booted: 39,
      crashed_on_boot: 2,
      boot_rate: 39 / 40,
      crash_rate: 2 / 40,
    });
    assert.deepEqual([boot_ms.samples, session_seconds.samples, next_cursor], [39, 40, null]);
    assert.ok(
      Math.abs(boot_ms.median - 4000) <= 80 && Math.abs(session_seconds.median - 120) <= 3,
      JSON.stringify(build),
    );
    const { body } = await callAs(server, game.owner, `/games/${game.uid}/builds/${buildId}/health`);
    const { days, ...same } = body.data;
    assert.deepEqual(same, builds[0]);
    assert.deepEqual(days, [
      {
        day: '2026-11-01',
        boot_ms,
        session_seconds,
        devices_last_seen: 40,
        devices: 40,
        crashed_devices: 2,
        crashed_on_boot: 2,
        events: { session_start: 40, crash: 2, boot_ok: 39, session_end: 40 },
      },
    ]);
  });

  test('covers 30 days including today', async () => {
    const start = now.getTime();
    const buildId = await addBuild(server, game);
    await launch(game.uid, buildId, 20);
    const read = async (days: number) => {
      now = new Date(start + days * DAY);
      return (await callAs(server, game.owner, `/games/${game.uid}/builds/${buildId}/health`)).body.data;
    };
    assert.deepEqual([(await read(29)).devices, (await read(29)).band], [20, 'excellent']);
    const later = await read(30);
    assert.deepEqual([later.devices, later.band, later.boot_rate, later.days], [0, 'unrated', null, []]);
    assert.deepEqual((await listOf()).builds, []);
    now = new Date(start);
  });

  test('lists the newest builds first, in pages, without builds that have no device', async () => {
    const builds: string[] = [];
    for (const version of ['1', '2', '3', '4', '5']) builds.push(await addBuild(server, game, { version }));
    for (const buildId of builds.slice(0, 4)) await launch(game.uid, buildId, 1);
    const versions: string[] = [];
    for (let query = '?limit=3'; query !== ''; ) {
      const { builds: page, next_cursor } = await listOf(query);
      versions.push(...page.map(({ version }: { version: string }) => version));
      query = next_cursor === null ? '' : `?limit=3&cursor=${next_cursor}`;
    }
    assert.deepEqual(versions, ['4', '3', '2', '1']);
  });

  test('is 4006 for a build of another game', async () => {
    const other = await makeSharedGame(server);
    const { body } = await callAs(
      server,
      game.owner,
      `/games/${game.uid}/builds/${await addBuild(server, other)}/health`,
    );
    assert.equal(body.error?.code, 4006);
  });
});

describe('the band of a store page', () => {
  test('is the one of the newest rated build on stable', async () => {
    const studio = await makeGame(server);
    assert.equal(await bandOfListing(studio.uid), 'unrated');
    const first = (await shipAndScan(server, studio, { version: '1.0.0' })).buildId;
    await launch(studio.uid, first, 100, { crashed: 2 });
    assert.equal(await bandOfListing(studio.uid), 'healthy');
    const second = (await shipAndScan(server, studio, { version: '2.0.0' })).buildId;
    await launch(studio.uid, second, 19, { silent: 19 });
    assert.equal(await bandOfListing(studio.uid), 'healthy');
    await launch(studio.uid, second, 20, { silent: 20 });
    assert.equal(await bandOfListing(studio.uid), 'problematic');
    // A build on the beta does not count for stable until it is moved there.
    const third = (await shipAndScan(server, studio, { version: '3.0.0', channel: 'beta' })).buildId;
    await launch(studio.uid, third, 20);
    assert.equal(await bandOfListing(studio.uid), 'problematic');
    const headers = { ...(await signIn(server, studio.owner)), 'content-type': 'application/json' };
    const post = (path: string, body: object) =>
      fetch(`${server.api}/games/${studio.uid}/channels/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
    assert.equal((await post('stable/promote', { build_id: third })).status, 200);
    assert.equal(await bandOfListing(studio.uid), 'excellent');
    assert.equal((await post('stable/rollback', {})).status, 200);
    assert.equal(await bandOfListing(studio.uid), 'problematic');
    assert.equal((await post('stable/rollback', {})).status, 200);
    assert.equal(await bandOfListing(studio.uid), 'healthy');
  });

  test('is available for many games at once, and to players', async () => {
    const [one, two] = [await makeGame(server), await makeGame(server)];
    const { buildId } = await ship(server, one);
    await launch(one.uid, buildId, 20);
    assert.deepEqual(
      [...(await listingBands(server.ctx, [one.uid, two.uid]))],
      [
        [one.uid, 'excellent'],
        [two.uid, 'unrated'],
      ],
    );
    const { data } = await (await fetch(`${server.api}/public/games/${one.uid}`)).json();
    assert.equal(data.health, 'excellent');
  });

  test('ignores deleted builds', async () => {
    const buildId = await addBuild(server, game);
    await launch(game.uid, buildId, 20);
    await changed(server.ctx.db, sql`delete from builds where build_id = ${buildId}`);
    assert.deepEqual([(await listOf()).builds, await bandOfListing(game.uid)], [[], 'unrated']);
  });
});

describe('the comparison of two builds', () => {
  const compare = (buildId: string, other: string, person = game.admin) =>
    callAs(server, person, `/games/${game.uid}/builds/${buildId}/health/comparison?other=${other}`);

  test('counts each device once on each day, and says which build is better', async () => {
    const [old, fixed] = [
      await addBuild(server, game, { version: '1.0' }),
      await addBuild(server, game, { version: '1.1' }),
    ];
    const today = now;
    try {
      await launch(game.uid, old, 200, { crashed: 20 });
      now = new Date(today.getTime() + DAY);
      await launch(game.uid, old, 200, { crashed: 20 });
      await launch(game.uid, fixed, 200, { crashed: 4, silent: 100 });
      const { status, body } = await compare(fixed, old);
      assert.equal(status, 200, JSON.stringify(body));
      const { build, other, booted, crash_free_days: free } = body.data;
      assert.deepEqual([build.version, other.version, build.devices, other.devices], ['1.1', '1.0', 200, 200]);
      assert.deepEqual([free.rate, free.other_rate, free.verdict], [0.98, 0.9, 'better']);
      assert.ok(free.low > 0.03 && free.low < 0.08 && free.high > 0.08 && free.high < 0.12, JSON.stringify(free));
      assert.deepEqual([booted.rate, booted.other_rate, booted.verdict], [0.5, 1, 'worse']);
      const { body: back } = await compare(old, fixed);
      assert.deepEqual([back.data.crash_free_days.verdict, back.data.booted.verdict], ['worse', 'better']);
    } finally {
      now = today;
    }
  });

  test('is unclear without data, and only for builds of the game and its members', async () => {
    const [one, two] = [
      await addBuild(server, game, { version: '1.0' }),
      await addBuild(server, game, { version: '1.1' }),
    ];
    await launch(game.uid, one, 3);
    const { body } = await compare(one, two);
    const none = { difference: null, low: null, high: null, verdict: 'unclear' };
    assert.deepEqual(body.data.booted, { rate: 1, other_rate: null, ...none });
    assert.deepEqual(body.data.crash_free_days, { rate: 1, other_rate: null, ...none });
    const others = await makeSharedGame(server);
    const theirs = await addBuild(server, others);
    assert.deepEqual((await compare(one, theirs)).body.error?.code, 4006);
    assert.deepEqual((await compare(one, two, others.owner)).body.error?.code, 4040);
    assert.deepEqual((await compare(one, 'x')).body.error?.code, 4002);
  });
});
