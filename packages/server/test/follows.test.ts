// Following games on the real server: confirmed addresses, one mail for each release, and links that end them.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { HOUR, MINUTE } from '../src/kernel/clock.ts';
import { changed, rows } from '../src/kernel/database/db.ts';
import { announceReleases, emailFollowers } from '../src/shop/follows/announce-release.job.ts';
import { callApi, statusOf } from './setup/api-calls.ts';
import { makeOwner, promote, type SeededGame, seedGame } from './setup/listings.ts';
import { mailsTo, mailTo } from './setup/mail.ts';
import { makePlayer, startServer, type TestServer } from './setup/server.ts';

describe('following a game', () => {
  let server: TestServer;
  let owner: string;
  let now = Date.now();
  before(async () => {
    server = await startServer({ clock: { now: () => new Date(now) }, env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
    owner = await makeOwner(server);
  });
  after(() => server.stop());

  const post = (path: string, body?: object) => callApi(server, {}, 'POST', path, body);
  const askFor = (game: SeededGame, email: string) => post(`/public/games/${game.uid}/follow`, { email });
  const tokenIn = (text: string, page: string) => new RegExp(`/${page}/([\\w-]+)`).exec(text)?.[1] ?? '';
  const subjectsTo = async (email: string) => (await mailsTo(server, email)).map(({ subject }) => subject);
  const followsOf = (game: SeededGame) =>
    rows(
      server.ctx.db,
      sql<{ email: string | null; user_id: string | null }>`
      select email, user_id from follows where game_id = ${game.uid}`,
    );

  async function confirmed(game: SeededGame, email: string): Promise<void> {
    await askFor(game, email);
    const { text } = await mailTo(server, email, /^Confirm that you follow/);
    const { status } = await post('/public/follows/confirm', { token: tokenIn(text, 'follow') });
    assert.equal(status, 200);
  }

  /** A new version on stable of the seeded game, and the mails about it once it has settled. */
  async function release(game: SeededGame, version: string): Promise<void> {
    now += HOUR;
    const [buildId = ''] = game.buildIds;
    await changed(
      server.ctx.db,
      sql`update builds set version = ${version}, title = '<b>Owls</b>',
      changelog = '[{"title": "Rain", "description": ""}]' where build_id = ${buildId}`,
    );
    await changed(server.ctx.db, sql`delete from channel_pointers where game_id = ${game.uid}`);
    await changed(server.ctx.db, sql`delete from channel_moves where game_id = ${game.uid}`);
    await promote(server, game, 'stable', new Date(now));
    now += 11 * MINUTE;
    await announceReleases(server.ctx);
  }

  test('needs a confirmed address, stores none before, and ends with one request', async () => {
    const game = await seedGame(server, owner, { name: 'Small Walk' });
    const email = 'Reader@Example.com';
    assert.deepEqual((await askFor(game, email)).body.data, {});
    assert.deepEqual(await followsOf(game), []);
    const { text } = await mailTo(server, 'reader@example.com', /^Confirm that you follow Small Walk/);
    const token = tokenIn(text, 'follow');
    for (let time = 0; time < 2; time += 1)
      assert.equal((await post('/public/follows/confirm', { token })).body.data.name, 'Small Walk');
    assert.deepEqual(await followsOf(game), [{ email: 'reader@example.com', user_id: null }]);

    await release(game, '2.0');
    const mail = await mailTo(server, 'reader@example.com', /^Small Walk 2\.0$/);
    assert.match(mail.text, /is out: <b>Owls<\/b>\.[\s\S]*- Rain/);
    const end = tokenIn(mail.text, 'unfollow');
    const ending = () =>
      fetch(`${server.api}/public/follows/end?token=${end}`, { method: 'POST', body: 'List-Unsubscribe=One-Click' });
    assert.equal((await ending()).status, 200);
    assert.equal((await ending()).status, 200, 'a link that was used works again');
    assert.deepEqual(await followsOf(game), []);
    assert.deepEqual(statusOf(await post('/public/follows/confirm', { token })), [404, 4040], 'a link works once');
    await release(game, '3.0');
    assert.equal((await subjectsTo('reader@example.com')).includes('Small Walk 3.0'), false);
  });

  test('brings one mail for each version, also if jobs run twice', async () => {
    const game = await seedGame(server, owner, { name: 'Twice' });
    await confirmed(game, 'twice@example.com');
    await release(game, '2.0');
    await mailTo(server, 'twice@example.com', /^Twice 2\.0$/);
    await announceReleases(server.ctx);
    const releasedAt = new Date(now - 11 * MINUTE).toISOString();
    await emailFollowers(server.ctx, { gameId: game.uid, version: '2.0', releasedAt });
    await release(game, '2.1');
    await mailTo(server, 'twice@example.com', /^Twice 2\.1$/);
    const subjects = await subjectsTo('twice@example.com');
    assert.deepEqual(
      subjects.filter((subject) => subject.startsWith('Twice ')),
      ['Twice 2.0', 'Twice 2.1'],
    );
  });

  test('brings a mail for each of several versions, whichever mails are sent first', async () => {
    const platforms = [
      { os: 'linux', arch: 'x86_64' },
      { os: 'windows', arch: 'x86_64' },
    ];
    const game = await seedGame(server, owner, { name: 'Both', platforms, movedAt: new Date(now + HOUR) });
    await confirmed(game, 'both@example.com');
    const [first, second] = game.buildIds;
    for (const [buildId, version] of [
      [first, '3.0'],
      [second, '3.1'],
    ])
      await changed(server.ctx.db, sql`update builds set version = ${version} where build_id = ${buildId}`);
    now += 2 * HOUR;
    const mail = (version: string, minutes: number) =>
      emailFollowers(server.ctx, {
        gameId: game.uid,
        version,
        releasedAt: new Date(now - HOUR + minutes * MINUTE).toISOString(),
      });
    for (let time = 0; time < 2; time += 1) {
      await Promise.all([mail('3.1', 1), mail('3.1', 1)]);
      await mail('3.0', 0);
    }
    for (const version of ['3.0', '3.1']) await mailTo(server, 'both@example.com', new RegExp(`^Both ${version}$`));
    const subjects = (await subjectsTo('both@example.com')).filter((subject) => subject.startsWith('Both '));
    assert.deepEqual(subjects.sort(), ['Both 3.0', 'Both 3.1']);
  });

  test('marks only as many versions as can be announced at a time', async () => {
    const game = await seedGame(server, owner, { name: 'Often' });
    await confirmed(game, 'often@example.com');
    await changed(
      server.ctx.db,
      sql`update follows set mailed_versions = array(select n::text from generate_series(1, 20) as n) where game_id = ${game.uid}`,
    );
    await release(game, '21');
    await mailTo(server, 'often@example.com', /^Often 21$/);
    const [follow] = await rows(
      server.ctx.db,
      sql<{ mailed_versions: string[] }>`select mailed_versions from follows where game_id = ${game.uid}`,
    );
    assert.deepEqual(
      follow?.mailed_versions,
      Array.from({ length: 20 }, (_, index) => String(index + 2)),
    );
  });

  test('brings no mail about earlier releases, roll backs, temporary promotions and drafts', async () => {
    const game = await seedGame(server, owner, { name: 'Quiet' });
    await confirmed(game, 'quiet@example.com');
    now += 11 * MINUTE;
    await announceReleases(server.ctx);
    const due = () => rows(server.ctx.db, sql`select from announced_releases where game_id = ${game.uid}`);
    await changed(
      server.ctx.db,
      sql`update channel_moves set expires_at = ${new Date(now + HOUR)} where game_id = ${game.uid}`,
    );
    await announceReleases(server.ctx);
    await changed(
      server.ctx.db,
      sql`update channel_moves set expires_at = null, action = 'rollback' where game_id = ${game.uid}`,
    );
    await changed(server.ctx.db, sql`delete from announced_releases`);
    await announceReleases(server.ctx);
    assert.equal((await due()).length, 0);
    await changed(server.ctx.db, sql`update games set visibility = 'draft' where game_id = ${game.uid}`);
    await release(game, '2.0');
    assert.equal((await due()).length, 0);
    assert.deepEqual(await subjectsTo('quiet@example.com'), ['Confirm that you follow Quiet']);
  });

  test('does not say who follows a game', async () => {
    const game = await seedGame(server, owner, { name: 'Secret' });
    await confirmed(game, 'follower@example.com');
    const [known, unknown] = [await askFor(game, 'follower@example.com'), await askFor(game, 'stranger@example.com')];
    assert.deepEqual([known.status, known.body.data], [unknown.status, unknown.body.data]);
    now += HOUR;
    await askFor(game, 'follower@example.com');
    await mailTo(server, 'follower@example.com', /^You already follow Secret/);
    assert.deepEqual(statusOf(await askFor(game, 'no address')), [400, 4002]);
  });

  test('refuses links that are not from a mail, or are too old', async () => {
    const game = await seedGame(server, owner);
    await askFor(game, 'late@example.com');
    const { text } = await mailTo(server, 'late@example.com', /^Confirm/);
    const token = tokenIn(text, 'follow');
    for (const wrong of ['token', `${token}A`, token.slice(1)])
      assert.deepEqual(statusOf(await post('/public/follows/confirm', { token: wrong })), [404, 4040], wrong);
    // The token of one link does not work for the other.
    assert.equal((await fetch(`${server.api}/public/follows/end?token=${token}`, { method: 'POST' })).status, 404);
    now += 49 * HOUR;
    assert.deepEqual(statusOf(await post('/public/follows/confirm', { token })), [404, 4040]);
  });

  test('works with an account at once, and is deleted with it and with the game', async () => {
    const [game, hidden] = [
      await seedGame(server, owner, { name: 'Mine' }),
      await seedGame(server, owner, { visibility: 'draft' }),
    ];
    const player = await makePlayer(server);
    await confirmed(game, player.email);
    const path = `/games/${game.uid}/follow`;
    assert.equal((await callApi(server, player.headers, 'GET', path)).body.data.following, true);
    assert.deepEqual(
      await followsOf(game),
      [{ email: null, user_id: player.id }],
      'the address is that of the account',
    );
    assert.equal((await callApi(server, player.headers, 'DELETE', path)).body.data.following, false);
    for (let time = 0; time < 2; time += 1)
      assert.equal((await callApi(server, player.headers, 'PUT', path)).body.data.following, true);
    assert.equal((await followsOf(game)).length, 1);
    assert.deepEqual(
      statusOf(await callApi(server, player.headers, 'PUT', `/games/${hidden.uid}/follow`)),
      [404, 4040],
    );
    assert.deepEqual(statusOf(await askFor(hidden, 'any@example.com')), [404, 4040]);
    await release(game, '5.0');
    await mailTo(server, player.email, /^Mine 5\.0$/);
    await changed(server.ctx.db, sql`update users set email_verified = false where id = ${player.id}`);
    assert.deepEqual(statusOf(await callApi(server, player.headers, 'PUT', path)), [403, 4232]);
    await changed(server.ctx.db, sql`delete from users where id = ${player.id}`);
    assert.deepEqual(await followsOf(game), []);
  });
});
