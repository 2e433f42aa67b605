// The website's account pages: sign up, verify by email, sign in and out, reset the password, change settings.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newestLink } from '../packages/server/test/setup/mail.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { submitSignIn } from './setup/page.ts';
import { serveSite } from './setup/site.ts';
import { openStudio, signUpAs } from './setup/studio.ts';

const EMAIL = 'ada@example.com';
const PASSWORD = 'correct horse battery';

describe('an account on the website', () => {
  const site = serveSite();

  // One test, because each step depends on the steps before it.
  test('can be created and verified, and its password can be reset', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage();
    await page.goto(site.service.url);
    await page.getByRole('link', { name: 'Sign up' }).click();
    await page.getByLabel('Name').fill('Ada');
    await page.getByRole('textbox', { name: 'Email' }).fill(EMAIL);
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();

    await page.goto(await newestLink(site.service, 'Verify your email'));
    await page.getByRole('button', { name: 'Confirm address' }).click();
    await page.getByRole('heading', { name: 'Your email is verified' }).waitFor();
    // Where a link leads that was opened again, or has expired since.
    await page.goto(`${site.service.url}/verify?error=TOKEN_EXPIRED`);
    await page.getByRole('heading', { name: 'Your email is verified' }).waitFor();
    await page.getByRole('link', { name: 'Go to your games' }).click();
    await page.getByRole('heading', { name: 'Your games' }).waitFor();

    await page.getByRole('button', { name: /^Account:/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    await page.goto(`${site.service.url}/dev`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    site.expectErrors(/status of 401 .*sign-in/);
    await submitSignIn(page, { email: EMAIL, password: 'not the password at all' });
    await page.getByRole('alert').getByText('Incorrect email or password.').waitFor();
    await submitSignIn(page, { email: EMAIL, password: PASSWORD });
    // Sign-in continues to the page that was requested.
    await page.getByRole('heading', { name: 'Your games' }).waitFor();

    await page.getByRole('button', { name: /^Account:/ }).click();
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
    await submitSignIn(page, { email: EMAIL, password: 'another horse battery' });
    await page.getByRole('heading', { name: 'Your games' }).waitFor();
  });

  test('lists its sessions and ends one, can be renamed and deleted', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const linus = { email: 'linus@example.com', password: PASSWORD };
    await signUpAs(site.service, linus);
    const [pageOfOther, page] = [await site.openPage(), await site.openPage()];
    for (const visit of [pageOfOther, page]) {
      await visit.goto(`${site.service.url}/sign-in?next=/settings/security`);
      await submitSignIn(visit, linus);
      await visit.getByRole('heading', { name: 'Active sessions' }).waitFor();
    }
    await page.getByRole('button', { name: 'Sign out of Chrome on Linux' }).click();
    await page.getByRole('button', { name: 'Sign out of Chrome on Linux' }).waitFor({ state: 'detached' });
    await pageOfOther.reload();
    await pageOfOther.getByRole('heading', { name: 'Sign in' }).waitFor();

    await page.getByRole('link', { name: 'Profile' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Linus T');
    await page.getByRole('form', { name: 'Name' }).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Account: Linus T' }).waitFor();
    site.expectErrors(/status of 400 .*delete-user/);
    await page.getByRole('textbox', { name: 'Your password' }).fill('not the password');
    await page.getByRole('button', { name: 'Delete account' }).click();
    await page.getByText('Incorrect password.').waitFor();
    await page.getByRole('textbox', { name: 'Your password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Delete account' }).click();
    await page.getByRole('link', { name: 'Sign up' }).waitFor();
  });

  test('shows which deploy keys still work after a reset and revokes them, and changes its email with two links', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const studio = await openStudio(site.service, 'Reset Racer');
    const other = await site.openPage();
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
      headers: studio.keyHeaders,
    });
    assert.equal(info.status, 401);

    await other.goto(`${site.service.url}/sign-in?next=/settings/profile`);
    await submitSignIn(other, { email: 'owner@example.com', password: 'another horse battery' });
    await other.getByRole('textbox', { name: 'New email' }).fill('ada.new@example.com');
    await other.getByRole('button', { name: 'Change email' }).click();
    await other.getByText('We sent a link to owner@example.com').waitFor();
    await other.goto(await newestLink(site.service, 'Confirm the change', 'owner@example.com'));
    await other.getByRole('button', { name: 'Confirm address' }).click();
    await other.getByRole('heading', { name: 'One more step' }).waitFor();
    await other.goto(await newestLink(site.service, 'Confirm your new', 'ada.new@example.com'));
    await other.getByRole('button', { name: 'Confirm address' }).click();
    await other.getByRole('heading', { name: 'Your email is changed' }).waitFor();
    await other.goto(`${site.service.url}/settings/security`);
    await other.getByRole('button', { name: 'Revoke everything' }).click();
    await other.getByRole('dialog').getByRole('button', { name: 'Revoke everything' }).click();
    await other.getByText('Revoked', { exact: true }).waitFor();
  });

  test('shows "Page not found" for an unknown URL', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const other = await site.openPage();
    site.expectErrors(/status of 404 .*such\/page/);
    const response = await other.goto(`${site.service.url}/no/such/page`);
    assert.equal(response?.status(), 404);
    await other.getByRole('heading', { name: 'Page not found' }).waitFor();
  });

  test('does not redirect to other sites after sign-in', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const grace = { email: 'grace@example.com', password: PASSWORD };
    await signUpAs(site.service, grace);
    const page = await site.openPage();
    for (const next of ['//example.com/', 'https://example.com/', '/\\example.com']) {
      await page.goto(`${site.service.url}/sign-in?next=${encodeURIComponent(next)}`);
      await submitSignIn(page, grace);
      await page.getByRole('heading', { name: 'Your games' }).waitFor();
    }
  });
});
