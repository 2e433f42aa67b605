// Moderation on the real server: reports of players, and what operators do about them.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { DAY } from '../src/kernel/clock.ts';
import { changed, rows } from '../src/kernel/database/db.ts';
import { setUserOperator } from '../src/people/accounts/accounts.ts';
import { expireReports } from '../src/shop/moderation/moderation.ts';
import { callApi, makeOwnedGame, statusOf } from './setup/api-calls.ts';
import { mailTo } from './setup/mail.ts';
import { makePlayer, request, startServer, type TestServer } from './setup/server.ts';
import { shipAndScan } from './setup/uploads.ts';

type Queued = {
  game_uid: string;
  open_reports: number;
  hidden: { reason: string } | null;
  reports: { message: string; reported_by: string | null }[];
};

describe('reports about pages', () => {
  let server: TestServer;
  let operator: { cookie: string };
  let now = Date.now();
  before(async () => {
    server = await startServer({ clock: { now: () => new Date(now) } });
    const person = await makePlayer(server);
    await setUserOperator(server.ctx, person.email, true);
    operator = person.headers;
  });
  after(() => server.stop());

  const report = (uid: string, message = 'Stolen pictures', headers = {}) =>
    callApi(server, headers, 'POST', `/public/games/${uid}/page-reports`, { reason: 'stolen', message });
  const act = (method: string, path: string, body?: object) =>
    callApi(server, operator, method, `/operator${path}`, body);
  async function queue(state = 'reported'): Promise<Queued[]> {
    const { status, body } = await act('GET', `/reported-games?state=${state}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.games;
  }
  const ofGame = async (uid: string, state?: string) => (await queue(state)).find(({ game_uid }) => game_uid === uid);

  test('are listed by game until they are dismissed, with the names of accounts only', async () => {
    const { game } = await makeOwnedGame(server, { visibility: 'public' });
    const player = await makePlayer(server);
    assert.equal((await report(game.uid, ' <b>Mine</b>\n')).status, 201);
    now += 1;
    assert.equal((await report(game.uid, 'Mine too', player.headers)).status, 201);
    const found = await ofGame(game.uid);
    assert.equal(found?.open_reports, 2);
    assert.deepEqual(
      found?.reports.map(({ message }) => message),
      ['Mine too', '<b>Mine</b>'],
    );
    assert.notEqual(found?.reports[0]?.reported_by, null);
    assert.equal(found?.reports[1]?.reported_by, null);
    assert.deepEqual((await act('POST', `/reported-games/${game.uid}/dismiss`)).body.data, { dismissed: 2 });
    assert.deepEqual((await act('POST', `/reported-games/${game.uid}/dismiss`)).body.data, { dismissed: 0 });
    assert.equal(await ofGame(game.uid), undefined);
    const kept = () => rows(server.ctx.db, sql`select from page_reports where game_id = ${game.uid}`);
    now += 31 * DAY;
    await expireReports(server.ctx);
    assert.equal((await kept()).length, 0);
  });

  test('let an operator hide the page, which only an operator can show again', async () => {
    const { game, owner } = await makeOwnedGame(server, { visibility: 'public' });
    const { fileUid } = await shipAndScan(server, game);
    const file = `${server.api}/public/games/${game.uid}/files/${fileUid}/download`;
    assert.equal((await fetch(file, { redirect: 'manual' })).status, 200);
    await report(game.uid);
    const hide = (reason: string) => act('POST', `/reported-games/${game.uid}/hide`, { reason });
    assert.equal((await hide('The pictures belong to someone else.')).status, 200);
    const { text } = await mailTo(server, game.owner.email, /^The page of .* was hidden$/);
    assert.match(text, /The pictures belong to someone else\./);
    assert.equal(await ofGame(game.uid), undefined);
    assert.equal((await ofGame(game.uid, 'hidden'))?.hidden?.reason, 'The pictures belong to someone else.');
    assert.equal((await fetch(file)).status, 404);
    assert.equal((await request(`${server.api}/public/games/${game.uid}`)).status, 404);
    const own = await callApi(server, owner, 'GET', `/games/${game.uid}`);
    assert.equal(own.body.data.hidden.reason, 'The pictures belong to someone else.');

    for (const visibility of ['public', 'invisible'])
      assert.deepEqual(
        statusOf(await callApi(server, owner, 'PATCH', `/games/${game.uid}`, { visibility })),
        [409, 4239],
      );
    const edit = await callApi(server, owner, 'PATCH', `/games/${game.uid}`, {
      visibility: 'draft',
      tagline: 'Our own',
    });
    assert.equal(edit.status, 200);
    assert.equal((await hide('Still not yours.')).status, 200);
    for (let time = 0; time < 2; time += 1) {
      const { body } = await act('POST', `/reported-games/${game.uid}/restore`);
      assert.equal(body.data.visibility, 'public', 'as it was before it was hidden first');
    }
    assert.equal((await fetch(file)).status, 200);
    assert.equal((await callApi(server, owner, 'GET', `/games/${game.uid}`)).body.data.hidden, null);
    const audit = await callApi(server, owner, 'GET', `/games/${game.uid}/audit`);
    const operations = audit.body.data.entries.map(({ operation }: { operation: string }) => operation);
    assert.ok(operations.includes('moderation.hide') && operations.includes('moderation.restore'));
  });

  test('are refused for drafts, when incomplete, and after ten of one address', async () => {
    now += 2 * DAY;
    const [{ game: draft }, { game }] = [
      await makeOwnedGame(server, { visibility: 'draft' }),
      await makeOwnedGame(server, { visibility: 'public' }),
    ];
    assert.deepEqual(statusOf(await report(draft.uid)), [404, 4040]);
    assert.deepEqual(statusOf(await report(game.uid, '')), [400, 4002]);
    for (const message of ['x\u202ey', ' \n']) assert.deepEqual(statusOf(await report(game.uid, message)), [400, 4002]);
    assert.deepEqual(statusOf(await act('POST', `/reported-games/${game.uid}/hide`, { reason: ' \n' })), [400, 4002]);
    let refused = 0;
    for (let time = 0; time < 12; time += 1) if ((await report(game.uid)).status === 429) refused += 1;
    assert.ok(refused >= 2);
    assert.ok(((await ofGame(game.uid))?.open_reports ?? 0) <= 10);
  });

  test('are for operators only, and deleted with the game', async () => {
    const { game, owner } = await makeOwnedGame(server, { visibility: 'public' });
    for (const path of ['dismiss', 'hide', 'restore'])
      assert.equal(
        (await callApi(server, owner, 'POST', `/operator/reported-games/${game.uid}/${path}`, { reason: 'x' })).status,
        403,
      );
    assert.equal((await callApi(server, owner, 'GET', '/operator/reported-games')).status, 403);
    await changed(server.ctx.db, sql`delete from all_games where game_id = ${game.uid}`);
    assert.equal(await ofGame(game.uid), undefined);
  });
});
