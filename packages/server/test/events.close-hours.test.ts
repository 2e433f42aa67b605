// Closing hours on a real server: batches that are still being written are waited for, and later ones go to a later
// hour.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type RawBuilder, sql } from 'kysely';
import { closeHours, moveFence } from '../src/analytics/events/keep/close-hours.sql.ts';
import { HOUR, MINUTE } from '../src/kernel/clock.ts';
import { rows, transact } from '../src/kernel/database/db.ts';
import { makeSender } from './setup/crashes.ts';
import { assertAccepted, type Sender, send } from './setup/events.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';

/** The first part of the key of the lock of an hour. */
const HOUR_LOCK = 7_304_511;
const START = Date.parse('2024-03-01T10:00:00Z');

let now = new Date(START);
let server: TestServer;
let sender: Sender;

before(async () => {
  server = await startServer({ role: 'api', clock: { now: () => now }, env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
  sender = await makeSender(server);
});
after(() => server.stop());

async function hoursOf(name: string): Promise<string[]> {
  const events = await rows(
    server.ctx.db,
    sql<{ received_at: Date; hour: Date }>`select received_at, hour from events join event_hours using (game_id, name)
      where name = ${name} order by received_at`,
  );
  return events.map(
    ({ received_at, hour }) => `${received_at.toISOString().slice(11, 16)} ${hour.toISOString().slice(11, 13)}`,
  );
}

/** Runs `work` while a transaction holds a lock that `statement` takes. */
function whileLocked(statement: RawBuilder<unknown>, work: () => Promise<void>): Promise<void> {
  return transact(server.ctx.db, async (tx) => {
    await rows(tx, statement);
    await work();
  });
}

/** How many transactions have the lock of an hour, or wait for it. */
async function countLocks(are: 'granted' | 'awaited'): Promise<number> {
  const locks = await rows(
    server.ctx.db,
    sql`select from pg_locks where locktype = 'advisory' and classid = ${HOUR_LOCK} and granted = ${are === 'granted'}
      and database = (select oid from pg_database where datname = current_database())`,
  );
  return locks.length;
}

/** Waits until a transaction has the lock of an hour, or waits for it. */
const untilLock = (is: 'granted' | 'awaited') => until(async () => (await countLocks(is)) > 0);

test('an hour is open until five minutes after its end', async () => {
  now = new Date(START + HOUR + 5 * MINUTE - 1);
  assert.equal((await closeHours(server.ctx)).getTime(), START);
  now = new Date(START + HOUR + 5 * MINUTE);
  assert.equal((await closeHours(server.ctx)).getTime(), START + HOUR);
  // Another process, whose clock is behind, opens nothing again.
  now = new Date(START);
  assert.equal((await closeHours(server.ctx)).getTime(), START + HOUR);
});

test('a batch that is being written is waited for', async () => {
  now = new Date(START + 2 * HOUR - 1000);
  assertAccepted(await send(sender, { events: [{ event: 'slow' }] }), 1);
  // What follows a batch may still hold the lock, which is not the one to wait for.
  await until(async () => (await countLocks('granted')) === 0);
  let closed = false;
  let closing: Promise<unknown> | undefined;
  let sending: Promise<unknown> | undefined;
  // The counter that the next batch increases after it has written its events.
  await whileLocked(
    sql`select from event_hours where game_id = ${sender.game.uid} and name = 'slow' for update`,
    async () => {
      sending = send(sender, { events: [{ event: 'slow' }] }).then((response) => assertAccepted(response, 1));
      await untilLock('granted');
      now = new Date(START + 2 * HOUR + 10 * MINUTE);
      closing = closeHours(server.ctx).then(async () => {
        closed = true;
        // When the hour is closed, the batch is committed.
        assert.deepEqual(await hoursOf('slow'), ['11:59 11', '11:59 11']);
      });
      await untilLock('awaited');
      assert.equal(closed, false);
    },
  );
  await Promise.all([sending, closing]);
});

test('a batch that was delayed until its hour was closed is written to the next open hour', async () => {
  now = new Date(START + 3 * HOUR - 1000);
  let sending: Promise<unknown> | undefined;
  await whileLocked(sql`select pg_advisory_xact_lock(${HOUR_LOCK}, ${START / HOUR + 2}::integer)`, async () => {
    const events = [{ event: 'late', event_id: 'e1', device_uid: 'd' }];
    sending = send(sender, { events }).then((response) => assertAccepted(response, 1));
    await untilLock('awaited');
    now = new Date(START + 3 * HOUR + 10 * MINUTE);
    await moveFence(server.ctx.db, new Date(START + 3 * HOUR));
  });
  await sending;
  assert.deepEqual(await hoursOf('late'), ['13:10 13']);
});

test('a process whose clock is behind writes to the first open hour', async () => {
  now = new Date(START);
  assertAccepted(await send(sender, { events: [{ event: 'behind' }, { event: 'behind' }] }), 2);
  assert.deepEqual(await hoursOf('behind'), ['13:00 13', '13:00 13']);
});
