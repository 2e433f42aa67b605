// The store: a player finds a game, downloads the right build, reads its file record, joins the beta and reports a bug.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { askAs } from '../packages/server/test/setup/api-calls.ts';
import { addPictures, picture } from '../packages/server/test/setup/images.ts';
import { type BuildInput, type Shipped, sha256, shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { NUL_STATUS } from './setup/cluster.ts';
import { submitSignIn } from './setup/page.ts';
import type { Service } from './setup/processes.ts';
import { serveSite } from './setup/site.ts';
import { addAccount, changeGame, openStudio, type Studio } from './setup/studio.ts';

const PLAYER = { email: 'player@example.com', password: 'correct horse battery' };
const KINDS = ['cover', 'thumbnail', 'screenshot'] as const;
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
const LINUX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** Only Chromium has hints, so they are not in TypeScript's library. */
type WithHints = { userAgentData?: { getHighEntropyValues(names: string[]): Promise<unknown> } };

describe('the store on the website', () => {
  let service: Service;
  let browser: Browser | null;
  let studio: Studio;
  let onLinux: Shipped;
  const zip = smallZip('walk/walk.x86_64', Buffer.from('linux'));

  const site = serveSite(async (site) => {
    ({ service, browser } = site);
    studio = await openStudio(service, 'Small Walk');
    const texts = {
      tagline: 'A stroll <b>through</b> rain',
      description: 'One evening.\nForty houses.',
      tags: ['cosy'],
    };
    const bytes = await picture();
    const ship = (version: string, os: string, zip: Uint8Array, more: Partial<BuildInput> = {}) =>
      shipAndScan(service, studio, { version, os, arch: 'x86_64', ...more }, zip);
    [onLinux] = await Promise.all([
      ship('1.2.0', 'linux', zip, { changelog_items: [{ title: 'Rain that you can hear' }] }),
      ship('1.2.1', 'windows', smallZip('walk.exe')),
      ship('2.0.0', 'linux', smallZip('next'), { channel: 'beta' }),
      changeGame(service, studio, texts),
      ...KINDS.map((kind) => addPictures(service, studio, kind, [bytes])),
      addAccount(service, PLAYER),
    ]);
  });

  /** Opens a page in a browser with this user agent. */
  async function open(path: string, userAgent = LINUX): Promise<Page> {
    const page = await site.openPage({ userAgent });
    await page.goto(service.url + path);
    return page;
  }

  test('a player finds a game, downloads it and reads its file record', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const page = await open('/');
    await page.getByRole('searchbox', { name: 'Search games' }).fill('stroll');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('region', { name: 'Results' }).getByRole('link', { name: 'Small Walk' }).click();
    await page.getByRole('heading', { name: 'Small Walk', level: 1 }).waitFor();
    // Markup is shown as text.
    await page.getByText('A stroll <b>through</b> rain').waitFor();
    await page.getByRole('strong').getByText('Rain that you can hear').waitFor();

    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download for Linux' }).click();
    assert.match((await download).suggestedFilename(), /\.zip$/);
    assert.equal(await (await download).failure(), null);

    const badge = page.getByRole('complementary').getByRole('link', { name: /^Not scanned.*uploaded with deploy key/ });
    await badge.first().click();
    await page.getByRole('heading', { name: (await download).suggestedFilename() }).waitFor();
    await page.getByTitle(sha256(zip)).waitFor();
    await page.getByRole('list').getByText('Not scanned').waitFor();
    await page.getByRole('searchbox', { name: 'Search by path or checksum' }).fill('nothing');
    await page.getByText('0 of 1 entry').waitFor();
    await page.getByRole('searchbox', { name: 'Search by path or checksum' }).fill('X86');
    await page.getByRole('cell', { name: 'walk/walk.x86_64', exact: true }).waitFor();
    await page.waitForURL(/\?q=X86$/);
  });

  test('a visitor gets the download for their machine', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const page = await open(`/g/${studio.slug}`, WINDOWS);
    await page.getByRole('link', { name: 'Download for Windows' }).waitFor();
    await page.getByText('Other downloads').click();
    await page.getByRole('link', { name: 'Linux 64-bit' }).waitFor();
    const phone = await open(`/g/${studio.slug}`, 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X)');
    // The hints arrive later and make no difference here.
    await phone.evaluate(() =>
      (navigator as unknown as WithHints).userAgentData?.getHighEntropyValues(['architecture']),
    );
    await phone.getByText('Not available for iOS.').waitFor();
  });

  test('the image viewer works with the keyboard alone', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const page = await open(`/g/${studio.slug}`);
    await page.getByRole('button', { name: 'Enlarge image 1 of 2' }).focus();
    await page.keyboard.press('Enter');
    const viewer = page.getByRole('dialog', { name: 'Images of Small Walk' });
    await viewer.getByText('1 of 2').waitFor();
    await page.keyboard.press('ArrowRight');
    await viewer.getByText('2 of 2').waitFor();
    await page.keyboard.press('ArrowRight');
    await viewer.getByText('1 of 2').waitFor();
    await page.keyboard.press('Escape');
    await viewer.waitFor({ state: 'hidden' });
  });

  test('a player filters games by tag and reads how many there are, without JavaScript', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({ javaScriptEnabled: false, userAgent: LINUX });
    await page.goto(service.url);
    const featured = page.getByRole('article', { name: 'Featured game' });
    await featured.getByRole('link', { name: 'Small Walk' }).waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Small Walk' }).count(), 1, 'no game is shown twice');
    await page.getByRole('navigation', { name: 'Tags' }).getByRole('link', { name: 'cosy' }).click();
    await page.getByRole('heading', { name: 'Games tagged cosy' }).waitFor();
    await page.getByText('1 game', { exact: true }).waitFor();
    await page.goto(`${service.url}/browse?tag=cosy&sort=name&os=macos`);
    await page.getByRole('status').getByText('No games match').waitFor();
    await page.getByRole('link', { name: 'Remove tag cosy' }).click();
    await page.waitForURL(/browse\?os=macos&sort=name$/);
  });

  test('the store can be read and searched without JavaScript', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({
      javaScriptEnabled: false,
      userAgent: LINUX,
      viewport: { width: 320, height: 700 },
    });
    await page.goto(service.url);
    await page.getByRole('searchbox', { name: 'Search games' }).fill('stroll');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('region', { name: 'Results' }).getByRole('link', { name: 'Small Walk' }).click();
    await page.getByText('One evening.').waitFor();
    await page.getByRole('strong').getByText('Rain that you can hear').waitFor();
    await page.getByRole('link', { name: 'Enlarge image 1 of 2' }).locator('img').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download for Linux' }).click();
    assert.equal(await (await download).failure(), null);
    await page.getByText('Other downloads').click();
    await page.getByRole('link', { name: 'Windows 64-bit' }).waitFor();
    await page
      .getByRole('link', { name: /^Not scanned/ })
      .first()
      .click();
    await page.getByRole('searchbox', { name: 'Search by path or checksum' }).fill('nothing');
    await page.keyboard.press('Enter');
    await page.getByText('0 of 1 entry').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Sign out' }).count(), 0);
  });

  test('the licences of everything in its files are next to them', async () => {
    const response = await fetch(`${site.service.url}/third-party-licences.txt`);
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain/);
    const text = await response.text();
    // Code, what only other packages need, styles, and fonts.
    for (const name of [
      'react-dom',
      'scheduler',
      '@tanstack/router-core',
      '@mantine/core',
      '@fontsource/bricolage-grotesque',
    ])
      assert.match(text, new RegExp(`^${name} \\d[\\d.]* \\([\\w.-]+\\)\\n\\n\\S`, 'm'), name);
    assert.doesNotMatch(text, /^(marked|vite|typescript) \d/m);
  });

  test('a public page is HTML for every client, revalidated by browsers and private for people', async () => {
    const path = `${service.url}/g/${studio.slug}`;
    for (const accept of ['*/*', 'application/json', 'image/png']) {
      const response = await fetch(path, { headers: { accept } });
      assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
      assert.match(await response.text(), /One evening\./);
    }
    const first = await fetch(path, { headers: { 'user-agent': LINUX } });
    assert.match(first.headers.get('cache-control') ?? '', /^public, max-age=0, s-maxage=\d+$/);
    assert.equal(first.headers.get('content-encoding'), 'gzip');
    const headers = { 'user-agent': LINUX, 'if-none-match': first.headers.get('etag') ?? '' };
    assert.equal((await fetch(path, { headers })).status, 304);
    const own = await fetch(path, { headers: { cookie: studio.session.cookie } });
    assert.equal(own.headers.get('cache-control'), 'private, no-cache');
    const own304 = { ...headers, cookie: studio.session.cookie };
    assert.equal((await fetch(path, { headers: own304 })).status, 200, 'a signed-in person has another page');
  });

  test('an address without a page is a page with the status 404, and no input fails', async () => {
    for (const path of [
      '/g/nothing',
      '/@nothing',
      '/@%27',
      '/g/a/files/b',
      '/nothing',
      `/g/${studio.slug}?channel=%00`,
    ]) {
      const response = await fetch(service.url + path, { headers: { accept: 'text/html' } });
      assert.ok(response.status === 404 || response.status === NUL_STATUS, `${path}: ${response.status}`);
      if (response.status === 404) assert.match(await response.text(), /Page not found/);
    }
    for (const path of ['/browse?cursor=a', '/browse?os=beos', '/browse?q=a&q=b', '/browse?tag=%00', '/?q[a]=1']) {
      const { status } = await fetch(service.url + path);
      assert.ok(status < 500, `${path}: ${status}`);
    }
  });

  test('a player joins the beta, gets its build, and leaves again', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const page = await open(`/g/${studio.slug}`);
    await page.getByRole('link', { name: 'Sign in to join the beta' }).click();
    await submitSignIn(page, PLAYER);
    await page.getByRole('button', { name: 'Join beta' }).click();
    await page.getByText('Version 2.0.0').waitFor();
    await page.getByRole('navigation', { name: 'Channel' }).getByRole('link', { name: 'stable' }).click();
    await page.getByText('Version 1.2.0').waitFor();
    await page.getByRole('button', { name: 'Leave beta' }).click();
    await page.getByRole('button', { name: 'Join beta' }).waitFor();
    await page.getByRole('navigation', { name: 'Channel' }).waitFor({ state: 'detached' });
  });

  test('a player reports a bug with a log, and the developers receive both', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const page = await open(`/g/${studio.slug}`);
    await page.getByRole('link', { name: 'Report a bug' }).click();
    await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
    await submitSignIn(page, PLAYER);
    await page.getByRole('textbox', { name: 'What happened' }).fill('The kettle <i>boils</i> over');
    await page
      .locator('input[type=file]')
      .last()
      .setInputFiles({
        name: 'walk.log',
        mimeType: 'text/plain',
        buffer: Buffer.from('kettle: 120 degrees'),
      });
    await page.getByRole('combobox', { name: 'Build' }).click();
    await page.getByRole('option', { name: '1.2.0 for Linux 64-bit' }).click();
    await page.getByRole('button', { name: 'Send report' }).click();
    await page.getByText('Log uploaded: walk.log').waitFor();
    const response = await fetch(`${service.api}/games/${studio.gameUid}/bugs`, { headers: studio.session });
    const [bug] = ((await response.json()) as { data: { bugs: Record<string, string>[] } }).data.bugs;
    assert.equal(bug?.message, 'The kettle <i>boils</i> over');
    assert.equal(bug?.build_id, onLinux.buildId);
    const report = await fetch(`${service.api}/games/${studio.gameUid}/crashes/${bug?.crash_id}`, {
      headers: studio.session,
    });
    const { available } = ((await report.json()) as { data: { available: string[] } }).data;
    assert.ok(available.includes('log'), available.join());
  });

  test('page heads describe the page, but never a draft to strangers', async () => {
    const read = async (path: string, headers: Record<string, string> = {}) => {
      const response = await fetch(service.url + path, { headers: { accept: 'text/html', ...headers } });
      return { status: response.status, text: await response.text() };
    };
    const { status, text } = await read(`/g/${studio.slug}`);
    assert.equal(status, 200);
    for (const line of [
      '<title>Small Walk · Chauffeur</title>',
      'content="A stroll &lt;b&gt;through&lt;/b&gt; rain – One evening. Forty houses."',
      `<link rel="canonical" href="${service.url}/g/${studio.slug}">`,
      `<meta property="og:image" content="${service.api}/public/media/`,
      '<meta name="twitter:card" content="summary_large_image">',
    ])
      assert.ok(text.includes(line), `${line} is not in\n${text}`);
    assert.equal((text.match(/<title>/g) ?? []).length, 1);
    assert.match((await read('/')).text, /<meta name="description" content="Games by/);
    assert.equal((await read('/g/no-such-game')).status, 404);
    assert.equal((await read('/g/%00')).status, NUL_STATUS);
    assert.equal(
      (await fetch(`${service.url}/g/${studio.slug}`, { method: 'HEAD', headers: { accept: 'text/html' } })).status,
      200,
    );

    const draft = { name: 'Hidden one', visibility: 'draft' };
    const { slug } = await askAs(service, studio.session)<{ slug: string }>('POST', '/games', draft);
    const hidden = await read(`/g/${slug}`);
    assert.equal(hidden.status, 404);
    assert.ok(!hidden.text.includes('Hidden one'));
    const own = await read(`/g/${slug}`, { cookie: studio.session.cookie });
    assert.equal(own.status, 200);
    assert.match(own.text, /<title>Hidden one/);
    assert.match(own.text, /name="robots" content="noindex"/);

    assert.match((await read('/robots.txt')).text, new RegExp(`Sitemap: ${service.url}/sitemap.xml`));
    const { text: sitemap } = await read('/sitemap.xml');
    assert.ok(sitemap.includes(`<loc>${service.url}/g/${studio.slug}</loc>`));
    assert.ok(!sitemap.includes(slug));
    assert.match(sitemap, /<image:loc>[^<]*\/public\/media\//);
    assert.equal((await read('/sitemap/0.xml')).status, 404);
  });

  test('feeds list new games and the releases of a game, but no drafts and no beta builds', async () => {
    const read = (path: string, headers: Record<string, string> = {}) => fetch(service.url + path, { headers });
    const games = await read('/feeds/games.atom');
    assert.equal(games.headers.get('content-type'), 'application/atom+xml; charset=utf-8');
    const releases = await read(`/g/${studio.slug}/releases.atom`);
    const text = await releases.text();
    assert.match(text, /<title>Small Walk 1\.2\.1<\/title>/);
    assert.match(text, /Rain that you can hear/);
    // A registered kind of URN, which the game keeps with another name or address.
    assert.ok(text.includes(`<id>urn:uuid:${studio.gameUid}#1.2.1</id>`), text);
    assert.doesNotMatch(text, /2\.0\.0/);
    const headers = { 'if-none-match': releases.headers.get('etag') ?? '' };
    assert.equal((await read(`/g/${studio.slug}/releases.atom`, headers)).status, 304);
    const { slug } = await askAs(service, studio.session)<{ slug: string }>('POST', '/games', {
      name: 'Unseen',
      visibility: 'draft',
    });
    assert.equal((await read(`/g/${slug}/releases.atom`)).status, 404);
    assert.equal((await read(`/g/${slug}/releases.atom`, { cookie: studio.session.cookie })).status, 200);
  });

  test('a game is described for search engines, and no text of it becomes markup', async () => {
    const hostile = '</script><img src=x onerror=alert(1)>';
    const ask = askAs(service, studio.session);
    const { game_uid, slug } = await ask<{ game_uid: string; slug: string }>('POST', '/games', { name: hostile });
    const texts = { tagline: `"'${hostile}`, description: `${hostile}<!--` };
    await ask('PATCH', `/games/${game_uid}`, { ...texts, visibility: 'public' });
    const text = await (await fetch(`${service.url}/g/${slug}`)).text();
    assert.match(text, /&lt;\/script&gt;&lt;img src=x onerror=alert\(1\)&gt;/);
    assert.doesNotMatch(text, /<img src=x|<!--/);
    const page = await (await fetch(`${service.url}/g/${studio.slug}`)).text();
    const [, json = '{}'] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page) ?? [];
    const game = JSON.parse(json) as Record<string, unknown>;
    assert.equal(game['@type'], 'VideoGame');
    assert.equal(game.headline, 'A stroll <b>through</b> rain');
    assert.match(page, /<link rel="preload" as="image"/);
    assert.match(page, /fetchpriority="high"/);
  });
});
