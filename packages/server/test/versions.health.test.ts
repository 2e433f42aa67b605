// What is known about a version as a whole: its launches, its crashes and its missing symbols, over all its builds.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { callApi, makeOwnedGame, type OwnedGame } from './setup/api-calls.ts';
import { addReport } from './setup/crash-reports.ts';
import { send } from './setup/events.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { register } from './setup/uploads.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_PUBLIC: '0', CHAUFFEUR_LIMIT_UPLOADS: '0' } });
});
after(() => server.stop());

async function read({ game, owner }: OwnedGame, version: string) {
  const { status, body } = await callApi(server, owner, 'GET', `/games/${game.uid}/version?version=${version}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

/** Starts a build on devices, of which the first `crashed` crash before they boot. */
async function launch({ game }: OwnedGame, buildId: string, devices: number, crashed: number): Promise<void> {
  const events = Array.from({ length: devices }, (_, no) => {
    const device_uid = `device-${buildId.slice(-12)}-${no}`;
    return [
      { event: 'session_start', device_uid },
      no < crashed ? { event: 'crash', device_uid } : { event: 'boot_ok', device_uid, ms: 900 },
    ];
  }).flat();
  assert.equal((await send({ server, game, buildId }, { events })).status, 202);
}

test('the health of a version is that of all its builds, with intervals', async () => {
  const studio = await makeOwnedGame(server);
  const windows = await register(server, studio.game, { version: '1.0', os: 'windows' });
  const linux = await register(server, studio.game, { version: '1.0', os: 'linux' });
  const other = await register(server, studio.game, { version: '2.0', os: 'linux' });
  await launch(studio, windows, 30, 0);
  await launch(studio, linux, 10, 2);
  await launch(studio, other, 5, 5);
  const version = await read(studio, '1.0');
  const { band, devices, booted, crashed_on_boot, boot_rate: boots } = version.launch;
  assert.deepEqual([band, devices, booted, crashed_on_boot], ['mixed', 40, 38, 2]);
  assert.ok(boots.low < 0.95 && boots.rate === 0.95 && boots.high > 0.95 && boots.high < 1);
  const { device_rate: free, sessions, crashes } = version.crash_free;
  assert.deepEqual([free.rate, sessions, crashes], [0.95, 40, 2]);
  assert.deepEqual(
    version.adoption.map(({ devices: own, all_devices, crashed_devices }: Record<string, number>) => [
      own,
      crashed_devices,
      all_devices,
    ]),
    [[40, 2, 45]],
  );
  assert.deepEqual(
    version.builds.map((build: { os: string; launch: { devices: number; band: string } }) => [
      build.os,
      build.launch.devices,
      build.launch.band,
    ]),
    [
      ['linux', 10, 'unrated'],
      ['windows', 30, 'excellent'],
    ],
  );
  const { body } = await callApi(server, studio.owner, 'GET', `/games/${studio.game.uid}/versions`);
  assert.deepEqual(
    body.data.versions.map(({ launch: { devices: count } }: { launch: { devices: number } }) => count),
    [5, 40],
  );
});

test('a group is new in a version if no earlier build has it, and fixed in the one it was resolved in', async () => {
  const studio = await makeOwnedGame(server);
  const { game, owner } = studio;
  const crash = (buildId: string, name: string) =>
    addReport(server.ctx, { game: { uid: game.uid } as never, buildId, stack: [name] });
  const first = await register(server, game, { version: '1.0', os: 'windows' });
  const second = await register(server, game, { version: '2.0', os: 'windows' });
  const third = await register(server, game, { version: '2.0', os: 'linux' });
  const late = await register(server, game, { version: '3.0', os: 'linux' });
  await crash(first, 'old_crash');
  for (const buildId of [second, third, third]) await crash(buildId, 'old_crash');
  for (const buildId of [second, third, late]) await crash(buildId, 'new_crash');
  await crash(late, 'newest_crash');
  const { body } = await callApi(server, owner, 'GET', `/games/${game.uid}/crash-groups`);
  const old = body.data.groups.find(({ title }: { title: string }) => title === 'old_crash');
  await callApi(server, owner, 'PATCH', `/games/${game.uid}/crash-groups/${old.group_id}`, {
    status: 'resolved',
    fixed_in_version: '3.0',
  });
  const titles = ({ count, groups }: { count: number; groups: { title: string; reports: number }[] }) => [
    count,
    ...groups.map(({ title, reports }) => `${title} ${reports}`),
  ];
  const [one, two, three] = [await read(studio, '1.0'), await read(studio, '2.0'), await read(studio, '3.0')];
  assert.deepEqual(titles(one.new_groups), [1, 'old_crash 1']);
  assert.deepEqual([titles(two.new_groups), titles(two.fixed_groups)], [[1, 'new_crash 2'], [0]]);
  assert.deepEqual(
    [titles(three.new_groups), titles(three.fixed_groups)],
    [
      [1, 'newest_crash 1'],
      [1, 'old_crash 0'],
    ],
  );
  // Deleting the earlier build does not make its crash a new one.
  await callApi(server, owner, 'DELETE', `/games/${game.uid}/builds/${first}`);
  assert.deepEqual(titles((await read(studio, '2.0')).new_groups), [1, 'new_crash 2']);
});

test('modules without symbols are counted over its builds', async () => {
  const studio = await makeOwnedGame(server);
  const { game } = studio;
  const [windows, linux] = [
    await register(server, game, { version: '1.0', os: 'windows' }),
    await register(server, game, { version: '1.0', os: 'linux' }),
  ];
  const id = 'A'.repeat(33);
  for (const [buildId, missing] of [
    [windows, [`engine.pdb/${id}`, `game.pdb/${id}`]],
    [linux, [`engine.pdb/${id}`]],
  ] as const)
    await addReport(server.ctx, { game: { uid: game.uid } as never, buildId, stack: ['f'], missing });
  const { missing_symbols: missing, builds } = await read(studio, '1.0');
  assert.deepEqual(
    missing.map(({ module, crashes, build_ids }: { module: string; crashes: number; build_ids: string[] }) => [
      module,
      crashes,
      build_ids.length,
    ]),
    [
      ['engine.pdb', 2, 2],
      ['game.pdb', 1, 1],
    ],
  );
  assert.deepEqual(
    builds.map(({ os, missing_symbols: count }: { os: string; missing_symbols: number }) => [os, count]),
    [
      ['linux', 1],
      ['windows', 2],
    ],
  );
});
