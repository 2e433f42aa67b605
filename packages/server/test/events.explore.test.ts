// Events for developers on a real server: names, counts by time, and the limit of custom names.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { LIMITS } from '@chauffeur/contract/limits';
import { sumPastDays } from '../src/analytics/events/keep/fold-slots.job.ts';
import { addBuild, callAs, makeSharedGame, type SharedGame } from './setup/crash-reports.ts';
import { send } from './setup/events.ts';
import { makePlayer, startServer, type TestServer } from './setup/server.ts';

let now = new Date('2026-11-20T22:30:00Z');
let server: TestServer;
let game: SharedGame;
let builds: [linux: string, windows: string];

before(async () => {
  server = await startServer({ role: 'api', clock: { now: () => now }, env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
});
after(() => server.stop());

function sendOf(mine: SharedGame, buildId: string, events: object[]) {
  return send({ server, game: { uid: mine.uid } as never, buildId }, { events });
}

async function read(path: string) {
  const { status, body } = await callAs(server, game.admin, `/games/${game.uid}/events/${path}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

const pointsOf = (points: { at: string; count: number }[]) => points.map(({ at, count }) => [at.slice(5, 13), count]);

describe('the explorer of events', () => {
  before(async () => {
    game = await makeSharedGame(server);
    builds = [await addBuild(server, game), await addBuild(server, game, { version: '2.0.0', os: 'windows' })];
    for (const [time, build, names] of [
      ['2026-11-20T22:30:00Z', 0, ['quit', 'quit', 'level']],
      ['2026-11-20T23:59:59Z', 1, ['quit']],
      ['2026-11-21T00:00:00Z', 0, ['level', 'level', 'level']],
      ['2026-11-21T12:00:00Z', 1, ['boot_ok', 'level']],
    ] as const) {
      now = new Date(time);
      await sendOf(
        game,
        builds[build],
        names.map((event) => ({ event, device_uid: 'd' })),
      );
    }
  });

  const check = () => {
    test('lists names with counts and the hour of the last event', async () => {
      assert.deepEqual((await read('names')).names, [
        { name: 'level', standard: false, count: 5, last_hour: '2026-11-21T12:00:00.000Z' },
        { name: 'quit', standard: true, count: 3, last_hour: '2026-11-20T23:00:00.000Z' },
        { name: 'boot_ok', standard: true, count: 1, last_hour: '2026-11-21T12:00:00.000Z' },
      ]);
    });

    test('counts all events by day, and one name by hour', async () => {
      const all = await read('counts');
      assert.deepEqual([all.series.length, all.series[0].key, all.series[0].total], [1, null, 9]);
      assert.deepEqual(pointsOf(all.series[0].points), [
        ['11-20T00', 4],
        ['11-21T00', 5],
      ]);
      const { series, step } = await read(
        'counts?name=level&step=hour&from=2026-11-20T22:00:00Z&to=2026-11-21T12:00:00Z',
      );
      assert.equal(step, 'hour');
      assert.deepEqual(pointsOf(series[0].points), [
        ['11-20T22', 1],
        ['11-21T00', 3],
      ]);
    });

    test('splits by build, OS and name, the largest first', async () => {
      const keysOf = async (query: string) =>
        (await read(`counts?${query}`)).series.map(({ key, label, total }: Record<string, unknown>) => [
          key,
          label,
          total,
        ]);
      assert.deepEqual(await keysOf('by=build'), [
        [builds[0], '1.0.0 linux x86_64', 6],
        [builds[1], '2.0.0 windows x86_64', 3],
      ]);
      assert.deepEqual(await keysOf('by=os&name=quit'), [
        ['linux', null, 2],
        ['windows', null, 1],
      ]);
      assert.deepEqual(await keysOf('by=name&os=win64'), [
        ['boot_ok', null, 1],
        ['level', null, 1],
        ['quit', null, 1],
      ]);
      assert.deepEqual(await keysOf(`by=name&build_id=${builds[0]}`), [
        ['level', null, 4],
        ['quit', null, 2],
      ]);
      assert.deepEqual(await keysOf('name=unheard-of'), []);
    });
  };

  describe('during the day', check);
  describe('after slots of past days are summed up', () => {
    before(async () => {
      now = new Date('2026-11-21T13:00:00Z');
      await sumPastDays(server.ctx);
    });
    check();
  });

  test('refuses invalid requests', async () => {
    for (const [query, code] of [
      ['from=nonsense', 4002],
      ['step=week', 4002],
      ['from=2024-01-01', 4002],
      ['build_id=0b51a2c8-6d3e-4f7a-9c15-3e8d7b42f601', 4006],
    ]) {
      const { body } = await callAs(server, game.owner, `/games/${game.uid}/events/counts?${query}`);
      assert.equal(body.error?.code, code, `${query} ${JSON.stringify(body)}`);
    }
  });

  test('is only visible to members', async () => {
    const stranger = await makePlayer(server);
    for (const path of ['events/names', 'events/counts', 'devices/d', 'health', `builds/${builds[0]}/health`]) {
      assert.equal((await callAs(server, stranger, `/games/${game.uid}/${path}`)).status, 404, path);
      assert.equal((await callAs(server, null, `/games/${game.uid}/${path}`)).status, 401, path);
    }
    assert.equal((await callAs(server, stranger, `/games/${game.uid}/devices/d`, { method: 'DELETE' })).status, 404);
  });
});

describe('custom names', () => {
  test('after the first 500 of a game are counted together across processes, and stored unchanged', async () => {
    game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    const other = await startServer({
      role: 'api',
      shareWith: server,
      clock: { now: () => now },
      env: { CHAUFFEUR_LIMIT_PUBLIC: '0' },
    });
    const requests = Array.from({ length: 12 }, (_, no) =>
      Array.from({ length: 50 }, (_, place) => ({ event: `name ${no * 50 + place}` })),
    );
    const responses = await Promise.all(
      requests.map((events, no) =>
        send({ server: no % 2 === 0 ? server : other, game: { uid: game.uid } as never, buildId }, { events }),
      ),
    );
    assert.ok(responses.every(({ status }) => status === 202));
    await other.stop();
    const { names } = await read('names');
    assert.equal(names.length, LIMITS.eventNames + 1);
    assert.deepEqual([names[0].name, names[0].count, names[0].standard], ['(other)', 100, false]);
    const { series } = await read('counts?by=name');
    assert.deepEqual([series.length, series.at(-1).key, series.at(-1).total], [21, null, 600 - 100 - 19]);
    assert.deepEqual((await read('counts?name=(other)')).series[0].total, 100);
  });
});
