// The featured game on the real server: the operator's choice while it can be listed, otherwise the game of the day.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { MINUTE, utcDayOf } from '../src/kernel/clock.ts';
import { changed, rows } from '../src/kernel/database/db.ts';
import { setUserOperator } from '../src/people/accounts/accounts.ts';
import { callApi } from './setup/api-calls.ts';
import { makeOwner, seedGame } from './setup/listings.ts';
import { makePlayer, request, startServer, type TestServer } from './setup/server.ts';

describe('the featured game', () => {
  let server: TestServer;
  /** Noon, so that the minutes that pass stay within one day. */
  let now = Date.parse(`${utcDayOf(new Date())}T12:00:00Z`);
  let headers: { cookie: string };
  let owner: string;
  before(async () => {
    server = await startServer({ clock: { now: () => new Date(now) } });
    const person = await makePlayer(server);
    await setUserOperator(server.ctx, person.email, true);
    headers = person.headers;
    owner = await makeOwner(server);
  });
  after(() => server.stop());

  const choose = (game: string | null) => callApi(server, headers, 'PUT', '/operator/featured', { game });
  /** A minute later, when no cached response is left. */
  async function featured(): Promise<{ by: string; slug: string | undefined }> {
    now += MINUTE;
    const { body } = await request(`${server.api}/public/featured`);
    return { by: body.data.by, slug: body.data.game?.slug };
  }

  test('is the choice of an operator until it is withdrawn, can no longer be listed, or is deleted', async () => {
    assert.deepEqual(await featured(), { by: 'day', slug: undefined });
    const [one, other] = [await seedGame(server, owner), await seedGame(server, owner)];
    const ofTheDay = await featured();
    assert.equal(ofTheDay.by, 'day');
    const chosen = ofTheDay.slug === one.slug ? other : one;
    const { status, body } = await choose(chosen.slug);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body.data.game, { game_uid: chosen.uid, slug: chosen.slug, name: 'A Game', listed: true });
    assert.deepEqual(await featured(), { by: 'operator', slug: chosen.slug });

    await changed(server.ctx.db, sql`update games set visibility = 'draft' where game_id = ${chosen.uid}`);
    assert.equal((await featured()).by, 'day');
    const hidden = await callApi(server, headers, 'GET', '/operator/featured');
    assert.equal(hidden.body.data.game.listed, false);
    await changed(server.ctx.db, sql`update games set visibility = 'public' where game_id = ${chosen.uid}`);
    assert.equal((await featured()).by, 'operator');

    assert.deepEqual((await choose(null)).body.data, { game: null });
    assert.deepEqual(await featured(), ofTheDay);
    await choose(chosen.uid);
    await changed(server.ctx.db, sql`delete from games where game_id = ${chosen.uid}`);
    assert.equal((await featured()).by, 'day');
    assert.deepEqual((await callApi(server, headers, 'GET', '/operator/featured')).body.data, { game: null });
  });

  test('is recorded in the audit log with the choice before it, also if several operators choose at once', async () => {
    const slugs = [];
    for (let no = 0; no < 6; no += 1) slugs.push((await seedGame(server, owner)).slug);
    await choose(null);
    const chosen = await Promise.all(slugs.map((slug) => choose(slug)));
    assert.deepEqual(
      chosen.map(({ status }) => status),
      slugs.map(() => 200),
    );
    const former = await rows(
      server.ctx.db,
      sql<{ before: string | null }>`select changes->'featured'->>'before' as before from audit_entries
        where operation = 'operator.setFeatured' and changes->'featured'->>'after' = any(${slugs}::text[])`,
    );
    assert.equal(new Set(former.map(({ before }) => before)).size, slugs.length);
    await choose(null);
  });

  test('must exist and be ready to be listed', async () => {
    const bare = await seedGame(server, owner, { images: [] });
    const refused = await choose(bare.slug);
    assert.deepEqual([refused.status, refused.body.error?.code], [400, 4002]);
    assert.match(refused.body.error?.message ?? '', /^game: .*no cover/);
    assert.equal((await choose('no-such-game')).status, 404);
  });

  test('can be chosen by operators only', async () => {
    const player = await makePlayer(server);
    assert.equal((await callApi(server, player.headers, 'PUT', '/operator/featured', { game: null })).status, 403);
    assert.equal((await callApi(server, player.headers, 'GET', '/operator/featured')).status, 403);
  });
});
