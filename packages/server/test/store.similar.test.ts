// Similar games: which ones, in what order, and for whom.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { changed } from '../src/kernel/database/db.ts';
import { statusOf } from './setup/api-calls.ts';
import { makeOwner, type Seed, type SeededGame, seedGame } from './setup/listings.ts';
import { request, startServer, type TestServer } from './setup/server.ts';

const DAY = 86_400_000;

describe('similar games', () => {
  let server: TestServer;
  let owner: string;
  before(async () => {
    server = await startServer();
    owner = await makeOwner(server);
  });
  after(() => server.stop());

  async function seed(tags: readonly string[], changes: Partial<Seed> = {}): Promise<SeededGame> {
    const game = await seedGame(server, owner, changes);
    await changed(server.ctx.db, sql`update games set tags = ${tags}::text[] where game_id = ${game.uid}`);
    return game;
  }
  const ago = (days: number) => ({ publishedAt: new Date(server.ctx.clock.now().getTime() - days * DAY) });
  async function similarTo(ref: string): Promise<string[]> {
    const { status, body } = await request(`${server.api}/public/games/${ref}/similar`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.games.map(({ game_uid }: { game_uid: string }) => game_uid);
  }

  test('are the four listed games that share the most tags, the last published first, without itself', async () => {
    const game = await seed(['owl', 'walk', 'rain', 'night']);
    const [three, oneNew] = [await seed(['owl', 'walk', 'rain'], ago(90)), await seed(['owl'], ago(1))];
    const [two, oneOld] = [await seed(['walk', 'night', 'x'], ago(30)), await seed(['rain'], ago(9))];
    await seed(['rain', 'y'], ago(10));
    await seed(['elsewhere']);
    await seed([]);
    await seed(['owl', 'walk', 'rain', 'night'], { visibility: 'invisible' });
    await seed(['owl', 'walk', 'rain', 'night'], { visibility: 'draft' });
    await seed(['owl', 'walk', 'rain', 'night'], { images: ['cover', 'thumbnail'] });
    await seed(['owl', 'walk', 'rain', 'night'], { scanState: 'infected' });
    await seed(['owl', 'walk', 'rain', 'night'], { channel: 'beta' });
    const expected = [three, two, oneNew, oneOld].map(({ uid }) => uid);
    assert.deepEqual(await similarTo(game.uid), expected);
    assert.deepEqual(await similarTo(game.slug), expected);
    const page = await (await fetch(`${server.url}/g/${game.slug}`)).text();
    const [, section = ''] = page.split('id="similar"');
    const links = [...section.matchAll(/<a href="\/g\/([^"]+)"><span class="card-image"/g)].map(([, slug]) => slug);
    assert.deepEqual(
      links,
      [three, two, oneNew, oneOld].map(({ slug }) => slug),
    );
  });

  test('are none for a game without tags, and its page says nothing of them', async () => {
    const game = await seed([]);
    assert.deepEqual(await similarTo(game.uid), []);
    assert.doesNotMatch(await (await fetch(`${server.url}/g/${game.slug}`)).text(), /Similar games/);
  });

  test('tags are compared as text, not as patterns or SQL', async () => {
    const game = await seed([`';--`, 'a{b', '%', '"q",\\']);
    const other = await seed(['"q",\\']);
    assert.deepEqual(await similarTo(game.uid), [other.uid]);
  });

  test('of a draft or an unknown game are not found', async () => {
    const draft = await seed(['owl'], { visibility: 'draft' });
    for (const ref of [draft.uid, 'no-such-game'])
      assert.deepEqual(statusOf(await request(`${server.api}/public/games/${ref}/similar`)), [404, 4040]);
  });
});
