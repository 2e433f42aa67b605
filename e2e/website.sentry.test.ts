// A developer creates DSNs on the website, copies the lines for an SDK, and revokes a DSN.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { askAs } from '../packages/server/test/setup/api-calls.ts';
import { tokenOf } from '../packages/server/test/setup/sentry-cli.ts';
import { untilEqual } from '../packages/server/test/setup/until.ts';
import { register } from '../packages/server/test/setup/uploads.ts';
import { findSeriousProblems } from './setup/accessibility.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { playWithSdk } from './setup/sdk-player.ts';
import { findSentryCli, NO_SENTRY_CLI, runSentryCli } from './setup/sentry-cli.ts';
import { serveSite } from './setup/site.ts';
import { openStudio, type Studio } from './setup/studio.ts';

type Dsn = { dsn_id: string; name: string; dsn: string; state: string };

describe('the page about SDKs of Sentry', () => {
  let studio: Studio;
  let page: Page;
  const site = serveSite(async ({ service, browser }) => {
    studio = await openStudio(service, 'Night Shift');
    if (browser !== null) page = await site.openPage({ session: studio.session });
  });

  const listDsns = async () =>
    (await askAs(site.service, studio.session)<{ dsns: Dsn[] }>('GET', `/games/${studio.gameUid}/dsns`)).dsns;
  const dsns = () => page.getByRole('table', { name: 'DSNs', exact: true });
  const create = async (name: string) => {
    await page.getByRole('button', { name: 'Create DSN' }).click();
    const form = page.getByRole('dialog', { name: 'Create a DSN' });
    await form.getByLabel('Name').fill(name);
    await form.getByRole('button', { name: 'Create DSN' }).click();
    await dsns().getByText(name, { exact: true }).waitFor();
  };

  test('creates DSNs, shows them whole, and fills them into the lines of an SDK', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.goto(`${site.service.url}/dev/${studio.slug}/settings/sentry`);
    await page.getByText('No DSNs yet.').waitFor();
    await create('Windows');
    await create('Linux');
    const [windows, linux] = await listDsns();
    for (const { dsn } of [windows!, linux!]) await dsns().getByText(dsn, { exact: true }).waitFor();
    // The tests' server is reached at an address of this machine.
    await page.getByText(/^Only this computer can reach the address/).waitFor();
    const lines = page.getByRole('region', { name: 'Set up the SDK' });
    await lines.getByLabel('SDK').selectOption('C and C++');
    await page.waitForURL(/sdk=native/);
    await lines.getByText(`"${windows!.dsn}"`).waitFor();
    await lines.getByLabel('DSN').selectOption('Linux');
    await lines.getByText(`"${linux!.dsn}"`).waitFor();
    const uploads = page.getByRole('region', { name: 'Upload with sentry-cli' });
    await uploads.getByText(`SENTRY_PROJECT=${studio.slug}`).waitFor();
    await uploads.getByText(/^No files yet/).waitFor();
    assert.deepEqual(await findSeriousProblems(page), []);
  });

  test('deletes a file that sentry-cli uploaded', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const program = await findSentryCli();
    if (program === undefined) return t.skip(NO_SENTRY_CLI);
    await writeFile(join(site.folder, 'mapping.txt'), '# compiler: R8\ncom.example.Player -> a.b:\n');
    const env = {
      SENTRY_URL: site.service.url,
      SENTRY_AUTH_TOKEN: tokenOf(studio),
      SENTRY_ORG: 'any',
      SENTRY_PROJECT: studio.slug,
    };
    const sent = await runSentryCli(program, ['upload-proguard', 'mapping.txt'], { env, folder: site.folder });
    assert.equal(sent.code, 0, sent.stderr);
    await page.reload();
    const files = page.getByRole('table', { name: 'Symbols without a build' });
    await files.getByRole('button', { name: /^Delete / }).click();
    await page
      .getByRole('dialog')
      .getByText(/upload the file again/)
      .waitFor();
    await page.getByRole('button', { name: 'Delete file' }).click();
    await page.getByText(/^No files yet/).waitFor();
  });

  test('renames and revokes a DSN', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.getByRole('button', { name: 'Rename Windows' }).click();
    const form = page.getByRole('dialog', { name: 'Rename “Windows”' });
    await form.getByLabel('Name').fill('Steam');
    await form.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('button', { name: 'Revoke Steam' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke DSN' }).click();
    await dsns().getByText('Steam', { exact: true }).waitFor({ state: 'detached' });
    await page.getByText('Revoked DSNs').click();
    await page.getByRole('table', { name: 'Revoked DSNs' }).getByText('Steam').waitFor();
    await untilEqual(
      async () => (await listDsns()).map(({ name, state }) => [name, state]),
      [
        ['Linux', 'active'],
        ['Steam', 'revoked'],
      ],
    );
  });

  test('links the feedback of a player and its crash report to each other', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const linux = (await listDsns()).find(({ name }) => name === 'Linux')!;
    await playWithSdk(site.service, linux.dsn);
    const ask = askAs(site.service, studio.session);
    const tickets = () =>
      ask<{ bugs: { bug_uid: string; crash_id: string | null }[] }>('GET', `/games/${studio.gameUid}/bugs`);
    await untilEqual(async () => (await tickets()).bugs.map(({ crash_id }) => crash_id !== null), [true]);
    const [ticket] = (await tickets()).bugs;
    await page.goto(`${site.service.url}/dev/${studio.slug}/bugs/${ticket!.bug_uid}`);
    await page.getByAltText('Screenshot 1, from the player').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'save.json' }).click();
    assert.equal((await download).suggestedFilename(), 'save.json');
    assert.deepEqual(await findSeriousProblems(page), []);
    // The files stay when the ticket is changed.
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByText('Closed', { exact: true }).first().waitFor();
    await page.getByRole('link', { name: 'save.json' }).waitFor();
    await page.getByRole('link', { name: 'Open report' }).click();
    await page
      .getByRole('list', { name: 'Bug tickets' })
      .getByRole('link', { name: /The owl fell/ })
      .click();
    await page.waitForURL(/\/bugs\//);
  });

  test('shows what was dropped, lost and refused, and assigns a release to a build', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const buildId = await register(site.service, studio, { version: '1.0.0' });
    await page.goto(`${site.service.url}/dev/${studio.slug}/settings/sentry`);
    const rowOf = (table: string, text: string) =>
      page.getByRole('table', { name: table }).getByRole('row', { name: text });
    await rowOf('Dropped or only counted', 'Spans').getByText('1,240').waitFor();
    await rowOf('Dropped or only counted', 'Messages (info)').waitFor();
    await rowOf('Lost at the client', 'Crashes and errors').getByText('4', { exact: true }).waitFor();
    await rowOf('Wrong keys', 'c0ffee00').waitFor();
    const release = rowOf('Unregistered releases', 'owls@1.3.0-nightly');
    await release.getByRole('link', { name: '1 crash' }).click();
    await page
      .getByRole('link', { name: /NullReferenceException/ })
      .first()
      .waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Assign owls@1.3.0-nightly' }).click();
    const form = page.getByRole('dialog', { name: 'Assign “owls@1.3.0-nightly”' });
    await form.getByLabel('Build').selectOption(buildId);
    assert.deepEqual(await findSeriousProblems(page), []);
    await form.getByRole('button', { name: 'Assign' }).click();
    await page.getByText('“owls@1.3.0-nightly” is assigned.', { exact: false }).waitFor();
    await release.waitFor({ state: 'detached' });
  });

  test('a report of a release without a build leads to where the release can be assigned', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    site.expectErrors(/status of 404/);
    await page.goto(`${site.service.url}/dev/${studio.slug}/builds/${randomUUID()}`);
    await page.getByText('no build of its release is registered').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Sentry SDKs' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sentry SDKs' }).waitFor();
  });
});
