// Failures while events are written on a real server: an unavailable database, deadlocks, an event that the database
// rejects, and two processes that write the same devices.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type RawBuilder, sql } from 'kysely';
import { rows } from '../src/kernel/database/db.ts';
import { ON_CITUS } from './setup/citus.ts';
import { idHeaders, makeSender } from './setup/crashes.ts';
import { eventsOf, findMiscounts, type Sender, send } from './setup/events.ts';
import { outageOf } from './setup/outage.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { register } from './setup/uploads.ts';

let server: TestServer;
let sender: Sender;

before(async () => {
  server = await startServer({ role: 'api', env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
});
after(() => server.stop());

const run = (...statements: RawBuilder<unknown>[]) =>
  statements.reduce(
    (before, statement) => before.then(() => rows(server.ctx.db, statement)),
    Promise.resolve<unknown>(null),
  );

/** Sends `count` requests at once. The one at `place` has the event `odd`. */
function sendMany(count: number, { place = -1, odd = '' } = {}) {
  return Promise.all(
    Array.from({ length: count }, (_, no) =>
      send(sender, { event: no === place ? odd : 'boot_ok', device_uid: `d${no % 7}`, event_id: `e${no}` }),
    ),
  );
}

test('while the database is unavailable, responses say when to retry, and nothing is partly written', async () => {
  sender = await makeSender(server);
  const outage = outageOf(server.database);
  await outage.begin();
  try {
    for (const { status, headers, body } of await sendMany(20)) {
      assert.deepEqual([status, body.error?.code], [503, 5030]);
      assert.ok(Number(headers.get('retry-after')) > 0);
    }
  } finally {
    await outage.end();
  }
  for (;;) {
    const responses = await sendMany(20);
    // The process has not reconnected yet.
    if (responses.some(({ status }) => status === 503)) continue;
    assert.ok(responses.every(({ status }) => status === 202));
    break;
  }
  assert.equal((await eventsOf(sender)).length, 20);
  assert.deepEqual(await findMiscounts(sender), []);
});

test('an event that the database rejects has no effect on concurrent requests', async () => {
  sender = await makeSender(server);
  await run(sql`alter table events add constraint no_poison check (name <> 'poison') not valid`);
  try {
    const responses = await sendMany(60, { place: 31, odd: 'poison' });
    assert.deepEqual(
      responses.flatMap(({ status }, no) => (status === 202 ? [] : [[no, status]])),
      [[31, 500]],
    );
  } finally {
    await run(sql`alter table events drop constraint no_poison`);
  }
  assert.equal((await eventsOf(sender)).length, 59);
  assert.deepEqual(await findMiscounts(sender), []);
});

describe('a batch that conflicts with another', { skip: ON_CITUS && 'a distributed table has no triggers' }, () => {
  after(() => run(sql`drop trigger trip on event_hours`, sql`drop function trip`, sql`drop sequence trips`));

  test('is written again, once', async () => {
    sender = await makeSender(server);
    await run(
      sql`create sequence trips`,
      sql`create function trip() returns trigger language plpgsql as $$ begin
        if nextval('trips') <= 2 then raise exception 'a deadlock' using errcode = '40P01'; end if; return new; end $$`,
      sql`create trigger trip before insert on event_hours for each row execute function trip()`,
    );
    const responses = await sendMany(5);
    assert.ok(responses.every(({ status }) => status === 202));
    assert.equal((await eventsOf(sender)).length, 5);
    assert.deepEqual(await findMiscounts(sender), []);
  });
});

test('two processes that write the same devices and ids count both correctly', async () => {
  const other = await startServer({ role: 'api', shareWith: server, env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
  sender = await makeSender(server);
  const builds = [sender.buildId, await register(server, sender.game, { version: '9.9.9' })];
  const names = ['boot_ok', 'crash', 'session_start', 'custom'];
  const responses = await Promise.all(
    Array.from({ length: 400 }, (_, no) => {
      const events = Array.from({ length: 1 + (no % 13) }, (_, place) => ({
        event: names[(no + place * 3) % names.length],
        device_uid: `d${(no * 7 + place * 5) % 40}`,
        ...(place % 2 === 0 && { event_id: `e${(no * 3 + place) % 300}` }),
      }));
      return send(
        { ...sender, server: no % 2 === 0 ? server : other, buildId: builds[no % 3 === 0 ? 1 : 0]! },
        { events },
      );
    }),
  );
  await other.stop();
  assert.ok(responses.every(({ status }) => status === 202));
  const accepted = responses.reduce((sum, { body }) => sum + body.data.accepted, 0);
  const stored = await eventsOf(sender);
  assert.equal(stored.length, accepted);
  const ids = stored.map(({ event_id }) => event_id).filter((id) => id !== null);
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(await findMiscounts(sender), []);
});

test('a byte order mark is accepted, and text that is not UTF-8 is refused', async () => {
  sender = await makeSender(server);
  const json = JSON.stringify({ event: 'caf\u00e9' });
  for (const type of ['application/json', 'text/plain']) {
    assert.equal((await send(sender, `\ufeff${json}`, { type })).status, 202, type);
    const response = await fetch(`${server.api}/public/events`, {
      method: 'POST',
      headers: { 'content-type': type, ...idHeaders(sender) },
      body: Buffer.from(json, 'latin1'),
    });
    const { error } = (await response.json()) as { error?: { code: number; message: string } };
    assert.equal(error?.code, 4001, type);
    assert.match(error?.message ?? '', /UTF-8/);
  }
});

test('a body of more than 1 MiB is refused', async () => {
  sender = await makeSender(server);
  const body = JSON.stringify({ events: [{ event: 'quit', further: 'x'.repeat(1024 * 1024) }] });
  for (const type of ['application/json', 'text/plain']) {
    const { status, body: envelope } = await send(sender, body, { type });
    assert.deepEqual([status, envelope.error?.code], [400, 4001], type);
  }
});
