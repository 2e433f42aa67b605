// The widget of a game over HTTP: its headers, and for whom it exists.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callApi } from './setup/api-calls.ts';
import { makeGame, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';

describe('the widget of a game', () => {
  let server: TestServer;
  let game: TestGame;
  let session: Record<string, string>;
  before(async () => {
    server = await startServer();
    game = await makeGame(server);
    session = await signIn(server, game.owner);
  });
  after(() => server.stop());

  const open = (query = '', headers: Record<string, string> = {}, uid = game.uid) =>
    fetch(`${server.url}/g/${uid}/widget${query}`, { headers });
  const change = (json: object) => callApi(server, session, 'PATCH', `/games/${game.uid}`, json);

  test('may be framed by any website, and is the same for everyone on a website', async () => {
    await change({ visibility: 'invisible' });
    const response = await open('?lang=de', session);
    assert.equal(response.status, 200);
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+'; .*form-action 'none'; frame-ancestors \*; /);
    assert.equal(response.headers.get('set-cookie'), null);
    assert.equal(response.headers.get('x-robots-tag'), 'noindex');
    assert.equal(response.headers.get('x-frame-options'), null);
    assert.equal(response.headers.get('cache-control'), 'public, max-age=300');
    assert.equal(response.headers.get('vary'), 'Accept-Encoding, Accept-Language, Referer');
    const text = await response.text();
    assert.match(text, /<html lang="de">/);
    assert.doesNotMatch(text, /<script|<form/);
    assert.equal(await (await open('?lang=de')).text(), text);
    const chosen = await open('', { cookie: 'chauffeur.language=de', 'accept-language': 'en' });
    assert.match(await chosen.text(), /<html lang="en">/);
  });

  test('passes the website with the frame on to the page, which counts it for views from here only', async () => {
    await change({ visibility: 'invisible' });
    const linksIn = async (referer: string) => {
      const text = await (await open('', { referer })).text();
      return [...new Set([...text.matchAll(/href="([^"]+)"/g)].map(([, link]) => link))];
    };
    const page = `/g/${(await callApi(server, session, 'GET', `/games/${game.uid}`)).body.data.slug}`;
    assert.deepEqual(await linksIn('https://www.studio.example.com/games?id=1'), [
      `${page}?referrer=studio.example.com`,
    ]);
    for (const referer of ['', server.url, 'https://"><script>', 'about:blank', `https://${'a'.repeat(200)}.example`])
      assert.deepEqual(await linksIn(referer), [page], referer);

    const view = async (query: string, referer: string) => {
      const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', referer };
      assert.equal((await fetch(`${server.url}${page}${query}`, { headers })).status, 200);
    };
    const widget = `${server.url}${page}/widget`;
    await view('?referrer=studio.example.com', widget);
    for (const host of ['<b>', 'studio', '', `${'a'.repeat(101)}.example`])
      await view(`?${new URLSearchParams({ referrer: host })}`, widget);
    // A link that was copied with the host.
    await view('?referrer=studio.example.com', '');
    await view('?referrer=studio.example.com', 'https://news.example.org/');
    const counted = await until(async () => {
      const { totals, referrers } = (await callApi(server, session, 'GET', `/games/${game.uid}/statistics`)).body.data;
      return totals.views === 7 ? referrers : undefined;
    });
    const views = counted.map(({ host, views }: { host: string | null; views: number }) => [host, views]);
    assert.deepEqual(
      new Map(views),
      new Map<string | null, number>([
        [null, 5],
        ['studio.example.com', 1],
        ['news.example.org', 1],
      ]),
    );
  });

  test('is not sent again to browsers that have it', async () => {
    await change({ visibility: 'invisible' });
    const etag = (await open()).headers.get('etag') ?? '';
    const again = await open('', { 'if-none-match': etag });
    assert.deepEqual([again.status, await again.text()], [304, '']);
  });

  test('of a draft and of an unknown game are the same page, also for members', async () => {
    await change({ visibility: 'draft' });
    const pages = [await open('', session), await open('', {}, 'no-such-game'), await open('', {}, '%00..%2f')];
    const texts = await Promise.all(pages.map((page) => page.text()));
    for (const [index, page] of pages.entries()) {
      assert.equal(page.status, 404);
      assert.equal(page.headers.get('cache-control'), 'no-store');
      assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors \*/);
      assert.equal(texts[index], texts[0]);
    }
    assert.match(texts[0] ?? '', /This game isn&#39;t available\./);
  });

  test('odd parameters change nothing', async () => {
    await change({ visibility: 'invisible' });
    const plain = await (await open()).text();
    for (const query of ['?theme=neon', '?theme=dark&theme=light', '?lang[]=de', '?lang=xx', '?theme=', '?channel=dev'])
      assert.equal(await (await open(query)).text(), plain, query);
  });
});
