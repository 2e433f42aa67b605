// Facts about games, and their releases: what is accepted, normalized and shown, and to whom.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callApi, statusOf } from './setup/api-calls.ts';
import { makeGame, makePlayer, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { shipAndScan, smallZip } from './setup/uploads.ts';

const NONE = { links: [], videos: [], languages: [], requirements: [], content_notes: [], install_notes: [] };

describe('facts about a game', () => {
  let server: TestServer;
  let game: TestGame;
  let headers: Record<string, string>;
  before(async () => {
    server = await startServer();
    game = await makeGame(server);
    headers = await signIn(server, game.owner);
  });
  after(() => server.stop());

  const change = (json: object, by = headers) => callApi(server, by, 'PATCH', `/games/${game.uid}`, json);
  const shown = async () => (await request(`${server.api}/public/games/${game.uid}`, { headers })).body.data;
  const factsOf = ({ links, videos, languages, requirements, content_notes, install_notes }: typeof NONE) => ({
    links,
    videos,
    languages,
    requirements,
    content_notes,
    install_notes,
  });

  test('are empty until they are given, and each can be changed alone', async () => {
    assert.deepEqual(factsOf(await shown()), NONE);
    const links = [{ kind: 'website', url: 'https://Walk.example.com' }];
    const requirements = [
      { os: 'linux', minimum: ' 2 GB\nof memory ', recommended: '' },
      { os: 'windows', minimum: ' ', recommended: '' },
    ];
    const first = await change({
      links,
      requirements,
      videos: ['https://youtu.be/dQw4w9WgXcQ?si=x', 'https://vimeo.com/76979871', 'https://youtu.be/dQw4w9WgXcQ'],
      languages: ['en', 'pt-BR', 'en'],
      content_notes: [' Rain ', 'Rain', ' '],
      install_notes: [
        { os: 'linux', text: ' Run it ' },
        { os: 'macos', text: ' ' },
      ],
    });
    const expected = {
      links: [{ kind: 'website', url: 'https://walk.example.com/' }],
      videos: ['https://www.youtube.com/watch?v=dQw4w9WgXcQ', 'https://vimeo.com/76979871'],
      languages: ['en', 'pt-BR'],
      requirements: [{ os: 'linux', minimum: '2 GB\nof memory', recommended: '' }],
      content_notes: ['Rain'],
      install_notes: [
        { os: 'linux', text: 'Run it' },
        { os: 'macos', text: '' },
      ],
    };
    assert.deepEqual(factsOf(first.body.data), expected);
    await change({ languages: [] });
    assert.deepEqual(factsOf(await shown()), { ...expected, languages: [] });
    const { body } = await request(`${server.api}/games/${game.uid}`, { headers });
    assert.deepEqual(factsOf(body.data), { ...expected, languages: [] });
    await change(NONE);
    assert.deepEqual(factsOf(await shown()), NONE);
  });

  test('that could deceive or harm players are refused, and change nothing', async () => {
    const url = (text: string) => ({ links: [{ kind: 'website', url: text }] });
    const refused: object[] = [
      ...['http://a.example', 'javascript:alert(1)', 'https://u:p@a.example', 'https://u@a.example', 'https://'].map(
        url,
      ),
      ...['https://a.example/ x', ' https://a.example', 'https://[', `https://a.example/${'x'.repeat(500)}`].map(url),
      { links: [...url('https://a.example').links, ...url('https://b.example').links] },
      { links: [{ kind: 'malware', url: 'https://a.example' }] },
      { videos: ['https://example.com/video.mp4'] },
      { videos: ['https://youtu.be/dQw4w9WgXc"'] },
      { videos: Array.from({ length: 5 }, (_, index) => `https://vimeo.com/${index + 1}`) },
      { videos: [{}] },
      { languages: ['<b>'] },
      { languages: ['EN'] },
      { requirements: [{ os: 'linux', minimum: 'a\u202eb', recommended: '' }] },
      { requirements: [{ os: 'linux', minimum: 'x'.repeat(1001), recommended: '' }] },
      { requirements: ['minimum', 'twice'].map((minimum) => ({ os: 'linux', minimum, recommended: '' })) },
      { content_notes: ['a\nb'] },
      { content_notes: Array.from({ length: 13 }, (_, index) => `note ${index}`) },
      { content_notes: null },
      { install_notes: [{ os: 'linux', text: 'x'.repeat(1001) }] },
      { install_notes: [{ os: 'linux', text: 'a\u202eb' }] },
      { install_notes: [{ os: 'plan9', text: 'Run it' }] },
      { install_notes: ['once', 'twice'].map((text) => ({ os: 'linux', text })) },
      { install_notes: [{ os: 'linux' }] },
    ];
    for (const facts of refused) {
      const response = await change({ tagline: 'Changed', ...facts });
      assert.deepEqual(statusOf(response), [400, 4002], JSON.stringify(facts));
    }
    const game = await shown();
    assert.deepEqual(factsOf(game), NONE);
    assert.notEqual(game.tagline, 'Changed');
  });

  test('of changes at the same time, none is lost', async () => {
    await Promise.all([
      change({ languages: ['en'] }),
      change({ content_notes: ['Rain'] }),
      change({ links: [{ kind: 'wiki', url: 'https://a.example/' }] }),
    ]);
    assert.deepEqual(factsOf(await shown()), {
      links: [{ kind: 'wiki', url: 'https://a.example/' }],
      videos: [],
      languages: ['en'],
      requirements: [],
      content_notes: ['Rain'],
      install_notes: [],
    });
  });

  test('can be changed by members only', async () => {
    const { headers: stranger } = await makePlayer(server);
    assert.deepEqual(statusOf(await change({ languages: ['de'] }, stranger)), [404, 4040]);
  });

  test('releases are listed with their sizes, newest first, also page by page', async () => {
    const list = async (query = '') =>
      (await request(`${server.api}/public/games/${game.uid}/releases${query}`, { headers })).body.data;
    assert.deepEqual(await list(), { first_released_at: null, total: 0, releases: [] });
    const zip = smallZip('walk', Buffer.alloc(2000));
    const rain = { title: 'Rain', description: 'In six colours' };
    await shipAndScan(server, game, { version: '1.0.0', title: 'Weather', changelog_items: [rain] }, zip);
    const windows = { os: 'windows', title: 'Wind', changelog_items: [rain, { title: 'Snow' }] };
    await shipAndScan(server, game, { version: '1.0.0', ...windows }, smallZip('walk.exe'));
    await shipAndScan(server, game, { version: '1.1.0', changelog_items: [{ title: 'Rain' }] }, zip);
    await shipAndScan(server, game, { version: '2.0.0', channel: 'beta' }, zip);
    const { first_released_at, total, releases } = await list();
    assert.deepEqual(
      releases.map(({ version }: { version: string }) => version),
      ['1.1.0', '1.0.0'],
    );
    assert.equal(total, 2);
    assert.equal(first_released_at, releases[1].released_at);
    assert.deepEqual(releases[0].platforms, [{ os: 'linux', arch: 'x86_64', size: zip.length }]);
    assert.deepEqual(
      releases[1].platforms.map(({ os }: { os: string }) => os),
      ['linux', 'windows'],
    );
    assert.deepEqual(releases[0].changelog_items, [{ title: 'Rain', description: '', platforms: null }]);
    const [onLinux, onWindows] = ['linux', 'windows'].map((os) => [{ os, arch: 'x86_64' }]);
    assert.deepEqual(
      [releases[1].title, releases[1].titles, releases[1].changelog_items],
      [
        'Wind',
        [
          { title: 'Wind', platforms: onWindows },
          { title: 'Weather', platforms: onLinux },
        ],
        [
          { ...rain, platforms: null },
          { title: 'Snow', description: '', platforms: onWindows },
        ],
      ],
    );
    const read = async (path: string) => (await fetch(`${server.url}/g/${game.uid}${path}`, { headers })).text();
    const text = await read('');
    assert.match(text, /<h3>1\.0\.0<\/h3>/);
    assert.match(await read('?os=linux&arch=x86_64'), /<details class="install">.*allow its file to be executed/s);
    await change({ install_notes: [{ os: 'linux', text: 'Run <owl>' }] });
    assert.match(await read('?os=linux&arch=x86_64'), /<details class="install">.*Run &lt;owl/s);
    await change({ install_notes: [{ os: 'linux', text: '' }] });
    assert.doesNotMatch(await read('?os=linux&arch=x86_64'), /class="install"/);
    assert.match(text, /<p>Wind <span [^>]+>Windows 64-bit<\/span><\/p>.*<p>Weather <span [^>]+>Linux 64-bit<\/span>/s);
    assert.match(text, /<strong>Rain<\/strong><p class="prose">In six colours/);
    assert.match(text, /<strong>Snow<\/strong> <span class="dimmed small-text">Windows 64-bit<\/span>/);
    for (const version of ['1.0.0', '1.0.0', '3.0.0']) {
      const filed = await callApi(server, headers, 'POST', `/games/${game.uid}/bugs`, { message: 'Stuck' });
      const fixed = { status: 'fixed', fixed_in_version: version };
      await callApi(server, headers, 'PATCH', `/games/${game.uid}/bugs/${filed.body.data.bug_uid}`, fixed);
    }
    const feed = await read('/releases.atom');
    assert.match(feed, /1\.0\.0.*Fixes 2 bugs that players reported\./s);
    assert.equal(feed.match(/players reported/g)?.length, 1);
    assert.match(feed, /Wind \(Windows 64-bit\).*Weather \(Linux 64-bit\).*Snow \(Windows 64-bit\)/s);
    const page = await list('?limit=1');
    assert.deepEqual([page.total, page.releases.length, typeof page.next_cursor], [2, 1, 'string']);
    const next = await list(`?limit=1&cursor=${page.next_cursor}`);
    assert.deepEqual([next.releases[0].version, next.next_cursor], ['1.0.0', null]);
  });

  test('releases of a draft are for its members', async () => {
    await change({ visibility: 'draft' });
    const response = await request(`${server.api}/public/games/${game.uid}/releases`);
    assert.deepEqual(statusOf(response), [404, 4040]);
  });

  test('Markdown is rendered for signed-in people, within limits', async () => {
    const render = (json: object, by = headers) => callApi(server, by, 'POST', '/markdown', json);
    assert.equal((await render({ text: '*a* <b>' })).body.data.html, '<p><em>a</em> &lt;b&gt;</p>');
    assert.deepEqual(statusOf(await render({ text: 'x'.repeat(10_001) })), [400, 4002]);
    assert.deepEqual(statusOf(await render({ text: 1 })), [400, 4002]);
    assert.deepEqual(statusOf(await render({ text: 'a' }, {})), [401, 4011]);
  });
});
