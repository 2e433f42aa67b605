// The alert that a game's launch health got worse.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { raiseBandAlerts } from '../src/analytics/health/band-alerts.job.ts';
import { DAY } from '../src/kernel/clock.ts';
import { rows } from '../src/kernel/database/db.ts';
import { send } from './setup/events.ts';
import { makeGame, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { register } from './setup/uploads.ts';

let now = new Date('2026-11-01T12:00:00Z');
let server: TestServer;

before(async () => {
  // There are no workers, which would put alerts into messages before they are looked at.
  server = await startServer({ role: 'api', clock: { now: () => now }, env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
});
after(() => server.stop());

/** Starts the build on `count` new devices, all of which crash or none. */
async function start(game: TestGame, buildId: string, { from, count, crash }: Launch): Promise<void> {
  for (let no = from; no < from + count; no += 1) {
    const device_uid = `device-${no}`;
    const events = [
      { event: 'session_start', device_uid },
      ...(crash ? [{ event: 'crash', device_uid }] : [{ event: 'boot_ok', device_uid, ms: 1000 }]),
    ];
    const { status } = await send({ server, game, buildId }, { events });
    assert.equal(status, 202);
  }
}
type Launch = { readonly from: number; readonly count: number; readonly crash: boolean };

async function takeAlerts(game: TestGame): Promise<{ kind: string; data: Record<string, unknown> }[]> {
  await raiseBandAlerts(server.ctx);
  return await rows(
    server.ctx.db,
    sql<{ kind: string; data: Record<string, unknown> }>`
      delete from alerts where game_id = ${game.uid} and kind = 'health_dropped' returning kind, data`,
  );
}

test('an alert is raised when the band gets worse, and not when it gets better', async () => {
  const game = await makeGame(server);
  const buildId = await register(server, game);
  await start(game, buildId, { from: 0, count: 30, crash: false });
  assert.deepEqual(await takeAlerts(game), []);
  await start(game, buildId, { from: 30, count: 30, crash: true });
  const [drop, ...others] = await takeAlerts(game);
  assert.deepEqual(others, []);
  assert.equal(drop?.data.build_id, buildId);
  assert.equal(drop?.data.to, 'problematic');
  assert.deepEqual(await takeAlerts(game), []);
  now = new Date(now.getTime() + DAY);
  await start(game, buildId, { from: 100, count: 600, crash: false });
  assert.deepEqual(await takeAlerts(game), []);
});
