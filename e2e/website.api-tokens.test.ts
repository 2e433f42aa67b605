// A developer creates an API token on the website, calls the API with it in a shell, and revokes it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { untilEqual } from '../packages/server/test/setup/until.ts';
import { findSeriousProblems } from './setup/accessibility.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { serveSite } from './setup/site.ts';
import { openStudio, type Studio } from './setup/studio.ts';

describe('the page with API tokens', () => {
  let studio: Studio;
  let page: Page;
  const site = serveSite(async ({ service, browser }) => {
    studio = await openStudio(service, 'Owls of the North');
    if (browser !== null)
      page = await site.openPage({ session: studio.session, permissions: ['clipboard-read', 'clipboard-write'] });
  });

  /** Runs a command of the guide with the token, and returns the status and the body of the response. */
  async function curl(token: string, path: string): Promise<{ status: number; body: string }> {
    const line = `curl -s -w '\\n%{http_code}' -H "Authorization: Bearer $CHAUFFEUR_TOKEN" ${site.service.api}${path}`;
    const { stdout } = await promisify(execFile)('sh', ['-c', line], {
      env: { ...process.env, CHAUFFEUR_TOKEN: token },
    });
    const at = stdout.lastIndexOf('\n');
    return { status: Number(stdout.slice(at)), body: stdout.slice(0, at) };
  }

  test('creates one for some parts of the API and one game, which works until it is revoked', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.goto(`${site.service.url}/settings/profile`);
    await page.getByRole('link', { name: 'API tokens' }).click();
    await page.getByText('No API tokens yet.').waitFor();
    await page.getByRole('button', { name: 'Create token' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create an API token' });
    await dialog.getByLabel('Name').fill('Weekly report');
    assert.ok(await dialog.getByRole('button', { name: 'Create token' }).isDisabled());
    await dialog.getByRole('combobox', { name: 'crashes' }).selectOption('Read and change');
    await dialog.getByRole('combobox', { name: 'games', exact: true }).selectOption('Read only');
    await dialog.getByLabel('Only some games').check();
    // Without a game, the token could do nothing.
    assert.ok(await dialog.getByRole('button', { name: 'Create token' }).isDisabled());
    await dialog.getByLabel('Owls of the North').check();
    assert.deepEqual(await findSeriousProblems(page), []);
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Copy the token “Weekly report” now.', { exact: false }).waitFor();
    const token = (await page.getByText(/^chf_api_[A-Za-z0-9]{32}$/).textContent()) ?? '';

    await page.getByRole('button', { name: 'Copy API token' }).click();
    await untilEqual(() => page.evaluate(() => navigator.clipboard.readText()), token);

    const row = page.getByRole('table', { name: 'API tokens' }).getByRole('row', { name: /Weekly report/ });
    await row.getByText('Can change crashes. Can read games.').waitFor();
    await row.getByText('Owls of the North').waitFor();
    await row.getByText('Never').waitFor();
    assert.equal((await curl(token, `/games/${studio.slug}/crash-groups`)).status, 200);
    const refused = await curl(token, `/games/${studio.slug}/builds`);
    assert.equal(refused.status, 403);
    assert.match(refused.body, /does not have the scope builds:read/);
    await page.reload();
    await row.getByText('from 127.0.0.1').waitFor();
    assert.equal(await page.getByText(token).count(), 0);

    await page.getByRole('button', { name: 'Revoke Weekly report' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).click();
    await row.getByText('Revoked').waitFor();
    await untilEqual(() => page.getByRole('button', { name: 'Revoke Weekly report' }).count(), 0);
    assert.equal((await curl(token, `/games/${studio.slug}/crash-groups`)).status, 401);
  });
});
