// The retention of events on a real server: partitions are created and dropped, counts and ids deleted.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { launchFacts } from '../src/analytics/events/events.ts';
import { eventPartitionOf, makeEventPartitions } from '../src/analytics/events/keep/event-partitions.job.ts';
import { dropOldEvents } from '../src/analytics/events/keep/event-retention.job.ts';
import { sumPastDays } from '../src/analytics/events/keep/fold-slots.job.ts';
import { DAY } from '../src/kernel/clock.ts';
import { changed, onlyRow, rows } from '../src/kernel/database/db.ts';
import { ensurePartition, listPartitions } from '../src/kernel/database/partitions.ts';
import { makeSender } from './setup/crashes.ts';
import { eventsOf, type Sender, send } from './setup/events.ts';
import { startServer, type TestServer } from './setup/server.ts';

const START = Date.parse('2026-03-01T00:00:00Z');

let now = new Date(START);
let server: TestServer;
let sender: Sender;

before(async () => {
  server = await startServer({ role: 'api', clock: { now: () => now }, env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
});
beforeEach(async () => {
  now = new Date(START);
  sender = await makeSender(server);
});
after(() => server.stop());

function sendAt(time: number, ...events: object[]) {
  now = new Date(time);
  return send(sender, { events });
}

async function countOf(table: string, gameId = sender.game.uid): Promise<number> {
  const { count } = await onlyRow(
    server.ctx.db,
    sql<{ count: number }>`select count(*) from ${sql.table(table)} where game_id = ${gameId}`,
  );
  return count;
}

const ALL_KINDS = { event: 'boot_ok', device_uid: 'd', ms: 5, event_id: 'e' };

describe('the partitions of events', () => {
  test('are created a week ahead, once each', async () => {
    now = new Date('2027-12-28T10:00:00Z');
    await makeEventPartitions(server.ctx);
    await makeEventPartitions(server.ctx);
    const created = (await listPartitions(server.ctx.db, 'events')).filter((name) => name >= 'events_2027_12_28');
    assert.deepEqual(
      created.map((name) => name.slice('events_'.length)),
      ['2027_12_28', '2027_12_29', '2027_12_30', '2027_12_31', '2028_01_01', '2028_01_02', '2028_01_03', '2028_01_04'],
    );
    for (const name of created) await changed(server.ctx.db, sql`drop table ${sql.table(name)}`);
  });

  test('take over rows of the default partition, even if created concurrently', async () => {
    const at = new Date('2027-06-15T23:59:59.999Z');
    await changed(
      server.ctx.db,
      sql`insert into events (game_id, build_id, received_at, name, anonymous) values (${sender.game.uid}, ${sender.buildId}, ${at}, 'quit', false)`,
    );
    assert.equal(await countOf('events_default'), 1);
    await Promise.all(Array.from({ length: 4 }, () => ensurePartition(server.ctx.db, eventPartitionOf(at))));
    assert.deepEqual([await countOf('events_default'), await countOf('events_2027_06_15')], [0, 1]);
    await changed(server.ctx.db, sql`drop table events_2027_06_15`);
  });

  test('have all events of a batch at the end of a day, in order', async () => {
    const midnight = START + DAY;
    const names = Array.from({ length: 100 }, (_, no) => `e${no}`);
    await Promise.all(
      Array.from({ length: 20 }, (_, no) =>
        sendAt(midnight - 1, ...names.map((event) => ({ event, device_uid: 'd', session_id: `s${no}` }))),
      ),
    );
    const days = await rows(
      server.ctx.db,
      sql<{
        day: string;
      }>`select distinct (received_at at time zone 'utc')::date::text as day from events where game_id = ${sender.game.uid}`,
    );
    assert.deepEqual(days, [{ day: '2026-03-01' }]);
    // Batches may be written at the same time, but the events of a request are in one batch.
    const sessions = Map.groupBy(await eventsOf(sender), ({ session_id }) => session_id);
    assert.equal(sessions.size, 20);
    for (const events of sessions.values())
      assert.deepEqual(
        events.map(({ name }) => name),
        names,
      );
  });
});

describe('the retention of events', () => {
  test('drops events after 30 days by whole days, and keeps their counts', async () => {
    await sendAt(START, ALL_KINDS);
    await sendAt(START + DAY - 1, { event: 'quit' });
    await sendAt(START + DAY, { event: 'quit' });
    now = new Date(START + 31 * DAY - 1);
    await dropOldEvents(server.ctx);
    assert.equal((await eventsOf(sender)).length, 3);
    now = new Date(START + 31 * DAY);
    await dropOldEvents(server.ctx);
    assert.equal((await eventsOf(sender)).length, 1);
    assert.deepEqual(
      [await countOf('event_hours'), await countOf('event_devices'), await countOf('event_times')],
      [3, 1, 1],
    );
  });

  test('deletes ids after 7 days, so an event with the same id is counted again', async () => {
    await sendAt(START, ALL_KINDS);
    for (const [days, accepted] of [
      [7, 0],
      [8, 1],
    ] as const) {
      now = new Date(START + days * DAY);
      await dropOldEvents(server.ctx);
      assert.equal((await sendAt(now.getTime(), ALL_KINDS)).body.data.accepted, accepted, `after ${days} days`);
    }
  });

  test('deletes counts, inactive devices and unused names after 400 days, but keeps the total of devices', async () => {
    await sendAt(START, ALL_KINDS, { event: 'old' });
    await sendAt(START + DAY, { ...ALL_KINDS, device_uid: 'other', event_id: 'f' }, { event: 'new' });
    now = new Date(START + 401 * DAY - 1);
    await dropOldEvents(server.ctx);
    assert.deepEqual([await countOf('event_devices'), await countOf('event_hours')], [2, 4]);
    now = new Date(START + 401 * DAY);
    await dropOldEvents(server.ctx);
    assert.deepEqual(
      await Promise.all(
        ['event_devices', 'event_device_days', 'event_times', 'event_hours', 'event_names'].map((table) =>
          countOf(table),
        ),
      ),
      [1, 1, 1, 2, 1],
    );
    assert.deepEqual((await launchFacts(server.ctx, [sender.game.uid])).get(sender.game.uid), {
      devicesEver: 2,
      firstBootOkAt: new Date(START),
    });
  });

  test('keeps everything with 0 days', async () => {
    await sendAt(START, ALL_KINDS);
    now = new Date(START + 5000 * DAY);
    await dropOldEvents({ ...server.ctx, config: { ...server.ctx.config, eventDays: 0, eventCountDays: 0 } });
    assert.deepEqual([(await eventsOf(sender)).length, await countOf('event_hours')], [1, 1]);
  });
});

describe('the sums of past days', () => {
  test('replace the rows of several processes by one, except for today', async () => {
    const others = await Promise.all(
      [1, 2].map(() =>
        startServer({
          role: 'api',
          shareWith: server,
          clock: { now: () => now },
          env: { CHAUFFEUR_LIMIT_PUBLIC: '0' },
        }),
      ),
    );
    for (const time of [START, START + DAY]) {
      now = new Date(time);
      for (const [no, each] of [server, ...others].entries())
        await send({ ...sender, server: each }, { event: 'boot_ok', device_uid: `d${no}`, ms: 700 });
    }
    await Promise.all(others.map((each) => each.stop()));
    assert.deepEqual([await countOf('event_hours'), await countOf('event_times')], [6, 6]);
    await sumPastDays(server.ctx);
    await sumPastDays(server.ctx);
    assert.deepEqual([await countOf('event_hours'), await countOf('event_times')], [4, 4]);
    const counts = await rows(
      server.ctx.db,
      sql<{
        slot: number;
        count: number;
      }>`select slot, count from event_hours where game_id = ${sender.game.uid} and slot = 0`,
    );
    assert.deepEqual(counts, [{ slot: 0, count: 3 }]);
  });
});
