// Playing a web build in its sandbox, the page of a developer, and the documentation.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { addPictures, picture } from '../packages/server/test/setup/images.ts';
import { until } from '../packages/server/test/setup/until.ts';
import { shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { FIREFOX, NO_CHROMIUM } from './setup/chromium.ts';
import { NUL_STATUS } from './setup/cluster.ts';
import { serveOtherWebsite } from './setup/other-website.ts';
import { addSession } from './setup/page.ts';
import { serveSite } from './setup/site.ts';
import { addAccount, changeGame, openStudio, type Session, type Studio } from './setup/studio.ts';
import { webBuild } from './setup/web-build.ts';

const PLAYER = { email: 'player@example.com', password: 'correct horse battery' };
const PLATFORM = { os: 'web', arch: 'wasm32' };
/** 1000 of a module, 42 of WebAssembly, 40 of a level. */
const PLAYED = '1082; saves: saved; threads: yes; rgb(1, 2, 3)';
/** Hosts below `localhost`, which some browsers can't resolve. */
const OWN_HOSTS = /^http:\/\/[^/]+\.localhost[:/]/;
const BLOCKED = [
  /^GET http:.*\.localhost:\d+\/play: net::ERR_FAILED/,
  /^Failed to load resource: net::ERR_FAILED .*\/play\)/,
];

/** The document of the game in the frame. */
function gameOf(page: Page): Locator {
  return page.frameLocator('iframe').locator(':root');
}

/** Runs in the game: saves a text in both kinds of storage. */
async function save(_root: Element, text: string): Promise<void> {
  localStorage.setItem('level', text);
  const opening = indexedDB.open('saves', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('slots');
  await new Promise((resolve) => {
    opening.onsuccess = resolve;
  });
  const saving = opening.result.transaction('slots', 'readwrite');
  saving.objectStore('slots').put(text, 'level');
  await new Promise((resolve) => {
    saving.oncomplete = resolve;
  });
}

/** Runs in the game: what both kinds of storage have. */
async function readSave(): Promise<unknown[]> {
  const opening = indexedDB.open('saves', 1);
  await new Promise((resolve) => {
    opening.onsuccess = resolve;
  });
  const reading = opening.result.transaction('slots').objectStore('slots').get('level');
  await new Promise((resolve) => {
    reading.onsuccess = resolve;
  });
  return [localStorage.getItem('level'), reading.result];
}

describe('playing on the website', () => {
  let studio: Studio;
  let player: Session;
  const site = serveSite(async ({ service }) => {
    studio = await openStudio(service, 'Small Walk');
    const bytes = await picture();
    [player] = await Promise.all([
      addAccount(service, PLAYER),
      shipAndScan(service, studio, { version: '1.0.0', ...PLATFORM }, webBuild('plays')),
      shipAndScan(service, studio, { version: '2.0.0', channel: 'beta', ...PLATFORM }, webBuild('plays')),
      shipAndScan(service, studio, { version: '6.6.6', channel: 'evil', ...PLATFORM }, webBuild('attacks')),
      shipAndScan(service, studio, { version: '1.0.0', os: 'linux', arch: 'x86_64' }, smallZip('walk.x86_64')),
      changeGame(service, studio, { tagline: 'A stroll through rain', description: 'One evening.' }),
      addPictures(service, studio, 'thumbnail', [bytes]),
    ]);
  });

  /** Opens a page that may use the clipboard. */
  const visit = (session?: Session) =>
    site.openPage({ ...(session && { session }), permissions: ['clipboard-read', 'clipboard-write'] });

  /** The status line of the game in the frame. */
  const stateOf = (page: Page) => page.frameLocator('iframe').locator('#state');

  test('a web build loads only after Play is pressed, and keys reach the game', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await visit();
    const loaded: string[] = [];
    page.on('request', (request) => request.url().includes('/play/') && loaded.push(new URL(request.url()).pathname));
    await page.goto(`${site.service.url}/g/${studio.slug}`);
    await page.getByRole('link', { name: 'Download for Linux' }).waitFor();
    await page.getByRole('link', { name: 'Play in browser' }).click();
    const play = page.getByRole('button', { name: 'Play Small Walk' });
    await play.waitFor();
    assert.equal(await page.getByText("Progress isn't saved").count(), 0);
    assert.deepEqual(loaded, []);
    await play.press('Enter');
    await stateOf(page).getByText(PLAYED).waitFor();
    await page.frameLocator('iframe').frameLocator('iframe').getByText('A page within').waitFor();
    await page.keyboard.type('wasd');
    await page.frameLocator('iframe').getByText('wasd').waitFor();
    await page.getByRole('button', { name: 'Restart' }).click();
    await page.frameLocator('iframe').getByText('wasd').waitFor({ state: 'detached' });
    await stateOf(page).getByText(PLAYED).waitFor();
    await page.getByRole('button', { name: 'Full screen' }).click();
    await page.waitForFunction(() => document.fullscreenElement?.querySelector('iframe') === document.activeElement);
  });

  test('downloads and plays are counted with the website that led to the page of the game', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const news = await serveOtherWebsite(() => `<a href="${site.service.url}/g/${studio.slug}">Small Walk</a>`);
    t.after(news.stop);
    // Browsers that say they are automated don't count.
    const page = await site.openPage({ userAgent: FIREFOX });
    await page.goto(news.urlOf('news.localhost'));
    await page.getByRole('link', { name: 'Small Walk' }).click();
    // The script of the page passes the website on.
    await page.waitForURL(`${site.service.url}/g/${studio.slug}`, { waitUntil: 'load' });
    await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download for Linux' }).click()]);
    await page.getByRole('link', { name: 'Play in browser' }).click();
    await page.getByRole('button', { name: 'Play Small Walk' }).click();
    await stateOf(page).getByText(PLAYED).waitFor();
    type Row = { host: string | null; views: number; downloads: number; plays: number };
    const url = `${site.service.api}/games/${studio.slug}/statistics`;
    await until(async () => {
      const { data } = (await (await fetch(url, { headers: studio.session })).json()) as { data: { referrers: Row[] } };
      const row = data.referrers.find(({ host }) => host === 'news.localhost');
      return row?.views === 1 && row.downloads === 1 && row.plays === 1;
    });
  });

  test('a game plays in a sandbox where the browser cannot reach its own host, and says that nothing is saved', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    site.expectErrors(...BLOCKED);
    const page = await visit();
    await page.route(OWN_HOSTS, (route) => route.abort());
    await page.goto(`${site.service.url}/g/${studio.slug}/play`);
    await page.getByText("Progress isn't saved when you leave").waitFor();
    await page.getByRole('button', { name: 'Play Small Walk' }).click();
    await stateOf(page).getByText(PLAYED.replace('saves: saved', 'saves: no')).waitFor();
    await page.frameLocator('iframe').frameLocator('iframe').getByText('A page within').waitFor();
    assert.equal((await page.locator('iframe').getAttribute('sandbox'))?.includes('allow-same-origin'), false);
  });

  for (const { where, host, blocked, allowed } of [
    // Service workers serve nothing but the files of their game.
    { where: 'on its own origin', host: '127.0.0.1', blocked: null, allowed: 'worker' },
    { where: 'on its own origin next to localhost', host: 'localhost', blocked: null, allowed: 'worker' },
    { where: 'in the sandbox', host: '127.0.0.1', blocked: OWN_HOSTS, allowed: 'nothing' },
  ])
    test(`a hostile build ${where} can neither use the session, set cookies of the site nor navigate the player away`, async (t) => {
      if (site.browser === null) return t.skip(NO_CHROMIUM);
      site.expectErrors(
        /^Unsafe attempt to initiate navigation/,
        /^Blocked opening 'about:blank'/,
        /\/api\/auth\/get-session' from origin '.*' has been blocked by CORS policy/,
        /\/api\/v1\/games' from origin '.*' has been blocked by CORS policy/,
        /^GET .*get-session: net::ERR_FAILED/,
        /^GET .*games: net::ERR_FAILED/,
        /^POST .*games: net::ERR_FAILED/,
        /^Failed to load resource: net::ERR_FAILED .*(get-session|games)/,
        /status of 40[13] .*games/,
        /camera is not allowed/,
        ...(blocked === null ? [] : BLOCKED),
      );
      const page = await visit();
      const origin = site.service.url.replace('127.0.0.1', host);
      await addSession(page.context(), { ...site.service, url: origin }, studio.session);
      if (blocked !== null) await page.route(blocked, (route) => route.abort());
      const address = `${origin}/g/${studio.slug}/play?channel=evil`;
      const taken: string[] = [];
      page.context().on('page', (other) => taken.push(`page ${other.url()}`));
      page.on('download', (download) => taken.push(`download ${download.suggestedFilename()}`));
      await page.goto(address);
      await page.getByRole('button', { name: 'Play Small Walk' }).click();
      await stateOf(page).getByText(`let: ${allowed}`, { exact: true }).waitFor();
      assert.equal(page.url(), address);
      assert.deepEqual(taken, []);
      const cookies = await page.context().cookies();
      assert.deepEqual(
        cookies.filter(({ name }) => name === 'tossed'),
        [],
      );
      const { data } = await (await fetch(`${site.service.api}/games`, { headers: studio.session })).json();
      assert.deepEqual(
        data.games.map(({ name }: { name: string }) => name),
        ['Small Walk'],
      );
      // Opened outside the frame, it could ask for passwords under the name of the site.
      const source = await page.locator('iframe').getAttribute('src');
      await page.goto(new URL(source ?? '', address).href);
      await page.getByRole('button', { name: 'Play Small Walk' }).waitFor();
      assert.match(page.url(), /\/g\/[^/]+\/play$/);
    });

  test('only beta members can play a beta build', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await visit(player);
    const address = `${site.service.url}/g/${studio.slug}/play?channel=beta`;
    await page.goto(address);
    await page.getByText('No browser build on this channel').waitFor();
    await page.goto(`${site.service.url}/g/${studio.slug}`);
    await page.getByRole('button', { name: 'Join beta' }).click();
    await page.getByText('beta', { exact: true }).click();
    await page.getByRole('link', { name: 'Play in browser' }).click();
    await page.getByText('Version 2.0.0').waitFor();
    await page.getByRole('button', { name: 'Play Small Walk' }).click();
    await stateOf(page).getByText(PLAYED).waitFor();
  });

  test('a game keeps its saves, also for its next build, on a host that serves nothing else', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    site.expectErrors(/status of 404 .*localhost.*\/sign-in/);
    const page = await visit();
    await page.goto(`${site.service.url}/g/${studio.slug}/play`);
    await page.getByRole('button', { name: 'Play Small Walk' }).click();
    await stateOf(page).getByText(PLAYED).waitFor();
    const source = new URL((await page.locator('iframe').getAttribute('src')) ?? '');
    assert.equal(source.hostname, `${studio.gameUid}.localhost`);

    await gameOf(page).evaluate(save, 'level 7');
    const readSaves = async () => {
      await page.reload();
      await page.getByRole('button', { name: 'Play Small Walk' }).click();
      await stateOf(page).getByText('saves: saved').waitFor();
      return gameOf(page).evaluate(readSave);
    };
    assert.deepEqual(await readSaves(), ['level 7', 'level 7']);
    await shipAndScan(site.service, studio, { version: '1.1.0', ...PLATFORM }, webBuild('plays'));
    assert.deepEqual(await readSaves(), ['level 7', 'level 7']);
    await page.getByText('Version 1.1.0').waitFor();
    await page.goto(`${source.origin}/sign-in`);
    await page.getByText('Only games are played on this host.').waitFor();
  });

  test('a developer chooses a handle, and players find their games there', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await visit(studio.session);
    const { url } = site.service;
    await page.goto(`${url}/settings/profile`);
    const handle = page.getByRole('textbox', { name: 'Handle' });
    await handle.fill('Rain Works');
    await page.getByText('Please use only lowercase letters').waitFor();
    await handle.fill('@rain-works');
    await page.getByRole('form', { name: 'Handle' }).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'View your page' }).waitFor();
    await page.goto(`${url}/g/${studio.slug}`);
    await page.getByRole('banner').waitFor();
    await page.locator('article header').getByRole('link', { name: 'owner' }).click();
    await page.waitForURL(`${url}/@rain-works`);
    await page.getByText('@rain-works').waitFor();
    await page.getByRole('region', { name: 'Games' }).getByRole('link', { name: 'Small Walk' }).click();
    await page.getByRole('heading', { name: 'Small Walk', level: 1 }).waitFor();

    const read = async (path: string) => {
      const response = await fetch(url + path, { headers: { accept: 'text/html' } });
      return { status: response.status, text: await response.text() };
    };
    const { status, text } = await read('/@rain-works');
    assert.equal(status, 200);
    assert.ok(text.includes(`<link rel="canonical" href="${url}/@rain-works">`), text);
    assert.ok(text.includes(`<meta property="og:image" content="${url}/api/v1/public/media/`), text);
    for (const path of ['/@no-such-handle', '/@Rain-Works', '/@']) assert.equal((await read(path)).status, 404, path);
    assert.equal((await read('/@%00')).status, NUL_STATUS);
    const { text: sitemap } = await read('/sitemap.xml');
    for (const path of ['/@rain-works', `/g/${studio.slug}`, '/docs/cli'])
      assert.ok(sitemap.includes(`<loc>${url}${path}</loc>`), path);
  });

  test('game cards load images of their own size', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await visit();
    await page.goto(`${site.service.url}/browse`);
    const image = page.getByRole('article').locator('img');
    await image.waitFor();
    await page.waitForFunction(() => document.querySelector<HTMLImageElement>('article img')?.complete === true);
    assert.match(await image.evaluate((element) => (element as HTMLImageElement).currentSrc), /\?width=480$/);
  });
});
