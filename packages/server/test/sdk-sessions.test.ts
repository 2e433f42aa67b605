// Sessions of Sentry's SDKs on a real server: what counts, in any order and however often it arrives, and what doesn't.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { assignSessions } from '../src/analytics/sdk-sessions/assign-sessions.job.ts';
import { deleteOldSessions } from '../src/analytics/sdk-sessions/sessions-retention.job.ts';
import { groupMessages } from '../src/crash/crashes/process/messages.job.ts';
import { assignReleases } from '../src/crash/sentry/receive/assign.job.ts';
import { writeSentryCounts } from '../src/crash/sentry/receive/counts.ts';
import { DAY } from '../src/kernel/clock.ts';
import { rows } from '../src/kernel/database/db.ts';
import { callApi } from './setup/api-calls.ts';
import { type CrashSender, makeSender } from './setup/crashes.ts';
import { makeDsn, type TestDsn } from './setup/dsns.ts';
import { send as sendEvents } from './setup/events.ts';
import { signIn, startServer, type TestServer } from './setup/server.ts';
import { register } from './setup/uploads.ts';

let now = new Date('2026-11-28T12:00:00Z');
let server: TestServer;

before(async () => {
  server = await startServer({ role: 'api', clock: { now: () => now }, env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
});
after(() => server.stop());

type Sender = CrashSender & TestDsn & { readonly buildOfGame: string; readonly owner: object };

/** A game whose SDK sends the release `owls@1.2.0`, which is that of its build. */
async function start(on = server): Promise<Sender> {
  const sender = await makeSender(on);
  const buildOfGame = await register(on, sender.game, { version: '1.2.0', os: 'linux' });
  return { ...sender, buildOfGame, owner: await signIn(on, sender.game.owner), ...(await makeDsn(on, sender.game)) };
}

const startedOn = (day: string) => `${day}T10:00:00.123Z`;

function sessionOf(fields: object = {}): object {
  return {
    sid: randomUUID(),
    init: true,
    started: startedOn('2026-11-28'),
    status: 'ok',
    errors: 0,
    attrs: { release: 'owls@1.2.0', environment: 'production' },
    ...fields,
  };
}

function post({ server: on, projectNo, key }: Sender, items: readonly (readonly [string, unknown])[]) {
  const lines = items.flatMap(([type, value]) => [JSON.stringify({ type }), JSON.stringify(value)]);
  return fetch(`${on.url}/api/${projectNo}/envelope/`, {
    method: 'POST',
    headers: { 'x-sentry-auth': `Sentry sentry_version=7, sentry_key=${key}` },
    body: ['{}', ...lines].join('\n'),
  });
}

async function sendSessions(sender: Sender, ...sessions: readonly unknown[]): Promise<void> {
  assert.equal(
    (
      await post(
        sender,
        sessions.map((session) => ['session', session] as const),
      )
    ).status,
    200,
  );
}

/** What is counted on each day with each build. */
function countsOf({ game }: Sender) {
  return rows(
    server.ctx.db,
    sql<
      Record<string, string | number>
    >`select day::text, build_id, sessions, crashed, devices, crashed_devices, active, active_crashed
      from sdk_session_days where game_id = ${game.uid} order by day, build_id`,
  );
}

async function droppedOf({ game }: Sender, on = server): Promise<Record<string, number>> {
  await writeSentryCounts(on.ctx);
  const counted = await rows(
    on.ctx.db,
    sql<{ name: string; count: number }>`select type || ' ' || reason as name, count from sentry_counts
      where game_id = ${game.uid} and what = 'dropped'`,
  );
  return Object.fromEntries(counted.map(({ name, count }) => [name, count]));
}

const DEVICE = 'cd631ec6-7505-4f56-ed68-f8851cb8fc22';

describe('a session', () => {
  it('counts once, with the worst of its updates, in any order and at the same time', async () => {
    const sender = await start();
    const sid = randomUUID();
    const updates = [
      sessionOf({ sid, did: DEVICE, seq: 1 }),
      sessionOf({ sid: sid.replaceAll('-', ''), did: DEVICE, init: false, seq: 3, status: 'exited' }),
      sessionOf({ sid, did: DEVICE, init: false, seq: 2, status: 'crashed', errors: 1 }),
    ];
    await Promise.all([...updates, ...updates.toReversed(), ...updates].map((update) => sendSessions(sender, update)));
    await sendSessions(sender, ...updates, ...updates);
    const counts = { sessions: 1, crashed: 1, devices: 1, crashed_devices: 1, active: 1, active_crashed: 1 };
    assert.deepEqual(await countsOf(sender), [{ day: '2026-11-28', build_id: sender.buildOfGame, ...counts }]);
  });

  it('crashed if an error was not caught, but not if the errors were handled or it only ended oddly', async () => {
    const sender = await start();
    for (const status of ['ok', 'exited', 'errored', 'abnormal', 'unhandled', 'crashed', 'new one'])
      await sendSessions(sender, sessionOf({ status, errors: 3 }));
    const [{ sessions, crashed, devices } = {}] = await countsOf(sender);
    assert.deepEqual({ sessions, crashed, devices }, { sessions: 7, crashed: 2, devices: 0 });
  });

  it('counts on the day on which it started, unless the clock cannot be right', async () => {
    const sender = await start();
    await sendSessions(sender, sessionOf({ started: startedOn('2026-11-26'), did: DEVICE, status: 'crashed' }));
    await sendSessions(sender, sessionOf({ started: startedOn('2026-11-28'), did: DEVICE }));
    await sendSessions(sender, sessionOf({ started: startedOn('2026-11-27'), did: DEVICE }));
    for (const started of [startedOn('1970-01-01'), startedOn('2031-01-01'), 'yesterday', 1e300, {}, null])
      await sendSessions(sender, sessionOf({ started }));
    assert.deepEqual(
      (await countsOf(sender)).map(({ day, build_id: _, ...counts }) => [day, ...Object.values(counts)]),
      [
        ['2026-11-26', 1, 1, 0, 1, 1, 1],
        ['2026-11-27', 1, 0, 0, 0, 1, 0],
        ['2026-11-28', 7, 0, 1, 0, 1, 0],
      ],
    );
  });

  it('is of a device whose id says nothing about who plays', async () => {
    const sender = await start();
    await sendSessions(sender, sessionOf({ did: 'ann@example.com' }), sessionOf({ did: DEVICE.toUpperCase() }));
    await sendSessions(sender, sessionOf({ did: 'ann@example.com' }), sessionOf({ did: null }));
    const stored = await rows(
      server.ctx.db,
      sql<{ device: string }>`select distinct device_uid as device from sdk_sessions
        where game_id = ${sender.game.uid} and device_uid is not null`,
    );
    assert.equal(stored.length, 2);
    for (const { device } of stored) assert.match(device, /^[0-9a-f-]{32,36}$/i);
    assert.equal((await countsOf(sender))[0]!.devices, 2);
  });

  it('waits under its release until the version is registered', async () => {
    const sender = await start();
    const attrs = { release: 'owls@9.9.9' };
    const [sid, did] = [randomUUID(), DEVICE];
    await sendSessions(sender, sessionOf({ attrs, sid, did }), sessionOf({ attrs, did, status: 'crashed' }));
    await sendSessions(sender, sessionOf({ attrs, did, started: startedOn('2026-11-27') }));
    const before = await countsOf(sender);
    assert.ok(before.every(({ build_id }) => build_id !== sender.buildOfGame));
    const buildId = await register(server, sender.game, { version: '9.9.9' });
    await assignReleases(server.ctx);
    await assignSessions(server.ctx);
    const moved = before.map((counts): (typeof before)[number] => ({ ...counts, build_id: buildId }));
    assert.deepEqual(await countsOf(sender), moved);
    await assignSessions(server.ctx);
    // This process still knows the old id of the release.
    await sendSessions(sender, sessionOf({ attrs, sid, did, status: 'exited' }), sessionOf({ attrs }));
    await assignReleases(server.ctx);
    await assignSessions(server.ctx);
    const [first, second] = await countsOf(sender);
    assert.deepEqual(
      [first!.build_id, second!.build_id, second!.sessions, second!.crashed],
      [buildId, buildId, Number(moved[1]!.sessions) + 1, 1],
    );
  });

  it('is left out and counted without an id, in sums, or as one of many releases', async () => {
    const sender = await start();
    const odd = [1, 'x', [], { sid: '' }, { sid: {} }, sessionOf({ sid: '00000000-0000-0000-0000-000000000000' })];
    await sendSessions(sender, ...odd);
    const releases = Array.from({ length: 7 }, (_, no) => sessionOf({ attrs: { release: `owls@0.0.${no}` } }));
    await sendSessions(sender, ...releases);
    const sums = { aggregates: [{ started: startedOn('2026-11-28'), exited: 5 }], attrs: { release: 'owls@1.2.0' } };
    assert.equal((await post(sender, [['sessions', sums]])).status, 200);
    assert.deepEqual(await droppedOf(sender), {
      'session without_id': odd.length,
      'session too_many': 2,
      'sessions aggregated': 1,
    });
  });

  it('is read whatever types its fields have', async () => {
    const sender = await start();
    for (const value of [null, true, -1, 1e300, '', '\u0000', 'x'.repeat(5000), [], [{}], {}, { a: [] }])
      await sendSessions(
        sender,
        sessionOf({ did: value, started: value, status: value, errors: value, seq: value, duration: value }),
        sessionOf({ attrs: value }),
        sessionOf({ attrs: { release: value, environment: value, dist: value } }),
      );
    const counted = await countsOf(sender);
    assert.equal(
      counted.reduce((sum, { sessions }) => sum + Number(sessions), 0),
      33,
    );
  });
});

describe('crash-free rates', () => {
  const healthOf = async (sender: Sender, path = `builds/${sender.buildOfGame}/health`) =>
    (await callApi(server, sender.owner, 'GET', `/games/${sender.game.uid}/${path}`)).body.data;

  it('of a build that only sessions are known of are computed, while its launches stay unrated', async () => {
    const sender = await start();
    const of = (no: number, fields: object = {}) => sessionOf({ did: `${DEVICE.slice(0, -2)}${no + 10}`, ...fields });
    const sessions = Array.from({ length: 25 }, (_, no) => of(no, { status: no < 5 ? 'crashed' : 'exited' }));
    await sendSessions(sender, ...sessions, ...sessions, of(0, { started: startedOn('2026-11-27') }));
    const health = await healthOf(sender);
    assert.deepEqual(
      [health.band, health.devices, health.booted, health.crashed_on_boot, health.boot_rate],
      ['unrated', 0, 0, 0, null],
    );
    const { since: _, ...free } = health.crash_free;
    const expected = { devices: 25, crashed_devices: 5, device_rate: 0.8, sessions: 26, crashes: 5, sdk_sessions: 26 };
    assert.deepEqual(free, { ...expected, session_rate: 1 - 5 / 26 });
    assert.deepEqual(
      health.days.map((day: Record<string, number>) => [
        day.day,
        day.devices,
        day.crashed_devices,
        day.crashed_on_boot,
      ]),
      [
        ['2026-11-27', 1, 0, 0],
        ['2026-11-28', 25, 5, 0],
      ],
    );
    const { builds } = await healthOf(sender, 'health');
    assert.deepEqual(
      builds.map(({ build_id, band }: Record<string, string>) => [build_id, band]),
      [[sender.buildOfGame, 'unrated']],
    );
    const version = await healthOf(sender, 'version?version=1.2.0');
    assert.deepEqual([version.launch.band, version.launch.devices], ['unrated', 0]);
    const { since: __, device_rate: device, session_rate: session, ...counts } = version.crash_free;
    assert.deepEqual(counts, { devices: 25, crashed_devices: 5, sessions: 26, crashes: 5, sdk_sessions: 26 });
    assert.deepEqual([device.rate, session.rate], [0.8, 1 - 5 / 26]);
    assert.deepEqual(
      version.adoption.map(({ devices }: Record<string, number>) => devices),
      [1, 25],
    );
  });

  it('count what events and sessions both know once', async () => {
    const sender = await start();
    const run = (sid: string, did: string) => [
      { event: 'session_start', device_uid: did, session_id: sid },
      { event: 'boot_ok', device_uid: did, session_id: sid, ms: 10 },
    ];
    const players = Array.from({ length: 4 }, () => randomUUID());
    const sids = players.map(() => randomUUID());
    const events = players.flatMap((did, no) => run(sids[no]!, did));
    const crash = { event: 'crash', device_uid: players[0], session_id: sids[0] };
    const sent = await sendEvents({ ...sender, buildId: sender.buildOfGame }, { events: [...events, crash] });
    assert.equal(sent.status, 202);
    await sendSessions(
      sender,
      ...sids.map((sid, no) => sessionOf({ sid, did: players[no], started: now, status: no < 2 ? 'crashed' : 'ok' })),
    );
    const { crash_free: free, devices, booted, days } = await healthOf(sender);
    assert.deepEqual([devices, booted], [4, 4]);
    assert.deepEqual([free.devices, free.crashed_devices, free.sessions, free.crashes], [4, 2, 4, 2]);
    assert.deepEqual([days.length, days[0].devices, days[0].crashed_devices], [1, 4, 2]);
  });

  it('leave out reports of errors that were handled', async () => {
    const sender = await start();
    const handled = [{ type: 'Error', value: 'x', mechanism: { type: 'generic', handled: true } }];
    const event = { release: 'owls@1.2.0', exception: { values: handled }, level: 'error' };
    const answer = await post(sender, [
      ['session', sessionOf({ status: 'ok', errors: 1, did: DEVICE })],
      ['event', event],
    ]);
    assert.equal(answer.status, 200);
    const { crash_free: free } = await healthOf(sender);
    assert.deepEqual([free.device_rate, free.session_rate], [1, 1]);
  });
});

describe('the sessions of a device', () => {
  it('are in its record, and are no longer of it once it is deleted', async () => {
    const sender = await start();
    const other = randomUUID();
    await sendSessions(sender, sessionOf({ did: DEVICE }), sessionOf({ did: DEVICE, status: 'crashed' }));
    await sendSessions(sender, sessionOf({ did: other }));
    const call = async (device: string, method = 'GET') =>
      (await callApi(server, sender.owner, method, `/games/${sender.game.uid}/devices/${device}`)).body.data;
    const read = async (device: string) => (await call(device)).sdk_sessions;
    const record = { build_id: sender.buildOfGame, day: '2026-11-28', sessions: 2, crashed: 1 };
    assert.deepEqual(await read(DEVICE), [record]);
    await call(DEVICE, 'DELETE');
    assert.deepEqual(await read(DEVICE), []);
    assert.deepEqual(await read(other), [{ ...record, sessions: 1, crashed: 0 }]);
    const [{ sessions, devices, crashed_devices, active } = {}] = await countsOf(sender);
    assert.deepEqual(
      { sessions, devices, crashed_devices, active },
      { sessions: 3, devices: 1, crashed_devices: 0, active: 1 },
    );
  });
});

describe('the record of a player whose SDK sends the number of an account', () => {
  it('has the sessions and crashes of the number, until it is deleted', async () => {
    const [sender, elsewhere] = [await start(), await start()];
    const event = { level: 'fatal', message: 'It broke', release: 'owls@1.2.0', user: { id: 4711 } };
    for (const to of [sender, elsewhere])
      await post(to, [
        ['session', sessionOf({ did: '4711' })],
        ['event', event],
      ]);
    await sendSessions(sender, sessionOf({ did: '4712' }));
    const reports = await rows(
      server.ctx.db,
      sql<{ report_id: string; device_uid: string }>`select report_id, device_uid from crash_reports
        where game_id = ${sender.game.uid}`,
    );
    assert.match(reports[0]?.device_uid ?? '', /^[0-9a-f]{32}$/);
    const reportIds = reports.map(({ report_id }) => report_id);
    await groupMessages(server.ctx, { gameId: sender.game.uid, reportIds });
    const read = async (to: Sender, device: string, method = 'GET') =>
      (await callApi(server, to.owner, method, `/games/${to.game.uid}/devices/${device}`)).body.data;
    const { sdk_sessions, crashes } = await read(sender, '4711');
    assert.deepEqual(sdk_sessions, [{ build_id: sender.buildOfGame, day: '2026-11-28', sessions: 1, crashed: 0 }]);
    assert.deepEqual(
      crashes.map(({ crash_id }: { crash_id: string }) => crash_id),
      reportIds,
    );
    // The code itself is found, too: crash reports show it.
    assert.deepEqual((await read(sender, reports[0]!.device_uid)).sdk_sessions, sdk_sessions);
    assert.equal((await read(sender, '4711', 'DELETE')).crashes, 1);
    const gone = await read(sender, '4711');
    assert.deepEqual([gone.sdk_sessions, gone.crashes], [[], []]);
    assert.equal((await read(sender, '4712')).sdk_sessions.length, 1);
    assert.equal((await read(elsewhere, '4711')).sdk_sessions.length, 1);
  });
});

describe('many sessions', () => {
  it('are refused past the daily limit, while known ones are updated and reports taken', async () => {
    const limited = await startServer({ role: 'api', env: { CHAUFFEUR_LIMIT_SDK_SESSIONS: '3' } });
    try {
      const sender = await start(limited);
      const sid = randomUUID();
      await sendSessions(sender, sessionOf({ sid }), sessionOf());
      const mixed = await post(sender, [
        ['session', sessionOf()],
        ['session', sessionOf()],
        ['event', { level: 'fatal', message: 'x', release: 'owls@1.2.0' }],
      ]);
      assert.equal(mixed.status, 200);
      assert.match(mixed.headers.get('x-sentry-rate-limits')!, /^\d+:session:key:limit_reached$/);
      const refused = await post(sender, [['session', sessionOf()]]);
      assert.equal(refused.status, 429);
      assert.match(refused.headers.get('x-sentry-rate-limits')!, /^\d+:session:key:limit_reached$/);
      assert.ok(Number(refused.headers.get('retry-after')) >= 60);
      assert.equal(refused.headers.get('access-control-allow-origin'), '*');
      await sendSessions(sender, sessionOf({ sid, status: 'crashed' }));
      const stored = await rows(
        limited.ctx.db,
        sql<{ is_crashed: boolean }>`select is_crashed from sdk_sessions where game_id = ${sender.game.uid} order by 1`,
      );
      assert.deepEqual(
        stored.map(({ is_crashed }) => is_crashed),
        [false, false, true],
      );
      assert.deepEqual(await droppedOf(sender, limited), { 'session over_limit': 2 });
    } finally {
      await limited.stop();
    }
  });

  it('of as many devices are all counted, in one envelope and at the same time', async () => {
    const sender = await start();
    const some = () => Array.from({ length: 400 }, () => sessionOf({ did: randomUUID(), status: 'crashed' }));
    await Promise.all(Array.from({ length: 5 }, () => sendSessions(sender, ...some())));
    const [{ build_id: _, day, ...counts } = {}] = await countsOf(sender);
    assert.deepEqual(Object.values(counts), [2000, 2000, 2000, 2000, 2000, 2000]);
  });

  it('are counted the same by several processes that get updates of the same ones at once', async () => {
    const sender = await start();
    const second = await startServer({ role: 'api', clock: { now: () => now }, shareWith: server });
    try {
      const [players, sids] = [3, 20].map((count) => Array.from({ length: count }, () => randomUUID()));
      const some = (no: number) =>
        sids!.map((sid, index) =>
          sessionOf({
            ...{ sid, did: index % 4 === 3 ? null : players![index % 4] },
            status: (index + no) % 7 === 0 ? 'crashed' : 'ok',
            started: startedOn(index % 2 === 0 ? '2026-11-27' : '2026-11-28'),
          }),
        );
      await Promise.all(
        Array.from({ length: 24 }, (_, no) =>
          sendSessions({ ...sender, server: no % 2 === 0 ? server : second }, ...some(no)),
        ),
      );
    } finally {
      await second.stop();
    }
    const recounted = await rows(
      server.ctx.db,
      sql<
        Record<string, string | number>
      >`with stored as (select * from sdk_sessions where game_id = ${sender.game.uid}),
          last as (
            select device_uid, max(day) as day, max(day) filter (where is_crashed) as crash_day from stored
            where device_uid is not null group by device_uid
          )
        select day::text, build_id, count(*) as sessions, count(*) filter (where is_crashed) as crashed,
          (select count(*) from last where last.day = stored.day) as devices,
          (select count(*) from last where crash_day = stored.day) as crashed_devices,
          count(distinct device_uid) as active, count(distinct device_uid) filter (where is_crashed) as active_crashed
        from stored group by day, build_id order by day, build_id`,
    );
    assert.equal(recounted.length, 2);
    assert.equal(Number(recounted[0]!.crashed) + Number(recounted[1]!.crashed), 20);
    assert.deepEqual(await countsOf(sender), recounted);
  });

  it('are deleted after their time, and their counts stay', async () => {
    const sender = await start();
    await sendSessions(sender, sessionOf({ did: DEVICE }));
    const counted = await countsOf(sender);
    const today = now;
    now = new Date(today.getTime() + 36 * DAY);
    try {
      await deleteOldSessions(server.ctx);
      for (const table of ['sdk_sessions', 'sdk_session_devices'])
        assert.deepEqual(await rows(server.ctx.db, sql`select from ${sql.table(table)}`), []);
      assert.deepEqual(await countsOf(sender), counted);
      await deleteOldSessions(server.ctx);
    } finally {
      now = today;
    }
  });
});
