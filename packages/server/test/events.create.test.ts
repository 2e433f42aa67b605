// Sending events to a real server: what is stored, what is refused and why, and that requests are stored completely or
// not at all.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ERRORS, type ErrorCode } from '@chauffeur/contract/errors';
import { sql } from 'kysely';
import { eventPartitionOf } from '../src/analytics/events/keep/event-partitions.job.ts';
import { rows } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { idHeaders, makeSender } from './setup/crashes.ts';
import { readWholeDatabase } from './setup/database-text.ts';
import { assertAccepted, DEVICE, eventsOf, type Sender, type SendOptions, send, sendByEngine } from './setup/events.ts';
import { readMetric } from './setup/metrics.ts';
import { request, startServer, type TestServer } from './setup/server.ts';

let server: TestServer;
let sender: Sender;

before(async () => {
  server = await startServer({ role: 'api', env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
});
after(() => server.stop());

describe('events', () => {
  before(async () => {
    sender = await makeSender(server);
  });

  test('are stored with all their fields', async () => {
    const events = [
      { event: 'session_start', session_id: 's-1', timestamp: '2026-11-21T10:00:00.5Z', anonymous: true },
      { event: 'boot_ok', device_uid: DEVICE, ms: 4200, timestamp: 1_795_255_200 },
      { event: 'first_input', ms: 0, timestamp: 1_795_255_200_250 },
      {
        event: 'level complete',
        device_uid: DEVICE,
        properties: { level: 'garage "3"', tries: 2.5, won: true, mod: null },
      },
      { event: 'session_end', seconds: 86_400, timestamp: 'yesterday' },
      { event: 'quit', ms: 'ignored', further: [1] },
      { event: 'crash', device_uid: DEVICE, event_id: 'e-1' },
    ];
    assertAccepted(await send(sender, { events }), 7);
    const empty = {
      build_id: sender.buildId,
      anonymous: false,
      device_uid: null,
      session_id: null,
      event_id: null,
      ms: null,
      seconds: null,
      client_time: null,
      properties: null,
    };
    assert.deepEqual(await eventsOf(sender), [
      {
        ...empty,
        name: 'session_start',
        session_id: 's-1',
        anonymous: true,
        client_time: new Date('2026-11-21T10:00:00.5Z'),
      },
      { ...empty, name: 'boot_ok', device_uid: DEVICE, ms: 4200, client_time: new Date(1_795_255_200_000) },
      { ...empty, name: 'first_input', ms: 0, client_time: new Date(1_795_255_200_250) },
      { ...empty, name: 'level complete', device_uid: DEVICE, properties: events[3]!.properties },
      { ...empty, name: 'session_end', seconds: 86_400 },
      { ...empty, name: 'quit' },
      { ...empty, name: 'crash', device_uid: DEVICE, event_id: 'e-1' },
    ]);
  });

  test('may be a single object instead of an array', async () => {
    const sender = await makeSender(server);
    assertAccepted(await send(sender, { event: 'quit' }), 1);
    assert.deepEqual(
      (await eventsOf(sender)).map(({ name }) => name),
      ['quit'],
    );
  });

  test('may be an empty array', async () => {
    assertAccepted(await send(sender, { events: [] }), 0);
  });

  test('may be up to a hundred, and keep their order', async () => {
    const sender = await makeSender(server);
    const events = Array.from({ length: 100 }, (_, no) => ({ event: `custom ${no}` }));
    assertAccepted(await send(sender, { events }), 100);
    assert.deepEqual(
      (await eventsOf(sender)).map(({ name }) => name),
      events.map(({ event }) => event),
    );
  });

  test('are in the partition of their day, and the default partition stays empty', async () => {
    const sender = await makeSender(server);
    await send(sender, { event: 'quit' });
    const count = async (table: string) =>
      (await rows(server.ctx.db, sql`select from ${sql.table(table)} where game_id = ${sender.game.uid}`)).length;
    assert.equal(await count(eventPartitionOf(new Date()).name), 1);
    assert.equal(await count('events_default'), 0);
  });

  test('may have ids in the query and any content type, as beacons and curl send them', async () => {
    const sender = await makeSender(server);
    const query = `?app_id=${sender.game.uid.toUpperCase()}&build_id=${sender.buildId}`;
    for (const type of [
      'text/plain;charset=UTF-8',
      'application/json; charset=utf-8',
      'application/x-www-form-urlencoded',
      null,
    ])
      assertAccepted(await send(sender, { events: [{ event: 'quit' }] }, { query, type, headers: {} }), 1);
    assert.equal((await eventsOf(sender)).length, 4);
  });

  test('are counted once by event_id, within a request, in concurrent requests, and across processes', async () => {
    const sender = await makeSender(server);
    const other = await startServer({ role: 'api', shareWith: server, env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
    const otherSender = { ...sender, server: other };
    const again = { event: 'boot_ok', device_uid: DEVICE, event_id: 'one' };
    assertAccepted(await send(sender, { events: [again, { event: 'quit', event_id: 'two' }, again] }), 2, 1);
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, no) =>
        send(no % 2 === 0 ? sender : otherSender, {
          events: [{ event: 'quit', event_id: `id ${no % 3}`.replace(' ', '-') }, again],
        }),
      ),
    );
    await other.stop();
    assert.ok(responses.every(({ status }) => status === 202));
    const sum = (field: 'accepted' | 'repeated') => responses.reduce((all, { body }) => all + body.data[field], 0);
    assert.deepEqual([sum('accepted'), sum('repeated')], [3, 117]);
    assert.equal((await eventsOf(sender)).length, 5);
  });

  test('may have the same event_id in two games', async () => {
    const [one, two] = [await makeSender(server), await makeSender(server)];
    for (const each of [one, two]) assertAccepted(await send(each, { event: 'quit', event_id: 'same' }), 1);
  });

  test('are stored without the address of their sender', async () => {
    const sender = await makeSender(server);
    // The audit log has the addresses of people, and other tables the address of the server itself.
    const earlier = new Set((await readWholeDatabase(server.ctx.db)).split('\n'));
    for (const anonymous of [true, false]) {
      const headers = {
        ...idHeaders(sender),
        'x-forwarded-for': '203.0.113.77',
        'user-agent': 'Racer/1.4 TraceableAgent',
      };
      assertAccepted(
        await send(sender, { events: [{ event: 'boot_ok', device_uid: DEVICE, anonymous }] }, { headers }),
        1,
      );
    }
    const lines = (await readWholeDatabase(server.ctx.db)).split('\n');
    const text = lines.filter((line) => !earlier.has(line)).join('\n');
    assert.ok(text.includes(DEVICE));
    assert.doesNotMatch(text, /203\.0\.113|127\.0\.0\.1|::1|TraceableAgent/);
  });

  test('may be sent from pages of any origin', async () => {
    const origin = 'https://play.example.com';
    for (const url of [`${server.api}/public/events`, `${server.url}/v1/events`]) {
      const preflight = await request(url, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-app-id,content-type',
        },
      });
      assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-origin')], [204, '*']);
      assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /X-App-Id/);
    }
    for (const [from, allowed] of [
      [{ origin }, '*'],
      [{}, null],
    ] as const) {
      const { headers } = await send(sender, { event: 'quit' }, { headers: { ...idHeaders(sender), ...from } });
      assert.equal(headers.get('access-control-allow-origin'), allowed);
    }
  });
});

describe('an invalid request', () => {
  before(async () => {
    sender = await makeSender(server);
  });
  const boot = { event: 'boot_ok', device_uid: DEVICE };
  const custom = (fields: object) => ({ event: 'custom', ...fields });
  const long = 'x'.repeat(65);
  const properties = (count: number, value: unknown = 1) =>
    Object.fromEntries(Array.from({ length: count }, (_, no) => [`key ${no}`, value]));
  type Refused = [what: string, body: unknown, code: ErrorCode, message: RegExp, options?: SendOptions];
  const refusals: Refused[] = [
    ['no ids', { event: 'quit' }, 4010, /X-App-Id/, { headers: {} }],
    ['malformed ids', { event: 'quit' }, 4030, /build_id/, { headers: { 'x-app-id': 'racer', 'x-build-id': '1.0' } }],
    [
      'an unknown game',
      { event: 'quit' },
      4030,
      /build_id/,
      { query: `?app_id=${newId()}&build_id=${newId()}`, headers: {} },
    ],
    ['invalid JSON', '{"event":', 4001, /JSON/],
    ['invalid JSON as text', '{"event":', 4001, /JSON/, { type: 'text/plain' }],
    ['an empty body', '', 4001, /no events/],
    ['an array', [boot], 4001, /no events/],
    ['an object without events', { event_list: [] }, 4001, /no events/],
    ['events that are not an array', { events: { 0: boot } }, 4001, /no events/],
    ['101 events', { events: Array(101).fill(boot) }, 4130, /more than 100/],
    ['an event that is not an object', { events: [boot, 'quit'] }, 4001, /events\[1\]: not an object/],
    ['an event without a name', { events: [{}] }, 4001, /events\[0\]\.event: missing/],
    ['a name that is not a string', { events: [{ event: 7 }] }, 4001, /\.event: missing/],
    ['an empty name', { events: [{ event: '' }] }, 4001, /\.event: missing/],
    ['a long name', { events: [{ event: long }] }, 4001, /longer than 64/],
    ['a reserved name', { events: [{ event: '(other)' }] }, 4001, /not a valid name/],
    ['a name with a line break', { events: [{ event: 'a\nb' }] }, 4001, /not a valid name/],
    ['a name with a NUL', { events: [{ event: 'a\u0000' }] }, 4001, /not a valid name/],
    ['an unpaired surrogate', '{"event":"\\ud800"}', 4001, /not a valid name/],
    ['33 properties', { events: [custom({ properties: properties(33) })] }, 4001, /properties: more than 32/],
    ['nested properties', { events: [custom({ properties: { a: [1] } })] }, 4001, /nested value/],
    ['properties that are not an object', { events: [custom({ properties: 'a=1' })] }, 4001, /not an object/],
    ['a long property', { events: [custom({ properties: { a: 'x'.repeat(257) } })] }, 4001, /longer than 256/],
    ['a long key', { events: [custom({ properties: { [long]: 1 } })] }, 4001, /longer than 64/],
    ['a NUL in a property', { events: [custom({ properties: { a: '\u0000' } })] }, 4001, /NUL/],
    ['a long device_uid of a custom event', { events: [custom({ device_uid: long })] }, 4001, /\[0\]\.device_uid: use/],
    [
      'boot_ok without a device',
      { events: [boot, boot, { event: 'boot_ok' }] },
      4158,
      /events\[2\]\.device_uid: missing/,
    ],
    ['crash without a device', { event: 'crash', device_uid: null }, 4158, /events\[0\]\.device_uid: missing/],
    ['an empty device_uid', { event: 'crash', device_uid: '' }, 4158, /device_uid: use/],
    ['a device_uid with a space', { event: 'session_start', device_uid: 'my pc' }, 4158, /device_uid: use/],
    ['a negative ms', { events: [{ ...boot, ms: -1 }] }, 4158, /events\[0\]\.ms: .*0 to 600000/],
    ['a large ms', { event: 'first_input', ms: 600_001 }, 4158, /ms/],
    ['a fractional ms', { event: 'first_input', ms: 0.5 }, 4158, /ms/],
    ['an ms that is a string', { event: 'first_input', ms: '5' }, 4158, /ms/],
    ['session_end without seconds', { event: 'session_end' }, 4158, /events\[0\]\.seconds: missing/],
    ['fractional seconds', { event: 'session_end', seconds: 1.5 }, 4158, /seconds: use/],
    ['too many seconds', { event: 'session_end', seconds: 86_401 }, 4158, /seconds: use/],
    ['a session_id that is a number', { event: 'quit', session_id: 5 }, 4158, /session_id/],
    ['an event_id that is too long', { event: 'quit', event_id: long }, 4158, /event_id/],
    ['an anonymous that is not a boolean', { event: 'quit', anonymous: 'no' }, 4158, /anonymous/],
    [
      'an invalid standard event after an invalid custom one',
      { events: [{ event: '' }, { event: 'crash' }] },
      4158,
      /events\[1\]/,
    ],
  ];
  for (const [what, body, code, message, options] of refusals) {
    test(`${what}: ${code}`, async () => {
      const { status, body: envelope } = await send(sender, body, options);
      assert.deepEqual([status, envelope.error?.code], [ERRORS[code].status, code], JSON.stringify(envelope));
      assert.match(envelope.error?.message ?? '', message);
      const index = /events\[(\d+)\]/.exec(envelope.error?.message ?? '')?.[1];
      assert.equal(envelope.error?.data?.index, index === undefined ? undefined : Number(index));
      assert.deepEqual(await eventsOf(sender), []);
    });
  }

  test('does not include values at the limits', async () => {
    const sender = await makeSender(server);
    const events = [
      { ...boot, ms: 600_000, device_uid: 'd'.repeat(64) },
      { event: 'first_input', ms: 0 },
      { event: 'session_end', seconds: 0 },
      custom({ properties: properties(32, 'y'.repeat(256)) }),
      { event: '😱'.repeat(64), properties: { ['k'.repeat(64)]: null, '': undefined } },
      { event: 'quit', ms: -5, seconds: 'none', device_uid: null, properties: null },
    ];
    assertAccepted(await send(sender, { events }), events.length);
  });

  test("for another game's build gets 4030, without effect on concurrent requests", async () => {
    const [sender, theirs] = [await makeSender(server), await makeSender(server)];
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, no) =>
        send(no % 3 === 0 ? { ...sender, buildId: theirs.buildId } : sender, { event: 'quit' }),
      ),
    );
    assert.deepEqual(
      responses.map(({ status }) => status),
      Array.from({ length: 30 }, (_, no) => (no % 3 === 0 ? 403 : 202)),
    );
    assert.deepEqual([(await eventsOf(sender)).length, (await eventsOf(theirs)).length], [20, 0]);
  });

  test('is counted by the rule that refuses it', async () => {
    const of = async (rule: string) =>
      (await readMetric(server, `chauffeur_event_refusals_total{rule="${rule}"}`)) ?? 0;
    for (const [rule, body] of [
      ['no_events', []],
      ['many_events', { events: Array(101).fill(boot) }],
      ['bad_standard_event', { event: 'crash' }],
      ['bad_custom_event', { event: '' }],
    ] as const) {
      const before = await of(rule);
      await send(sender, body);
      assert.equal(await of(rule), before + 1, rule);
    }
    const before = await of('unknown_build');
    await send({ ...sender, buildId: newId() }, { event: 'quit' });
    assert.equal(await of('unknown_build'), before + 1);
  });
});

describe('the limit of an address', () => {
  test('refuses requests with the seconds until it ends, and counts both routes', async () => {
    const now = new Date('2026-11-21T10:00:20Z');
    const limited = await startServer({ role: 'api', clock: { now: () => now }, env: { CHAUFFEUR_LIMIT_PUBLIC: '3' } });
    const sender = await makeSender(limited);
    for (let no = 0; no < 3; no += 1) assertAccepted(await send(sender, { event: 'quit' }), 1);
    for (const response of [await send(sender, { event: 'quit' }), await sendByEngine(limited, { events: [] })]) {
      assert.deepEqual(
        [response.status, response.body.error?.code, response.headers.get('retry-after')],
        [429, 4290, '40'],
      );
    }
    await limited.stop();
  });
});
