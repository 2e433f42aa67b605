// Sending events as the analytics module of an engine does, to a real server: each event has its own ids, and invalid
// events are skipped.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ErrorCode } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import { launchFacts } from '../src/analytics/events/events.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { makeSender } from './setup/crashes.ts';
import { DEVICE, eventsOf, type Sender, sendByEngine } from './setup/events.ts';
import { startServer, type TestServer } from './setup/server.ts';

let server: TestServer;

before(async () => {
  server = await startServer({ role: 'api', env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
});
after(() => server.stop());

describe("events of an engine's analytics module", () => {
  const eventOf = ({ game, buildId }: Sender, fields: object) => ({
    app_id: game.uid,
    build_id: buildId,
    session_id: 'f3b0a6de-0d4c-4c39-8d3e-5d4f3a2b1c00',
    timestamp: 1_795_255_200.25,
    anonymous: true,
    ...fields,
  });

  test('have their own ids, and the duration of a session as a float', async () => {
    const [one, two] = [await makeSender(server), await makeSender(server)];
    const { status, body } = await sendByEngine(server, {
      events: [
        eventOf(one, { event: 'session_start', properties: {} }),
        eventOf(two, { event: 'session_end', properties: { session_sec: 61.6 } }),
        eventOf(one, { event: 'session_end', session_sec: 12.2 }),
        eventOf(one, { event: 'level_up', properties: { level: 4 } }),
      ],
    });
    assert.deepEqual([status, body.data], [202, { accepted: 4, repeated: 0, skipped: 0, reasons: [] }]);
    const [start, end, level] = await eventsOf(one);
    assert.deepEqual(
      [start?.name, start?.client_time?.toISOString(), start?.anonymous],
      ['session_start', '2026-11-21T10:00:00.250Z', true],
    );
    assert.deepEqual([end?.seconds, level?.properties], [12, { level: 4 }]);
    assert.deepEqual(
      (await eventsOf(two)).map(({ seconds }) => seconds),
      [62],
    );
  });

  test('are counted without a device, and for launch health with one', async () => {
    const sender = await makeSender(server);
    const events = [
      eventOf(sender, { event: 'boot_ok', properties: { ms: 900 } }),
      eventOf(sender, { event: 'crash', device_uid: 'has spaces in it' }),
      eventOf(sender, { event: 'boot_ok', properties: { device_uid: DEVICE } }),
    ];
    assert.equal((await sendByEngine(server, { events })).status, 202);
    assert.deepEqual(
      (await eventsOf(sender)).map(({ device_uid, ms }) => [device_uid, ms]),
      [
        [null, 900],
        [null, null],
        [DEVICE, null],
      ],
    );
    assert.equal((await launchFacts(server.ctx, [sender.game.uid])).get(sender.game.uid)?.devicesEver, 1);
  });

  const skips: [string, (sender: Sender) => object, ErrorCode, RegExp][] = [
    ['without an app_id', () => ({ event: 'quit' }), 4010, /^events\[1\]\.app_id: missing\. Send the uid or slug/],
    [
      'without a build_id',
      (sender) => eventOf(sender, { event: 'quit', build_id: '' }),
      4010,
      /^events\[1\]\.build_id/,
    ],
    [
      'with a version instead of a build_id',
      (sender) => eventOf(sender, { event: 'quit', build_id: '1.0' }),
      4030,
      /build_id/,
    ],
    [
      'for an unknown build',
      (sender) => eventOf(sender, { event: 'quit', build_id: newId() }),
      4030,
      /^events\[1\]\.build_id/,
    ],
    ['session_end without a duration', (sender) => eventOf(sender, { event: 'session_end' }), 4158, /seconds: missing/],
    [
      'session_end with too long a duration',
      (sender) => eventOf(sender, { event: 'session_end', session_sec: 1e6 }),
      4158,
      /^events\[1\]\.seconds/,
    ],
    ['without a name', (sender) => eventOf(sender, {}), 4001, /event: missing/],
    ['that is not an object', () => [], 4010, /app_id/],
  ];
  for (const [what, badOf, code, reason] of skips) {
    test(`an event ${what} is skipped, and the other events are stored`, async () => {
      const sender = await makeSender(server);
      const [first, last] = [eventOf(sender, { event: 'session_start' }), eventOf(sender, { event: 'quit' })];
      const { status, body } = await sendByEngine(server, { events: [first, badOf(sender), last] });
      const { reasons, ...counts } = body.data;
      assert.deepEqual([status, counts], [202, { accepted: 2, repeated: 0, skipped: 1 }], JSON.stringify(body));
      assert.deepEqual([reasons.length, reasons[0].index, reasons[0].code], [1, 1, code]);
      assert.match(reasons[0].message, reason);
      assert.deepEqual(
        (await eventsOf(sender)).map(({ name }) => name),
        ['session_start', 'quit'],
      );
    });
  }

  test('may be thousands in one request, and the reasons for the first skipped events are returned', async () => {
    const sender = await makeSender(server);
    const events = Array.from({ length: 2500 }, (_, no) =>
      eventOf(sender, { event: no % 100 === 99 ? 'session_end' : 'step', properties: { no } }),
    );
    const { status, body } = await sendByEngine(server, { events });
    const { reasons, ...counts } = body.data;
    assert.deepEqual([status, counts], [202, { accepted: 2475, repeated: 0, skipped: 25 }]);
    assert.deepEqual(
      reasons.map(({ index }: { index: number }) => index),
      Array.from({ length: LIMITS.eventReasons }, (_, no) => no * 100 + 99),
    );
    assert.equal((await eventsOf(sender)).length, 2475);
  });

  test('are acknowledged even if none is valid', async () => {
    const sender = await makeSender(server);
    const events = Array.from({ length: 3 }, () => eventOf(sender, { event: 'quit', build_id: newId() }));
    const { status, body } = await sendByEngine(server, { events });
    assert.deepEqual([status, body.data.accepted, body.data.skipped], [202, 0, 3]);
    assert.equal((await sendByEngine(server, { events: [] })).status, 202);
  });

  test('may have the slug of their game', async () => {
    const [one, two] = [await makeSender(server), await makeSender(server)];
    const events = [one, two].map(({ game, buildId }) =>
      eventOf(one, { event: 'quit', app_id: game.slug, build_id: buildId }),
    );
    assert.deepEqual((await sendByEngine(server, { events })).body.data.accepted, 2);
    for (const sender of [one, two]) assert.equal((await eventsOf(sender)).length, 1);
  });

  test('are refused if the body has none or is too large', async () => {
    const sender = await makeSender(server);
    const large = eventOf(sender, { event: 'quit', properties: { text: 'x'.repeat(LIMITS.engineEventBytes) } });
    for (const body of [{}, [], 'quit', { events: 'quit' }, { events: [large] }]) {
      const response = await sendByEngine(server, body);
      assert.deepEqual([response.status, response.body.error?.code], [400, 4001]);
    }
    assert.deepEqual(await eventsOf(sender), []);
  });
});
