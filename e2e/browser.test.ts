// Tests what only a browser enforces: sessions that no other site can use, and the names of downloads.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runServerCommand } from '../packages/server/test/setup/server-command.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { runCommand } from './setup/processes.ts';
import { serveSite } from './setup/site.ts';
import { openStudio, readOffers } from './setup/studio.ts';

describe('in a browser', () => {
  const site = serveSite();

  test('a page of another site cannot use the session', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    site.expectErrors(/status of 401 .*games/);
    const page = await site.openPage();
    await page.goto(site.service.url);
    await page.evaluate(async () => {
      const account = { email: 'victim@example.com', password: 'correct horse battery' };
      const post = (route: string, body: object) =>
        fetch(`/api/auth/${route}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      await post('sign-up/email', { ...account, name: 'Victim' });
      await post('sign-in/email', account);
    });
    // A browser treats localhost as a different site than 127.0.0.1. This is not a page of the website, whose content
    // security policy would block the request.
    await page.goto(`${site.service.url.replace('127.0.0.1', 'localhost')}/health`);
    const attack = await page.evaluate(async (url) => {
      const form = new URLSearchParams({ name: 'forged' });
      await fetch(`${url}/api/v1/games`, { method: 'POST', mode: 'no-cors', credentials: 'include', body: form });
    }, site.service.url);
    assert.equal(attack, undefined);
    await page.goto(site.service.url);
    const games = await page.evaluate(async () => (await (await fetch('/api/v1/games')).json()).data.games);
    assert.deepEqual(games, []);
  });

  test('a build is downloaded with its file name', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const studio = await openStudio(site.service);
    const game = join(import.meta.dirname, '..', 'examples', 'tiny-game');
    const options = { environment: studio.environment, folder: site.folder };
    const platform = ['--os', 'web', '--arch', 'wasm'];
    for (const args of [
      ['genbuild', '--version', '1.0.0'],
      ['build', '--asset', 'build.yml', ...platform],
      ['setfiles', '--version', '1.0.0', ...platform, '--files', game],
      ['addfiles', '--asset', 'addfiles.yml', '--wait'],
    ]) {
      const { code, stderr } = await runCommand(args, options);
      assert.equal(code, 0, stderr);
    }
    const [offer] = await readOffers(site.service, studio.slug);
    const page = await site.openPage();
    const download = page.waitForEvent('download');
    await page.goto(site.service.url);
    await page.evaluate((url) => location.assign(url), offer?.download_url ?? '');
    assert.match((await download).suggestedFilename(), /\.zip$/);
    assert.equal(await (await download).failure(), null);
  });

  test("an operator's password that is too short is rejected with a plain message", async () => {
    const { code, stderr } = await runServerCommand(
      site.service.environment,
      ['admin', 'user', 'create', '--email', 'x@example.com', '--password-stdin'],
      'short',
    );
    assert.deepEqual([code, stderr], [1, 'error: The password on standard input is shorter than 10 characters.\n']);
  });
});
