// The texts of a game, its publication time and the listing check, on the real server.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { DAY } from '../src/kernel/clock.ts';
import { changed } from '../src/kernel/database/db.ts';
import { addPictures, screenshots } from './setup/images.ts';
import {
  type ApiResponse,
  makeGame,
  makePlayer,
  request,
  signIn,
  startServer,
  type TestGame,
  type TestServer,
} from './setup/server.ts';
import { shipAndScan } from './setup/uploads.ts';

let server: TestServer;
let now = Date.now();
before(async () => {
  server = await startServer({ clock: { now: () => new Date(now) } });
});
after(() => server.stop());

type Headers = Record<string, string>;

function update(game: TestGame, headers: Headers, body: Record<string, unknown>): Promise<ApiResponse> {
  return request(`${server.api}/games/${game.uid}`, {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function updated(game: TestGame, headers: Headers, body: Record<string, unknown>) {
  const response = await update(game, headers, body);
  assert.equal(response.status, 200, JSON.stringify(response.body));
  return response.body.data;
}

const pageOf = async (game: TestGame, headers: Headers = {}) =>
  (await request(`${server.api}/public/games/${game.uid}`, { headers })).body.data;
const listingOf = (game: TestGame, headers: Headers) => request(`${server.api}/games/${game.uid}/listing`, { headers });

describe('the texts of a game', () => {
  let game: TestGame;
  let owner: Headers;
  before(async () => {
    game = await makeGame(server);
    owner = await signIn(server, game.owner);
  });

  test('are empty at first, and shown to members and on the store page once set', async () => {
    const before = await pageOf(game);
    assert.deepEqual([before.tagline, before.description, before.tags], ['', '', []]);
    const texts = {
      tagline: ' Wee & <b>bold</b> ',
      description: 'One.\n\nTwo: 東京 🎮',
      tags: ['puzzle', 'co-op', 'puzzle'],
    };
    const set = await updated(game, owner, texts);
    const expected = { tagline: 'Wee & <b>bold</b>', description: texts.description, tags: ['puzzle', 'co-op'] };
    const mine = (await request(`${server.api}/games/${game.uid}`, { headers: owner })).body.data;
    for (const { tagline, description, tags } of [set, mine, await pageOf(game)])
      assert.deepEqual({ tagline, description, tags }, expected);
  });

  test('do not change with other fields and can be emptied', async () => {
    await updated(game, owner, { tagline: 'Stays', tags: ['a'] });
    const renamed = await updated(game, owner, { name: 'Another' });
    assert.deepEqual([renamed.tagline, renamed.tags], ['Stays', ['a']]);
    const emptied = await updated(game, owner, { tagline: '', tags: [] });
    assert.deepEqual([emptied.tagline, emptied.tags, emptied.name], ['', [], 'Another']);
  });

  test('have maximum lengths in characters, a one-line tagline and valid tags; 4002 names the invalid field', async () => {
    await updated(game, owner, { tagline: '🎮'.repeat(120), description: '🎮'.repeat(10_000) });
    const wrong: Record<string, unknown>[] = [
      { tagline: 'x'.repeat(121) },
      { tagline: 'two\nlines' },
      { tagline: 'two\u2028lines' },
      { tagline: 'bell\u0007' },
      { tagline: null },
      { description: 'x'.repeat(10_001) },
      { description: 'a\u0000' },
      { description: 7 },
      { tags: ['Upper'] },
      { tags: ['-a'] },
      { tags: [''] },
      { tags: ['x'.repeat(33)] },
      { tags: Array.from({ length: 11 }, (_, no) => `tag-${no}`) },
      { tags: 'puzzle' },
    ];
    for (const body of wrong) {
      const response = await update(game, owner, body);
      assert.deepEqual([response.status, response.body.error?.code], [400, 4002], JSON.stringify(body));
      assert.match(response.body.error?.message ?? '', new RegExp(`^${Object.keys(body)[0]}`));
    }
  });
});

describe('the publication time', () => {
  test('is the creation time of a game created public, and null for a game that was never public', async () => {
    const game = await makeGame(server);
    assert.equal((await pageOf(game)).published_at, new Date(now).toISOString());
    const draft = await makeGame(server, { visibility: 'draft' });
    assert.equal((await pageOf(draft, draft.keyHeaders)).published_at, null);
  });

  test('is set when the game first becomes public, and kept when it is hidden and shown again', async () => {
    const game = await makeGame(server, { visibility: 'draft' });
    const owner = await signIn(server, game.owner);
    assert.equal((await updated(game, owner, { visibility: 'invisible' })).published_at, null);
    now += DAY;
    const first = new Date(now).toISOString();
    assert.equal((await updated(game, owner, { visibility: 'public' })).published_at, first);
    now += DAY;
    assert.equal((await updated(game, owner, { visibility: 'draft' })).published_at, first);
    assert.equal((await updated(game, owner, { visibility: 'public' })).published_at, first);
    const mine = await request(`${server.api}/games`, { headers: owner });
    assert.equal(mine.body.data.games[0].published_at, first);
  });
});

describe('the listing check', () => {
  test('names what a new game is missing, and nothing once everything is done', async () => {
    const game = await makeGame(server, { verified: false, visibility: 'draft' });
    const owner = await signIn(server, game.owner);
    const missing = async () => {
      const { body } = await listingOf(game, owner);
      assert.equal(body.data.passed, body.data.missing.length === 0);
      return body.data.missing.map(({ rule }: { rule: string }) => rule);
    };
    const all = [
      'public',
      'owner_verified',
      'tagline',
      'description',
      'cover',
      'thumbnail',
      'screenshot',
      'stable_download',
    ];
    assert.deepEqual(await missing(), all);
    await changed(server.ctx.db, sql`update users set email_verified = true where id = ${game.owner.id}`);
    await updated(game, owner, { visibility: 'public', tagline: 'Small', description: 'A walk.' });
    assert.deepEqual(await missing(), all.slice(4));
    for (const kind of ['cover', 'thumbnail', 'screenshot'])
      await addPictures(server, game, kind, await screenshots(1));
    assert.deepEqual(await missing(), ['stable_download']);
    await shipAndScan(server, game, { channel: 'beta' });
    assert.deepEqual(await missing(), ['stable_download']);
    await shipAndScan(server, game);
    assert.deepEqual(await missing(), []);
    await updated(game, owner, { name: '  ' });
    assert.deepEqual(await missing(), ['name']);
  });

  test('is available to members of the game only', async () => {
    const game = await makeGame(server);
    const stranger = await makePlayer(server);
    assert.equal((await listingOf(game, stranger.headers)).body.error?.code, 4040);
    assert.equal((await listingOf(game, {})).body.error?.code, 4011);
    assert.equal((await listingOf(game, await signIn(server, game.owner))).status, 200);
  });
});
