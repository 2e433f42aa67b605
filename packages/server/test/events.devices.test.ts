// The data of a device on a real server: read in pages, deleted, and then no longer counted.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { launchFacts } from '../src/analytics/events/events.ts';
import { DAY } from '../src/kernel/clock.ts';
import { addBuild, callAs, makeSharedGame, type SharedGame } from './setup/crash-reports.ts';
import { readWholeDatabase } from './setup/database-text.ts';
import { send } from './setup/events.ts';
import { startServer, type TestServer } from './setup/server.ts';

const DEVICE = 'install/7f3a?b=c#d%e';
const OTHER = 'another-install';
const START = Date.parse('2026-11-01T12:00:00Z');

let now = new Date(START);
let server: TestServer;
let game: SharedGame;
let builds: string[];

before(async () => {
  server = await startServer({ role: 'api', clock: { now: () => now }, env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
});
after(() => server.stop());

function sendOn(day: number, build: number, events: object[]) {
  now = new Date(START + day * DAY);
  return send({ server, game: { uid: game.uid } as never, buildId: builds[build]! }, { events });
}

const path = (query = '', uid = DEVICE) => `/games/${game.uid}/devices/${encodeURIComponent(uid)}${query}`;

async function healthOf(buildId: string | undefined) {
  const { body } = await callAs(server, game.owner, `/games/${game.uid}/builds/${buildId}/health`);
  const { devices, booted, crashed_on_boot } = body.data;
  return [devices, booted, crashed_on_boot];
}

async function fill(): Promise<void> {
  game = await makeSharedGame(server);
  builds = [await addBuild(server, game), await addBuild(server, game, { version: '2.0.0' })];
  await sendOn(0, 0, [
    { event: 'crash', device_uid: DEVICE, event_id: 'e1', timestamp: '2026-11-01T11:59:00Z' },
    { event: 'crash', device_uid: OTHER },
  ]);
  await sendOn(1, 0, [
    { event: 'boot_ok', device_uid: DEVICE, ms: 900 },
    { event: 'mine', device_uid: DEVICE, properties: { level: 3 } },
    { event: 'mine' },
  ]);
  await sendOn(3, 1, [
    { event: 'session_end', device_uid: DEVICE, seconds: 60, session_id: 's', anonymous: true },
    { event: 'boot_ok', device_uid: OTHER },
  ]);
}

describe('a device', () => {
  before(fill);

  test('has its progress with each build, and all its events', async () => {
    const { status, body } = await callAs(server, game.admin, path());
    assert.equal(status, 200, JSON.stringify(body));
    const empty = {
      anonymous: false,
      session_id: null,
      event_id: null,
      ms: null,
      seconds: null,
      timestamp: null,
      properties: {},
    };
    const at = (day: number, us = 0) => new Date(START + day * DAY + us / 1000).toISOString();
    assert.deepEqual(body.data, {
      device_uid: DEVICE,
      first_seen: at(0),
      sdk_sessions: [],
      builds: [
        {
          build_id: builds[1],
          first_seen: at(3),
          last_day: '2026-11-04',
          first_boot_at: null,
          boot_day: null,
          crash_day: null,
        },
        {
          build_id: builds[0],
          first_seen: at(0),
          last_day: '2026-11-02',
          first_boot_at: at(1),
          boot_day: '2026-11-02',
          crash_day: '2026-11-01',
        },
      ],
      events: [
        {
          ...empty,
          event: 'session_end',
          build_id: builds[1],
          received_at: at(3),
          seconds: 60,
          session_id: 's',
          anonymous: true,
        },
        { ...empty, event: 'mine', build_id: builds[0], received_at: at(1), properties: { level: 3 } },
        { ...empty, event: 'boot_ok', build_id: builds[0], received_at: at(1), ms: 900 },
        {
          ...empty,
          event: 'crash',
          build_id: builds[0],
          received_at: at(0),
          event_id: 'e1',
          timestamp: '2026-11-01T11:59:00.000Z',
        },
      ],
      next_cursor: null,
      crashes: [],
    });
  });

  test('has pages with each event once', async () => {
    const names: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await callAs(server, game.owner, path(`?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`));
      assert.ok(body.data.events.length <= 1);
      names.push(...body.data.events.map(({ event }: { event: string }) => event));
      cursor = body.data.next_cursor;
    }
    assert.deepEqual(names, ['session_end', 'mine', 'boot_ok', 'crash']);
  });

  test('that is unknown has no data; an invalid id is refused', async () => {
    const { body } = await callAs(server, game.owner, path('', 'unknown'));
    assert.deepEqual([body.data.builds, body.data.events, body.data.first_seen], [[], [], null]);
    assert.equal((await callAs(server, game.owner, path('', 'two words'))).body.error?.code, 4002);
  });
});

describe('the deletion of a device', () => {
  before(fill);

  test('removes it and its events from all data, and can be repeated', async () => {
    assert.deepEqual(
      [await healthOf(builds[0]), await healthOf(builds[1])],
      [
        [2, 1, 2],
        [2, 1, 0],
      ],
    );
    const first = await callAs(server, game.admin, path(), { method: 'DELETE' });
    assert.deepEqual([first.status, first.body.data], [200, { builds: 2, events: 4, crashes: 0 }]);
    assert.deepEqual(
      [await healthOf(builds[0]), await healthOf(builds[1])],
      [
        [1, 0, 1],
        [1, 1, 0],
      ],
    );
    assert.equal((await launchFacts(server.ctx, [game.uid])).get(game.uid)?.devicesEver, 1);
    const text = await readWholeDatabase(server.ctx.db);
    const ours = text.split('\n').filter((line) => line.includes(game.uid));
    assert.ok(!ours.some((line) => line.includes(DEVICE)));
    assert.ok(ours.some((line) => line.includes(OTHER)));
    const again = await callAs(server, game.admin, path(), { method: 'DELETE' });
    assert.deepEqual(again.body.data, { builds: 0, events: 0, crashes: 0 });
    assert.deepEqual(await healthOf(builds[0]), [1, 0, 1]);
  });

  test('lets it return as a new device, but not by repeated events', async () => {
    await callAs(server, game.owner, path(), { method: 'DELETE' });
    const again = await sendOn(4, 0, [{ event: 'crash', device_uid: DEVICE, event_id: 'e1' }]);
    assert.deepEqual(again.body.data, { accepted: 0, repeated: 1 });
    assert.deepEqual(await healthOf(builds[0]), [1, 0, 1]);
    await sendOn(4, 0, [{ event: 'boot_ok', device_uid: DEVICE }]);
    assert.deepEqual(await healthOf(builds[0]), [2, 1, 1]);
    assert.equal((await launchFacts(server.ctx, [game.uid])).get(game.uid)?.devicesEver, 2);
  });
});
