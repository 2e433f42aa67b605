// What a developer sees of what Sentry's SDKs sent apart from reports, and assigns by hand, on a real server.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { assignReleases } from '../src/crash/sentry/receive/assign.job.ts';
import { sweepSentryCounts, writeSentryCounts } from '../src/crash/sentry/receive/counts.ts';
import { DAY, utcDayOf } from '../src/kernel/clock.ts';
import { changed, rows } from '../src/kernel/database/db.ts';
import { statusOf } from './setup/api-calls.ts';
import { addBuild, callAs, makeSharedGame, type SharedGame } from './setup/crash-reports.ts';
import { makeDsn, type TestDsn } from './setup/dsns.ts';
import { envelope, newEventId, sendEnvelope } from './setup/envelopes.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';

let server: TestServer;
let now = Date.now();

before(async () => {
  server = await startServer({
    role: 'api',
    env: { CHAUFFEUR_LIMIT_PUBLIC: '0' },
    clock: { now: () => new Date(now) },
  });
});
after(() => server.stop());

type Studio = TestDsn & { readonly server: TestServer; readonly game: SharedGame };

async function start(): Promise<Studio> {
  const game = await makeSharedGame(server);
  return { server, game, ...(await makeDsn(server, game)) };
}

async function activityOf({ game }: Studio, query = '') {
  await writeSentryCounts(server.ctx);
  const { status, body } = await callAs(server, game.owner, `/games/${game.uid}/sentry-activity${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

type Sent = { readonly handled?: boolean; readonly dist?: string; readonly environment?: string };

function sendCrash(studio: Studio, release: string, { handled = false, ...more }: Sent = {}): Promise<Response> {
  const id = newEventId();
  const exception = [{ type: 'Error', value: 'boom', mechanism: { type: 'x', handled } }];
  const event = { event_id: id, release, exception, ...more };
  return sendEnvelope(studio, envelope({ event_id: id }, [[{ type: 'event' }, JSON.stringify(event)]]));
}

const assign = ({ game }: Studio, releaseId: string, buildId: string, person = game.owner) =>
  callAs(server, person, `/games/${game.uid}/unregistered-releases/${releaseId}/assign`, {
    method: 'POST',
    body: { build_id: buildId },
  });

describe('the activity of DSNs', () => {
  it('has what was dropped and discarded, messages, and wrong keys', async () => {
    const [studio, other] = [await start(), await start()];
    const discarded = { discarded_events: [{ reason: 'queue_overflow', category: 'error', quantity: 7 }] };
    await sendEnvelope(
      studio,
      envelope({}, [
        [{ type: 'span', item_count: 12 }, '{}'],
        [{ type: 'client_report' }, JSON.stringify(discarded)],
        [{ type: 'event' }, JSON.stringify({ message: 'hello', level: 'info' })],
        [{ type: '<b>made up</b>' }, '{}'],
      ]),
    );
    const wrong = { ...studio, key: 'abcdef0123456789abcdef0123456789' };
    assert.equal((await sendEnvelope(wrong, envelope({}, []))).status, 403);
    const { counts, wrong_keys } = await activityOf(studio);
    const today = utcDayOf(new Date(now));
    assert.deepEqual(counts, [
      { what: 'dropped', type: 'span', reason: 'not_used', count: 12, last_day: today },
      { what: 'discarded', type: 'error', reason: 'queue_overflow', count: 7, last_day: today },
      { what: 'dropped', type: 'unknown', reason: 'not_used', count: 1, last_day: today },
      { what: 'message', type: 'info', reason: '', count: 1, last_day: today },
    ]);
    assert.deepEqual(wrong_keys, [{ key_start: 'abcdef01', count: 1, last_used_at: new Date(now).toISOString() }]);
    assert.deepEqual(await activityOf(other), { counts: [], wrong_keys: [], releases: [] });
  });

  it('is that of the days that were asked for, of at most 90', async () => {
    const studio = await start();
    const span = envelope({}, [[{ type: 'span' }, '{}']]);
    await sendEnvelope(studio, span);
    await activityOf(studio);
    now += 3 * DAY;
    await sendEnvelope(studio, span);
    assert.equal((await activityOf(studio)).counts[0].count, 2);
    assert.equal((await activityOf(studio, '?days=3')).counts[0].count, 1);
    now += 88 * DAY;
    await sweepSentryCounts(server.ctx);
    assert.equal((await activityOf(studio, '?days=90')).counts[0].count, 1);
    const { game } = studio;
    assert.deepEqual(
      statusOf(await callAs(server, game.owner, `/games/${game.uid}/sentry-activity?days=91`)),
      [400, 4002],
    );
  });

  it('is shown to members only', async () => {
    const [studio, other] = [await start(), await start()];
    const path = `/games/${studio.game.uid}/sentry-activity`;
    assert.equal((await callAs(server, studio.game.admin, path)).status, 200);
    assert.deepEqual(statusOf(await callAs(server, other.game.owner, path)), [404, 4040]);
    assert.deepEqual(statusOf(await callAs(server, null, path)), [401, 4011]);
  });
});

describe('an unregistered release', () => {
  it('is listed with its reports, and moves to the build that it is assigned to', async () => {
    const studio = await start();
    await sendCrash(studio, 'owls@dev', { dist: '7', environment: 'lab' });
    await sendCrash(studio, 'owls@dev', { dist: '7', environment: 'lab', handled: true });
    await sendCrash(studio, 'owls@other');
    const { releases } = await activityOf(studio);
    const shown = releases.map(({ release, dist, environment, crashes, errors }: Record<string, unknown>) => [
      ...[release, dist, environment],
      ...[crashes, errors],
    ]);
    assert.deepEqual(shown.sort(), [
      ['owls@dev', '7', 'lab', 1, 1],
      ['owls@other', '', '', 1, 0],
    ]);
    const { release_id: releaseId } = releases.find(({ release }: { release: string }) => release === 'owls@dev');
    const buildId = await addBuild(server, studio.game, { version: '1.0' });
    assert.deepEqual(statusOf(await assign(studio, releaseId, buildId)), [202, undefined]);
    await assignReleases(server.ctx);
    // Also once this process has looked again for a build.
    now += 60_000;
    await sendCrash(studio, 'owls@dev', { dist: '7', environment: 'lab' });
    const otherId = releases.find(({ release }: { release: string }) => release === 'owls@other').release_id;
    assert.deepEqual((await buildsOf(studio)).sort(), [buildId, buildId, buildId, otherId].sort());
    const left = (await activityOf(studio)).releases.map(({ release }: { release: string }) => release);
    assert.deepEqual(left, ['owls@other']);
    const { body } = await callAs(server, studio.game.owner, `/games/${studio.game.uid}/audit`);
    const entry = body.data.entries.find(({ operation }: { operation: string }) => operation === 'dsns.assignRelease');
    assert.match(JSON.stringify(entry), /owls@dev/);
    // A second time, it is gone.
    assert.deepEqual(statusOf(await assign(studio, releaseId, buildId)), [404, 4040]);
  });

  it('is assigned only within its game, by its developers', async () => {
    const [studio, other] = [await start(), await start()];
    await sendCrash(studio, 'owls@dev');
    const { releases } = await activityOf(studio);
    const releaseId = releases[0].release_id;
    const own = await addBuild(server, studio.game, { version: '1.0' });
    const foreign = await addBuild(server, other.game, { version: '1.0' });
    assert.equal((await assign(studio, releaseId, foreign)).status, 404);
    assert.equal((await assign(studio, randomUUID(), own)).status, 404);
    assert.equal((await assign(other, releaseId, foreign)).status, 404);
    assert.equal((await assign(studio, releaseId, own, other.game.owner)).status, 404);
    await assignReleases(server.ctx);
    assert.deepEqual(await buildsOf(studio), [releaseId]);
  });

  it('is listed again if its build was deleted since', async () => {
    const studio = await start();
    await sendCrash(studio, 'owls@dev');
    const [{ release_id }] = (await activityOf(studio)).releases;
    const buildId = await addBuild(server, studio.game, { version: '1.0' });
    await assign(studio, release_id, buildId);
    await assignReleases(server.ctx);
    await changed(server.ctx.db, sql`delete from builds where build_id = ${buildId}`);
    now += 60_000;
    assert.equal((await sendCrash(studio, 'owls@dev')).status, 200);
    await until(async () => (await activityOf(studio)).releases.length === 1);
  });

  async function buildsOf({ game }: Studio): Promise<string[]> {
    const found = await rows(
      server.ctx.db,
      sql<{ build_id: string }>`select build_id from crash_reports where game_id = ${game.uid} order by report_id`,
    );
    return found.map(({ build_id }) => build_id);
  }
});
