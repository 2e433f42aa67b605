// Tests the clients of browser games in Chromium with a game that is really minified: its errors are shown with the source
// code of the game, which only the debug ids of its scripts lead to.
import assert from 'node:assert/strict';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { rolldown } from 'rolldown';
import { until } from '../packages/server/test/setup/until.ts';
import { NO_CHROMIUM, startChromium } from './setup/chromium.ts';
import { registerBuild } from './setup/player.ts';
import { runCommand } from './setup/processes.ts';
import { serveStudio } from './setup/served.ts';

const MAIN = `import { ChauffeurEvents } from './chauffeur-events.js';
import { reportErrors } from './chauffeur-crashes.js';
import { explodeLoudly } from './car.js';

const build = await (await fetch('/chauffeur.json')).json();
const { app_id: appId, build_id: buildId } = build;
const events = new ChauffeurEvents({ endpoint: build.events_url, appId, buildId });
const report = reportErrors({ endpoint: build.crashes_url, appId, buildId, events });
globalThis.game = { events, crash: () => setTimeout(() => explodeLoudly('lava')), report };
`;
const CAR = `/** Cars explode in lava. */
export function explodeLoudly(cause) {
  const lost = { cause, at: Date.now() };
  throw new RangeError('the car was lost in ' + lost.cause); // lost
}
`;

type Game = { events: { setOptOut(isOut: boolean): void }; crash(): void; report(error: unknown): void };
type Reply = { data: { crashes: { crash_id: string; title: string }[] } };

describe('a minified browser game', () => {
  const served = serveStudio();
  let browser: Browser | null;
  let site: Server;
  let url: string;
  before(async () => {
    browser = await startChromium();
    const folder = join(served.folder, 'web');
    const buildId = await registerBuild(served, '1.0.0');
    await buildGame(folder, buildId);
    const upload = ['symbols', '--inject', '--build-id', buildId, 'web/dist'];
    const sent = await runCommand(upload, { environment: served.studio.environment, folder: served.folder });
    assert.equal(sent.code, 0, sent.stderr);
    await rm(join(folder, 'dist/assets/game.js.map'));
    site = createServer(async (request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://game');
      // Every path ends in the same script, so no name or folder leads to its map.
      const isScript = pathname.endsWith('.js');
      const path = isScript ? 'dist/assets/game.js' : pathname === '/chauffeur.json' ? 'chauffeur.json' : 'index.html';
      const type = isScript ? 'text/javascript' : path.endsWith('.json') ? 'application/json' : 'text/html';
      response.writeHead(200, { 'content-type': type }).end(await readFile(join(folder, path)));
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const address = site.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
  });
  after(async () => {
    await browser?.close();
    site?.closeAllConnections();
    site?.close();
  });

  async function buildGame(folder: string, buildId: string): Promise<void> {
    await mkdir(join(folder, 'src'), { recursive: true });
    await cp(join(import.meta.dirname, '../examples/javascript'), join(folder, 'src'), { recursive: true });
    await writeFile(join(folder, 'src/main.js'), MAIN);
    await writeFile(join(folder, 'src/car.js'), CAR);
    const build = await rolldown({ input: join(folder, 'src/main.js'), platform: 'browser' });
    const output = { dir: join(folder, 'dist/assets'), entryFileNames: 'game.js', format: 'esm' } as const;
    await build.write({ ...output, minify: true, sourcemap: 'hidden' });
    await writeFile(join(folder, 'index.html'), '<script type="module" src="/v(2)/renamed-1234.js?x=1"></script>');
    const { api } = served.service;
    const urls = { events_url: `${api}/public/events`, crashes_url: `${api}/public/crashes` };
    const ids = { app_id: served.studio.gameUid, build_id: buildId };
    await writeFile(join(folder, 'chauffeur.json'), JSON.stringify({ ...urls, ...ids }));
  }

  async function read(path: string) {
    const { api } = served.service;
    const { gameUid, session } = served.studio;
    const response = await fetch(`${api}/games/${gameUid}/crashes${path}`, { headers: session });
    assert.equal(response.status, 200);
    return response.json();
  }

  test('reports errors that are shown with the lines of their sources, found by debug ids', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const page = await browser.newPage();
    await page.goto(url);
    await page.waitForFunction(() => 'game' in globalThis);
    await page.evaluate(() => (globalThis as unknown as { game: Game }).game.crash());
    const report = await until(async () => {
      const { data } = (await read('')) as Reply;
      return data.crashes.find(({ title }) => title.includes('car.explodeLoudly'));
    });
    const { data } = await read(`/${report.crash_id}/stack`);
    const [frame] = data.crashed.frames;
    assert.equal(`${frame.function} ${frame.file}:${frame.line}`, 'car.explodeLoudly src/car.js:4');
    assert.equal(
      frame.source.lines[frame.source.at],
      "  throw new RangeError('the car was lost in ' + lost.cause); // lost",
    );
    assert.equal(frame.source.lines[0], '/** Cars explode in lava. */');
    // The website shows it, too.
    const { slug, session } = served.studio;
    const shown = await browser.newPage({ extraHTTPHeaders: { cookie: session.cookie } });
    await shown.goto(`${served.service.url}/dev/${slug}/crashes/reports/${report.crash_id}`);
    const lines = shown.getByRole('list', { name: 'Source code' }).first();
    await lines.waitFor();
    assert.match((await lines.locator('[aria-current]').textContent()) ?? '', /^4\s*throw new RangeError/);
    // What a player who opted out sees isn't sent.
    await page.evaluate(() => {
      const { game } = globalThis as unknown as { game: Game };
      game.report(new Error('caught'));
      game.events.setOptOut(true);
      game.report(new Error('private'));
    });
    const titles = await until(async () => {
      const { data } = (await read('')) as Reply;
      return data.crashes.length > 1 && data.crashes.map(({ title }) => title);
    });
    assert.equal(titles.length, 2);
  });
});
