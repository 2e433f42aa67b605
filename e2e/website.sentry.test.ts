// A developer creates DSNs on the website, copies the lines for an SDK, and revokes a DSN.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { askAs } from '../packages/server/test/setup/api-calls.ts';
import { untilEqual } from '../packages/server/test/setup/until.ts';
import { findSeriousProblems } from './setup/accessibility.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
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
    assert.deepEqual(await findSeriousProblems(page), []);
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
});
