// Compares launch health on a real database with a naive recount of all events: random events of a few devices over
// many days, in random batches, some sent twice.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { STANDARD_EVENTS } from '@chauffeur/contract/operations/events';
import fc from 'fast-check';
import { launchFacts } from '../src/analytics/events/events.ts';
import { sumPastDays } from '../src/analytics/events/keep/fold-slots.job.ts';
import { DAY, HOUR, utcDayOf } from '../src/kernel/clock.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { createGameFor } from '../src/people/games/games.ts';
import { issueDeployKeyFor } from '../src/ship/deploy-keys/deploy-keys.ts';
import { send } from './setup/events.ts';
import { makeGame, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { register } from './setup/uploads.ts';

const RUNS = 40;

let now = new Date('2026-03-01T00:00:00Z');
let server: TestServer;
/** A second process of the same service, which receives every other request. */
let other: TestServer;
let owner: TestGame;
let session: { cookie: string };

before(async () => {
  const options = { role: 'api', clock: { now: () => now }, env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } } as const;
  server = await startServer(options);
  other = await startServer({ ...options, shareWith: server });
  owner = await makeGame(server);
  session = await signIn(server, owner.owner);
});
after(async () => {
  await other.stop();
  await server.stop();
});

type Sent = { event: string; device_uid?: string; ms?: number; seconds?: number; event_id?: string };
type Step = { hours: number; build: number; events: Sent[] };
/** A counted event, as it was received. */
type Received = Sent & { build: number; at: number };

const device = fc.constantFrom('device-a', 'device-b', 'device-c', 'device-d');
const maybeId = fc.option(fc.nat(12).map(String), { nil: undefined, freq: 3 });
const event: fc.Arbitrary<Sent> = fc
  .oneof(
    fc.record({ event: fc.constant('session_start'), device_uid: fc.option(device, { nil: undefined }) }),
    { weight: 3, arbitrary: fc.record({ event: fc.constant('boot_ok'), device_uid: device, ms: fc.nat(30_000) }) },
    { weight: 3, arbitrary: fc.record({ event: fc.constant('crash'), device_uid: device }) },
    fc.record({ event: fc.constant('session_end'), device_uid: device, seconds: fc.nat(7200) }),
    fc.record({ event: fc.constant('quit') }),
    fc.record({ event: fc.constant('a custom one'), device_uid: device }),
  )
  .chain((sent) => maybeId.map((event_id) => ({ ...sent, event_id }) as Sent));
const step: fc.Arbitrary<Step> = fc.record({
  hours: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(30), fc.integer({ min: 0, max: 12 * 24 })),
  build: fc.nat(1),
  events: fc.array(event, { minLength: 1, maxLength: 6 }),
});

test('is equal to a naive recount of all events', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), checkRun), { numRuns: RUNS });
});

async function checkRun(steps: readonly Step[]): Promise<void> {
  const game = await makeModelGame();
  const builds = [await register(server, game), await register(server, game, { version: '2.0.0' })];
  const received: Received[] = [];
  for (const [no, { hours, build, events }] of steps.entries()) {
    now = new Date(now.getTime() + hours * HOUR + 1);
    const fresh = withoutRepeats(received, events);
    const sender = { server: no % 2 === 0 ? server : other, game, buildId: builds[build]! };
    const { body } = await send(sender, { events });
    assert.deepEqual(body.data, { accepted: fresh.length, repeated: events.length - fresh.length });
    received.push(...fresh.map((sent) => ({ ...sent, build, at: now.getTime() })));
    if (no % 5 === 4) await sumPastDays(server.ctx);
  }
  for (const [build, buildId] of builds.entries())
    assert.deepEqual(await healthOf(game, buildId), recount(received.filter((each) => each.build === build)));
  const facts = (await launchFacts(server.ctx, [game.uid])).get(game.uid);
  assert.deepEqual(facts, recountEver(received));
  // Ids are kept for a week. The next run uses another game, but continues with later days.
  now = new Date(now.getTime() + DAY);
}

async function makeModelGame(): Promise<TestGame> {
  const { game_uid, slug } = await createGameFor(server.ctx, owner.owner.id, { name: `Game ${newId()}` });
  const key = await issueDeployKeyFor(server.ctx, game_uid, 'test');
  const keyHeaders = { 'x-access-token': key.access_token, 'x-secret-key': key.secret_key };
  return { ...owner, uid: game_uid, slug, keyHeaders };
}

/** The events with new ids, without repetitions. */
function withoutRepeats(received: readonly Received[], events: readonly Sent[]): Sent[] {
  const seen = new Set(received.map(({ event_id }) => event_id));
  return events.filter(({ event_id }) => {
    if (event_id === undefined) return true;
    const isFresh = !seen.has(event_id);
    seen.add(event_id);
    return isFresh;
  });
}

async function healthOf(game: TestGame, buildId: string) {
  const { status, body } = await request(`${server.api}/games/${game.uid}/builds/${buildId}/health`, {
    headers: session,
  });
  assert.equal(status, 200, JSON.stringify(body));
  const { devices, booted, crashed_on_boot, boot_ms, session_seconds, days } = body.data;
  const events: Record<string, number> = {};
  for (const day of days)
    for (const [name, count] of Object.entries<number>(day.events)) events[name] = (events[name] ?? 0) + count;
  const { since: _, ...crashFree } = body.data.crash_free;
  const daily = Object.fromEntries(
    days
      .filter((day: { devices: number }) => day.devices > 0)
      .map((day: Record<string, unknown>) => [day.day, [day.devices, day.crashed_devices]]),
  );
  return {
    devices,
    booted,
    crashed_on_boot,
    boots: boot_ms.samples,
    sessions: session_seconds.samples,
    events,
    crashFree,
    daily,
  };
}

function recount(received: readonly Received[]) {
  const since = Date.parse(utcDayOf(new Date(now.getTime() - 29 * DAY)));
  const recent = received.filter(({ at }) => at >= since);
  const isOnBoot = (crash: Received) =>
    !received
      .slice(0, received.indexOf(crash))
      .some((earlier) => earlier.event === 'boot_ok' && earlier.device_uid === crash.device_uid);
  const events: Record<string, number> = {};
  for (const { event: name } of recent) if (name in STANDARD_EVENTS) events[name] = (events[name] ?? 0) + 1;
  return {
    devices: devicesOf(recent),
    booted: devicesOf(recent.filter(({ event: name }) => name === 'boot_ok')),
    crashed_on_boot: devicesOf(recent.filter((each) => each.event === 'crash' && isOnBoot(each))),
    boots: events.boot_ok ?? 0,
    sessions: events.session_end ?? 0,
    events,
    crashFree: recountCrashFree(recent),
    daily: Object.fromEntries(
      [...Map.groupBy(recent, ({ at }) => utcDayOf(new Date(at)))]
        .map(([day, some]) => [day, [devicesOf(some), devicesOf(some.filter(isCrash))]] as const)
        .filter(([, [devices]]) => devices! > 0),
    ),
  };
}

function devicesOf(some: readonly Received[]): number {
  return new Set(some.map(({ device_uid }) => device_uid).filter(Boolean)).size;
}

function isCrash({ event: name }: Received): boolean {
  return name === 'crash';
}

function recountCrashFree(recent: readonly Received[]) {
  const [devices, crashed] = [devicesOf(recent), devicesOf(recent.filter(isCrash))];
  const sessions = recent.filter(({ event: name }) => name === 'session_start').length;
  const crashes = recent.filter(isCrash).length;
  return {
    devices,
    crashed_devices: crashed,
    device_rate: devices === 0 ? null : 1 - crashed / devices,
    sessions,
    crashes,
    sdk_sessions: 0,
    session_rate: sessions === 0 ? null : Math.max(0, 1 - crashes / sessions),
  };
}

function recountEver(received: readonly Received[]) {
  const boot = received.find(({ event: name }) => name === 'boot_ok');
  const devices = new Set(received.map(({ device_uid }) => device_uid).filter(Boolean));
  return { devicesEver: devices.size, firstBootOkAt: boot === undefined ? null : new Date(boot.at) };
}
