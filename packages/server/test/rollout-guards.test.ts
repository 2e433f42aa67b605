// Guards: a rollout is compared with the current build on what devices send, and stopped if it is worse.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { forgetRolloutDevices, watchRollouts } from '../src/analytics/rollout-guards/watch.job.ts';
import { DAY, HOUR, MINUTE } from '../src/kernel/clock.ts';
import { rows } from '../src/kernel/database/db.ts';
import { callApi, makeOwnedGame, type OwnedGame } from './setup/api-calls.ts';
import { addReport, type SharedGame } from './setup/crash-reports.ts';
import { send } from './setup/events.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';
import { shipAndScan } from './setup/uploads.ts';

let server: TestServer;
let now = new Date('2026-11-10T09:00:00Z');
const wait = (ms: number) => {
  now = new Date(now.getTime() + ms);
};
before(async () => {
  server = await startServer({
    clock: { now: () => now },
    env: { CHAUFFEUR_LIMIT_PUBLIC: '0', CHAUFFEUR_LIMIT_READS: '0' },
  });
});
after(() => server.stop());

type Check = { guard: string; verdict: string; devices: number; base_devices: number; good: number };
type Side = {
  devices: number;
  crashed: number;
  started: number;
  booted: number;
  crashed_on_boot: number;
  on_it: number;
};
type Details = {
  state: string;
  share: number;
  guards: { guard: string; overruled: boolean }[];
  side: Side;
  base_side: Side;
  checks: Check[];
  new_groups: { title: string; is_new: boolean; devices: number; base_devices: number }[];
  withdrawn_devices: number | null;
  next: string;
  history: { kind: string; by: string; text: string; groups: { title: string }[] }[];
};

/** A game, the builds of its two versions, and a rollout of the second one. */
type Trial = { studio: OwnedGame; first: string; second: string; rolloutId: string };

const call = ({ game, owner }: OwnedGame, method: string, path: string, body?: unknown) =>
  callApi(server, owner, method, `/games/${game.uid}${path}`, body);

async function makeTrial(plan: object = {}): Promise<Trial> {
  const studio = await makeOwnedGame(server);
  const { buildId: first } = await shipAndScan(server, studio.game, { version: '1' });
  const { buildId: second } = await shipAndScan(server, studio.game, { version: '2', channel: 'beta' });
  const { status, body } = await call(studio, 'POST', '/channels/stable/rollouts', {
    version: '2',
    steps: [{ share: 50, hours: 4 }, { share: 100 }],
    min_devices: 20,
    ...plan,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return { studio, first, second, rolloutId: body.data.rollout_id };
}

const detailsOf = async ({ studio, rolloutId }: Trial): Promise<Details> =>
  (await call(studio, 'GET', `/rollouts/${rolloutId}`)).body.data as Details;

const DEVICES = Array.from({ length: 160 }, (_, index) => `device-${index}`);

type Session = (device: string, isNew: boolean, index: number) => readonly { event: string }[];

const fine: Session = () => [{ event: 'session_start' }, { event: 'boot_ok' }];
/** Two devices in three crash: enough to be worse whatever places the devices get. */
const crashing: Session = (_, isNew, index) => [
  { event: 'session_start' },
  { event: 'boot_ok' },
  ...(isNew && index % 3 > 0 ? [{ event: 'crash' }] : []),
];

/** Each device asks for updates, and then plays the build that it was offered. Returns the devices with the new one. */
async function play({ studio, first, second }: Trial, session: Session): Promise<string[]> {
  const got: string[] = [];
  for (const [index, device] of DEVICES.entries()) {
    const query = new URLSearchParams({ build_id: first, device_uid: device });
    const { body } = await callApi(server, {}, 'GET', `/public/games/${studio.game.uid}/updates?${query}`);
    const buildId: string = body.data.offered.build_id;
    if (buildId === second) got.push(device);
    const events = session(device, buildId === second, index).map((event) => ({
      ...event,
      device_uid: device,
      ...(event.event === 'boot_ok' && { ms: 900 }),
    }));
    const { status } = await send({ server, game: studio.game, buildId }, { events });
    assert.equal(status, 202);
  }
  return got;
}

const alertsOf = ({ studio }: Trial) =>
  rows(
    server.ctx.db,
    sql<{ content: { lines: { kind: string; heading: string; text: string; details?: { text: string }[] }[] } }>`
      select content from alert_messages where game_id = ${studio.game.uid}`,
  );

describe('a rollout with guards', () => {
  test('is paused at its first step if the version crashes, and the team hears why', async () => {
    const trial = await makeTrial();
    const devices = await play(trial, crashing);
    for (const device_uid of devices.filter((_, index) => index % 3 === 0).slice(0, 8))
      await addReport(server.ctx, {
        game: { uid: trial.studio.game.uid } as SharedGame,
        buildId: trial.second,
        device_uid,
        message: 'Door::open failed',
      });
    wait(5 * MINUTE);
    await watchRollouts(server.ctx);
    assert.equal((await detailsOf(trial)).state, 'running', 'devices that were just seen are not counted yet');
    wait(10 * MINUTE);
    await watchRollouts(server.ctx);
    const { state, checks, side, base_side, history, new_groups, next } = await detailsOf(trial);
    assert.equal(state, 'paused');
    assert.equal(side.devices, devices.length);
    assert.equal(side.devices + base_side.devices, DEVICES.length);
    assert.deepEqual([base_side.crashed, base_side.booted], [0, base_side.devices]);
    assert.equal(side.crashed_on_boot, 0);
    const verdicts = Object.fromEntries(checks.map(({ guard, verdict }) => [guard, verdict]));
    assert.deepEqual(verdicts, { crash_free: 'worse', crash_on_boot: 'ok', boot: 'ok', new_groups: 'ok' });
    const [paused] = history;
    assert.deepEqual([paused?.kind, paused?.by], ['paused', 'guard']);
    assert.match(
      paused?.text ?? '',
      /Crash-free devices: .*% of \d+ devices, and 100% of \d+ with the current version/,
    );
    assert.deepEqual(
      paused?.groups.map(({ title }) => title),
      ['Door::open failed'],
    );
    assert.deepEqual([new_groups[0]?.is_new, new_groups[0]?.devices, new_groups[0]?.base_devices], [true, 8, 0]);
    assert.match(next, /until you resume/);
    const [message] = await until(async () => {
      const found = await alertsOf(trial);
      return found.length > 0 ? found : undefined;
    });
    const [line] = message!.content.lines.filter(({ kind }) => kind === 'rollout');
    assert.equal(line?.heading, 'Rollout paused');
    assert.match(line?.text ?? '', /2 on stable at 50% of devices: it is worse/);
    assert.match(
      line?.details?.map(({ text }) => text).join('\n') ?? '',
      /Crash-free devices.*\nDoor::open failed: 8 devices/,
    );
  });

  test('is aborted instead if the guard says so, and devices go back to the current build', async () => {
    const trial = await makeTrial({ guards: [{ guard: 'boot', action: 'abort' }] });
    const devices = await play(trial, (_, isNew) => [
      { event: 'session_start' },
      ...(isNew ? [{ event: 'crash' }] : [{ event: 'boot_ok' }]),
    ]);
    wait(15 * MINUTE);
    await watchRollouts(server.ctx);
    const aborted = await detailsOf(trial);
    assert.deepEqual([aborted.state, aborted.history[0]?.kind], ['aborted', 'aborted']);
    assert.deepEqual([aborted.side.crashed_on_boot, aborted.side.booted], [devices.length, 0]);
    assert.equal(aborted.withdrawn_devices, devices.length);
    const back = await play(trial, fine);
    assert.deepEqual(back, []);
    wait(5 * MINUTE);
    await watchRollouts(server.ctx);
    assert.equal((await detailsOf(trial)).withdrawn_devices, 0);
  });

  test('goes on if the version is as good, with the results of each guard', async () => {
    const trial = await makeTrial();
    await play(trial, (device, _, index) =>
      index % 20 === 0 ? [...fine(device, true, 0), { event: 'crash' }] : fine(device, true, 0),
    );
    wait(4 * HOUR);
    await watchRollouts(server.ctx);
    const { state, checks, history } = await detailsOf(trial);
    assert.equal(state, 'finished');
    assert.deepEqual(
      checks.map(({ verdict }) => verdict),
      ['ok', 'ok', 'ok', 'ok'],
    );
    assert.match(history[0]?.text ?? '', /stable offers 2 to all devices/);
  });

  test('waits for devices after its time, alerts once, and goes on when there are enough', async () => {
    const trial = await makeTrial({ min_devices: 50 });
    wait(5 * HOUR);
    await watchRollouts(server.ctx);
    const early = await detailsOf(trial);
    assert.deepEqual([early.state, early.history.length], ['running', 1]);
    assert.match(early.next, /once the guards can decide.*0 of 50 devices/);
    wait(8 * HOUR);
    await watchRollouts(server.ctx);
    await watchRollouts(server.ctx);
    const waiting = await detailsOf(trial);
    assert.deepEqual(
      waiting.history.map(({ kind }) => kind),
      ['waiting', 'started'],
    );
    assert.deepEqual(
      waiting.checks.map(({ verdict }) => verdict),
      ['waiting', 'waiting', 'waiting', 'waiting'],
    );
    const [message, ...others] = await until(async () => {
      const found = await alertsOf(trial);
      return found.length > 0 ? found : undefined;
    });
    assert.deepEqual(others, []);
    assert.equal(message!.content.lines[0]?.heading, 'Rollout waits for devices');
    await play(trial, fine);
    wait(15 * MINUTE);
    await watchRollouts(server.ctx);
    assert.equal((await detailsOf(trial)).state, 'finished');
  });

  test('is not stopped again by a guard that a person overruled, but by others', async () => {
    const trial = await makeTrial();
    await play(trial, crashing);
    wait(15 * MINUTE);
    await watchRollouts(server.ctx);
    assert.equal((await detailsOf(trial)).state, 'paused');
    await call(trial.studio, 'POST', `/rollouts/${trial.rolloutId}/resume`);
    const { guards } = await detailsOf(trial);
    assert.deepEqual(
      guards.filter(({ overruled }) => overruled).map(({ guard }) => guard),
      ['crash_free'],
    );
    wait(5 * MINUTE);
    await watchRollouts(server.ctx);
    assert.equal((await detailsOf(trial)).state, 'running');
    wait(4 * HOUR);
    await watchRollouts(server.ctx);
    assert.equal((await detailsOf(trial)).state, 'finished');
  });

  test('counts a device once however often its events are read, and forgets it on request', async () => {
    const trial = await makeTrial({ steps: [{ share: 50 }] });
    const devices = await play(trial, crashing);
    wait(15 * MINUTE);
    await watchRollouts(server.ctx);
    const once = await detailsOf(trial);
    await Promise.all([watchRollouts(server.ctx), watchRollouts(server.ctx)]);
    assert.deepEqual((await detailsOf(trial)).side, once.side);
    await call(trial.studio, 'DELETE', `/devices/${devices[0]}`);
    await watchRollouts(server.ctx);
    assert.equal((await detailsOf(trial)).side.devices, once.side.devices - 1);
    await call(trial.studio, 'POST', `/rollouts/${trial.rolloutId}/abort`);
    wait(31 * DAY);
    await forgetRolloutDevices(server.ctx);
    const left = await rows(server.ctx.db, sql`select from rollout_devices where game_id = ${trial.studio.game.uid}`);
    assert.equal(left.length, 0);
    assert.ok((await detailsOf(trial)).side.devices > 0, 'the figures stay');
  });

  test('compares only devices on their sides: players of the beta are not counted', async () => {
    const trial = await makeTrial({ steps: [{ share: 1 }] });
    for (const device_uid of DEVICES)
      await send({ server, game: trial.studio.game, buildId: trial.second }, [{ event: 'crash', device_uid }].at(0));
    wait(15 * MINUTE);
    await watchRollouts(server.ctx);
    const { side, state } = await detailsOf(trial);
    assert.ok(side.devices < 10, `${side.devices} devices`);
    assert.equal(state, 'running');
  });
});
