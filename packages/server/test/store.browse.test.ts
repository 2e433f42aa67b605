// Searching for games on the real server: which words match, in which order, in pages.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { GAME_SORTS } from '@chauffeur/contract/operations/shelves';
import { sql } from 'kysely';
import { DAY } from '../src/kernel/clock.ts';
import { changed } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { countRecentDownloads } from '../src/shop/store/browse.ts';
import { createAccount } from './setup/create-account.ts';
import { makeOwner, type Seed, seedGame } from './setup/listings.ts';
import { request, startServer, type TestServer } from './setup/server.ts';

describe('searching for games', () => {
  let server: TestServer;
  let owner: string;
  before(async () => {
    server = await startServer();
    owner = await makeOwner(server);
  });
  after(() => server.stop());

  const find = (query: Record<string, string>) => request(`${server.api}/public/games?${new URLSearchParams(query)}`);

  async function namesOf(query: Record<string, string>): Promise<string[]> {
    const { status, body } = await find(query);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.games.map(({ name }: { name: string }) => name);
  }

  async function hideAllGames(): Promise<void> {
    await changed(server.ctx.db, sql`delete from games`);
  }

  async function seed(fields: Partial<Seed> & { tags?: string[]; by?: string }): Promise<string> {
    const { uid } = await seedGame(server, fields.by ?? owner, fields);
    if (fields.tags !== undefined)
      await changed(server.ctx.db, sql`update games set tags = ${fields.tags}::text[] where game_id = ${uid}`);
    return uid;
  }

  async function makeDeveloper(name: string): Promise<string> {
    const account = { email: `${newId()}@example.com`, password: 'correct horse battery', name };
    return (await createAccount(server, { ...account, verified: true })).id;
  }

  test('matches word prefixes of the name, tagline, tags and developer in any combination', async () => {
    await hideAllGames();
    const by = await makeDeveloper('Zoë Quill');
    await seed({ name: 'Small Walk', tagline: 'A stroll through rain', tags: ['cosy', 'half-hour'], by });
    await seed({ name: 'Other' });
    for (const q of ['small', 'WAL', 'rain', 'cos', 'half-hour', 'quill', 'zoë', 'quil rai smal'])
      assert.deepEqual(await namesOf({ q }), ['Small Walk'], q);
    for (const q of ['mall', 'small other', 'walk snow', '!?']) assert.deepEqual(await namesOf({ q }), [], q);
  });

  test('ignores letter case beyond ASCII', async () => {
    await hideAllGames();
    await seed({ name: 'Мир' });
    await seed({ name: 'ÖDLAND' });
    assert.deepEqual(await namesOf({ q: 'мир' }), ['Мир']);
    assert.deepEqual(await namesOf({ q: 'МИР' }), ['Мир']);
    assert.deepEqual(await namesOf({ q: 'ödl' }), ['ÖDLAND']);
  });

  test('filters by OS and tag', async () => {
    await hideAllGames();
    await seed({ name: 'Linux only', tags: ['puzzle', 'short'] });
    await seed({ name: 'In the browser', platforms: [{ os: 'web', arch: 'wasm32' }], tags: ['puzzles'] });
    assert.deepEqual(await namesOf({ os: 'web' }), ['In the browser']);
    assert.deepEqual(await namesOf({ tag: 'puzzle' }), ['Linux only']);
    assert.deepEqual(await namesOf({ tag: 'puzzle', os: 'web' }), []);
    assert.deepEqual(await namesOf({ os: 'darwin' }), []);
  });

  test('leaves out games that are not public, have no description or have no stable download', async () => {
    await hideAllGames();
    await seed({ name: 'Bare', images: [] });
    const hidden: Partial<Seed>[] = [
      { visibility: 'draft' },
      { visibility: 'invisible' },
      { tagline: '' },
      { description: '' },
      { platforms: [] },
      { channel: 'beta' },
      { scanState: 'infected' },
      { scanState: 'scanning' },
      { expiresAt: new Date(Date.now() - 1) },
    ];
    for (const fields of hidden) await seed(fields);
    assert.deepEqual(await namesOf({}), ['Bare']);
  });

  test('lists matches of the name first, then the newest, and pages through them without gaps', async () => {
    await hideAllGames();
    const ago = (days: number) => new Date(Date.now() - days * DAY);
    await seed({ name: 'Walk old', publishedAt: ago(9) });
    await seed({ name: 'Newest', tagline: 'A walk', publishedAt: ago(1) });
    await seed({ name: 'Walk new', publishedAt: ago(5) });
    await seed({ name: 'Oldest', tagline: 'A walk', publishedAt: ago(20) });
    const all = ['Walk new', 'Walk old', 'Newest', 'Oldest'];
    assert.deepEqual(await namesOf({ q: 'walk' }), all);
    assert.deepEqual(await namesOf({}), ['Newest', 'Walk new', 'Walk old', 'Oldest']);
    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await find({ q: 'walk', limit: '1', ...(cursor !== '' && { cursor }) });
      paged.push(...body.data.games.map(({ name }: { name: string }) => name));
      cursor = body.data.next_cursor;
    }
    assert.deepEqual(paged, all);
  });

  test('keeps games with the same publication time across pages', async () => {
    await hideAllGames();
    const publishedAt = new Date();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await seed({ name, publishedAt });
    const first = await find({ limit: '3' });
    const second = await find({ limit: '3', cursor: first.body.data.next_cursor });
    const names = [...first.body.data.games, ...second.body.data.games].map(({ name }: { name: string }) => name);
    assert.deepEqual(names.sort(), ['a', 'b', 'c', 'd', 'e']);
    assert.equal(second.body.data.next_cursor, null);
  });

  test('refuses a cursor of other filters with 4002', async () => {
    await hideAllGames();
    await seed({});
    await seed({});
    const { body } = await find({ limit: '1' });
    const cursor = body.data.next_cursor;
    const refused = await find({ limit: '1', q: 'game', cursor });
    assert.deepEqual([refused.status, refused.body.error?.code], [400, 4002]);
    assert.equal((await find({ cursor: 'nonsense' })).body.error?.code, 4002);
  });

  test('sorts by the last release, by recent downloads and by name, in pages without gaps', async () => {
    await hideAllGames();
    const ago = (days: number) => new Date(Date.now() - days * DAY);
    const uids = new Map<string, string>();
    for (const [name, days, released] of [
      ['beta', 9, 0.5],
      ['Alpha', 5, 3],
      ['gamma', 7, 2],
      ['Never moved', 1, 8],
    ] as const)
      uids.set(name, await seed({ name, publishedAt: ago(days), movedAt: ago(released) }));
    const download = (name: string, day: Date, count: number) =>
      changed(
        server.ctx.db,
        sql`insert into download_days (game_id, build_id, day, count)
          select game_id, build_id, ${day}::date, ${count} from builds where game_id = ${uids.get(name)}`,
      );
    await download('gamma', ago(2), 5);
    await download('Alpha', ago(1), 7);
    await download('Alpha', ago(3), 7);
    await download('beta', ago(40), 900);
    await countRecentDownloads(server.ctx);
    await countRecentDownloads(server.ctx);
    assert.deepEqual(await namesOf({ sort: 'newest' }), ['Never moved', 'Alpha', 'gamma', 'beta']);
    // A game can't be released before it is public.
    assert.deepEqual(await namesOf({ sort: 'updated' }), ['beta', 'Never moved', 'gamma', 'Alpha']);
    assert.deepEqual((await namesOf({ sort: 'downloads' })).slice(0, 2), ['Alpha', 'gamma']);
    assert.deepEqual(await namesOf({ sort: 'name' }), ['Alpha', 'beta', 'gamma', 'Never moved']);
    for (const sort of GAME_SORTS) {
      const paged: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { body } = await find({ sort, limit: '1', ...(cursor !== '' && { cursor }) });
        paged.push(...body.data.games.map(({ name }: { name: string }) => name));
        cursor = body.data.next_cursor;
      }
      assert.deepEqual(paged, await namesOf({ sort }), sort);
    }
    assert.equal((await find({ sort: 'price' })).body.error?.code, 4002);
  });

  test('counts all matches, whatever the page', async () => {
    await hideAllGames();
    for (const name of ['Walk', 'Walk home', 'Other']) await seed({ name });
    assert.equal((await find({ limit: '1' })).body.data.total, 3);
    assert.equal((await find({ q: 'walk', limit: '1' })).body.data.total, 2);
    assert.equal((await find({ q: '!?' })).body.data.total, 0);
  });

  test('lists the tags of games that can be found, the most common first', async () => {
    await hideAllGames();
    await seed({ name: 'One', tags: ['cosy', 'night'] });
    await seed({ name: 'Two', tags: ['cosy', 'arcade'] });
    await seed({ name: 'Hidden', tags: ['secret'], visibility: 'draft' });
    const { body } = await request(`${server.api}/public/tags`);
    assert.deepEqual(body.data.tags, [
      { tag: 'cosy', games: 2 },
      { tag: 'arcade', games: 1 },
      { tag: 'night', games: 1 },
    ]);
  });
});
