// Tests the JavaScript client in Chromium: the example game, on its own site, sends events to a real server.
import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { extname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { NO_CHROMIUM, startChromium } from './setup/chromium.ts';
import { registerBuild, type StoredEvent, untilStored } from './setup/player.ts';
import { serveStudio } from './setup/served.ts';

const EXAMPLES = join(import.meta.dirname, '..', 'examples');
const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

const countOf = (names: readonly string[], name: string) => names.filter((other) => other === name).length;
const has =
  (...wanted: string[]) =>
  (names: readonly string[]) =>
    wanted.every((name) => names.includes(name));

describe('the JavaScript client', () => {
  const served = serveStudio();
  let browser: Browser | null;
  let site: Server;
  let game: string;
  before(async () => {
    browser = await startChromium();
    const folder = join(served.folder, 'game');
    await writeBuild(folder, await registerBuild(served, '1.0.0'));
    site = createServer(async (request, response) => {
      const path = join(folder, new URL(request.url ?? '', 'http://game').pathname.replace(/\/$/, '/index.html'));
      const body = await readFile(path).catch(() => null);
      response.writeHead(body === null ? 404 : 200, { 'content-type': TYPES[extname(path)] ?? 'text/plain' }).end(body);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const address = site.address();
    game = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
  });
  after(async () => {
    await browser?.close();
    site?.closeAllConnections();
    site?.close();
  });

  /** A folder as described in the game's README.txt. */
  async function writeBuild(folder: string, buildId: string): Promise<void> {
    await cp(join(EXAMPLES, 'tiny-game'), folder, { recursive: true });
    await cp(join(EXAMPLES, 'javascript', 'chauffeur-events.js'), join(folder, 'chauffeur-events.js'));
    const ids = { app_id: served.studio.gameUid, build_id: buildId };
    await writeFile(
      join(folder, 'chauffeur.json'),
      JSON.stringify({ events_url: `${served.service.api}/public/events`, ...ids }),
    );
  }

  /** Opens the game in the browser of a new player. */
  async function play(from: Browser): Promise<{ context: BrowserContext; page: Page; device: string }> {
    const context = await from.newContext();
    const page = await context.newPage();
    await page.goto(game);
    return { context, page, device: await deviceOf(page) };
  }

  async function deviceOf(page: Page): Promise<string> {
    const key = `chauffeur:${served.studio.gameUid}:device`;
    await page.waitForFunction((name) => localStorage.getItem(name) !== null, key);
    return page.evaluate((name) => localStorage.getItem(name) ?? '', key);
  }

  const track = (page: Page, name: string, properties?: Record<string, unknown>) =>
    page.evaluate(
      async ([module, event, values]) => {
        const { events } = await import(module);
        events.track(event, values);
      },
      [`${game}events.js`, name, properties] as const,
    );

  test('sends the start, the first frame and the first input once', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const { context, page, device } = await play(browser);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await track(page, 'parked', { level: 1, car: 'red', won: true, nothing: null, long: '😱'.repeat(200) });
    const events = await untilStored(served, device, has('session_start', 'boot_ok', 'first_input', 'parked'));
    assert.equal(events.length, 4);
    const [boot, input] = ['boot_ok', 'first_input'].map(
      (name) => events.find(({ event }) => event === name) as StoredEvent,
    );
    assert.ok(boot?.ms !== null && input?.ms !== null && (boot?.ms ?? 0) <= (input?.ms ?? 0));
    const parked = events.find(({ event }) => event === 'parked');
    assert.deepEqual(parked?.properties, { level: 1, car: 'red', won: true, long: '😱'.repeat(128) });
    assert.equal(new Set(events.map(({ session_id }) => session_id)).size, 1);
    await context.close();
  });

  test('sends session_end as a beacon when the tab is closed', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const { context, page, device } = await play(browser);
    await untilStored(served, device, has('boot_ok'));
    await page.close({ runBeforeUnload: true });
    const events = await untilStored(served, device, has('session_end'));
    const { seconds } = events.find(({ event }) => event === 'session_end') as StoredEvent;
    assert.ok(seconds !== null && seconds < 60, `${seconds} s`);
    await context.close();
  });

  test('keeps events while offline, and sends them once when the network is back', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const { context, page, device } = await play(browser);
    await untilStored(served, device, has('boot_ok'));
    await context.setOffline(true);
    for (let no = 0; no < 120; no++) await track(page, 'parked', { level: no });
    await page.waitForFunction(() => Object.values(localStorage).some((text) => text.includes('"level":119')));
    await context.setOffline(false);
    const events = await untilStored(served, device, (names) => countOf(names, 'parked') >= 120);
    const levels = events.filter(({ event }) => event === 'parked').map(({ properties }) => properties.level);
    assert.deepEqual(
      levels.sort((a, b) => Number(a) - Number(b)),
      Array.from({ length: 120 }, (_, no) => no),
    );
    await context.close();
  });

  test('keeps events through a reload while the server is down, and sends them once', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const { context, page, device } = await play(browser);
    await untilStored(served, device, has('boot_ok'));
    await served.service.stop();
    await track(page, 'parked', { level: 7 });
    for (const boots of [1, 2]) {
      await page.reload();
      await page.waitForFunction(
        (count) => Object.values(localStorage).join().split('"boot_ok"').length > count,
        boots,
      );
    }
    await served.restart();
    const isDone = (names: readonly string[]) =>
      countOf(names, 'session_start') === 3 && countOf(names, 'session_end') === 2 && countOf(names, 'boot_ok') === 3;
    const events = await untilStored(served, device, isDone);
    const names = events.map(({ event }) => event);
    assert.deepEqual([countOf(names, 'parked'), countOf(names, 'crash'), names.length], [1, 0, 9]);
    await context.close();
  });

  test('drops only the event that the server rejects', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const { context, page, device } = await play(browser);
    for (const name of ['before', '(reserved)', 'after']) await track(page, name);
    const events = await untilStored(served, device, has('before', 'after'));
    assert.equal(events.length, 4);
    await context.close();
  });

  test('reports a crash when the tab is reloaded after its visible page died', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const { context, page, device } = await play(browser);
    const [first] = await untilStored(served, device, has('session_start', 'boot_ok'));
    await crashAndReload(browser, context, page);
    const events = await untilStored(served, device, has('crash'));
    const crash = events.find(({ event }) => event === 'crash');
    assert.equal(crash?.session_id, first?.session_id);
    assert.equal(
      countOf(
        events.map(({ event }) => event),
        'crash',
      ),
      1,
    );
    await context.close();
  });

  test('treats a page that the browser discarded in the background as an ended session, not as a crash', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const { context, page, device } = await play(browser);
    const [first] = await untilStored(served, device, has('session_start', 'boot_ok'));
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { value: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await crashAndReload(browser, context, page);
    const events = await untilStored(served, device, has('session_end'));
    assert.equal(events.find(({ event }) => event === 'session_end')?.session_id, first?.session_id);
    assert.equal(
      countOf(
        events.map(({ event }) => event),
        'crash',
      ),
      0,
    );
    await context.close();
  });

  test('sends and stores nothing after the player has opted out, even after a reload', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const { context, page, device } = await play(browser);
    await untilStored(served, device, has('boot_ok'));
    await page.evaluate(async (module) => (await import(module)).events.setOptOut(true), `${game}events.js`);
    await track(page, 'parked');
    const requests: string[] = [];
    context.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await page.reload({ waitUntil: 'networkidle' });
    await page.keyboard.press('ArrowUp');
    await page.evaluate(async (module) => (await import(module)).events.flush(), `${game}events.js`);
    assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), [
      `chauffeur:${served.studio.gameUid}:opt-out`,
    ]);
    assert.equal(
      requests.find((path) => path.endsWith('/public/events')),
      undefined,
    );
    await context.close();
  });

  test('sends events even if the page cannot use storage', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException('forbidden', 'SecurityError');
          },
        });
    });
    await page.goto(game);
    const device = await page.evaluate(
      async (module) => (await import(module)).events.deviceUid as string,
      `${game}events.js`,
    );
    const events = await untilStored(served, device, has('session_start', 'boot_ok'));
    assert.equal(events.filter(({ event }) => event === 'session_start').length, 1);
    await context.close();
  });

  test('leaves the game playable in a build without events', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const page = await browser.newPage();
    const errors: Error[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await page.route('**/chauffeur.json', (route) => route.fulfill({ status: 404, body: 'not found' }));
    await page.goto(game, { waitUntil: 'networkidle' });
    assert.match((await page.textContent('#line')) ?? '', /Level 1/);
    assert.deepEqual(errors, []);
    await page.close();
  });
});

/** Kills the page's process, as when memory runs out, and presses the tab's reload button. */
async function crashAndReload(browser: Browser, context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  const { targetInfo } = await session.send('Target.getTargetInfo');
  const root = await browser.newBrowserCDPSession();
  const { sessionId } = await root.send('Target.attachToTarget', { targetId: targetInfo.targetId, flatten: false });
  const crashed = page.waitForEvent('crash');
  const send = (id: number, method: string) =>
    root.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method, params: {} }) });
  await send(1, 'Page.crash');
  await crashed;
  await send(2, 'Page.reload');
}
