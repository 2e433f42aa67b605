// The breadcrumbs of crash reports on a real server: which events they have, in which order, and why there are none.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { DAY, MINUTE, SECOND } from '../src/kernel/clock.ts';
import { rows, transact } from '../src/kernel/database/db.ts';
import {
  addBuild,
  addReport,
  callAs,
  makeSharedGame,
  type ReportInput,
  type SharedGame,
} from './setup/crash-reports.ts';
import { send } from './setup/events.ts';
import { makeMember, makePlayer, startServer, type TestServer } from './setup/server.ts';

const CRASH = Date.parse('2026-11-11T00:20:00Z');
const SESSION = { device_uid: 'd1', session_id: 's1' };

let now = new Date(CRASH);
let server: TestServer;
let game: SharedGame;
let buildId: string;

before(async () => {
  server = await startServer({ role: 'api', clock: { now: () => now }, env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
});
after(() => server.stop());
beforeEach(async () => {
  now = new Date(CRASH);
  game = await makeSharedGame(server);
  buildId = await addBuild(server, game);
});

async function sendAt(msBefore: number, ...events: object[]): Promise<void> {
  now = new Date(CRASH - msBefore);
  const { status } = await send({ server, game: { uid: game.uid } as never, buildId }, { events });
  assert.equal(status, 202);
  now = new Date(CRASH);
}

function report(fields: Partial<ReportInput> = SESSION): Promise<string> {
  now = new Date(CRASH);
  return addReport(server.ctx, { game, buildId, message: 'it broke', ...fields });
}

const pathOf = (crashId: string) => `/games/${game.uid}/crashes/${crashId}/breadcrumbs`;

async function read(crashId: string) {
  const { status, body } = await callAs(server, game.owner, pathOf(crashId));
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

const namesOf = ({ events }: { events: { event: string }[] }) => events.map(({ event }) => event);

describe('the breadcrumbs of a crash report', () => {
  test('are the events of its session before it, with their times and properties', async () => {
    await sendAt(25 * MINUTE, { event: 'session_start', ...SESSION });
    await sendAt(10 * MINUTE, { event: 'level', ...SESSION, properties: { name: 'garage', no: 3 } });
    await sendAt(5 * MINUTE, { event: 'other device', ...SESSION, device_uid: 'd2' });
    await sendAt(4 * MINUTE, { event: 'other session', ...SESSION, session_id: 's2' });
    await sendAt(3 * MINUTE, { event: 'no session', device_uid: 'd1' });
    await sendAt(-MINUTE, { event: 'after it', ...SESSION });
    const data = await read(await report());
    assert.deepEqual(data, {
      events: [
        {
          event: 'session_start',
          received_at: '2026-11-10T23:55:00.000Z',
          timestamp: null,
          seconds_before: 1500,
          properties: {},
        },
        {
          event: 'level',
          received_at: '2026-11-11T00:10:00.000Z',
          timestamp: null,
          seconds_before: 600,
          properties: { name: 'garage', no: 3 },
        },
      ],
      is_complete: true,
      problem: null,
    });
  });

  test('are in the order in which they were sent, if they arrived together', async () => {
    const names = ['session_start', 'boot_ok', 'menu', 'level', 'door', 'key'];
    for (const [index, withId] of [false, true].entries()) {
      const session = { ...SESSION, session_id: `together${index}` };
      const idOf = (name: string) => (withId ? { event_id: `${index}-${name}` } : {});
      await sendAt(MINUTE, ...names.map((event) => ({ event, ...session, ...idOf(event), ms: 1 })));
      assert.deepEqual(namesOf(await read(await report(session))), names);
    }
  });

  test("are in the order of the device's clock, even if it is wrong", async () => {
    const at = (seconds: number) => new Date(CRASH + DAY - seconds * SECOND).toISOString();
    await sendAt(
      2 * SECOND,
      { event: 'third', ...SESSION, timestamp: at(2) },
      { event: 'first', ...SESSION, timestamp: at(90) },
      { event: 'second', ...SESSION, timestamp: at(8) },
    );
    const data = await read(await report());
    assert.deepEqual(
      data.events.map((each: Record<string, unknown>) => [each.event, each.seconds_before, each.timestamp]),
      [
        ['first', 90, at(90)],
        ['second', 8, at(8)],
        ['third', 2, at(2)],
      ],
    );
  });

  test('are the last 50 of many', async () => {
    const events = Array.from({ length: 75 }, (_, no) => ({
      ...SESSION,
      event: 'step',
      timestamp: new Date(CRASH - (80 - no) * SECOND).toISOString(),
      properties: { no },
    }));
    await sendAt(5 * SECOND, ...events.slice(30), ...events.slice(0, 30));
    const data = await read(await report());
    assert.deepEqual(
      data.events.map(({ properties }: { properties: { no: number } }) => properties.no),
      Array.from({ length: 50 }, (_, no) => no + 25),
    );
  });

  test('include those of a session that started many hours earlier', async () => {
    await sendAt(23 * 60 * MINUTE, { event: 'session_start', ...SESSION });
    assert.deepEqual(namesOf(await read(await report())), ['session_start']);
  });

  test('are those without a device if the report has none', async () => {
    await sendAt(MINUTE, { event: 'mine', session_id: 's1' }, { event: 'of a device', ...SESSION });
    assert.deepEqual(namesOf(await read(await report({ session_id: 's1' }))), ['mine']);
  });

  test('are missing for a reason', async () => {
    const noEvents = { events: [], is_complete: true };
    await sendAt(MINUTE, { event: 'mine', ...SESSION });
    assert.deepEqual(await read(await report({})), { ...noEvents, problem: 'no_session' });
    const quiet = await report({ ...SESSION, session_id: 's9' });
    assert.deepEqual(await read(quiet), { ...noEvents, problem: 'not_received' });
    now = new Date(CRASH - 400 * DAY);
    const old = await addReport(server.ctx, { game, buildId, message: 'it broke', ...SESSION });
    assert.deepEqual(await read(old), { ...noEvents, problem: 'expired' });
  });

  test('are incomplete if reading takes too long', async () => {
    await sendAt(MINUTE, { event: 'mine', ...SESSION });
    const id = await report();
    await transact(server.ctx.db, async (tx) => {
      await rows(tx, sql`lock table events in access exclusive mode`);
      assert.deepEqual(await read(id), { events: [], is_complete: false, problem: null });
    });
    assert.deepEqual(namesOf(await read(id)), ['mine']);
  });

  test('are of the game, and for its triagers only', async () => {
    await sendAt(MINUTE, { event: 'mine', ...SESSION });
    const id = await report();
    const mine = game;
    const [stranger, viewer] = await Promise.all([makePlayer(server), makePlayer(server)]);
    await makeMember(server, mine.uid, viewer, 'viewer');
    assert.equal((await callAs(server, null, pathOf(id))).status, 401);
    assert.equal((await callAs(server, stranger, pathOf(id))).body.error?.code, 4040);
    assert.equal((await callAs(server, viewer, pathOf(id))).status, 403);
    game = await makeSharedGame(server);
    assert.equal((await callAs(server, game.owner, pathOf(id))).body.error?.code, 4040);
    buildId = await addBuild(server, game);
    assert.deepEqual(namesOf(await read(await report())), [], 'the events are of another game');
  });
});
