// Two-step sign-in and passkeys on the website, with an authenticator that Chromium simulates.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CDPSession, Locator, Page } from 'playwright-core';
import { newestLink } from '../packages/server/test/setup/mail.ts';
import { codeAt, nextCode, secretOf } from '../packages/server/test/setup/totp.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { submitSignIn } from './setup/page.ts';
import { serveSite } from './setup/site.ts';
import { signUpAs } from './setup/studio.ts';

const PASSWORD = 'correct horse battery';

describe('signing in', () => {
  const site = serveSite();

  async function openSecurity(email: string, base = site.service.url): Promise<Page> {
    await signUpAs(site.service, { email, password: PASSWORD });
    const page = await site.openPage();
    await page.goto(`${base}/sign-in?next=/settings/security`);
    await submitSignIn(page, { email, password: PASSWORD });
    await page.getByRole('heading', { name: 'Active sessions' }).waitFor();
    return page;
  }

  const signOut = async (page: Page) => {
    await page.getByRole('button', { name: /^Account:/ }).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
  };

  test('takes a code once an authenticator app was added, or a backup code', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const email = 'totp@example.com';
    const page = await openSecurity(email);
    const add = page.getByRole('form', { name: 'Add an authenticator app' });
    await add.getByRole('textbox', { name: 'Your password' }).fill(PASSWORD);
    await add.getByRole('button', { name: 'Add an authenticator app' }).click();
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    const key = await page.getByRole('form', { name: 'Confirm the authenticator app' }).locator('pre').innerText();
    const secret = secretOf(`otpauth://totp/x?secret=${key}`);
    const code = codeAt(secret);
    await page.getByRole('textbox', { name: 'Code', exact: true }).fill(code);
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByRole('list', { name: 'Backup codes' }).waitFor();
    const codes = await page.getByRole('list', { name: 'Backup codes' }).getByRole('listitem').allInnerTexts();
    assert.equal(codes.length, 10);
    await page.getByRole('region', { name: 'Authenticator app' }).getByText('On', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'I saved the codes' }).click();
    await page.getByRole('button', { name: 'Remove the app' }).waitFor();
    await newestLink(site.service, 'Two-step sign-in is on', email);

    await signOut(page);
    await page.goto(`${site.service.url}/sign-in?next=/settings/profile`);
    await submitSignIn(page, { email, password: PASSWORD });
    await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
    site.expectErrors(/status of 401 .*verify-totp/);
    await page.getByRole('textbox', { name: 'Code', exact: true }).fill('12 34');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Incorrect code.').waitFor();
    // It was used to add the app.
    await page.getByRole('textbox', { name: 'Code', exact: true }).fill(code);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This code was already used. Wait for the next one.').waitFor();
    await page.getByRole('textbox', { name: 'Code', exact: true }).fill(nextCode(secret));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('textbox', { name: 'New email' }).waitFor();

    await signOut(page);
    await page.goto(`${site.service.url}/sign-in?next=/settings/security`);
    await submitSignIn(page, { email, password: PASSWORD });
    await page.getByRole('button', { name: 'Use a backup code' }).click();
    await page.getByRole('textbox', { name: 'Backup code' }).fill(codes[0] ?? '');
    await page.getByRole('button', { name: 'Sign in' }).click();
    const change = page.getByRole('form', { name: 'Change the authenticator app' });
    await change.getByRole('button', { name: 'Remove the app' }).click();
    await change.getByText('This field is required.').waitFor();
    await change.getByRole('textbox', { name: 'Your password' }).fill(PASSWORD);
    await change.getByRole('button', { name: 'Remove the app' }).click();
    await add.waitFor();
  });

  /** Adds an authenticator that checks its user, as a phone with a fingerprint does. */
  async function addAuthenticator(page: Page): Promise<CDPSession> {
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return session;
  }

  test('works with a passkey, which can be renamed and removed', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const email = 'passkey@example.com';
    const base = site.service.url.replace('127.0.0.1', 'localhost');
    const page = await openSecurity(email, base);
    await addAuthenticator(page);
    await page.getByRole('textbox', { name: 'Name of the passkey' }).fill('Laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'Rename Laptop' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Work laptop');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('button', { name: 'Remove Work laptop' }).waitFor();
    await newestLink(site.service, 'A passkey was added', email);

    // The browser offers the passkey in the email field, and the simulated authenticator accepts the offer.
    await signOut(page);
    await page.goto(`${base}/sign-in?next=/settings/security`);
    await page.getByRole('button', { name: 'Remove Work laptop' }).click();
    const question = page.getByRole('dialog');
    await question.getByRole('button', { name: 'Remove passkey' }).click();
    await page.getByRole('button', { name: 'Remove Work laptop' }).waitFor({ state: 'detached' });
    await newestLink(site.service, 'A passkey was removed', email);

    // The authenticator still has it, but the server does not.
    await signOut(page);
    site.expectErrors(/status of 401 .*verify-authentication/);
    await page.goto(`${base}/sign-in`);
    await page.getByText("This passkey doesn't belong to an account here").waitFor();
    await submitSignIn(page, { email, password: PASSWORD });
    await page.getByRole('heading', { name: 'Your games' }).waitFor();
  });

  test('works with a passkey by its button, instead of a password and a code', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const email = 'button@example.com';
    const base = site.service.url.replace('127.0.0.1', 'localhost');
    const page = await openSecurity(email, base);
    await addAuthenticator(page);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'Remove Passkey' }).waitFor();
    await page.addInitScript(() => {
      // This browser does not offer passkeys in fields.
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
    });
    await signOut(page);
    await page.goto(`${base}/sign-in?next=/settings/security`);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('button', { name: 'Remove Passkey' }).waitFor();
    const security = await page.evaluate(async () => (await fetch('/api/v1/account/security')).json());
    assert.deepEqual([security.data.signed_in_with, security.data.passkeys], ['passkey', 1]);
  });

  test('shows that it waits for a passkey in the middle of the button, also with reduced motion', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({ reducedMotion: 'reduce' });
    await addAuthenticator(page);
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
      // The browser waits until the person touches the key.
      navigator.credentials.get = () => new Promise(() => undefined);
    });
    await page.goto(`${site.service.url.replace('127.0.0.1', 'localhost')}/sign-in`);
    const button = page.getByRole('button', { name: 'Use a passkey' });
    await button.click();
    const spinner = page.locator('.mantine-Button-loader');
    await spinner.waitFor();
    const middleOf = async (element: Locator) => {
      const { x = 0, y = 0, width = 0, height = 0 } = (await element.boundingBox()) ?? {};
      return [Math.round(x + width / 2), Math.round(y + height / 2)];
    };
    assert.deepEqual(await middleOf(spinner), await middleOf(spinner.locator('xpath=ancestor::button')));
  });

  test('says what to do when a passkey cannot be offered or used', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const base = site.service.url.replace('127.0.0.1', 'localhost');
    const page = await site.openPage();
    await addAuthenticator(page);
    await page.addInitScript(() => {
      // The policy of a company forbids passkeys.
      navigator.credentials.get = () => Promise.reject(new DOMException('forbidden', 'SecurityError'));
    });
    let isRestarting = false;
    await page.route('**/passkey/*', (route) => (isRestarting ? route.abort('failed') : route.continue()));
    await page.goto(`${base}/sign-in`);
    const problem = page.getByRole('alert');
    await problem.getByText("Your browser couldn't use a passkey").waitFor();
    await problem.getByText('Try again, or use your password.').waitFor();

    isRestarting = true;
    site.expectErrors(/ERR_FAILED \(/, /generate-authenticate-options: net::ERR_FAILED/);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await problem.getByText("Can't reach the server").waitFor();
    await problem.getByText('Check your connection, then try again.').waitFor();
  });
});
