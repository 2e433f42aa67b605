// The days of a game on its overview: downloads, devices and crashed devices.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { utcDayOf } from '../src/kernel/clock.ts';
import { send } from './setup/events.ts';
import { makeGame, makePlayer, request, signIn, startServer, type TestServer } from './setup/server.ts';
import { shipAndScan } from './setup/uploads.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_PUBLIC: '0', CHAUFFEUR_LIMIT_UPLOADS: '0' } });
});
after(() => server.stop());

test('a game has its downloads and devices of all builds by day, for members only', async () => {
  const game = await makeGame(server);
  const headers = await signIn(server, game.owner);
  const read = async (reader: Record<string, string> = headers) =>
    request(`${server.api}/games/${game.uid}/activity`, { headers: reader });
  assert.deepEqual((await read()).body.data.days, []);
  const builds: Awaited<ReturnType<typeof shipAndScan>>[] = [];
  for (const version of ['1.0', '2.0']) {
    // A channel only offers its newest build.
    const build = await shipAndScan(server, game, { version });
    const response = await fetch(`${server.api}/public/games/${game.uid}/files/${build.fileUid}/download`);
    assert.equal(response.status, 200);
    await response.arrayBuffer();
    builds.push(build);
  }
  for (const [no, { buildId }] of builds.entries())
    for (const device_uid of ['one', 'two']) {
      const events = [
        { event: 'session_start', device_uid },
        ...(no === 0 && device_uid === 'one' ? [{ event: 'crash', device_uid }] : []),
      ];
      assert.equal((await send({ server, game, buildId }, { events })).status, 202);
    }
  const { days } = (await read()).body.data;
  assert.deepEqual(days, [{ day: utcDayOf(new Date()), downloads: 2, devices: 4, crashed_devices: 1 }]);
  assert.equal((await read((await makePlayer(server)).headers)).status, 404);
});
