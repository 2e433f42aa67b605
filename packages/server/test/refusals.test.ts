// Refused reports and events on the real server: what a game sends with an unknown build id is counted for its
// members, however it is sent, and costs strangers nothing to store.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { DAY } from '../src/kernel/clock.ts';
import { rows } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { MAX_REFS } from '../src/ship/refusals/collector.ts';
import { expireRefusals, noteRefusal, writeRefusals } from '../src/ship/refusals/refusals.ts';
import { callApi, makeOwnedGame, type OwnedGame, statusOf } from './setup/api-calls.ts';
import { report } from './setup/crashes.ts';
import { send, sendByEngine } from './setup/events.ts';
import { fieldPart, filePart, multipartOf, type Part } from './setup/raw.ts';
import { makePlayer, startServer, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';
import { register } from './setup/uploads.ts';

const bodyOf = (parts: readonly Part[]) => multipartOf(parts) as Uint8Array<ArrayBuffer>;

type Listed = {
  build_id: string | null;
  cause: string;
  problem: string;
  reports: number;
  events: number;
  first_at: string;
  last_at: string;
};

describe('refused reports and events', () => {
  let server: TestServer;
  let now = Date.now();
  before(async () => {
    server = await startServer({ clock: { now: () => new Date(now) }, env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
  });
  after(() => server.stop());

  const read = async ({ game, owner }: OwnedGame): Promise<{ reports: number; events: number; refusals: Listed[] }> =>
    (await callApi(server, owner, 'GET', `/games/${game.uid}/refusals`)).body.data;
  const countsOf = async (owned: OwnedGame) =>
    Object.fromEntries(
      (await read(owned)).refusals.map(({ build_id, cause, reports, events }) => [build_id, [cause, reports, events]]),
    );
  const idsOf = ({ game }: OwnedGame, buildId: string, appId: string = game.uid) => ({
    'x-app-id': appId,
    'x-build-id': buildId,
  });
  const event = { event: 'session_start', device_uid: 'a-device' };

  test('are counted with what was sent as the build id, in every way of sending', async () => {
    const owned = await makeOwnedGame(server);
    const { game } = owned;
    const sender = { server, game, buildId: '' };
    const unknown = newId(now);
    const codeOf = async (answer: Promise<Parameters<typeof statusOf>[0]>) => statusOf(await answer)[1];
    for (let no = 0; no < 3; no += 1)
      assert.equal(await codeOf(send(sender, { events: [event, event] }, { headers: idsOf(owned, 'BUILD_ID') })), 4030);
    assert.equal(await codeOf(send(sender, { events: [event] }, { headers: idsOf(owned, unknown) })), 4030);
    assert.equal(await codeOf(send(sender, event, { headers: idsOf(owned, '1.0.0', game.slug) })), 4030);
    assert.equal(await codeOf(report(sender, { message: 'it crashed' }, idsOf(owned, 'BUILD_ID'))), 4030);
    assert.equal(await codeOf(report(sender, { message: 'it crashed' }, idsOf(owned, unknown))), 4030);
    assert.notEqual(await codeOf(report(sender, { message: 'it crashed' }, { 'x-app-id': game.uid })), undefined);
    const dump = filePart(Buffer.from('MDMP'), { name: 'upload_file_minidump', filename: 'x.dmp' });
    const form = { method: 'POST', headers: { 'content-type': 'multipart/form-data; boundary=B' } };
    const url = `${server.api}/public/crashes`;
    const inQuery = await fetch(`${url}?app_id=${game.uid}&build_id=%24BUILD_ID`, { ...form, body: bodyOf([dump]) });
    const fields = [fieldPart('app_id', game.uid), fieldPart('build_id', 'null')];
    const inForm = await fetch(url, { ...form, body: bodyOf([...fields, dump]) });
    assert.deepEqual([inQuery.status, inForm.status], [403, 403]);
    const engineEvents = ['<build-id>', unknown].map((build_id) => ({ event: 'boot_ok', app_id: game.uid, build_id }));
    assert.equal((await sendByEngine(server, { events: engineEvents })).body.data.skipped, 2);
    const expected = {
      BUILD_ID: ['placeholder', 1, 6],
      [unknown]: ['unknown', 1, 2],
      '1.0.0': ['version', 0, 1],
      '': ['missing', 1, 0],
      $BUILD_ID: ['placeholder', 1, 0],
      null: ['empty', 1, 0],
      '<build-id>': ['placeholder', 0, 1],
    };
    const sum = ({ reports, events }: { reports: number; events: number }) => reports + events;
    await until(async () => sum(await read(owned)) === 15);
    assert.deepEqual(await countsOf(owned), expected);
  });

  test('say what is known about an id, but nothing about the games of others', async () => {
    const owned = await makeOwnedGame(server);
    const stranger = await makeOwnedGame(server);
    const build = await register(server, owned.game, { version: '2.0' });
    const deleted = await register(server, owned.game, { version: '1.0' });
    const foreign = await register(server, stranger.game, { version: '1.0' });
    const path = `/games/${owned.game.uid}/builds/${deleted}`;
    assert.ok((await callApi(server, owned.owner, 'DELETE', path)).status < 300);
    for (const buildId of [build, deleted.toUpperCase(), foreign, owned.game.slug])
      noteRefusal(server.ctx, { appId: owned.game.uid, buildId }, 'event', 1);
    await writeRefusals(server.ctx);
    assert.deepEqual(await countsOf(owned), {
      [build]: ['exists', 0, 1],
      [deleted]: ['deleted', 0, 1],
      [foreign]: ['unknown', 0, 1],
      [owned.game.slug]: ['game_id', 0, 1],
    });
  });

  test('store at most a few ids of a game and day, and nothing for games that do not exist', async () => {
    const owned = await makeOwnedGame(server);
    const countRows = async () =>
      (await rows(server.ctx.db, sql`select from refused_builds where game_id = ${owned.game.uid}`)).length;
    for (let batch = 0; batch < 3; batch += 1) {
      for (let no = 0; no < 50; no += 1) {
        noteRefusal(server.ctx, { appId: owned.game.uid, buildId: `id-${batch}-${no}` }, 'event', 1);
        noteRefusal(server.ctx, { appId: newId(now), buildId: 'BUILD_ID' }, 'event', 1);
        noteRefusal(server.ctx, { appId: 'no such game', buildId: 'BUILD_ID' }, 'event', 1);
      }
      await writeRefusals(server.ctx);
    }
    assert.equal(await countRows(), MAX_REFS + 1);
    const { events, refusals } = await read(owned);
    assert.equal(events, 150);
    const rest = refusals.find(({ cause }) => cause === 'rest');
    assert.deepEqual([rest?.build_id, rest?.events], [null, 150 - MAX_REFS]);
    // Ids that are listed already are still counted one by one.
    noteRefusal(server.ctx, { appId: owned.game.uid, buildId: 'id-0-0' }, 'event', 5);
    await writeRefusals(server.ctx);
    assert.deepEqual((await countsOf(owned))['id-0-0'], ['unknown', 0, 6]);
  });

  test('are shown without characters that mislead', async () => {
    const owned = await makeOwnedGame(server);
    for (const buildId of ['a\u202eb', 'x\u0000y', 'z'.repeat(100_000), '\ud800'])
      noteRefusal(server.ctx, { appId: owned.game.uid, buildId }, 'report', 1);
    await writeRefusals(server.ctx);
    const ids = (await read(owned)).refusals.map(({ build_id }) => build_id).toSorted();
    assert.deepEqual(ids, ['\\u{d800}', 'a\\u{202e}b', 'x\\u{0}y', `${'z'.repeat(63)}…`]);
  });

  test('are seen by members only', async () => {
    const { game } = await makeOwnedGame(server);
    const { headers } = await makePlayer(server);
    assert.equal((await callApi(server, headers, 'GET', `/games/${game.uid}/refusals`)).status, 404);
    assert.equal((await callApi(server, {}, 'GET', `/games/${game.uid}/refusals`)).status, 401);
  });

  test('have the first and the last time, and are kept for a month', async () => {
    const owned = await makeOwnedGame(server);
    const ids = { appId: owned.game.uid, buildId: 'BUILD_ID' };
    const begun = now;
    noteRefusal(server.ctx, ids, 'event', 1000);
    await writeRefusals(server.ctx);
    now += DAY;
    noteRefusal(server.ctx, ids, 'event', 200);
    await writeRefusals(server.ctx);
    const [only, ...others] = (await read(owned)).refusals;
    assert.deepEqual(others, []);
    assert.deepEqual([only?.events, only?.problem], [1200, 'it was never replaced']);
    assert.deepEqual(
      [only?.first_at, only?.last_at],
      [begun, now].map((time) => new Date(time).toISOString()),
    );
    await expireRefusals(server.ctx);
    assert.equal((await read(owned)).events, 1200);
    now += 29 * DAY;
    await expireRefusals(server.ctx);
    assert.equal((await read(owned)).events, 200);
    now += 2 * DAY;
    await expireRefusals(server.ctx);
    assert.deepEqual(await rows(server.ctx.db, sql`select from refused_builds where game_id = ${owned.game.uid}`), []);
  });

  test('do not turn a refusal into another error when the database is away', async () => {
    const owned = await makeOwnedGame(server);
    await rows(server.ctx.db, sql`alter table refused_builds rename to refused_builds_away`);
    try {
      const sender = { server, game: owned.game, buildId: '' };
      const answer = await send(sender, { events: [event] }, { headers: idsOf(owned, 'BUILD_ID') });
      assert.deepEqual(statusOf(answer), [403, 4030]);
      await writeRefusals(server.ctx);
    } finally {
      await rows(server.ctx.db, sql`alter table refused_builds_away rename to refused_builds`);
    }
    noteRefusal(server.ctx, { appId: owned.game.uid, buildId: 'BUILD_ID' }, 'event', 1);
    await writeRefusals(server.ctx);
    assert.equal((await read(owned)).events, 1);
  });
});
