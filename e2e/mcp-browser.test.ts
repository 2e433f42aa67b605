// Web pages that connect to /mcp as agents, in a real browser with the official client: only those of the origins that
// the operator allows.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { makeKey } from '../packages/server/test/setup/agents.ts';
import { makeGame, signIn, startServer, type TestGame, type TestServer } from '../packages/server/test/setup/server.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { submitSignIn } from './setup/page.ts';
import { shareChromium } from './setup/shared-chromium.ts';

const PROGRAM = join(import.meta.dirname, 'setup/agent-page.ts');

describe('a web page', () => {
  let pages: Server;
  /** The origin that the operator allows, and another name of the same website. */
  let allowed: string;
  let other: string;
  let server: TestServer;
  let game: TestGame;

  before(async () => {
    const program = await bundle(PROGRAM);
    pages = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(
        `<!doctype html><link rel="icon" href="data:,"><p id="state"></p><script type="module">${program}</script>`,
      );
    }).listen(0, '127.0.0.1');
    await once(pages, 'listening');
    const { port } = pages.address() as AddressInfo;
    allowed = `http://127.0.0.1:${port}`;
    other = `http://localhost:${port}`;
    server = await startServer({ env: { CHAUFFEUR_MCP_ORIGINS: allowed } });
    game = await makeGame(server);
  });
  after(async () => {
    pages.close();
    pages.closeAllConnections();
    await server.stop();
  });

  async function open(t: { after(work: () => Promise<void>): void }, origin: string, query: Record<string, string>) {
    const browser = (await shareChromium())!;
    const context = await browser.newContext();
    t.after(() => context.close());
    const page = await context.newPage();
    await page.goto(`${origin}/?${new URLSearchParams({ server: `${server.url}/mcp?tools=channels`, ...query })}`);
    return page;
  }

  async function stateOf(page: Page): Promise<string> {
    const state = page.locator('#state:not(:empty)');
    await state.waitFor();
    return (await state.textContent()) ?? '';
  }

  test('of an allowed origin connects with a key, in both revisions', async (t) => {
    if ((await shareChromium()) === null) return t.skip(NO_CHROMIUM);
    const { key } = await makeKey(server, await signIn(server, game.owner));
    for (const [mode, version] of [
      ['auto', '2026-07-28'],
      ['legacy', '2025-11-25'],
    ] as const)
      assert.equal(await stateOf(await open(t, allowed, { key, mode })), `${version}: 8 tools, ${game.slug}`);
  });

  test('of an allowed origin connects through consent', async (t) => {
    if ((await shareChromium()) === null) return t.skip(NO_CHROMIUM);
    const page = await open(t, allowed, {});
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await submitSignIn(page, game.owner);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(/\/callback\?code=/);
    assert.equal(await stateOf(page), `2026-07-28: 8 tools, ${game.slug}`);
  });

  test('of another origin connects neither with a key nor through consent', async (t) => {
    if ((await shareChromium()) === null) return t.skip(NO_CHROMIUM);
    const { key } = await makeKey(server, await signIn(server, game.owner));
    for (const query of [{ key }, { key, mode: 'legacy' }, {}])
      assert.match(await stateOf(await open(t, other, query)), /^failed: .*Failed to fetch/);
  });
});

async function bundle(file: string): Promise<string> {
  const build = await rolldown({ input: file, platform: 'browser' });
  try {
    const { output } = await build.generate({ format: 'esm', codeSplitting: false, minify: true });
    return output[0].code.replaceAll('</script', '<\\/script');
  } finally {
    await build.close();
  }
}
