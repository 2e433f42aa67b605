// The shelves of the store on the real server: which games each one shows, in which order, and which it never shows.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { GIB, LIMITS } from '@chauffeur/contract/limits';
import { SHELVES, type ShelfName } from '@chauffeur/contract/operations/shelves';
import { sql } from 'kysely';
import { DAY, HOUR, MINUTE, utcDayOf } from '../src/kernel/clock.ts';
import { changed } from '../src/kernel/database/db.ts';
import { dayOrder } from '../src/shop/store/shelf-rules.ts';
import { addPictures, screenshots } from './setup/images.ts';
import { insertFile, makeOwner, promote, type Seed, type SeededGame, seedGame } from './setup/listings.ts';
import { makeGame, request, signIn, startServer, type TestServer } from './setup/server.ts';
import { shipAndScan } from './setup/uploads.ts';

let server: TestServer;
let owner: string;
/** Noon, so that the minutes that pass in the tests stay within one day. */
let now = Date.parse(`${utcDayOf(new Date())}T12:00:00Z`);
before(async () => {
  server = await startServer({ clock: { now: () => new Date(now) } });
  owner = await makeOwner(server);
});
after(() => server.stop());

const ago = (ms: number) => new Date(now - ms);
const seed = (fields: Partial<Seed> = {}) => seedGame(server, owner, fields);
const urlOf = (shelf: string, query = '') => `${server.api}/public/shelves/${shelf}${query}`;

type Card = { game_uid: string; platforms: { os: string; arch: string }[]; health: string; updated_at: string };

/** Reads the shelf a minute later, when no cached response is left. */
async function gamesOn(shelf: ShelfName, query = ''): Promise<Card[]> {
  now += MINUTE;
  const { status, body } = await request(urlOf(shelf, query));
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.games;
}

const uidsOn = async (shelf: ShelfName, query = '') => (await gamesOn(shelf, query)).map(({ game_uid }) => game_uid);

/** Sends one event each from `count` devices for the first build of the game. */
async function launch(game: SeededGame, event: string, devices: number, firstNo = 0): Promise<void> {
  for (let no = 0; no < devices; no += LIMITS.events) {
    const count = Math.min(LIMITS.events, devices - no);
    const events = Array.from({ length: count }, (_, index) => ({
      event,
      device_uid: `device-${firstNo + no + index}`,
    }));
    const { status, body } = await request(`${server.api}/public/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-app-id': game.uid, 'x-build-id': game.buildIds[0] ?? '' },
      body: JSON.stringify({ events }),
    });
    assert.equal(status, 202, JSON.stringify(body));
  }
}

/** Empties the store, so that a test knows its content. */
async function hideAllGames(): Promise<void> {
  await changed(server.ctx.db, sql`delete from games`);
}

/** The shelves that list the games, keyed by the names used here. */
async function shelvesOf(game: SeededGame): Promise<ShelfName[]> {
  const listing: ShelfName[] = [];
  for (const shelf of SHELVES) if ((await uidsOn(shelf)).includes(game.uid)) listing.push(shelf);
  return listing;
}

describe('any shelf', () => {
  test('shows a game created and shipped through the API, with everything its card needs', async () => {
    await hideAllGames();
    const game = await makeGame(server);
    const headers = { ...(await signIn(server, game.owner)), 'content-type': 'application/json' };
    const texts = { name: 'Small Walk', tagline: 'A walk', description: 'Long.' };
    await request(`${server.api}/games/${game.uid}`, { method: 'PATCH', headers, body: JSON.stringify(texts) });
    for (const kind of ['cover', 'thumbnail', 'screenshot'])
      await addPictures(server, game, kind, await screenshots(1));
    await shipAndScan(server, game, { os: 'web', arch: 'wasm32' });
    await shipAndScan(server, game);
    const page = (await request(`${server.api}/public/games/${game.uid}`)).body.data;
    for (const shelf of SHELVES) {
      const [card, ...others] = (await gamesOn(shelf)) as (Card & Record<string, unknown>)[];
      assert.deepEqual(others, []);
      const { updated_at, ...rest } = card!;
      assert.deepEqual(rest, {
        game_uid: game.uid,
        slug: game.slug,
        name: 'Small Walk',
        developer: 'Owner',
        tagline: 'A walk',
        thumbnail: page.thumbnail,
        cover: page.cover,
        platforms: [
          { os: 'linux', arch: 'x86_64' },
          { os: 'web', arch: 'wasm32' },
        ],
        health: 'unrated',
        launch: null,
        published_at: page.published_at,
        plays_in_browser: true,
      });
      assert.ok(Math.abs(Date.parse(updated_at) - Date.now()) < 13 * HOUR);
    }
  });

  test('leaves out games that are not public, are incomplete or have no stable download', async () => {
    await hideAllGames();
    assert.deepEqual(await shelvesOf(await seed()), [...SHELVES]);
    const unverified = await makeOwner(server, { verified: false });
    const incomplete: Partial<Seed>[] = [
      { visibility: 'draft' },
      { visibility: 'invisible' },
      { name: ' ' },
      { tagline: '' },
      { description: '' },
      { images: ['cover', 'thumbnail'] },
      { images: ['cover', 'screenshot'] },
      { images: ['thumbnail', 'screenshot'] },
      { platforms: [] },
      { channel: 'beta' },
      { channel: 'dev' },
      { scanState: 'pending' },
      { scanState: 'infected' },
      { scanState: 'error' },
      { expiresAt: ago(1) },
    ];
    for (const fields of incomplete) assert.deepEqual(await shelvesOf(await seed(fields)), [], JSON.stringify(fields));
    assert.deepEqual(await shelvesOf(await seedGame(server, unverified)), []);
  });

  test('includes a file that was not scanned because there was no scanner, as downloads do', async () => {
    assert.deepEqual(await shelvesOf(await seed({ scanState: 'unscanned' })), [...SHELVES]);
  });

  test('includes a promoted build until the promotion expires', async () => {
    const game = await seed({ expiresAt: new Date(now + HOUR) });
    assert.deepEqual(await shelvesOf(game), [...SHELVES]);
    now += HOUR;
    assert.deepEqual(await shelvesOf(game), []);
  });

  test('removes a hidden or deleted game within a minute', async () => {
    await hideAllGames();
    const [hidden, gone, stays] = [await seed(), await seed(), await seed()];
    for (const shelf of SHELVES) assert.equal((await uidsOn(shelf)).length, 3);
    await changed(server.ctx.db, sql`update games set visibility = 'draft' where game_id = ${hidden.uid}`);
    await changed(server.ctx.db, sql`delete from games where game_id = ${gone.uid}`);
    for (const shelf of SHELVES) assert.deepEqual(await uidsOn(shelf), [stays.uid]);
  });

  test('has at most 12 games and can be empty', async () => {
    await hideAllGames();
    for (const shelf of SHELVES) assert.deepEqual(await gamesOn(shelf), []);
    for (let no = 0; no < 13; no += 1) await seed();
    for (const shelf of SHELVES) assert.equal(new Set(await uidsOn(shelf)).size, 12);
  });

  test('filters by OS, under any of its names', async () => {
    await hideAllGames();
    const windows = { os: 'windows', arch: 'x86_64' };
    const linux = { os: 'linux', arch: 'x86_64' };
    const both = await seed({ platforms: [windows, linux] });
    const one = await seed({ platforms: [linux] });
    for (const shelf of SHELVES) {
      for (const name of ['windows', 'win', 'win32', 'win64'])
        assert.deepEqual(await uidsOn(shelf, `?os=${name}`), [both.uid], name);
      assert.deepEqual((await uidsOn(shelf, '?os=linux')).toSorted(), [both.uid, one.uid]);
      assert.deepEqual(await uidsOn(shelf, '?os=web'), []);
      assert.deepEqual((await gamesOn(shelf, '?os=win'))[0]?.platforms, [linux, windows]);
    }
  });

  test('finds matching games behind many that do not match', async () => {
    await hideAllGames();
    const matching = await seed({ publishedAt: ago(DAY), movedAt: ago(DAY), uploadedAt: ago(DAY) });
    for (let no = 0; no < 60; no += 1) await seed({ images: [] });
    assert.deepEqual(await shelvesOf(matching), [...SHELVES]);
  });

  test('is refused with 4002 for an unknown shelf or OS', async () => {
    for (const [shelf, query] of [
      ['old', ''],
      ['new', '?os=amiga'],
      ['new', '?os='],
      ['new', '?os=Windows'],
    ] as const) {
      const { status, body } = await request(urlOf(shelf, query));
      assert.deepEqual([status, body.error?.code], [400, 4002], shelf + query);
      assert.match(body.error?.message ?? '', query === '' ? /^shelf: / : /^os: /);
    }
  });
});

describe('the response', () => {
  test('is the same for everyone for a minute and has an ETag', async () => {
    await hideAllGames();
    const game = await makeGame(server);
    const first = await seed();
    now += MINUTE;
    const response = await fetch(urlOf('new'));
    assert.equal(response.headers.get('cache-control'), 'public, max-age=60');
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
    const etag = response.headers.get('etag') ?? '';
    assert.match(etag, /^"[0-9a-f]{64}"$/);
    const body = await response.text();
    assert.deepEqual(
      [JSON.parse(body).data.shelf, JSON.parse(body).data.day, JSON.parse(body).data.games[0].game_uid],
      ['new', utcDayOf(new Date(now)), first.uid],
    );
    const second = await seed();
    now += MINUTE - 1;
    for (const headers of [{}, game.keyHeaders, await signIn(server, game.owner)] as Record<string, string>[])
      assert.equal(await (await fetch(urlOf('new'), { headers })).text(), body);
    const ask = (tag: string) => fetch(urlOf('new'), { headers: { 'if-none-match': tag } });
    const unchanged = await ask(`"x", W/${etag}`);
    assert.deepEqual([unchanged.status, unchanged.headers.get('etag'), await unchanged.text()], [304, etag, '']);
    assert.equal(unchanged.headers.get('cache-control'), 'public, max-age=60');
    now += 1;
    const fresh = await ask(etag);
    assert.equal(fresh.status, 200);
    assert.equal(((await fresh.json()) as { data: { games: Card[] } }).data.games[0]?.game_uid, second.uid);
  });

  test('to HEAD is the one to GET without its body', async () => {
    const [get, head] = [await fetch(urlOf('tonight')), await fetch(urlOf('tonight'), { method: 'HEAD' })];
    for (const name of ['etag', 'cache-control', 'content-length'])
      assert.equal(head.headers.get(name), get.headers.get(name), name);
    assert.deepEqual([head.status, await head.text()], [200, '']);
  });

  test('is an error for a wrong deploy key, and is retried after a failure', async () => {
    const headers = { ...(await makeGame(server)).keyHeaders, 'x-secret-key': 'wrong' };
    assert.equal((await request(urlOf('new'), { headers })).body.error?.code, 4024);
    now += MINUTE;
    await changed(server.ctx.db, sql`alter table media rename to media_away`);
    assert.equal((await request(urlOf('new'))).status, 500);
    await changed(server.ctx.db, sql`alter table media_away rename to media`);
    assert.equal((await request(urlOf('new'))).status, 200);
  });
});

describe('unheard of', () => {
  test('has games published within the last 60 days', async () => {
    await hideAllGames();
    const old = await seed({ publishedAt: ago(60 * DAY) });
    const recent = await seed({ publishedAt: ago(60 * DAY - 2 * MINUTE) });
    assert.deepEqual(await uidsOn('unheard_of'), [recent.uid]);
    assert.ok((await uidsOn('new')).includes(old.uid));
  });

  test('removes a game at its 200th device, whatever events they sent', async () => {
    await hideAllGames();
    const game = await seed();
    await launch(game, 'crash', 150);
    await launch(game, 'boot_ok', 199);
    assert.deepEqual(await uidsOn('unheard_of'), [game.uid]);
    await launch(game, 'crash', 1, 199);
    assert.deepEqual(await uidsOn('unheard_of'), []);
    assert.deepEqual(await uidsOn('new'), [game.uid]);
  });

  test('removes a game 30 days after its first boot_ok, and keeps one that has none yet', async () => {
    await hideAllGames();
    const [started, crashing] = [await seed(), await seed()];
    await launch(started, 'boot_ok', 1);
    await launch(crashing, 'crash', 1);
    now += 30 * DAY - 2 * MINUTE;
    assert.deepEqual((await uidsOn('unheard_of')).toSorted(), [started.uid, crashing.uid]);
    now += MINUTE;
    assert.deepEqual(await uidsOn('unheard_of'), [crashing.uid]);
  });

  test('shows another twelve games each day, the same in every process, in the order of the day', async () => {
    await hideAllGames();
    const games = await Promise.all(Array.from({ length: 30 }, () => seed()));
    const expected = () =>
      dayOrder(
        'unheard_of',
        utcDayOf(new Date(now)),
        games.map(({ uid }) => ({ game_id: uid })),
      ).map(({ game_id }) => game_id);
    const today = await uidsOn('unheard_of');
    assert.deepEqual(today, expected().slice(0, 12));
    now += HOUR;
    assert.deepEqual(await uidsOn('unheard_of'), today);
    const other = await startServer({ shareWith: server, role: 'api', clock: { now: () => new Date(now) } });
    const { body } = await request(`${other.api}/public/shelves/unheard_of`);
    await other.stop();
    assert.deepEqual(
      body.data.games.map(({ game_uid }: Card) => game_uid),
      today,
    );
    await changed(server.ctx.db, sql`delete from games where game_id = ${today[3]}`);
    assert.deepEqual(await uidsOn('unheard_of'), [...today.toSpliced(3, 1), expected()[12]]);
    now += DAY;
    assert.notDeepEqual(await uidsOn('unheard_of'), today);
  });

  test('changes at midnight UTC, even before a cached response expires', async () => {
    const midnight = Date.parse(`${utcDayOf(new Date(now + DAY))}T00:00:00Z`);
    now = midnight - 1;
    const before = (await request(urlOf('unheard_of'))).body.data.day;
    now = midnight;
    const { day } = (await request(urlOf('unheard_of'))).body.data;
    assert.deepEqual([before, day], [utcDayOf(new Date(midnight - 1)), utcDayOf(new Date(midnight))]);
    now += 12 * HOUR;
  });
});

describe('new', () => {
  test('lists the most recently published games first', async () => {
    await hideAllGames();
    const times = [3, 1, 400, 2].map((days) => days * DAY);
    const games = await Promise.all(times.map((time) => seed({ publishedAt: ago(time) })));
    assert.deepEqual(
      await uidsOn('new'),
      [1, 3, 0, 2].map((no) => games[no]?.uid),
    );
  });
});

describe('recently updated', () => {
  test('is ordered by the last change to the stable download: a new build, or a new file of that build', async () => {
    await hideAllGames();
    const at = (days: number) => ({ movedAt: ago(days * DAY), uploadedAt: ago(days * DAY) });
    const moved = await seed({ ...at(9), movedAt: ago(2 * DAY) });
    const newFile = await seed(at(8));
    const still = await seed(at(3));
    const file = { size: 1, scanState: 'clean', uploadedAt: ago(DAY) };
    await insertFile(server.ctx.db, newFile.uid, newFile.buildIds[0]!, file);
    assert.deepEqual(await uidsOn('recently_updated'), [newFile.uid, moved.uid, still.uid]);
    const [card] = await gamesOn('recently_updated');
    assert.equal(card?.updated_at, file.uploadedAt.toISOString());
  });

  test('ignores refused files, other channels and promotions that only change the expiry', async () => {
    await hideAllGames();
    const at = (days: number) => ({ movedAt: ago(days * DAY), uploadedAt: ago(days * DAY) });
    const oldest = at(6);
    const [quiet, older, newer] = [await seed(at(5)), await seed(oldest), await seed(at(4))];
    await insertFile(server.ctx.db, older.uid, older.buildIds[0]!, {
      size: 1,
      scanState: 'infected',
      uploadedAt: ago(1),
    });
    await promote(server, older, 'beta', ago(1));
    await promote(server, older, 'stable', ago(1));
    const cards = await gamesOn('recently_updated');
    assert.deepEqual(
      cards.map(({ game_uid }) => game_uid),
      [newer.uid, quiet.uid, older.uid],
    );
    assert.equal(cards[2]?.updated_at, oldest.movedAt.toISOString());
  });
});

describe('tonight', () => {
  test('has downloads under 1 GiB for the requested OS', async () => {
    await hideAllGames();
    const small = await seed({ size: GIB - 1 });
    const large = await seed({ size: GIB });
    assert.deepEqual(await uidsOn('tonight'), [small.uid]);
    assert.deepEqual(await uidsOn('tonight', '?os=linux'), [small.uid]);
    assert.ok((await uidsOn('new')).includes(large.uid));
  });

  test('lists games known to start first, and leaves out games known not to start', async () => {
    await hideAllGames();
    const games = await Promise.all(Array.from({ length: 4 }, () => seed()));
    const [troubled, healthy, ...unrated] = games;
    await launch(troubled!, 'crash', 20);
    await launch(healthy!, 'boot_ok', 20);
    await launch(unrated[0]!, 'crash', 19);
    const cards = await gamesOn('tonight');
    assert.deepEqual(
      cards.map(({ health }) => health),
      ['excellent', 'unrated', 'unrated'],
    );
    assert.equal(cards[0]?.game_uid, healthy!.uid);
    const shown = await gamesOn('new');
    assert.equal(shown.find(({ game_uid }) => game_uid === troubled!.uid)?.health, 'problematic');
  });
});
