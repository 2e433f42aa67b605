// The website's account pages: sign up, verify by email, sign in and out, reset the password, change settings.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { newestLink } from './setup/outbox.ts';
import { runServerCommand } from './setup/processes.ts';
import { serveSite } from './setup/site.ts';
import { openStudio } from './setup/studio.ts';

const EMAIL = 'ada@example.com';
const PASSWORD = 'correct horse battery';

describe('an account on the website', () => {
  let page: Page;
  const site = serveSite(async ({ browser }) => {
    if (browser !== null) page = await browser.newPage();
  });

  async function fillSignIn(password: string, email = EMAIL): Promise<void> {
    await page.getByRole('textbox', { name: 'Email' }).fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  // One test, because each step depends on the steps before it.
  test('can be created and verified, and its password can be reset', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.goto(site.service.url);
    await page.getByRole('link', { name: 'Sign up' }).click();
    await page.getByLabel('Name').fill('Ada');
    await page.getByRole('textbox', { name: 'Email' }).fill(EMAIL);
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();

    await page.goto(await newestLink(site.service, 'Verify your email'));
    await page.getByRole('heading', { name: 'Your email is verified' }).waitFor();
    await page.getByRole('link', { name: 'Go to your games' }).click();
    await page.getByRole('heading', { name: 'Your games' }).waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    await page.goto(`${site.service.url}/dev`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await fillSignIn('not the password at all');
    await page.getByRole('alert').getByText('Incorrect email or password.').waitFor();
    await fillSignIn(PASSWORD);
    // Sign-in continues to the page that was requested.
    await page.getByRole('heading', { name: 'Your games' }).waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    await page.goto(`${site.service.url}/reset`);
    await page.getByRole('textbox', { name: 'Email' }).fill(EMAIL);
    await page.getByRole('button', { name: 'Send email' }).click();
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
    await page.goto(await newestLink(site.service, 'Choose a new Chauffeur password'));
    await page.getByRole('textbox', { name: 'New password' }).fill('another horse battery');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('0 personal keys revoked').waitFor();
    await page.getByRole('link', { name: 'Sign in with the new password' }).click();
    await fillSignIn('another horse battery');
    await page.getByRole('heading', { name: 'Your games' }).waitFor();
  });

  test('lists its sessions and ends one, can be renamed and deleted', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const email = 'linus@example.com';
    await runServerCommand(
      site.service,
      ['admin', 'user', 'create', '--email', email, '--password-stdin'],
      `${PASSWORD}\n`,
    );
    const [one, other] = [await site.browser.newContext(), await site.browser.newContext()];
    const pageOfOther = await other.newPage();
    for (const visit of [pageOfOther, await one.newPage()]) {
      page = visit;
      await page.goto(`${site.service.url}/sign-in?next=/settings/security`);
      await fillSignIn(PASSWORD, email);
      await page.getByRole('heading', { name: 'Active sessions' }).waitFor();
    }
    await page.getByRole('button', { name: 'Sign out of Chrome on Linux' }).click();
    await page.getByRole('button', { name: 'Sign out of Chrome on Linux' }).waitFor({ state: 'detached' });
    await pageOfOther.reload();
    await pageOfOther.getByRole('heading', { name: 'Sign in' }).waitFor();

    await page.getByRole('link', { name: 'Profile' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Linus T');
    await page.getByRole('form', { name: 'Name' }).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Linus T' }).waitFor();
    await page.getByRole('textbox', { name: 'Your password' }).fill('not the password');
    await page.getByRole('button', { name: 'Delete account' }).click();
    await page.getByText('Incorrect password.').waitFor();
    await page.getByRole('textbox', { name: 'Your password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Delete account' }).click();
    await page.getByRole('link', { name: 'Sign up' }).waitFor();
    await Promise.all([one.close(), other.close()]);
  });

  test('shows which deploy keys still work after a reset and revokes them, and changes its email with two links', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const studio = await openStudio(site.service, 'Reset Racer');
    const other = await site.browser.newPage();
    await other.goto(`${site.service.url}/reset`);
    await other.getByRole('textbox', { name: 'Email' }).fill('owner@example.com');
    await other.getByRole('button', { name: 'Send email' }).click();
    await other.getByRole('heading', { name: 'Check your email' }).waitFor();
    await other.goto(await newestLink(site.service, 'Choose a new Chauffeur password', 'owner@example.com'));
    await other.getByRole('textbox', { name: 'New password' }).fill('another horse battery');
    await other.getByRole('button', { name: 'Set password' }).click();
    await other.getByText('These deploy keys still work').waitFor();
    await other.getByText('Reset Racer').waitFor();
    await other.getByRole('button', { name: 'Revoke all deploy keys' }).click();
    await other.getByText('1 deploy key revoked').waitFor();
    const info = await fetch(`${site.service.url}/api/v1/tool/info`, {
      headers: {
        'x-access-token': studio.environment.SERVICE_ACCESS_TOKEN ?? '',
        'x-secret-key': studio.environment.SERVICE_SECRET_KEY ?? '',
      },
    });
    assert.equal(info.status, 401);

    await other.goto(`${site.service.url}/sign-in?next=/settings/profile`);
    await other.getByRole('textbox', { name: 'Email' }).fill('owner@example.com');
    await other.getByRole('textbox', { name: 'Password' }).fill('another horse battery');
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByRole('textbox', { name: 'New email' }).fill('ada.new@example.com');
    await other.getByRole('button', { name: 'Change email' }).click();
    await other.getByText('We sent a link to owner@example.com').waitFor();
    await other.goto(await newestLink(site.service, 'Confirm the change', 'owner@example.com'));
    await other.getByRole('heading', { name: 'One more step' }).waitFor();
    await other.goto(await newestLink(site.service, 'Confirm your new', 'ada.new@example.com'));
    await other.getByRole('heading', { name: 'Your email is changed' }).waitFor();
    await other.goto(`${site.service.url}/settings/security`);
    await other.getByRole('button', { name: 'Revoke everything' }).click();
    await other.getByRole('dialog').getByRole('button', { name: 'Revoke everything' }).click();
    await other.getByText('Revoked', { exact: true }).waitFor();
    await other.close();
  });

  test('shows "Page not found" for an unknown URL', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const other = await site.browser.newPage();
    const response = await other.goto(`${site.service.url}/no/such/page`);
    assert.equal(response?.status(), 404);
    await other.getByRole('heading', { name: 'Page not found' }).waitFor();
    await other.close();
  });

  test('does not redirect to other sites after sign-in', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const email = 'grace@example.com';
    await runServerCommand(
      site.service,
      ['admin', 'user', 'create', '--email', email, '--password-stdin'],
      `${PASSWORD}\n`,
    );
    const context = await site.browser.newContext();
    page = await context.newPage();
    for (const next of ['//example.com/', 'https://example.com/', '/\\example.com']) {
      await page.goto(`${site.service.url}/sign-in?next=${encodeURIComponent(next)}`);
      await fillSignIn(PASSWORD, email);
      await page.getByRole('heading', { name: 'Your games' }).waitFor();
    }
    await context.close();
  });
});
