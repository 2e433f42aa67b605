// The guide to the first build: from sign-in to a live build, with the commands that the page shows.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { until } from '../packages/server/test/setup/until.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { serveSite } from './setup/site.ts';
import { addAccount, type Session } from './setup/studio.ts';

const ROOT = join(import.meta.dirname, '..');
const GAME = join(ROOT, 'examples', 'tiny-game');
const ACCOUNT = { email: 'dev@example.com', password: 'correct horse battery' };

describe('the guide to the first build', () => {
  let session: Session;
  const site = serveSite(async ({ service }) => {
    session = await addAccount(service, ACCOUNT);
  });

  /** Runs shell lines like a developer, with the chauffeur command of this checkout. */
  async function runLines(lines: string): Promise<void> {
    const path = [join(ROOT, 'node_modules', '.bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
    await promisify(execFile)('sh', ['-e', '-c', lines], { cwd: site.folder, env: { ...process.env, PATH: path } });
  }

  test('leads from creating the game to a download, and marks each step as done when it happens', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({ session, permissions: ['clipboard-read', 'clipboard-write'] });
    const copyText = async (name: string) => {
      await page.evaluate(() => navigator.clipboard.writeText(''));
      await page.getByRole('button', { name }).click();
      return until(() => page.evaluate(() => navigator.clipboard.readText()).then((text) => text || undefined));
    };
    await page.goto(`${site.service.url}/dev`);
    await page.getByRole('button', { name: 'Create game' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Owls of the North');
    await page.getByText('/g/owls-of-the-north').waitFor();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'Ship your first build' }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/dev/owls-of-the-north');

    const step = (name: string) => page.getByRole('listitem').filter({ hasText: name });
    await step('Create a deploy key: Next').waitFor();
    await page.getByRole('button', { name: 'Create deploy key' }).click();
    await step('Create a deploy key: Done').waitFor();
    await page.getByText("You won't see it again.").waitFor();

    const environment = page.getByRole('group', { name: 'Environment' });
    await page.getByText(/cli\/install\.sh/).waitFor();
    await page.getByLabel('OS').selectOption('windows');
    await page.getByText(/cli\/install\.ps1/).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, 'fits a phone');
    await page.setViewportSize({ width: 1280, height: 900 });
    await environment.getByRole('button', { name: 'GitLab CI' }).click();
    await page.getByText('- if: $CI_COMMIT_TAG').waitFor();
    await environment.getByRole('button', { name: 'bash' }).click();
    await page.getByLabel('Version').fill('0.1.0');
    await page.getByLabel('OS').selectOption('web');
    await page.getByLabel('Architecture').selectOption('wasm');
    const folder = join(site.folder, 'my game');
    await cp(GAME, folder, { recursive: true });
    await page.getByLabel('Engine').selectOption('Unity');
    await page.getByText('Assets/ChauffeurBuild.cs').first().waitFor();
    await page.getByLabel('Engine').selectOption('Web game');
    await page.getByLabel('Game folder').fill(folder);
    const settings = await copyText('Copy credentials');
    await runLines(`${settings}\n${await copyText('Copy build command')}`);
    await step('Register the build: Done').waitFor();
    await step('Upload the file: Next').waitFor();
    const ids = JSON.parse(await readFile(join(folder, 'chauffeur.json'), 'utf8')) as Record<string, string>;
    assert.equal(await copyText('Copy build ID'), ids.build_id);
    assert.equal(ids.events_url, `${site.service.api}/public/events`);

    await runLines(`${settings}\n${await copyText('Copy push command')}`);
    await page.getByRole('heading', { name: 'Your first build is live' }).waitFor();
    for (const name of ['Upload the file', 'Pass the virus scan', 'Go live on the channel'])
      await step(`${name}: Done`).waitFor();

    await page.getByRole('button', { name: 'Go to overview' }).click();
    await page.getByRole('heading', { name: 'Live now' }).waitFor();
    await page.getByText('No open crash group has reports from the last 7 days').waitFor();
    await page.getByRole('link', { name: 'Set up crash reports' }).waitFor();
    await page.getByRole('region', { name: 'New in the last 7 days' }).getByText('0.1.0 was released to').waitFor();
    await page.reload();
    await page.getByRole('row', { name: /stable 0\.1\.0 Browser wasm .*First version/ }).waitFor();
  });

  test('says when a game does not exist', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    site.expectErrors(/status of 404 .*no-such-game/, /^ApiError: This game does not exist/);
    const page = await site.openPage({ session });
    await page.goto(`${site.service.url}/dev/no-such-game`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  });
});
