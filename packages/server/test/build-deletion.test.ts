// Deleting a build on the real server: its announced consequences, what is removed, and races.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { row } from '../src/kernel/database/db.ts';
import { scanFile } from '../src/ship/scans/scans.ts';
import { callApi, makeOwnedGame, type OwnedGame } from './setup/api-calls.ts';
import { makePlayer, request, startServer, type TestServer } from './setup/server.ts';
import {
  formOf,
  register,
  sendChunk,
  ship,
  shipAndScan,
  smallZip,
  startSession,
  untilScanned,
  upload,
  uploadFields,
  zipOfSize,
} from './setup/uploads.ts';

describe('deleting a build', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());

  const open = (visibility: 'public' | 'draft' = 'public') => makeOwnedGame(server, { visibility });
  const call = ({ game, owner }: OwnedGame, method: string, path: string, body?: unknown) =>
    callApi(server, owner, method, `/games/${game.uid}${path}`, body);

  const remove = (studio: OwnedGame, buildId: string) => call(studio, 'DELETE', `/builds/${buildId}`);
  const preview = (studio: OwnedGame, buildId: string) => call(studio, 'GET', `/builds/${buildId}/deletion`);
  const offered = async ({ game }: OwnedGame) =>
    (await request(`${server.api}/public/games/${game.uid}`)).body.data.downloads.length;

  test('announces what it removes and who is affected', async () => {
    const studio = await open();
    const { buildId } = await shipAndScan(server, studio.game, { version: '1.0' });
    await call(studio, 'POST', '/channels/beta/promote', { build_id: buildId, expires_in_hours: 5 });
    const { status, body } = await preview(studio, buildId);
    assert.equal(status, 200);
    const { channels, files, bytes, touches_players, consequences } = body.data;
    assert.deepEqual(
      channels.map(({ channel }: { channel: string }) => channel),
      ['stable', 'beta'],
    );
    assert.deepEqual([files, bytes, touches_players], [1, smallZip().length, true]);
    assert.match(consequences.join('\n'), /stable on Linux x86_64 will offer nothing.*All players lose/);
    assert.equal((await preview(studio, buildId)).body.data.files, 1, 'the preview deletes nothing');
  });

  test('affects no players in a draft or where no channel offers the build', async () => {
    const draft = await open('draft');
    const first = await shipAndScan(server, draft.game, { version: '1.0' });
    assert.equal((await preview(draft, first.buildId)).body.data.touches_players, false);
    const studio = await open();
    const old = await shipAndScan(server, studio.game, { version: '1.0' });
    await shipAndScan(server, studio.game, { version: '2.0' });
    const { body } = await preview(studio, old.buildId);
    assert.deepEqual([body.data.channels, body.data.touches_players], [[], false]);
    assert.match(body.data.consequences[0], /No channel offers it/);
  });

  test('leaves the channel empty instead of falling back to an earlier build', async () => {
    const studio = await open();
    await shipAndScan(server, studio.game, { version: '1.0' });
    const { buildId, fileUid } = await shipAndScan(server, studio.game, { version: '2.0' });
    const { status, body } = await remove(studio, buildId);
    assert.deepEqual([status, body.data.channels, body.data.files], [200, ['stable'], 1]);
    assert.equal(await offered(studio), 0);
    const file = await request(`${server.api}/public/games/${studio.game.uid}/files/${fileUid}/download`, {
      headers: studio.owner,
    });
    assert.deepEqual([file.status, file.body.error?.code], [404, 4040]);
    const deleted = await call(studio, 'GET', `/builds/${buildId}`);
    assert.equal(deleted.body.error?.code, 4006);
    assert.match(deleted.body.error?.message ?? '', /Build 2\.0 was deleted on \d{4}-\d\d-\d\d by Owner/);
    const { channels, emptied } = (await call(studio, 'GET', '/channels')).body.data;
    assert.deepEqual([channels, emptied.map(({ version }: { version: string }) => version)], [[], ['2.0']]);
  });

  test('appears in the channel history with the person and the name of the build', async () => {
    const studio = await open();
    const { buildId } = await shipAndScan(server, studio.game, { version: '2.0' });
    await remove(studio, buildId);
    const { moves } = (await call(studio, 'GET', '/channels/stable/history')).body.data;
    assert.deepEqual(
      moves.map(({ action, version, by, deleted }: Record<string, unknown>) => [action, version, by, deleted]),
      [
        ['delete', '2.0', 'Owner', true],
        ['advance', '2.0', 'upload', true],
      ],
    );
  });

  test('lets only a build newer than the deleted one advance the channel; promotions and rollbacks still work', async () => {
    const studio = await open();
    const old = await shipAndScan(server, studio.game, { version: '1.0' });
    const newer = await shipAndScan(server, studio.game, { version: '2.0' });
    await remove(studio, newer.buildId);
    const again = smallZip('again.txt');
    const late = await upload(server, studio.game, formOf(uploadFields(old.buildId, again), again));
    await untilScanned(server, studio.game, late.body.data.file_uid);
    assert.equal(await offered(studio), 0, 'an old build is not offered again automatically');
    await shipAndScan(server, studio.game, { version: '3.0' });
    assert.equal(await offered(studio), 1);
    const back = await call(studio, 'POST', '/channels/stable/rollback', {});
    assert.equal(back.body.data.channels[0].version, '1.0', 'skips the deleted build');
  });

  test('frees its identity: the same version can be registered and shipped again', async () => {
    const studio = await open();
    const first = await shipAndScan(server, studio.game, { version: '1.0' });
    await remove(studio, first.buildId);
    const second = await shipAndScan(server, studio.game, { version: '1.0' });
    assert.notEqual(second.buildId, first.buildId);
    assert.equal(await offered(studio), 1);
  });

  test('returns 4006 the second time, 4040 to strangers and 4002 for a malformed id', async () => {
    const studio = await open();
    const buildId = await register(server, studio.game);
    const stranger = await makePlayer(server);
    const foreign = await call({ ...studio, owner: stranger.headers }, 'DELETE', `/builds/${buildId}`);
    assert.deepEqual([foreign.status, foreign.body.error?.code], [404, 4040]);
    assert.equal((await remove(studio, buildId)).status, 200);
    assert.equal((await remove(studio, buildId)).body.error?.code, 4006);
    assert.equal((await remove(studio, 'nonsense')).body.error?.code, 4002);
  });

  test('ends its upload session with 4045 and refuses its reports and events', async () => {
    const studio = await open();
    const zip = zipOfSize(4000);
    const sessionId = await startSession(server, studio.game, zip);
    assert.equal((await sendChunk(server, studio.game, sessionId, zip, 0, 1000)).status, 202);
    const build = await row(
      server.ctx.db,
      sql<{ build_id: string }>`select build_id from upload_sessions where session_id = ${sessionId}`,
    );
    const buildId = build?.build_id ?? '';
    assert.equal((await preview(studio, buildId)).body.data.upload_sessions, 1);
    assert.equal((await remove(studio, buildId)).status, 200);
    const next = await sendChunk(server, studio.game, sessionId, zip, 1000, 2000);
    assert.deepEqual([next.status, next.body.error?.code], [404, 4045]);
    const report = await request(`${server.api}/public/crashes`, {
      method: 'POST',
      headers: { 'x-app-id': studio.game.uid, 'x-build-id': buildId, 'content-type': 'application/json' },
      body: '{}',
    });
    assert.deepEqual([report.status, report.body.error?.code], [403, 4030]);
  });

  test('and a concurrent last chunk of an upload leave a consistent state in either order', async () => {
    const studio = await open();
    const zip = zipOfSize(2000);
    for (let headStart = 0; headStart < 10; headStart += 1) {
      const sessionId = await startSession(server, studio.game, zip);
      const { builds } = (await call(studio, 'GET', '/builds')).body.data;
      const buildId = builds[0].build_id;
      await sendChunk(server, studio.game, sessionId, zip, 0, 1000);
      const uploading = sendChunk(server, studio.game, sessionId, zip, 1000, zip.length);
      for (let calls = 0; calls < headStart; calls += 1) await preview(studio, buildId);
      const [removed, last] = await Promise.all([remove(studio, buildId), uploading]);
      assert.equal(removed.status, 200);
      if (removed.body.data.files === 1) assert.equal(last.status, 201);
      else
        assert.ok([4039, 4045, 4047].includes(last.body.error?.code ?? 0), `${last.status} ${last.body.error?.code}`);
    }
  });

  test('is not undone by a later scan', async () => {
    const studio = await open();
    const { buildId, fileUid } = await ship(server, studio.game, { version: '1.0' });
    await remove(studio, buildId);
    await scanFile(
      server.ctx,
      { gameId: studio.game.uid, fileId: fileUid },
      { number: 1, last: false, signal: new AbortController().signal },
    );
    assert.equal(await offered(studio), 0);
  });

  test('happens once despite concurrent deletions, promotions, rollbacks and uploads, and leaves nothing offered', async () => {
    for (let round = 0; round < 5; round += 1) {
      const studio = await open();
      await shipAndScan(server, studio.game, { version: '1.0' });
      const { buildId } = await shipAndScan(server, studio.game, { version: '2.0' });
      const zip = smallZip('more.txt');
      const responses = await Promise.all([
        remove(studio, buildId),
        call(studio, 'POST', '/channels/stable/promote', { build_id: buildId }),
        remove(studio, buildId),
        call(studio, 'POST', '/channels/beta/promote', { build_id: buildId }),
        upload(server, studio.game, formOf(uploadFields(buildId, zip), zip)),
        call(studio, 'POST', '/channels/stable/rollback', {}),
        remove(studio, buildId),
      ]);
      assert.ok(
        responses.every(({ status }) => status < 500),
        JSON.stringify(responses.map(({ status, body }) => [status, body.error])),
      );
      const removals = [0, 2, 6].map((index) => responses[index]?.status).sort();
      assert.deepEqual(removals, [200, 404, 404]);
      const channels = (await call(studio, 'GET', '/channels')).body.data.channels as { build_id: string }[];
      assert.ok(!channels.some(({ build_id }) => build_id === buildId));
    }
  });
});
