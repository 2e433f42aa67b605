// cspell:ignore Herunterladen
// The widget of a game in a frame on another website: what it shows, where it leads, and that nothing else can be framed.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { askAs } from '../packages/server/test/setup/api-calls.ts';
import { addPictures } from '../packages/server/test/setup/images.ts';
import { until } from '../packages/server/test/setup/until.ts';
import { shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { findSeriousProblems } from './setup/accessibility.ts';
import { FIREFOX, NO_CHROMIUM } from './setup/chromium.ts';
import { type OtherWebsite, serveOtherWebsite } from './setup/other-website.ts';
import type { Service } from './setup/processes.ts';
import { drawScene } from './setup/scenery.ts';
import { serveSite } from './setup/site.ts';
import { changeGame, openStudio, type Studio } from './setup/studio.ts';

const HOSTILE = '</title><script>alert(1)</script>"\'&amp;';

describe('the widget of a game', () => {
  let service: Service;
  let browser: Browser | null;
  let studio: Studio;
  /** What the other website shows. */
  let body = '';
  let elsewhere: OtherWebsite;

  const site = serveSite(async (site) => {
    ({ service, browser } = site);
    studio = await openStudio(service, 'Small Walk');
    await shipAndScan(service, studio, { version: '1.0.0', os: 'linux', arch: 'x86_64' }, smallZip('walk'));
    await addPictures(service, studio, 'cover', [await drawScene(3, { width: 1600, height: 900 })]);
    await changeGame(service, studio, { tagline: HOSTILE, visibility: 'invisible' });
  });

  before(async () => {
    elsewhere = await serveOtherWebsite(() => body);
  });
  after(() => elsewhere.stop());

  async function openElsewhere(html: string, options: Parameters<typeof site.openPage>[0] = {}): Promise<Page> {
    body = html;
    const page = await site.openPage(options);
    await page.goto(elsewhere.urlOf('127.0.0.1'));
    return page;
  }

  const frameOf = (path: string) =>
    `<iframe title="Game" width="560" height="170" src="${service.url}${path}"></iframe>`;
  const widget = (query = '') => `/g/${studio.slug}/widget${query}`;

  test('shows the game on another website, without JavaScript, and opens its page in a new tab', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const page = await openElsewhere(frameOf(widget()), { javaScriptEnabled: false });
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { name: 'Small Walk' }).waitFor();
    await frame.getByText(/^By /).waitFor();
    await frame.getByText(HOSTILE).waitFor();
    await frame.getByText('Linux').waitFor();
    const image = frame.locator('img');
    assert.ok(
      await image.evaluate((element: HTMLImageElement) => element.decode().then(() => element.naturalWidth > 0)),
    );
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      frame.getByRole('link', { name: 'Download' }).click(),
    ]);
    await opened.waitForURL(`${service.url}/g/${studio.slug}`);
    await page.getByRole('heading', { name: 'Our games' }).waitFor();
  });

  test('counts what it leads to for the website with the frame, and the address of the page is clean', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    body = frameOf(widget());
    // Browsers that say they are automated don't count.
    const page = await site.openPage({ userAgent: FIREFOX });
    await page.goto(elsewhere.urlOf('studio.localhost'));
    const button = page.frameLocator('iframe').getByRole('link', { name: 'Download' });
    const [opened] = await Promise.all([page.context().waitForEvent('page'), button.click()]);
    await opened.waitForURL(`${service.url}/g/${studio.slug}`);
    const link = opened.getByRole('link', { name: 'Download for Linux' });
    await Promise.all([opened.waitForEvent('download'), link.click()]);
    type Row = { host: string | null; views: number; downloads: number };
    const ask = askAs(service, studio.session);
    await until(async () => {
      const { referrers } = await ask<{ referrers: Row[] }>('GET', `/games/${studio.gameUid}/statistics`);
      const row = referrers.find(({ host }) => host === 'studio.localhost');
      return row?.views === 1 && row.downloads === 1;
    });
  });

  test('follows the theme of its address or of the visitor, and their language', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const dark = 'rgb(22, 24, 27)';
    const backgroundIn = async (query: string, colorScheme: 'light' | 'dark') => {
      const page = await openElsewhere(frameOf(widget(query)), { colorScheme, locale: 'de-DE' });
      const frame = page.frameLocator('iframe');
      await frame.getByRole('link', { name: 'Herunterladen' }).waitFor();
      return frame.locator('body').evaluate((element) => getComputedStyle(element).backgroundColor);
    };
    assert.deepEqual(
      [
        await backgroundIn('', 'dark'),
        await backgroundIn('', 'light'),
        await backgroundIn('?theme=dark', 'light'),
        await backgroundIn('?theme=light', 'dark'),
        await backgroundIn('?theme=%22%3E%3E', 'dark'),
      ],
      [dark, 'rgb(255, 255, 255)', dark, 'rgb(255, 255, 255)', dark],
    );
  });

  test('is the only page that another website can frame', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    for (const path of ['/', `/g/${studio.slug}`, '/sign-in', `/g/${studio.slug}/report-page`, '/docs']) {
      site.expectErrors(/frame-ancestors/, /ERR_BLOCKED_BY_RESPONSE/);
      const page = await openElsewhere(frameOf(path));
      const [, frame] = page.frames();
      assert.ok(frame?.url().startsWith('chrome-error:'), `${path} was framed`);
    }
  });

  test('fits into frames of common sizes, and is accessible in light and dark mode', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({ bypassCSP: true });
    for (const [width, height] of [
      [560, 170],
      [320, 170],
      [240, 120],
      [800, 200],
      [300, 250],
      [240, 360],
      [160, 600],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.goto(service.url + widget());
      const button = await page.getByRole('link', { name: 'Download' }).boundingBox();
      assert.ok(button !== null && button.x >= 0 && button.x + button.width <= width, `${width} px wide`);
      assert.ok(button.y + button.height <= height, `${height} px tall`);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await findSeriousProblems(page), [], `${width} px, ${colorScheme}`);
      }
    }
  });

  test('its team copies the HTML for it', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const editor = await site.openPage({ session: studio.session });
    await editor.goto(`${service.url}/dev/${studio.slug}/settings/listing`);
    const section = editor.getByRole('region', { name: 'Widget for your website' });
    await section.getByRole('button', { name: 'Dark' }).click();
    const code = (await section.locator('pre').textContent()) ?? '';
    assert.match(code, /^<iframe .*widget\?theme=dark/);
    const page = await openElsewhere(code);
    await page.frameLocator('iframe[title="Small Walk"]').getByRole('heading', { name: 'Small Walk' }).waitFor();
  });
});
