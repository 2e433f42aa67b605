// Statistics on the real server: what counts as a view, a download and a play, and what is shown to whom.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { DAY, utcDayOf } from '../src/kernel/clock.ts';
import { changed, rows } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { addPlays, addReferrals, addViews } from '../src/shop/statistics/statistics.sql.ts';
import { expireViews } from '../src/shop/statistics/statistics.ts';
import { callApi, makeOwnedGame, type OwnedGame, statusOf } from './setup/api-calls.ts';
import { makePlayer, request, startServer, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';
import { shipAndScan } from './setup/uploads.ts';
import { buildZip } from './setup/zips.ts';

const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

describe('the statistics of a game', () => {
  let server: TestServer;
  let now = Date.now();
  before(async () => {
    server = await startServer({ clock: { now: () => new Date(now) } });
  });
  after(() => server.stop());

  const today = () => utcDayOf(new Date(now));
  const read = ({ game, owner }: OwnedGame, query = '') =>
    callApi(server, owner, 'GET', `/games/${game.uid}/statistics${query}`);
  const totals = async (owned: OwnedGame, query = '') => (await read(owned, query)).body.data.totals;
  const open = ({ game }: OwnedGame, headers: Record<string, string>) =>
    fetch(`${server.url}/g/${game.slug}`, { headers: { 'user-agent': WINDOWS, ...headers } });

  test('count views by visitors with their OS and the host they came from, but no members and no bots', async (t) => {
    const owned = await makeOwnedGame(server, { visibility: 'public' });
    const { status } = await open(owned, { referer: 'https://www.news.example.org/secret?token=1' });
    // Without the built website, the server has no pages.
    if (status !== 200) return t.skip('the website is not built');
    await open(owned, {});
    await open(owned, { cookie: owned.owner.cookie });
    await open(owned, { 'user-agent': 'ExampleBot/1.0' });
    await open(owned, { 'sec-purpose': 'prefetch' });
    await open(owned, { 'sec-fetch-dest': 'empty' });
    await until(async () => (await totals(owned)).views === 2);
    const { body } = await read(owned);
    assert.deepEqual(body.data.systems, [{ os: 'windows', views: 2, downloads: 0, plays: 0 }]);
    const byHost = (a: { host: string | null }, b: { host: string | null }) =>
      (a.host ?? '') < (b.host ?? '') ? -1 : 1;
    assert.deepEqual(body.data.referrers.sort(byHost), [
      { host: null, views: 1, downloads: 0, plays: 0 },
      { host: 'news.example.org', views: 1, downloads: 0, plays: 0 },
    ]);
  });

  test('count downloads and plays by version, OS and build', async () => {
    const owned = await makeOwnedGame(server, { visibility: 'public' });
    const { game } = owned;
    const linux = await shipAndScan(server, game, { version: '1.0' });
    const page = buildZip([{ name: 'index.html', data: '<!doctype html>' }]);
    const web = await shipAndScan(server, game, { version: '2.0', os: 'web', arch: 'wasm32' }, page);
    const url = `${server.api}/public/games/${game.uid}/files`;
    await (await fetch(`${url}/${linux.fileUid}/download`)).arrayBuffer();
    // Unlike browsers, Node finds no hosts below localhost: here and below, the game is played at the other URL.
    const { fallback } = (await request(`${url}/${web.fileUid}/play`)).body.data;
    for (let time = 0; time < 2; time += 1) assert.equal((await fetch(fallback.url)).status, 200);
    await fetch(fallback.url, { method: 'HEAD' });
    await until(async () => (await totals(owned)).plays === 2);
    const { body } = await read(owned, '?days=2');
    assert.deepEqual(body.data.totals, { views: 0, downloads: 1, plays: 2 });
    assert.deepEqual(
      body.data.days.map(({ downloads, plays }: Record<string, number>) => [downloads, plays]),
      [
        [0, 0],
        [1, 2],
      ],
    );
    assert.deepEqual(body.data.versions, [
      { version: '2.0', downloads: 0, plays: 2 },
      { version: '1.0', downloads: 1, plays: 0 },
    ]);
    assert.deepEqual(
      body.data.systems.map(({ os }: { os: string }) => os),
      ['web', 'linux'],
    );
    assert.equal(body.data.followers, 0);
    const ofBuild = await read(owned, `?build_id=${linux.buildId}`);
    assert.deepEqual(ofBuild.body.data.totals, { views: 0, downloads: 1, plays: 0 });
    assert.deepEqual(statusOf(await read(owned, `?build_id=${newId()}`)), [404, 4006]);
    for (const days of ['0', '401', 'x']) assert.deepEqual(statusOf(await read(owned, `?days=${days}`)), [400, 4002]);
  });

  test('count the websites with links to files, once for each download, and without their paths', async () => {
    const owned = await makeOwnedGame(server, { visibility: 'public' });
    const { fileUid } = await shipAndScan(server, owned.game, { version: '1.0' });
    const download = async (headers: Record<string, string>) =>
      (
        await fetch(`${server.api}/public/games/${owned.game.uid}/files/${fileUid}/download`, { headers })
      ).arrayBuffer();
    const news = { referer: 'https://www.news.example.org/secret?token=1' };
    for (let time = 0; time < 2; time += 1) await download(news);
    await download({});
    await download({ referer: `${server.url}/g/${owned.game.slug}` });
    await download({ referer: 'https://<script>.example.org/' });
    await download({ ...news, range: 'bytes=5-' });
    await download({ ...news, cookie: owned.owner.cookie });
    const referrers = async () => (await read(owned)).body.data.referrers;
    type Row = { host: string | null; downloads: number };
    await until(async () =>
      (await referrers()).some(({ host, downloads }: Row) => host === 'news.example.org' && downloads === 2),
    );
    assert.deepEqual(await referrers(), [
      { host: null, views: 0, downloads: 3, plays: 0 },
      { host: 'news.example.org', views: 0, downloads: 2, plays: 0 },
    ]);
    const many = Array.from({ length: 120 }, (_, no) => ({
      gameId: owned.game.uid,
      referrer: `site-${no}.example.com`,
      count: 1,
    }));
    const gone = { gameId: newId(), referrer: 'x.example', count: 1 };
    await addReferrals(server.ctx.db, 'download_referrer_days', today(), [...many, gone]);
    const kept = await rows(
      server.ctx.db,
      sql<{ referrer: string }>`select referrer from download_referrer_days where game_id = ${owned.game.uid}`,
    );
    assert.ok(kept.length <= 101 && kept.length > 90, String(kept.length));
  });

  test('count the websites that led to downloads and plays by way of the page of the game', async () => {
    const owned = await makeOwnedGame(server, { visibility: 'public' });
    const { game } = owned;
    const linux = await shipAndScan(server, game, { version: '1.0' });
    const page = buildZip([{ name: 'index.html', data: '<!doctype html>' }]);
    const web = await shipAndScan(server, game, { version: '1.0', os: 'web', arch: 'wasm32' }, page);
    const files = `${server.api}/public/games/${game.uid}/files`;
    const ownPage = { referer: `${server.url}/g/${game.slug}` };
    const download = async (query: string, headers: Record<string, string> = ownPage) =>
      (await fetch(`${files}/${linux.fileUid}/download${query}`, { headers })).arrayBuffer();
    await download('?referrer=news.example.org');
    await download('?referrer=www.news.example.org', { referer: 'https://other.example.org/' });
    const ignored = [new URL(server.url).hostname, '', 'localhost', 'a b.example', '<b>.example', 'user:@[::1]/'];
    for (const host of ignored) await download(`?${new URLSearchParams({ referrer: host })}`);
    const urlOf = async (query: string): Promise<string> =>
      (await request(`${files}/${web.fileUid}/play${query}`)).body.data.fallback.url;
    const referred = await urlOf('?referrer=news.example.org');
    assert.equal(referred, `${await urlOf('')}?referrer=news.example.org`);
    const start = new URL(referred);
    start.search = '';
    for (const query of [
      '?referrer=news.example.org',
      '',
      '?referrer=<b>',
      '?referrer=a.b&referrer=c.d',
      '?referrer=%00',
    ])
      assert.equal((await fetch(start + query)).status, 200);
    await fetch(referred, { method: 'HEAD' });
    await until(async () => {
      const { downloads, plays } = await totals(owned);
      return downloads === 2 + ignored.length && plays === 5;
    });
    const referrers = async () => (await read(owned)).body.data.referrers;
    await until(async () => (await referrers()).length === 2);
    assert.deepEqual(await referrers(), [
      { host: null, views: 0, downloads: ignored.length, plays: 4 },
      { host: 'news.example.org', views: 0, downloads: 2, plays: 1 },
    ]);
    const tooLong = await request(`${files}/${web.fileUid}/play?referrer=${'a'.repeat(254)}`);
    assert.deepEqual(statusOf(tooLong), [400, 4002]);
  });

  test('keep at most a hundred hosts of a day, and count the rest together', async () => {
    const owned = await makeOwnedGame(server, { visibility: 'public' });
    const view = (no: number) => ({ gameId: owned.game.uid, os: '', referrer: `site-${no}.example.com`, count: 1 });
    const all = Array.from({ length: 150 }, (_, no) => view(no));
    for (const part of [all.slice(0, 60), all.slice(60), all.slice(0, 5), [{ ...view(0), referrer: '' }]])
      await addViews(server.ctx.db, today(), part);
    assert.equal((await totals(owned)).views, 156);
    const kept = await rows(
      server.ctx.db,
      sql<{ referrer: string }>`select referrer from view_days where game_id = ${owned.game.uid}`,
    );
    assert.ok(kept.length <= 102 && kept.length > 90, String(kept.length));
    assert.ok(kept.some(({ referrer }) => referrer === 'other'));
  });

  test('leave out what was deleted in the meantime, and forget old views', async () => {
    const owned = await makeOwnedGame(server, { visibility: 'public' });
    const gone = { gameId: newId(), os: '', referrer: '', count: 1 };
    await addViews(server.ctx.db, today(), [gone, { ...gone, gameId: owned.game.uid }]);
    await addPlays(server.ctx.db, today(), [{ gameId: owned.game.uid, buildId: newId(), count: 1 }]);
    assert.deepEqual(await totals(owned), { views: 1, downloads: 0, plays: 0 });
    now += 401 * DAY;
    await expireViews(server.ctx);
    const kept = await rows(server.ctx.db, sql`select from view_days where game_id = ${owned.game.uid}`);
    assert.equal(kept.length, 0);
  });

  test('are for members of the game only', async () => {
    const { game } = await makeOwnedGame(server, { visibility: 'public' });
    const stranger = await makePlayer(server);
    assert.deepEqual(
      statusOf(await callApi(server, stranger.headers, 'GET', `/games/${game.uid}/statistics`)),
      [404, 4040],
    );
    await changed(server.ctx.db, sql`delete from view_days`);
  });
});
