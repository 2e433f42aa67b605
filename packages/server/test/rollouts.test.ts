// Rollouts: started, changed and ended by people, and what ends them otherwise.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { watchRollouts } from '../src/analytics/rollout-guards/watch.job.ts';
import { HOUR } from '../src/kernel/clock.ts';
import { callApi, makeOwnedGame, type OwnedGame, statusOf } from './setup/api-calls.ts';
import { makeMember, makePlayer, startServer, type TestServer } from './setup/server.ts';
import { register, shipAndScan } from './setup/uploads.ts';

const OSES = ['linux', 'macos', 'windows'];

let server: TestServer;
let now = new Date();
before(async () => {
  server = await startServer({ clock: { now: () => now } });
});
after(() => server.stop());

type Rollout = {
  rollout_id: string;
  state: string;
  share: number;
  step: number;
  next_step_at: string | null;
  next: string;
  builds: { os: string; build_id: string; base_version: string }[];
  history: { kind: string; text: string; by: string }[];
};

const call = ({ game, owner }: OwnedGame, method: string, path: string, body?: unknown) =>
  callApi(server, owner, method, `/games/${game.uid}${path}`, body);

const start = (studio: OwnedGame, body: object, channel = 'stable') =>
  call(studio, 'POST', `/channels/${channel}/rollouts`, body);

async function started(studio: OwnedGame, body: object = {}, channel = 'stable'): Promise<Rollout> {
  const { status, body: answer } = await start(studio, { version: '2', ...body }, channel);
  assert.equal(status, 201, JSON.stringify(answer));
  return get(studio, answer.data);
}

async function get(studio: OwnedGame, { rollout_id: id }: Pick<Rollout, 'rollout_id'>): Promise<Rollout> {
  return (await call(studio, 'GET', `/rollouts/${id}`)).body.data as Rollout;
}

const act = (studio: OwnedGame, { rollout_id: id }: Rollout, verb: string, body?: object) =>
  call(studio, 'POST', `/rollouts/${id}/${verb}`, body);

/** A game with version 1 on stable, and version 2 on beta. */
async function withVersions(oses: readonly string[] = ['linux']): Promise<OwnedGame> {
  const studio = await makeOwnedGame(server);
  for (const os of oses) await shipAndScan(server, studio.game, { version: '1', os });
  for (const os of oses) await shipAndScan(server, studio.game, { version: '2', os, channel: 'beta' });
  return studio;
}

async function offers(studio: OwnedGame): Promise<string[]> {
  const { body } = await call(studio, 'GET', '/channels');
  return body.data.channels
    .filter(({ channel }: { channel: string }) => channel === 'stable')
    .map(({ os, version }: { os: string; version: string }) => `${os} ${version}`);
}

describe('starting a rollout', () => {
  test('covers all platforms of the version, and leaves what the channel offers', async () => {
    const studio = await withVersions(OSES);
    const rollout = await started(studio, { version: ' 2\n' });
    assert.deepEqual([rollout.state, rollout.share, rollout.step], ['running', 5, 0]);
    assert.deepEqual(
      rollout.builds.map(({ os, base_version }) => `${os} ${base_version}`),
      ['linux 1', 'macos 1', 'windows 1'],
    );
    assert.equal(rollout.next_step_at, new Date(now.getTime() + 24 * HOUR).toISOString());
    assert.deepEqual(await offers(studio), ['linux 1', 'macos 1', 'windows 1']);
    const list = await call(studio, 'GET', '/rollouts?state=active&channel=stable&version=2');
    assert.deepEqual(list.body.data.rollouts.length, 1);
    assert.deepEqual((await call(studio, 'GET', '/rollouts?state=aborted')).body.data.rollouts, []);
  });

  test('is refused while another one is active on a platform, and possible on others', async () => {
    const studio = await withVersions(OSES);
    await started(studio, { platforms: [{ os: 'win64', arch: 'x64' }] });
    const refused = await start(studio, { version: '2' });
    assert.deepEqual(statusOf(refused), [409, 4077]);
    assert.match(refused.body.error?.message ?? '', /2 is already being rolled out on stable for Windows/);
    await started(studio, { platforms: [{ os: 'linux', arch: 'x86_64' }] });
  });

  test('needs an older build on the channel, and a clean file', async () => {
    const studio = await withVersions();
    await shipAndScan(server, studio.game, { version: '2', os: 'macos', channel: 'beta' });
    const empty = await start(studio, { version: '2' });
    assert.deepEqual(statusOf(empty), [409, 4077]);
    assert.match(empty.body.error?.message ?? '', /stable on macOS .* offers nothing/);
    assert.deepEqual(statusOf(await start(studio, { version: '1' })), [409, 4077]);
    await register(server, studio.game, { version: '3', channel: 'beta' });
    assert.deepEqual(statusOf(await start(studio, { version: '3' })), [409, 4099]);
    assert.deepEqual(statusOf(await start(studio, { version: '9' })), [404, 4006]);
    assert.deepEqual((await call(studio, 'GET', '/rollouts')).body.data.rollouts, []);
  });

  test('is refused with invalid steps, guards and values of other types', async () => {
    const studio = await withVersions();
    const steps = [
      [],
      [{ share: 0, hours: 1 }],
      [{ share: 101 }],
      [{ share: 100 }],
      [{ share: 5.5 }],
      [{ share: 5 }, { share: 10 }],
      [{ share: 10, hours: 1 }, { share: 5 }],
      [{ share: 10, hours: 1 }],
      [
        { share: 10, hours: 1 },
        { share: 100, hours: 1 },
      ],
      [{ share: 10, hours: 100_000 }, { share: 100 }],
      [{ share: '10', hours: 1 }, { share: 100 }],
      Array.from({ length: 21 }, (_, index) => ({ share: index + 1, hours: 1 })),
      'x',
      null,
    ];
    for (const wrong of steps)
      assert.deepEqual(
        statusOf(await start(studio, { version: '2', steps: wrong })),
        [422, 4228],
        JSON.stringify(wrong),
      );
    for (const guards of [
      [{ guard: 'x' }],
      [{ guard: 'boot' }, { guard: 'boot' }],
      [{ guard: 'boot', action: 'x' }],
      'boot',
    ])
      assert.deepEqual(statusOf(await start(studio, { version: '2', guards })), [422, 4228], JSON.stringify(guards));
    for (const body of [{ min_devices: 0 }, { min_devices: '100' }, { version: 7 }, { version: '' }, { platforms: [] }])
      assert.deepEqual(statusOf(await start(studio, { version: '2', ...body })), [422, 4228], JSON.stringify(body));
    assert.deepEqual(statusOf(await start(studio, { version: '2' }, 'No Channel')), [422, 4228]);
  });

  test('twice at the same time starts one', async () => {
    const studio = await withVersions(OSES);
    const both = await Promise.all([start(studio, { version: '2' }), start(studio, { version: '2' })]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
    assert.equal((await call(studio, 'GET', '/rollouts')).body.data.rollouts.length, 1);
  });
});

describe('changing a rollout', () => {
  test('pauses, resumes, extends and finishes it, which promotes the version with a history', async () => {
    const studio = await withVersions(OSES);
    const rollout = await started(studio);
    assert.equal((await act(studio, rollout, 'pause')).body.data.state, 'paused');
    assert.deepEqual(statusOf(await act(studio, rollout, 'pause')), [409, 4077]);
    now = new Date(now.getTime() + HOUR);
    const { next_step_at } = (await act(studio, rollout, 'resume')).body.data;
    assert.equal(next_step_at, new Date(now.getTime() + 24 * HOUR).toISOString());
    assert.deepEqual(statusOf(await act(studio, rollout, 'resume')), [409, 4077]);
    const extended = await act(studio, rollout, 'share', { share: 30 });
    assert.deepEqual([extended.body.data.share, extended.body.data.step], [30, 1]);
    for (const share of [30, 5])
      assert.deepEqual(statusOf(await act(studio, rollout, 'share', { share })), [409, 4077]);
    for (const share of [0, 100, '50', null])
      assert.deepEqual(statusOf(await act(studio, rollout, 'share', { share })), [422, 4228]);
    const finished = await act(studio, rollout, 'finish');
    assert.deepEqual([finished.status, finished.body.data.state], [200, 'finished']);
    assert.deepEqual(await offers(studio), ['linux 2', 'macos 2', 'windows 2']);
    const { body } = await call(studio, 'GET', '/channels/stable/history');
    const moves = body.data.moves.filter(({ version }: { version: string }) => version === '2');
    assert.deepEqual(
      moves.map(({ action }: { action: string }) => action),
      ['promote', 'promote', 'promote'],
    );
    assert.equal(new Set(moves.map(({ change_uid }: { change_uid: string }) => change_uid)).size, 1);
    const { history } = await get(studio, rollout);
    assert.deepEqual(
      history.map(({ kind }) => kind),
      ['finished', 'share', 'resumed', 'paused', 'started'],
    );
    for (const verb of ['pause', 'resume', 'finish', 'abort'])
      assert.deepEqual(statusOf(await act(studio, rollout, verb)), [409, 4077], verb);
    const audit = await call(studio, 'GET', '/audit');
    const operations = audit.body.data.entries.map(({ operation }: { operation: string }) => operation);
    for (const operation of ['start', 'pause', 'resume', 'share', 'finish'])
      assert.ok(operations.includes(`rollouts.${operation}`), operation);
  });

  test('goes through the steps by itself, and promotes the version at the end', async () => {
    const studio = await withVersions();
    const steps = [{ share: 5, hours: 4 }, { share: 25, hours: 24 }, { share: 100 }];
    const rollout = await started(studio, { steps, guards: [] });
    await watchRollouts(server.ctx);
    assert.equal((await get(studio, rollout)).share, 5);
    now = new Date(now.getTime() + 4 * HOUR);
    await watchRollouts(server.ctx);
    await watchRollouts(server.ctx);
    const second = await get(studio, rollout);
    assert.deepEqual([second.share, second.step], [25, 1]);
    now = new Date(now.getTime() + 24 * HOUR);
    await Promise.all([watchRollouts(server.ctx), watchRollouts(server.ctx)]);
    const last = await get(studio, rollout);
    assert.equal(last.state, 'finished');
    assert.deepEqual(last.history.map(({ kind, by }) => `${kind} ${by}`).slice(0, 2), [
      'finished schedule',
      'step schedule',
    ]);
    assert.deepEqual(await offers(studio), ['linux 2']);
    const audit = await call(studio, 'GET', '/audit');
    const entry = audit.body.data.entries.find(
      ({ operation }: { operation: string }) => operation === 'rollouts.finish',
    );
    assert.match(JSON.stringify(entry), /Rollout/);
  });

  test('does not advance while it is paused', async () => {
    const studio = await withVersions();
    const rollout = await started(studio, { steps: [{ share: 5, hours: 1 }, { share: 50 }], guards: [] });
    await act(studio, rollout, 'pause');
    now = new Date(now.getTime() + 10 * HOUR);
    await watchRollouts(server.ctx);
    assert.equal((await get(studio, rollout)).share, 5);
    await act(studio, rollout, 'resume');
    await watchRollouts(server.ctx);
    assert.equal((await get(studio, rollout)).share, 5);
    now = new Date(now.getTime() + HOUR);
    await watchRollouts(server.ctx);
    assert.equal((await get(studio, rollout)).share, 50);
    now = new Date(now.getTime() + 100 * HOUR);
    await watchRollouts(server.ctx);
    const { share, state, next } = await get(studio, rollout);
    assert.deepEqual([share, state], [50, 'running']);
    assert.equal(
      next,
      'It stays at 50% of devices until you finish or abort it.',
      'without a guard that could stop it',
    );
  });

  test('at the same time in two ways applies one of them whole', async () => {
    const studio = await withVersions(OSES);
    const rollout = await started(studio);
    const [finished, aborted] = await Promise.all([act(studio, rollout, 'finish'), act(studio, rollout, 'abort')]);
    assert.deepEqual([finished.status, aborted.status].sort(), [200, 409]);
    const { state } = await get(studio, rollout);
    assert.equal(state, finished.status === 200 ? 'finished' : 'aborted');
    assert.deepEqual(
      await offers(studio),
      OSES.map((os) => `${os} ${state === 'finished' ? 2 : 1}`),
    );
  });

  test('at the same time as a promotion of the channel ends in what the last move says', async () => {
    const studio = await withVersions(OSES);
    for (const os of OSES) await shipAndScan(server, studio.game, { version: '3', os, channel: 'beta' });
    const rollout = await started(studio);
    const [finished, promoted] = await Promise.all([
      act(studio, rollout, 'finish'),
      call(studio, 'POST', '/channels/stable/promote-version', { version: '3' }),
    ]);
    assert.equal(promoted.status, 200);
    assert.ok(finished.status === 200 || finished.status === 409);
    const { state } = await get(studio, rollout);
    assert.equal(state, finished.status === 200 ? 'finished' : 'superseded');
    assert.deepEqual(await offers(studio), ['linux 3', 'macos 3', 'windows 3']);
  });

  test('needs the role of a developer, in this game', async () => {
    const studio = await withVersions();
    const rollout = await started(studio);
    const person = await makePlayer(server);
    const path = `/games/${studio.game.uid}`;
    const tries: [method: string, path: string, body?: object][] = [
      ['POST', '/channels/stable/rollouts', { version: '2' }],
      ['POST', `/rollouts/${rollout.rollout_id}/pause`],
      ['POST', `/rollouts/${rollout.rollout_id}/resume`],
      ['POST', `/rollouts/${rollout.rollout_id}/share`, { share: 50 }],
      ['POST', `/rollouts/${rollout.rollout_id}/finish`],
      ['POST', `/rollouts/${rollout.rollout_id}/abort`],
    ];
    for (const [method, below, body] of tries)
      assert.equal((await callApi(server, person.headers, method, path + below, body)).status, 404, below);
    assert.equal((await callApi(server, person.headers, 'GET', `${path}/rollouts`)).status, 404);
    await makeMember(server, studio.game.uid, person, 'triager');
    for (const [method, below, body] of tries)
      assert.equal((await callApi(server, person.headers, method, path + below, body)).status, 403, below);
    assert.equal((await callApi(server, person.headers, 'GET', `${path}/rollouts`)).status, 200);
    const other = await makeOwnedGame(server);
    assert.deepEqual(statusOf(await act(other, rollout, 'abort')), [404, 4040]);
    assert.deepEqual(statusOf(await call(other, 'GET', `/rollouts/${rollout.rollout_id}`)), [404, 4040]);
    assert.deepEqual(statusOf(await call(studio, 'GET', '/rollouts/x')), [400, 4002]);
    assert.equal((await get(studio, rollout)).state, 'running');
  });

  test('works with a deploy key, for its own game only', async () => {
    const studio = await withVersions();
    const other = await withVersions();
    const keyed = ({ game }: OwnedGame, method: string, path: string, body?: object) =>
      callApi(server, game.keyHeaders, method, `/tool${path}`, body);
    const { status, body } = await keyed(studio, 'POST', '/channels/stable/rollouts', { version: '2' });
    assert.equal(status, 201);
    const path = `/rollouts/${body.data.rollout_id}`;
    for (const verb of ['pause', 'resume', 'abort', 'finish'])
      assert.deepEqual(statusOf(await keyed(other, 'POST', `${path}/${verb}`)), [404, 4040]);
    assert.deepEqual(statusOf(await keyed(other, 'GET', path)), [404, 4040]);
    assert.equal((await keyed(studio, 'POST', `${path}/pause`)).body.data.state, 'paused');
    assert.equal((await keyed(studio, 'POST', `${path}/resume`)).body.data.state, 'running');
    assert.equal((await keyed(studio, 'POST', `${path}/share`, { share: 60 })).body.data.share, 60);
    assert.match((await keyed(studio, 'GET', path)).body.data.history[0].by, /^deploy key/);
    assert.equal((await keyed(studio, 'GET', '/rollouts')).body.data.rollouts.length, 1);
    assert.equal((await keyed(studio, 'POST', `${path}/abort`)).body.data.state, 'aborted');
  });
});

describe('a rollout ends as superseded, with the reason in its history', () => {
  const reasonOf = async (studio: OwnedGame, rollout: Rollout) => {
    const { state, history } = await get(studio, rollout);
    return `${state}: ${history[0]!.text}`;
  };

  test('when the channel is promoted, rolled back, undone or moved by an upload', async () => {
    const studio = await withVersions(OSES);
    const first = await started(studio);
    await shipAndScan(server, studio.game, { version: '1.5', os: 'macos' });
    assert.match(await reasonOf(studio, first), /^superseded: .*stable changed on macOS.*an upload moved it to 1\.5/);
    const steps = [{ share: 50 }];
    const second = await started(studio, { steps, platforms: [{ os: 'linux', arch: 'x86_64' }] });
    await call(studio, 'POST', '/channels/stable/promote-version', {
      version: '2',
      platforms: [{ os: 'linux', arch: 'x86_64' }],
    });
    assert.match(await reasonOf(studio, second), /^superseded: .*on Linux.*moved to 2/);
    for (const os of OSES) await shipAndScan(server, studio.game, { version: '3', os, channel: 'beta' });
    const third = await started(studio, { version: '3' });
    await call(studio, 'POST', '/channels/stable/rollback', { os: 'linux' });
    assert.match(await reasonOf(studio, third), /^superseded: .*rolled back to 1\./);
    const fourth = await started(studio, { version: '3' });
    const { body } = await call(studio, 'GET', '/channels');
    const linux = body.data.channels.find(
      ({ channel, os }: { channel: string; os: string }) => channel === 'stable' && os === 'linux',
    );
    const undone = await call(studio, 'POST', '/channels/stable/undo', { change_uid: linux.change_uid });
    assert.equal(undone.status, 200);
    assert.match(await reasonOf(studio, fourth), /^superseded: .*undone, which restored 2/);
  });

  test('when one of its builds, or the current build, is deleted', async () => {
    const studio = await withVersions(OSES);
    const first = await started(studio);
    const { build_id: macos } = first.builds.find(({ os }) => os === 'macos')!;
    const preview = await call(studio, 'GET', `/builds/${macos}/deletion`);
    assert.deepEqual([preview.body.data.rollouts, preview.body.data.touches_players], [['stable'], true]);
    assert.match(preview.body.data.consequences.join(), /The rollout on stable with this build ends/);
    assert.equal((await call(studio, 'DELETE', `/builds/${macos}`)).status, 200);
    assert.match(await reasonOf(studio, first), /^superseded: .*build of 2 for macOS .* was deleted/);
    const second = await started(studio, { platforms: [{ os: 'linux', arch: 'x86_64' }] });
    const deleted = await call(studio, 'POST', '/version/deletion', { version: '1' });
    assert.equal(deleted.status, 200);
    assert.match(
      await reasonOf(studio, second),
      /^superseded: .*stable changed on Linux.*: its build of 1 was deleted/,
    );
  });

  test('when what the channel offers expires', async () => {
    const studio = await withVersions();
    await call(studio, 'POST', '/channels/stable/promote-version', { version: '1', expires_in_hours: 2 });
    const rollout = await started(studio);
    now = new Date(now.getTime() + 3 * HOUR);
    await watchRollouts(server.ctx);
    assert.match(await reasonOf(studio, rollout), /^superseded: .*expired/);
    assert.deepEqual(await offers(studio), ['linux 1']);
  });

  test('but not when another channel moves', async () => {
    const studio = await withVersions();
    const rollout = await started(studio);
    await shipAndScan(server, studio.game, { version: '3', channel: 'beta' });
    await call(studio, 'POST', '/channels/dev/promote-version', { version: '2' });
    assert.equal((await get(studio, rollout)).state, 'running');
  });

  test('promotions of several versions on all platforms at once never block each other', async () => {
    const studio = await withVersions(OSES);
    for (const os of OSES) await shipAndScan(server, studio.game, { version: '3', os, channel: 'beta' });
    const rollout = await started(studio);
    const results = await Promise.all([
      call(studio, 'POST', '/channels/stable/promote-version', { version: '3' }),
      call(studio, 'POST', '/channels/stable/promote-version', {
        version: '2',
        platforms: [{ os: 'windows', arch: 'x86_64' }],
      }),
      call(studio, 'POST', '/channels/stable/rollback', { os: 'macos' }),
      act(studio, rollout, 'pause'),
      act(studio, rollout, 'share', { share: 90 }),
    ]);
    for (const { status, body } of results) assert.ok(status < 500, JSON.stringify(body));
    assert.equal((await get(studio, rollout)).state, 'superseded');
  });
});
