// Signing in the real command on the website: approved, used for an upload, revoked; denied; and signed out.
import assert from 'node:assert/strict';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../packages/server/test/setup/until.ts';
import { findSeriousProblems } from './setup/accessibility.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { submitSignIn } from './setup/page.ts';
import { type Environment, type Running, runCommand, spawnCommand } from './setup/processes.ts';
import { serveSite } from './setup/site.ts';
import { openStudio, type Studio } from './setup/studio.ts';

describe('signing in the command', () => {
  let studio: Studio;
  let page: Page;
  let environment: Environment;
  const site = serveSite(async ({ service, browser, folder }) => {
    studio = await openStudio(service, 'Owls of the North');
    environment = {
      XDG_CONFIG_HOME: join(folder, 'config'),
    };
    if (browser !== null) page = await site.openPage({ reducedMotion: 'reduce' });
  });

  const run = (...args: string[]) => runCommand(args, { environment, folder: site.folder });

  /** Starts the command. Resolves with the code and the page that it prints. */
  async function startLogin(): Promise<{ login: Running; code: string; url: string }> {
    const args = ['login', '--no-browser', site.service.url.replace('http://', '')];
    const login = spawnCommand(args, { environment, folder: site.folder });
    const [, code = '', url = ''] = await until(async () =>
      /Your code: (\S+)\nOpen (\S+)\n/.exec(login.output().stderr),
    );
    return { login, code, url };
  }

  test('a person signs in, compares the code and approves it for one game', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const { login, code, url } = await startLogin();
    await page.goto(url);
    await submitSignIn(page, studio);
    await page.getByRole('heading', { name: 'Sign in the chauffeur command' }).waitFor();
    await page.getByText(code).waitFor();
    await page.getByText(`“${hostname()}”`).waitFor();
    assert.deepEqual(await findSeriousProblems(page), []);
    await page.getByLabel('Games', { exact: true }).selectOption('Owls of the North only');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Approved. Return to your terminal.').waitFor();
    const { code: exitCode, stdout, stderr } = await login.ended;
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /^Signed in to http:.* as .*\.\nThe login is for the game owls-of-the-north.*\.\n$/);
    const file = join(site.folder, 'config', 'chauffeur', 'credentials.json');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.match(await readFile(file, 'utf8'), /"key": "chf_cli_/);
    const info = await run('info');
    assert.match(info.stdout, /^signed in as .*\nlogin +chf_cli_\w{6}…, stored in /m, info.stderr);
  });

  test('a build that the command uploads names the person', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await mkdir(join(site.folder, 'game'));
    await writeFile(join(site.folder, 'game', 'game.txt'), 'play');
    const pushed = await run('push', 'game', '--version', '1.0', '--os', 'linux', '--arch', 'x86_64', '--json');
    assert.equal(pushed.code, 0, pushed.stdout);
    await page.goto(JSON.parse(pushed.stdout).page);
    await page.getByText(/^chauffeur command, by .* \(login chf_cli_\w{6}\)/).waitFor();
  });

  test('a login is listed in the settings, and does not work after it was revoked there', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.goto(`${site.service.url}/settings/keys`);
    const row = page.getByRole('table', { name: 'Signed-in commands' }).getByRole('row', { name: hostname() });
    await row.getByRole('cell', { name: 'Owls of the North', exact: true }).waitFor();
    assert.deepEqual(await findSeriousProblems(page), []);
    await row.getByRole('button', { name: `Revoke the login on ${hostname()}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke login' }).click();
    await page.getByText('No signed-in commands yet.').waitFor();
    const info = await run('info');
    assert.equal(info.code, 2);
    assert.match(info.stderr, /code 4027\)\n {2}Run chauffeur login again/);
  });

  test('a code can be typed in, and denying it ends the login', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const { login, code } = await startLogin();
    await page.goto(`${site.service.url}/cli/login`);
    await page.getByLabel('Code').fill(code.toLowerCase().replace('-', ''));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Denied. The command was not signed in.').waitFor();
    const { code: exitCode, stderr } = await login.ended;
    assert.equal(exitCode, 1);
    assert.match(stderr, /error: The login was denied\./);
    site.expectErrors(/404/);
    await page.goto(`${site.service.url}/cli/login?code=${code}`);
    await page.getByText('This code is unknown, expired or already used.').waitFor();
    await page.getByRole('link', { name: 'Enter another code' }).click();
    await page.getByLabel('Code').waitFor();
  });

  test('signing out revokes the login', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const { login, url } = await startLogin();
    await page.goto(url);
    await page.getByRole('button', { name: 'Approve' }).click();
    assert.equal((await login.ended).code, 0);
    await page.goto(`${site.service.url}/settings/keys`);
    await page.getByRole('row', { name: hostname() }).getByRole('cell', { name: 'All games' }).waitFor();
    assert.match((await run('logout')).stdout, /^Signed out of /);
    await page.reload();
    await page.getByText('No signed-in commands yet.').waitFor();
    assert.equal((await run('info', '--url', site.service.api)).code, 1);
  });
});
