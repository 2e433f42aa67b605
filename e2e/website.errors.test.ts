// The pages of reports with events of Sentry's SDKs: exceptions with their causes and source lines, breadcrumbs, and the
// list of errors that the game handled.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { untilDone } from '../packages/server/test/setup/crash-dumps.ts';
import { reportEvent } from '../packages/server/test/setup/sentry-events.ts';
import { makeGame, signIn, startServer, type TestGame, type TestServer } from '../packages/server/test/setup/server.ts';
import { untilEqual } from '../packages/server/test/setup/until.ts';
import { register } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { shareChromium } from './setup/shared-chromium.ts';

const NOW = 1_790_000_000;

/** Of each exception, the outermost frame first, as clients send them. */
const EVENT = {
  platform: 'csharp',
  timestamp: NOW,
  transaction: 'Cave',
  exception: [
    {
      type: 'System.NullReferenceException',
      value: 'Object reference not set',
      mechanism: { exception_id: 1, parent_id: 0, type: 'chained' },
      stacktrace: {
        frames: [
          { function: 'UnityEngine.Events.InvokableCall.Invoke', module: 'UnityEngine', in_app: false },
          { function: 'UnityEngine.Events.UnityEvent.Invoke', module: 'UnityEngine', in_app: false },
          {
            function: 'Find',
            module: 'Owls.Inventory',
            filename: 'Assets/Inventory.cs',
            lineno: 88,
            in_app: true,
            pre_context: ['var slot = Search(name);'],
            context_line: 'return slot.Key;',
            post_context: ['}'],
          },
        ],
      },
    },
    {
      type: 'System.InvalidOperationException',
      value: 'The door cannot be opened',
      mechanism: { exception_id: 0, type: 'UnityLogException', handled: true },
      stacktrace: {
        frames: [{ function: 'OnClick', module: 'Owls.Door', filename: 'Assets/Door.cs', lineno: 23, in_app: true }],
      },
    },
  ],
  threads: [
    { id: 7, name: 'Loader', stacktrace: { frames: [{ function: 'Wait', module: 'Owls.Loader', in_app: true }] } },
  ],
  breadcrumbs: [
    { timestamp: NOW - 12, category: 'ui.click', message: 'Open door', data: { door: 'north' } },
    { timestamp: NOW - 1, category: 'console', level: 'warning', message: 'The inventory is empty' },
  ],
};

describe("a report of Sentry's SDK", () => {
  let server: TestServer;
  let game: TestGame;
  let browser: Browser | null;
  let page: Page;
  let error: { report_id: string; group_id: string | null };

  before(async () => {
    [server, browser] = await Promise.all([startServer(), shareChromium()]);
    game = await makeGame(server);
    const build = await register(server, game);
    const send = async (sent: object, kind: 'crash' | 'error') =>
      untilDone(server, await reportEvent(server, game, build, sent, { kind }));
    await send({ platform: 'csharp', message: 'The game ended' }, 'crash');
    error = await send(EVENT, 'error');
    if (browser === null) return;
    const context = await browser.newContext();
    const { cookie } = await signIn(server, game.owner);
    await context.addCookies(
      cookie.split('; ').map((each) => {
        const [name = '', ...value] = each.split('=');
        return { name, value: value.join('='), url: server.url };
      }),
    );
    page = await context.newPage();
  });

  after(async () => {
    await page?.context().close();
    await server?.stop();
  });

  const open = (path: string) => page.goto(`${server.url}/dev/${game.slug}/crashes${path}`);

  test('shows what was thrown, its cause with the lines of source code, threads and breadcrumbs', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    await open(`/reports/${error.report_id}`);
    await page.getByText('Handled error', { exact: true }).waitFor();
    await page.getByText('Caused by:').waitFor();
    await page.getByText('Root cause', { exact: true }).waitFor();
    const frames = page.getByRole('list', { name: 'Stack of System.NullReferenceException' });
    const source = frames.getByRole('list', { name: 'Source code' });
    await untilEqual(
      () => source.getByRole('listitem').allInnerTexts(),
      ['87\nvar slot = Search(name);', '88\nreturn slot.Key;', '89\n}'],
    );
    await frames.getByRole('button', { name: 'Source of frame 0' }).click();
    await source.waitFor({ state: 'detached' });
    await frames.getByRole('button', { name: /2 frames in engines and libraries/ }).waitFor();
    await page.getByText('All threads', { exact: true }).click();
    await page.getByText('Thread Loader', { exact: true }).click();
    await page.getByRole('list', { name: 'Stack of thread Loader' }).getByText('Owls.Loader.Wait').waitFor();
    await page.getByText('Breadcrumbs', { exact: true }).click();
    const crumbs = page.getByRole('table', { name: 'Breadcrumbs' }).getByRole('row');
    await untilEqual(
      async () => (await crumbs.allInnerTexts()).slice(1).map((text) => text.replace(/\s+/g, ' ').trim()),
      ['12 s ui.click Open door door=north', '1.0 s console · warning The inventory is empty –'],
    );
  });

  test('is in the list of errors, and its group leads back there', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    await open('');
    const titles = () => page.getByRole('table', { name: 'Crash groups' }).getByRole('link').allInnerTexts();
    await untilEqual(async () => (await titles()).filter((title) => title.includes('The game ended')).length, 1);
    assert.ok((await titles()).every((title) => !title.includes('Owls')));
    await page.getByRole('button', { name: 'Errors', exact: true }).click();
    await untilEqual(async () => (await titles()).filter((title) => title.includes('Owls')).length, 1);
    assert.ok((await titles()).every((title) => !title.includes('The game ended')));
    assert.equal(new URL(page.url()).searchParams.get('kind'), 'error');
    await open(`/groups/${error.group_id}`);
    await page.getByText('Handled errors', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Errors', exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get('kind') === 'error');
  });
});
