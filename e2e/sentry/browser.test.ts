// A page with Sentry's SDK in Chromium, on another origin than the server.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { untilCompiled } from '../../packages/server/test/setup/symbols.ts';
import { untilEqual } from '../../packages/server/test/setup/until.ts';
import { NO_CHROMIUM } from '../setup/chromium.ts';
import { runCommand } from '../setup/processes.ts';
import {
  clientFile,
  missingClient,
  openReportingGame,
  RELEASE,
  type Report,
  type ReportingGame,
  summaryOf,
} from '../setup/sentry-clients.ts';
import { serveSite } from '../setup/site.ts';
import { openStudio, type Studio } from '../setup/studio.ts';

type Frame = NonNullable<Report['event']>['exceptions'][number]['frames'][number];

const BREADCRUMB = 'ui.click: body > button';

describe("a page with Sentry's SDK", { skip: missingClient('javascript') }, () => {
  let studio: Studio;
  let website: Server;
  const site = serveSite(async ({ service, folder }) => {
    studio = await openStudio(service);
    await bundleGame(folder);
    website = await serveFolder(folder);
  });
  after(() => website.close());

  /** Opens the page of a new game. */
  async function start(more: Record<string, string> = {}): Promise<{ game: ReportingGame; page: Page }> {
    const game = await openReportingGame(site.service, studio.session);
    return { game, page: await open(game, more) };
  }

  async function open(game: ReportingGame, more: Record<string, string>, from = website): Promise<Page> {
    const page = await site.openPage();
    const { port } = from.address() as AddressInfo;
    const query = new URLSearchParams({ dsn: game.dsn, release: RELEASE, ...more });
    await page.goto(`http://127.0.0.1:${port}/play?${query}`);
    return page;
  }

  /** Presses a button, and waits until the page says that all is sent. */
  async function pressAndFlush(page: Page, button: string): Promise<void> {
    await page.getByRole('button', { name: button, exact: true }).click();
    await page.locator('body[data-state=done]').waitFor();
  }

  /** Presses a button that ends in an error, and waits until the server has answered its event. */
  async function press(page: Page, button: string, path = '/envelope/'): Promise<void> {
    const answered = page.waitForResponse(
      (response) => response.url().includes(path) && (response.request().postData() ?? '').includes('"type":"event"'),
    );
    await page.getByRole('button', { name: button, exact: true }).click();
    assert.equal((await answered).status(), 200);
  }

  test('reports an error that it handled, with what led to it', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const { game, page } = await start();
    await pressAndFlush(page, 'events');
    const [report, ...others] = await game.reports();
    assert.deepEqual(others, []);
    const { own, ...summary } = summaryOf(report!);
    assert.deepEqual(summary, {
      kind: 'error',
      title: 'TypeError: no such file | game.openFile',
      buildId: game.buildId,
      message: 'Error: cannot load level 7',
      thrown: ['Error: cannot load level 7', 'TypeError: no such file'],
      breadcrumbs: [BREADCRUMB],
      tag: 'mountains',
    });
    assert.deepEqual(own.slice(0, 3), ['game.loadLevel', 'game.capture', 'game.events']);
    assert.deepEqual(await game.attachments(report!), { 'save.json': '{"car":1}' });
    const [ticket, ...further] = await game.tickets();
    assert.deepEqual(further, []);
    const { message, crash_id: crashId, filed_by: player, screenshots, attachments } = ticket!;
    assert.deepEqual([message, crashId, player], ['I turned left', report!.crash_id, 'Player']);
    assert.equal(screenshots.length, 1);
    assert.deepEqual(
      attachments.map(({ name }) => name),
      ['save.json'],
    );
    await untilEqual(() => game.messages(), { info: 1 });

    const shown = await site.openPage({ session: studio.session });
    await shown.goto(`${site.service.url}/dev/${game.slug}/crashes/reports/${report!.crash_id}`);
    await shown.getByRole('heading', { name: 'TypeError: no such file | game.openFile' }).waitFor();
    await shown.getByText('Error: cannot load level 7').first().waitFor();
    await shown.getByText('game.loadLevel', { exact: true }).first().waitFor();
  });

  for (const [scenario, thrown] of [
    ['crash', 'Error: cannot load level 8'],
    ['rejection', 'Error: cannot load level 9'],
  ] as const)
    test(`has one report of a ${scenario}`, async (t) => {
      if (site.browser === null) return t.skip(NO_CHROMIUM);
      site.expectErrors(/cannot load level/);
      const { game, page } = await start();
      await press(page, scenario);
      const [report, ...others] = await game.reports();
      assert.deepEqual(others, []);
      const { own, ...summary } = summaryOf(report!);
      assert.deepEqual(summary, {
        kind: 'crash',
        title: 'TypeError: no such file | game.openFile',
        buildId: game.buildId,
        message: thrown,
        thrown: [thrown, 'TypeError: no such file'],
        breadcrumbs: [BREADCRUMB],
        tag: 'mountains',
      });
      assert.deepEqual(own.slice(0, 2), ['game.loadLevel', `game.${scenario}`]);
      await untilEqual(() => game.sessions(), [1, 1]);
    });

  test('has the names and lines of its sources if it is minified', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    site.expectErrors(/cannot load level/);
    const game = await openReportingGame(site.service, studio.session);
    const folder = join(site.folder, 'minified');
    await bundleGame(folder, { minify: true });
    const args = ['symbols', '--build-id', game.buildId, '--inject', folder];
    const { code, stderr } = await runCommand(args, { environment: game.environment, folder });
    assert.equal(code, 0, stderr);
    await untilCompiled(site.service, game, game.buildId);
    const minified = await serveFolder(folder);
    try {
      await press(await open(game, {}, minified), 'crash');
    } finally {
      minified.close();
    }
    const [report, ...others] = await game.reports();
    assert.deepEqual(others, []);
    const { title, own } = summaryOf(report!);
    assert.equal(title, 'TypeError: no such file | page.openFile');
    assert.deepEqual(own.slice(0, 2), ['page.loadLevel', 'page.crash']);
    const [{ file, source }] = report!.event!.exceptions[0]!.frames as [Frame];
    assert.match(file!, /javascript\/page\.js$/);
    assert.match(source!.lines[source!.at]!, /throw new Error\(`cannot load level/);
  });

  test('can send everything through a tunnel', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    site.expectErrors(/cannot load level/);
    const { game, page } = await start({ tunnel: `${site.service.url}/tunnel` });
    await press(page, 'crash', '/tunnel');
    assert.deepEqual(
      (await game.reports()).map(({ kind }) => kind),
      ['crash'],
    );
  });
});

/** Writes the game and the SDK as one script with its source map, as bundlers make them. */
async function bundleGame(dir: string, { minify = false } = {}): Promise<void> {
  const bundle = await rolldown({ input: clientFile('javascript', 'page.js'), platform: 'browser' });
  await bundle.write({ dir, format: 'iife', entryFileNames: 'game.js', minify, sourcemap: true });
  await bundle.close();
}

/** Serves the script in a folder, and a page with it. */
async function serveFolder(folder: string): Promise<Server> {
  const server = createServer(async (request, response) => {
    const isScript = request.url === '/game.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? await readFile(join(folder, 'game.js')) : PAGE);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

const PAGE = '<!doctype html><title>Game</title><link rel="icon" href="data:,"><body><script src="/game.js"></script>';
