// Checks every page of the website, with content: no serious accessibility problem, no browser error, no horizontal
// scrolling.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PageName } from '@chauffeur/contract/pages';
import type { Locator, Page } from 'playwright-core';
import { until, untilEqual } from '../packages/server/test/setup/until.ts';
import { findSeriousProblems } from './setup/accessibility.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { furnish, SHOWROOM_SETTINGS, type Showroom } from './setup/showroom.ts';
import { serveSite } from './setup/site.ts';
import { visitPages } from './setup/visit.ts';

const WIDE = { width: 1280, height: 900 };
/** What is further down loads when someone scrolls. */
const LAPTOP = { width: 1280, height: 800 };
const TABLET = { width: 768, height: 1024 };
const PHONE = { width: 390, height: 844 };
/** The narrowest width at which pages must not scroll sideways (WCAG 2.2, 1.4.10). */
const NARROWEST = { width: 320, height: 640 };
/** The rules about colours. All other rules have the same result in dark mode. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

type Shift = PerformanceEntry & { readonly value: number };
type Shifts = { readonly shifts: number[] };

describe('every page of the website', () => {
  let showroom: Showroom;
  const site = serveSite(
    async ({ service }) => {
      showroom = await furnish(service);
    },
    { env: SHOWROOM_SETTINGS },
  );

  test('is accessible in light and dark mode, and fits a desktop and a phone', async (t) => {
    const { browser, service } = site;
    if (browser === null) return t.skip(NO_CHROMIUM);
    const problems: string[] = [];
    await visitPages({ browser, service }, showroom, WIDE, async (page, visit, errors) => {
      problems.push(...errors.map((error) => `${visit.page}: ${error}`));
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        for (const violation of await findSeriousProblems(page, colorScheme === 'dark' ? COLOUR_RULES : null))
          problems.push(`${visit.page} (${colorScheme}): ${violation}`);
      }
      problems.push(...(await findTableProblems(page)).map((problem) => `${visit.page}: ${problem}`));
      for (const size of [PHONE, NARROWEST]) {
        await page.setViewportSize(size);
        if (await scrollsHorizontally(page)) problems.push(`${visit.page}: wider than ${size.width} px`);
        for (const flag of await page.evaluate(findPartedFlags))
          problems.push(`${visit.page}: ${flag} of a command has a line break in it at ${size.width} px`);
        if (/^\/(dev|operator|org|settings)\b/.test(visit.path))
          problems.push(
            ...(await findCutTables(page)).map((name) => `${visit.page}: ${name} is cut off at ${size.width} px`),
          );
      }
      await page.setViewportSize(WIDE);
    });
    assert.deepEqual(problems, []);
  });

  test('loads no more than a phone on a slow network can bear', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const crashGroup = await weigh('crashGroup', (page) =>
      page.getByRole('list', { name: 'Stack of the crashed thread' }),
    );
    assert.ok(crashGroup.size <= 25, `a crash group is ${crashGroup.size} requests`);
    const bytes = sum([...crashGroup.values()]);
    assert.ok(bytes <= 200_000, `a crash group is ${bytes} bytes`);
    const scripts = [...(await weigh('game', (page) => page.getByRole('heading', { level: 1 })))].filter(([url]) =>
      new URL(url).pathname.endsWith('.js'),
    );
    const scriptBytes = sum(scripts.map(([, size]) => size));
    assert.ok(scriptBytes <= 60_000, `a game has ${scriptBytes} bytes of scripts`);
  });

  /** The bytes of each file and response that a page loads, with headers. What it asks for again is counted once. */
  async function weigh(name: PageName, shown: (page: Page) => Locator): Promise<Map<string, number>> {
    const page = await site.openPage({ session: showroom.owner.session, viewport: LAPTOP });
    const network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
    const pending = new Map<string, string>();
    const sizes = new Map<string, number>();
    network.on('Network.requestWillBeSent', ({ requestId, request, type }) => {
      // The stream of changes has no end.
      if (type !== 'EventSource') pending.set(requestId, request.url);
    });
    network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      const url = pending.get(requestId);
      if (url !== undefined && !sizes.has(url)) sizes.set(url, encodedDataLength);
      pending.delete(requestId);
    });
    await page.goto(`${site.service.url}${showroom.visits.find((visit) => visit.page === name)?.path}`);
    await shown(page).waitFor();
    await until(async () => pending.size === 0);
    await page.close();
    return sizes;
  }

  test('the search box is one line high, and games on a phone are shown with everything about them', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({ session: showroom.owner.session, viewport: PHONE });
    for (const size of [PHONE, WIDE]) {
      await page.setViewportSize(size);
      await page.goto(`${site.service.url}/browse`);
      const box = await page.getByRole('searchbox').locator('xpath=ancestor::form').boundingBox();
      assert.ok((box?.height ?? 0) < 64, `the search box is ${box?.height} px high`);
    }
    await page.goto(`${site.service.url}/dev`);
    const games = page.getByRole('table', { name: 'Your games' });
    for (const size of [TABLET, PHONE]) {
      await page.setViewportSize(size);
      for (const name of ['Paper Orchard', 'Owls of the North']) {
        const link = games.getByRole('link', { name, exact: true });
        assert.equal(await countLines(link), 1, `${name} is broken into lines at ${size.width} px`);
      }
    }
    const owls = games.getByRole('row').filter({ hasText: 'Owls of the North' });
    for (const text of ['stable: 1.1.0', /^(Excellent|Healthy|Mixed)$/, 'Public', 'Owner'])
      assert.ok(await owls.getByText(text).first().isVisible(), `${text} is hidden`);
    await page.goto(`${site.service.url}${showroom.visits.find((visit) => visit.page === 'health')?.path}`);
    const builds = page.getByRole('table', { name: 'Builds by launch health' });
    for (const name of [/^Band \w+ on the game's page$/, /^Booted [\d.]+% of \d+$/, /^Crash-free [\d.]+% of \d+$/]) {
      const box = await builds.getByRole('cell', { name }).first().boundingBox();
      assert.ok(box !== null && box.x >= 0 && box.x + box.width <= PHONE.width, `${name} is cut off`);
    }
    await page.goto(`${site.service.url}${showroom.visits.find((visit) => visit.page === 'builds')?.path}`);
    for (const width of [360, 414]) {
      await page.setViewportSize({ width, height: 800 });
      const newest = page.getByRole('table', { name: 'Builds', exact: true }).getByRole('row').nth(1);
      for (const text of ['1.2.0-rc.1 · Linux x86_64', 'Ready', /^beta since/]) {
        const box = await newest.getByText(text).filter({ visible: true }).boundingBox();
        assert.ok(box !== null && box.x >= 0 && box.x + box.width <= width, `${text} is cut off at ${width} px`);
        assert.ok(box.height < 30, `${text} is broken into lines`);
      }
    }
    await page.setViewportSize(PHONE);
    await page.goto(`${site.service.url}/dev`);
    const approval = page.getByRole('table', { name: 'Waiting for your approval' });
    assert.equal(await countLines(approval.getByText(/^\d+ hours/)), 1);
    assert.ok(await approval.getByText('“Release desk”').isVisible());
  });

  test('public pages in German fit a phone, with the links of the header in two rows', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({ locale: 'de-DE' });
    const { slug } = showroom.owner;
    const problems: string[] = [];
    for (const path of [
      '/',
      '/browse',
      '/browse?q=nothing',
      '/@north',
      ...['', '/follow', '/report-page'].map((end) => `/g/${slug}${end}`),
    ]) {
      await page.goto(site.service.url + path);
      for (const viewport of [NARROWEST, PHONE]) {
        await page.setViewportSize(viewport);
        if (await scrollsHorizontally(page)) problems.push(`${path}: wider than ${viewport.width} px`);
        const tops = await page.locator('.site-header :is(a, button):visible').evaluateAll((parts) =>
          parts.map((part) => {
            const { top, height } = part.getBoundingClientRect();
            return Math.round((top + height / 2) / 10);
          }),
        );
        if (new Set(tops).size !== 2) problems.push(`${path}: the header has other rows at ${viewport.width} px`);
      }
    }
    assert.deepEqual(problems, []);
  });

  test('the theme is chosen in the account menu, which Escape closes', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({ session: showroom.owner.session, colorScheme: 'light' });
    await page.goto(`${site.service.url}/dev`);
    const account = page.getByRole('button', { name: 'Account: owner' });
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await account.click();
    await page.getByRole('button', { name: 'Dark' }).click();
    await untilEqual(background, 'rgb(22, 24, 27)');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Dark' }).waitFor({ state: 'hidden' });
    await untilEqual(() => account.evaluate((button) => button === document.activeElement), true);
    await page.reload();
    await untilEqual(background, 'rgb(22, 24, 27)');
    await account.click();
    await page.getByRole('link', { name: 'Account settings' }).click();
    await page.waitForURL(/\/settings\/profile$/);
    await page.getByRole('button', { name: 'Sign out' }).waitFor({ state: 'hidden' });
  });

  test('paper is white, whatever theme was chosen', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage();
    await page.addInitScript(() => localStorage.setItem('mantine-color-scheme-value', 'dark'));
    const colours = () =>
      page.evaluate(() => {
        const { color, backgroundColor } = getComputedStyle(document.body);
        return [color, backgroundColor];
      });
    for (const name of ['game', 'file', 'doc'] as const) {
      await page.goto(`${site.service.url}${showroom.visits.find((visit) => visit.page === name)?.path}`);
      await page.emulateMedia({ media: 'screen' });
      assert.deepEqual(await colours(), ['rgb(214, 217, 221)', 'rgb(22, 24, 27)'], name);
      await page.emulateMedia({ media: 'print' });
      assert.deepEqual(await colours(), ['rgb(20, 23, 26)', 'rgb(255, 255, 255)'], name);
    }
  });

  test('only the current tab is underlined where the visitor has chosen the colours', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({ session: showroom.owner.session, forcedColors: 'active', colorScheme: 'dark' });
    await page.goto(`${site.service.url}/dev/${showroom.owner.slug}/builds`);
    const tabs = page
      .getByRole('navigation')
      .getByRole('link')
      .filter({ hasText: /^(Overview|Builds|Channels)$/ });
    await tabs.nth(2).waitFor();
    const lineOf = (element: Element) => getComputedStyle(element).borderBottomColor;
    const [before, current, after] = [tabs.nth(0), tabs.nth(1), tabs.nth(2)].map((tab) => tab.evaluate(lineOf));
    const canvas = 'rgb(0, 0, 0)';
    assert.deepEqual([await before, await after], [canvas, canvas]);
    assert.notEqual(await current, canvas);
    await page.goto(`${site.service.url}/docs/cli`);
    const shells = page.locator('[data-shells]').first().locator('label');
    assert.deepEqual(
      (await shells.evaluateAll((all) => all.map((each) => getComputedStyle(each).borderBottomColor))).slice(1),
      [canvas, canvas],
    );
    assert.notEqual(await shells.first().evaluate(lineOf), canvas);
  });

  test('buttons have enough contrast under the mouse', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({ session: showroom.owner.session, reducedMotion: 'reduce' });
    for (const [path, name] of [
      ['/', /^(See the game|Play or download)$/],
      ['/settings/security', /^Revoke everything$/],
      ['/settings/security', /^Change password$/],
    ] as const) {
      await page.goto(site.service.url + path);
      const button = page.getByRole('link', { name }).or(page.getByRole('button', { name }));
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await button.hover();
        assert.deepEqual(await findSeriousProblems(page, ['color-contrast']), [], `${name} in ${colorScheme} mode`);
      }
    }
  });

  test('while the first page takes long to load, the header is already there', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({ session: showroom.owner.session });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(`**/api/v1/games/${showroom.owner.slug}`, async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(`${site.service.url}/dev/${showroom.owner.slug}/builds`);
    await page.getByRole('link', { name: 'Your games' }).waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Builds' }).count(), 0);
    release();
    await page.getByRole('heading', { name: 'Builds' }).waitFor();
    assert.equal(await page.getByRole('banner').count(), 1);
  });

  test('without JavaScript, a page that needs it links to the games, which do not', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    site.expectErrors(/\/assets\/.*\.js: csp$/);
    const page = await site.openPage({ javaScriptEnabled: false });
    await page.goto(`${site.service.url}/sign-in`);
    // Locators by text and role leave out what is in this element.
    const message = page.locator('noscript p');
    assert.match(await message.innerText(), /^This page needs JavaScript\./);
    await message.locator('a').click();
    await page.getByRole('heading', { name: 'Browse games' }).waitFor();
  });

  test('the list of shortcuts has the key that copies a stack, where there is one', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({ session: showroom.owner.session });
    const visit = showroom.visits.find((each) => each.page === 'crashGroup');
    await page.goto(`${site.service.url}${visit?.path}`);
    await page.getByRole('button', { name: /^Copy stack/ }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByRole('row', { name: 'y Copy stack as text' }).waitFor();
  });

  test('the documentation has search, tabs for shells, copy buttons and dark mode', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({ permissions: ['clipboard-read', 'clipboard-write'], colorScheme: 'light' });
    const { url } = site.service;
    await page.goto(url);
    await page.getByRole('link', { name: 'Docs' }).click();
    await page.getByRole('heading', { name: 'Documentation', level: 1 }).waitFor();
    // The script of the page, which knows the keys, adds it.
    await page.getByRole('button', { name: 'Dark mode' }).waitFor();

    await page.keyboard.press('/');
    await page.keyboard.type('zugzwang');
    await page.getByRole('option', { name: 'No results', disabled: true }).waitFor();
    await page.getByRole('combobox').fill('web build');
    await page.getByRole('option').first().waitFor();
    assert.deepEqual(await findSeriousProblems(page), []);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowDown');
    const first = page.getByRole('option', { selected: true });
    assert.match((await first.textContent()) ?? '', /^Ship a web build/);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${url}/docs/play#ship-a-web-build`);

    await page.getByText('PowerShell', { exact: true }).first().click();
    await page.getByRole('button', { name: 'Copy' }).first().click();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await untilEqual(copied, 'chauffeur push dist\\web --version 1.0.0 --os web --arch wasm32');

    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await untilEqual(background, 'rgb(255, 255, 255)');
    await page.getByRole('button', { name: 'Dark mode' }).click();
    await page.getByRole('link', { name: /^Next/ }).click();
    await page.waitForURL(`${url}/docs/store-page`);
    await untilEqual(background, 'rgb(22, 24, 27)');
    await page.getByRole('link', { name: /^Next/ }).click();
    await page.waitForURL(`${url}/docs/shelves`);
    // The commands of this page are shown for the shell that was chosen on the page before.
    await page.getByText('curl.exe').first().waitFor();
  });

  test('nothing of the documentation moves while it loads', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    for (const viewport of [PHONE, TABLET]) {
      const page = await site.openPage({ viewport });
      await page.addInitScript(() => {
        Object.assign(globalThis, { shifts: [] });
        const observer = new PerformanceObserver((list) =>
          (globalThis as unknown as Shifts).shifts.push(...list.getEntries().map((entry) => (entry as Shift).value)),
        );
        observer.observe({ type: 'layout-shift', buffered: true });
      });
      // Scripts and images come after the page was painted, as on a slow network.
      await page.route(/\/assets\/.*\.(js|webp)$/, async (route) => {
        await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
        await route.continue();
      });
      await page.goto(`${site.service.url}/docs/store-page`);
      await page.getByRole('button', { name: 'Copy' }).first().waitFor();
      await page.waitForFunction(() => document.images[1]?.naturalWidth);
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      const moved = sum(await page.evaluate(() => (globalThis as unknown as Shifts).shifts));
      assert.ok(moved < 0.02, `${moved} at ${viewport.width} px`);
    }
  });

  test('commands and checksums are copied without HTTPS too', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage();
    // The browser reaches the server by plain HTTP, so it has no clipboard.
    await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await page.goto(`${site.service.url}/docs/play`);
    await page.getByText('PowerShell', { exact: true }).first().click();
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await page.getByRole('combobox').press('Control+v');
    const command = 'chauffeur push dist\\web --version 1.0.0 --os web --arch wasm32';
    assert.equal(await page.getByRole('combobox').inputValue(), command);

    const visit = showroom.visits.find((each) => each.page === 'file');
    await page.goto(`${site.service.url}${visit?.path}`);
    const button = page.locator('[data-copy]').first();
    await button.click();
    await untilEqual(() => button.getAttribute('title'), 'Copied');
    await untilEqual(() => button.evaluate((element) => element === document.activeElement), true);
    const search = page.getByRole('searchbox').last();
    await search.press('Control+v');
    assert.equal(await search.inputValue(), await button.getAttribute('data-copy'));
  });

  test('the documentation can be read and searched without JavaScript', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({ javaScriptEnabled: false, viewport: PHONE });
    await page.goto(`${site.service.url}/docs/crashes#limits`);
    await page.getByRole('heading', { name: 'Limits' }).waitFor();
    await page.getByText('All pages').click();
    await page.getByRole('link', { name: 'Symbols', exact: true }).click();
    await page.getByRole('heading', { name: 'Create and upload symbols', level: 1 }).waitFor();
    await page.getByText('Command Prompt').first().click();
    await page.locator('[data-shell="bat"]').first().waitFor();
    await page.getByRole('searchbox').fill('dsymutil');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('1 result for “dsymutil”').waitFor();
    await page.getByRole('link', { name: /^macOS/ }).click();
    await page.waitForURL(/\/docs\/symbols#macos$/);
  });

  test('an address without a page gets one that says so, unless the client prefers JSON', async () => {
    const typeOf = async (path: string, accept: string, method = 'GET') => {
      const response = await fetch(site.service.url + path, { method, headers: { accept } });
      return [response.status, response.headers.get('content-type')?.split(';')[0]];
    };
    const [page, json] = ['text/html', 'application/json'];
    for (const path of ['/nope', '/g/nope', '/g/nope/play', '/dev/x/y/z', '/@nope', '/robots', '/feeds/nope.atom'])
      for (const accept of ['*/*', 'text/html', 'text/plain', 'image/avif,*/*;q=0.8', 'x;;,=q'])
        assert.deepEqual(await typeOf(path, accept), [404, page], `${path} as ${accept}`);
    for (const accept of [json, 'application/json, text/plain, */*', 'text/html;q=0.5,application/json'])
      assert.deepEqual(await typeOf('/nope', accept), [404, json], accept);
    for (const path of ['/api/nope', '/v1/nope', '/auth/nope', '/mcp/nope', '/.well-known/nope', '/assets/nope.js'])
      assert.deepEqual(await typeOf(path, '*/*'), [404, json], path);
    assert.deepEqual(await typeOf('/nope', '*/*', 'POST'), [404, json]);
    // Addresses of pages that the server writes, without what the page would be about.
    const { slug } = showroom.owner;
    for (const path of [
      ...['/g/nope', '/g/nope/follow', '/g/nope/report-page', '/@nope', '/follow/nope', '/docs/nope'],
      ...[`/g/${slug}/files/01a21432-d143-75a9-bc08-4e50f90a36c1`, '/browse?cursor=nope'],
    ]) {
      const [status, type] = await typeOf(path, json);
      assert.equal(type, json, path);
      assert.ok(status === 404 || status === 400, `${path} returned ${status}`);
      assert.deepEqual(await typeOf(path, '*/*'), [404, page], path);
    }
    // A page that exists is a page for every client.
    assert.deepEqual(await typeOf(`/g/${slug}`, json), [200, page]);
  });

  test('programs that accept any type get a page of the documentation, and search engines its head', async () => {
    const { url } = site.service;
    const read = (path: string, accept: string) => fetch(url + path, { headers: { accept } });
    const page = await read('/docs/play', '*/*');
    assert.equal(page.status, 200);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(page.headers.get('content-encoding'), 'gzip');
    const text = await page.text();
    assert.match(text, /<title>Games in the browser · Chauffeur<\/title>/);
    assert.ok(text.includes(`<link rel="canonical" href="${url}/docs/play">`));
    assert.doesNotMatch(text, /noindex/);
    assert.match(await (await read('/docs/search?q=%3Cb%3E&q=2', 'text/html')).text(), /noindex/);
    // Commands in the documentation, and in what a search in it finds, are for this server.
    for (const path of ['/docs/start', '/docs/cli', '/docs/api', '/docs/search?q=install.sh']) {
      const shown = await (await read(path, '*/*')).text();
      assert.ok(shown.includes(`${url}/`), path);
      assert.doesNotMatch(shown, /games\.example\.com|127\.0\.0\.1:4000\/api\/v1\//, path);
    }
    for (const [path, accept, status] of [
      ['/docs/', 'text/html', 200],
      ['/docs/nothing', 'text/html', 404],
      ['/docs/%2e%2e%2f404', 'text/html', 404],
      ['/docs/play', 'application/json', 200],
      ['/docs/index.html', '*/*', 404],
      ['/docs/sections.json', '*/*', 404],
    ] as const)
      assert.equal((await read(path, accept)).status, status, path);
  });
});

function scrollsHorizontally(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}

/** The number of lines that the text takes. */
function countLines(text: Locator): Promise<number> {
  return text.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
  });
}

/** Tables that are wider than the screen, and don't scroll within an edge that shows it. */
function findCutTables(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    // The boxes measure their content in the next frame.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return [...document.querySelectorAll('table')]
      .filter((table) => {
        const box = table.parentElement!;
        if (!table.checkVisibility() || box.scrollWidth <= box.clientWidth) return false;
        const { overflowX, backgroundAttachment } = getComputedStyle(box);
        return overflowX !== 'auto' || !backgroundAttachment.includes('local') || box.tabIndex !== 0;
      })
      .map((table) => table.ariaLabel ?? 'a table');
  });
}

/** Headers without text, and texts that run into the next column, which long times do first. */
function findTableProblems(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    for (const time of document.querySelectorAll('td time'))
      if (time.firstChild !== null) time.firstChild.nodeValue = '10 months ago';
    const empty = [...document.querySelectorAll('th')].filter((header) => {
      const hidden = header.querySelector('.mantine-VisuallyHidden-root');
      return header.textContent === (hidden?.textContent ?? '');
    });
    const colliding = [...document.querySelectorAll('td')].filter(
      (cell) => cell.scrollWidth > cell.clientWidth + 1 && getComputedStyle(cell).overflow === 'visible',
    );
    return [
      ...empty.map((header) => `a table header without text: ${header.outerHTML.slice(0, 120)}`),
      ...colliding.map((cell) => `a text is wider than its column: ${cell.textContent}`),
    ];
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** The flags of commands that have a line break in them. */
function findPartedFlags(): string[] {
  const parted: string[] = [];
  for (const code of document.querySelectorAll('pre')) {
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      for (const { 0: flag, index } of (node.textContent ?? '').matchAll(/(?<!\S)--[\w-]+/g)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + flag.length);
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) parted.push(flag);
      }
    }
  }
  return parted;
}
