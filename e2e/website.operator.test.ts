// The operator pages, and the deletion of builds after naming the consequences.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { runServerCommand } from '../packages/server/test/setup/server-command.ts';
import { type BuildInput, shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { ON_CLUSTER } from './setup/cluster.ts';
import { serveSite } from './setup/site.ts';
import { openStudio, readOffers, type Studio, signUpAs } from './setup/studio.ts';

describe('the operator pages', () => {
  let studio: Studio;
  let page: Page;
  const site = serveSite(async ({ service, browser }) => {
    studio = await openStudio(service, 'Owls of the North');
    await ship({ version: '1.0.0', os: 'linux', arch: 'x86_64' });
    await ship({ version: '1.1.0', os: 'linux', arch: 'x86_64' });
    if (browser === null) return;
    page = await site.openPage({ session: studio.session });
    await page.goto(`${service.url}/operator`);
    await page.getByRole('heading', { name: 'Operators only' }).waitFor();
  });

  const ship = (build: BuildInput) => shipAndScan(site.service, studio, build, smallZip(`${build.version}.txt`));
  const offers = async () => (await readOffers(site.service, studio.slug)).map(({ version }) => version);

  /** Adds a mail job that has failed all its attempts. It is due in a year, so no worker runs it in the meantime. */
  async function failEmail(to: string): Promise<void> {
    const client = new pg.Client({ connectionString: site.service.environment.DATABASE_URL });
    await client.connect();
    try {
      const mail = JSON.stringify({ to, subject: 'Hello', text: 'Hello' });
      await client.query(
        `select graphile_worker.add_job('accounts:send-mail', $1::json, run_at => now() + interval '1 year', job_key => $2, max_attempts => 12)`,
        [mail, to],
      );
      await client.query(
        `update graphile_worker._private_jobs set attempts = 12, last_error = 'Error: 550 ' || $1 || ' is unknown' where key = $1`,
        [to],
      );
    } finally {
      await client.end();
    }
  }

  test('are only visible to operators, who are appointed by a command', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.getByText(`chauffeur-server admin user operator --email '${studio.email}'`).waitFor();
    const { code } = await runServerCommand(site.service.environment, [
      'admin',
      'user',
      'operator',
      '--email',
      studio.email,
    ]);
    assert.equal(code, 0);
    await page.reload();
    await page.getByRole('heading', { name: 'Service status' }).waitFor();
  });

  test('show problems first, then every part of the service', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.getByText('There is no virus scanner. Files are offered without a scan.').waitFor();
    await page
      .getByRole('region', { name: 'Storage' })
      .getByText(ON_CLUSTER ? 'An S3 bucket' : 'Files in the data folder')
      .waitFor();
    await page.getByRole('region', { name: 'Database' }).getByText('external').waitFor();
    await page.getByRole('table', { name: 'Processes' }).getByText('Running', { exact: true }).first().waitFor();
  });

  test('show a failed job without a reload, and retry or delete it', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await failEmail('ann@example.com');
    await page.getByText('1 job has failed after all attempts.').waitFor();
    await page.getByRole('link', { name: 'View failed jobs' }).click();
    await page.getByRole('cell', { name: 'Error: 550 ‹address› is unknown' }).waitFor();
    await page.getByRole('button', { name: 'Retry accounts:send-mail' }).click();
    await page.getByText('1 job will be retried.').waitFor();
    await page.getByText('No failed jobs.').waitFor();
    await failEmail('bob@example.com');
    await page.getByRole('button', { name: 'Delete accounts:send-mail' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete accounts:send-mail?' });
    await dialog.getByText('This job will never run').waitFor();
    await dialog.getByRole('button', { name: 'Delete job' }).click();
    await page.getByText('Deleted accounts:send-mail. It will not run.').waitFor();
    await page.getByText('No failed jobs.').waitFor();
  });

  test('find and verify an account, and show the settings without secrets', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await signUpAs(site.service, { email: 'grace@example.com', password: 'correct horse battery' });
    await page.getByRole('link', { name: 'Accounts' }).click();
    await page.getByRole('searchbox', { name: 'Search accounts' }).fill('GRACE');
    await page.waitForURL(/search=GRACE/);
    await page.getByRole('table', { name: 'Accounts' }).getByText('owner@example.com').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Verify grace@example.com' }).click();
    await page.getByText('grace@example.com is now verified.').waitFor();
    await page.getByText('Not verified').waitFor({ state: 'detached' });
    // The button is in a cell that is aligned to the right.
    await page.getByRole('button', { name: 'Disable grace@example.com' }).click();
    const dialog = page.getByRole('dialog', { name: 'Disable account?' });
    const text = dialog.getByText(/^grace@example\.com is signed out/);
    assert.equal(await text.evaluate((shown) => getComputedStyle(shown).textAlign), 'start');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('navigation', { name: 'Operator' }).getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('row', { name: /CHAUFFEUR_PORT/ }).waitFor();
    await page.getByRole('table', { name: 'Limits in use' }).getByText('2 of 60').waitFor();
    await page.getByRole('switch', { name: 'Changed settings only' }).check();
    await page.getByRole('row', { name: /CHAUFFEUR_HOST/ }).waitFor({ state: 'detached' });
  });

  test('find a game, and set its quota and remove it', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.getByRole('navigation', { name: 'Operator' }).getByRole('link', { name: 'Storage' }).click();
    await page.getByRole('searchbox', { name: 'Search the storage of games' }).fill('owls');
    await page.getByRole('row', { name: /Owls of the North owner@example\.com .* of 100 GiB/ }).waitFor();
    await page.getByRole('button', { name: 'Set quota of Owls of the North' }).click();
    const dialog = page.getByRole('dialog', { name: 'Quota of Owls of the North' });
    await dialog.getByLabel('Storage in MiB').fill('20');
    await dialog.getByLabel('Crash files per day in MiB').fill('0');
    await dialog.getByRole('button', { name: 'Save quota' }).click();
    await page.getByRole('row', { name: /of 20\.0 MiB .*\(no limit\)/ }).waitFor();
    await page.getByRole('button', { name: 'Set quota of Owls of the North' }).click();
    await dialog.getByText('storage 20 MiB, crash files no limit').waitFor();
    await dialog.getByLabel('Storage in MiB').fill('');
    await dialog.getByRole('button', { name: 'Save quota' }).click();
    await page.getByRole('row', { name: /of 100 GiB .*\(no limit\)/ }).waitFor();
  });

  test('a build that is offered to players is deleted after typing its version, and stable offers nothing', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.goto(`${site.service.url}/dev/${studio.slug}/builds`);
    await page.getByRole('link', { name: '1.1.0 for' }).click();
    await page.getByRole('button', { name: 'Delete…', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 1.1.0 for Linux x86_64?' });
    await dialog.getByText(/stable on Linux x86_64 will offer nothing.*All players lose the download/).waitFor();
    const confirm = dialog.getByRole('button', { name: 'Delete build' });
    assert.ok(await confirm.isDisabled());
    await dialog.getByLabel(/^Type 1\.1\.0/).fill('1.1.0');
    await confirm.click();
    await page.getByText('Channels that no longer offer a build for this platform: stable.').waitFor();
    assert.deepEqual(await offers(), []);
    await page.getByRole('link', { name: 'Offer another build' }).click();
    await page.getByRole('row', { name: /1\.1\.0 Linux x86_64 Build deleted owner/ }).waitFor();
  });

  test('a build that is not offered to players is deleted without typing its version', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.goto(`${site.service.url}/dev/${studio.slug}/builds`);
    await page.getByRole('link', { name: '1.0.0 for' }).click();
    await page.getByRole('button', { name: 'Delete…', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 1.0.0 for Linux x86_64?' });
    await dialog.getByText('No channel offers it, so nothing changes for players.').waitFor();
    await dialog.getByRole('button', { name: 'Delete build' }).click();
    await page.getByText('1.0.0 deleted').waitFor();
    await page.getByRole('link', { name: 'All builds' }).last().click();
    await page.getByText('No builds yet.').waitFor();
  });
});
