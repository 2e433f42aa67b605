// The first run in a browser: the link that the server prints, the first account, and the tests of each part.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { type Site, serveSite } from './setup/site.ts';

describe('the first run', () => {
  let page: Page;
  const open = async ({ service, browser }: Site) => {
    if (browser === null) return;
    page = await site.openPage();
    await page.goto(service.url);
  };
  const site = serveSite(open, { apart: true });

  test('begins on the home page, or with the link that the server prints', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.getByText("This server isn't set up yet").waitFor();
    await page.getByRole('link', { name: 'enter its set-up code' }).click();
    await page.getByRole('heading', { name: 'Set up Chauffeur' }).waitFor();
    const [link = ''] = /http\S+\/setup#code=\S+/.exec(site.service.output()) ?? [];
    await page.goto('about:blank');
    await page.goto(link);
    const code = page.getByRole('textbox', { name: 'Set-up code' });
    await code.waitFor();
    assert.equal(await code.inputValue(), link.split('=').at(-1));
    assert.equal(page.url(), `${site.service.url}/setup`);
  });

  test('creates the first account, which is signed in and an operator', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    site.expectErrors(/403.*\/api\/v1\/setup/);
    const code = page.getByRole('textbox', { name: 'Set-up code' });
    const right = await code.inputValue();
    await code.fill('wrong');
    await page.getByRole('textbox', { name: 'Name' }).fill('Olga');
    await page.getByRole('textbox', { name: 'Email' }).fill('olga@example.com');
    await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('alert').getByText('The set-up code is wrong').waitFor();
    await code.fill(right);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForURL('**/operator/setup');
    await page.getByRole('heading', { name: 'Set-up', exact: true }).waitFor();
  });

  test('shows what to set for each part, and tests it', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page
      .getByText('3 of 5 ready', { exact: true })
      .or(page.getByText('2 of 5 ready', { exact: true }))
      .waitFor();
    const resultOf = (part: string) => page.getByRole('status', { name: `Test of ${part}` });
    await page.getByRole('region', { name: 'Email' }).getByText('CHAUFFEUR_SMTP=smtp://user:password').waitFor();
    await page.getByRole('button', { name: 'Send a test email' }).click();
    await resultOf('email')
      .getByText(/^The email was written to .*\.eml, and not sent\.$/)
      .waitFor();
    await page.getByRole('button', { name: 'Test storage' }).click();
    await resultOf('storage').getByText('It was read back unchanged.').waitFor();
    await page.getByRole('button', { name: 'Test scanner' }).click();
    await resultOf('virus scanner').getByText('There is no virus scanner.').waitFor();
    await page.getByRole('button', { name: 'Test address' }).click();
    await resultOf('address').getByText('A request of 16.0 MiB').waitFor();
  });

  test('is over then', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.goto(`${site.service.url}/setup`);
    await page.getByRole('heading', { name: 'This server is set up' }).waitFor();
    await page.getByRole('link', { name: 'Chauffeur' }).click();
    await page.getByRole('heading', { name: 'No games yet' }).waitFor();
    assert.equal(await page.getByText("This server isn't set up yet").count(), 0);
  });
});
