// The pages of an organisation: what it requires of how people sign in, and its audit log.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { askAs } from '../packages/server/test/setup/api-calls.ts';
import { newestLink } from '../packages/server/test/setup/mail.ts';
import { codeAt, secretOf } from '../packages/server/test/setup/totp.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { serveSite } from './setup/site.ts';
import { type Account, addAccount, openStudio, type Session, type Studio } from './setup/studio.ts';

const IDA: Account = { email: 'ida@example.com', password: 'another horse battery' };
const GAME = 'Owls of the North';

describe('an organisation', () => {
  let studio: Studio;
  let ida: Session;
  let ownerPage: Page;
  let idaPage: Page;
  let organisation: string;
  const site = serveSite(async ({ service, browser }) => {
    studio = await openStudio(service, GAME);
    const ask = askAs(service, studio.session);
    const [own] = (await ask<{ organisations: { organisation_uid: string }[] }>('GET', '/organisations')).organisations;
    organisation = own?.organisation_uid ?? '';
    await ask('PATCH', `/organisations/${organisation}`, { name: 'Owl Studio', slug: 'owls' });
    ida = await addAccount(service, { ...IDA, name: 'Ida' });
    await ask('POST', `/organisations/${organisation}/invitations`, { email: IDA.email, role: 'developer' });
    const link = await newestLink(service, 'Invitation to Owl Studio', IDA.email);
    await askAs(service, ida)('POST', `/invitations/${link.split('/').at(-1)}/accept`);
    if (browser === null) return;
    ownerPage = await site.openPage({ session: studio.session });
    idaPage = await site.openPage({ session: ida });
  });

  /** Adds an authenticator app on the page of security settings. */
  async function addApp(page: Page, password: string): Promise<void> {
    await page.goto(`${site.service.url}/settings/security`);
    const add = page.getByRole('form', { name: 'Add an authenticator app' });
    await add.getByRole('textbox', { name: 'Your password' }).fill(password);
    await add.getByRole('button', { name: 'Add an authenticator app' }).click();
    const key = await page.getByRole('form', { name: 'Confirm the authenticator app' }).locator('pre').innerText();
    await page
      .getByRole('textbox', { name: 'Code', exact: true })
      .fill(codeAt(secretOf(`otpauth://totp/x?secret=${key}`)));
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByRole('button', { name: 'I saved the codes' }).click();
    await page.getByRole('button', { name: 'Remove the app' }).waitFor();
  }

  test('is found at a former address and by its uid, and shows its current address', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const ask = askAs(site.service, studio.session);
    await ask('PATCH', `/organisations/${organisation}`, { slug: 'owls-before' });
    await ask('PATCH', `/organisations/${organisation}`, { slug: 'owls' });
    for (const [path, shown] of [
      ['owls-before', 'owls'],
      [organisation, 'owls'],
      ['owls-before/audit?who=ida', 'owls/audit?who=ida'],
    ]) {
      await ownerPage.goto(`${site.service.url}/org/${path}`);
      await ownerPage.waitForURL(`${site.service.url}/org/${shown}`);
      await ownerPage.getByRole('heading', { level: 1, name: 'Owl Studio' }).waitFor();
      const tabs = ownerPage.getByRole('navigation', { name: 'Organisation' });
      await tabs.locator('[aria-current="page"]').waitFor();
    }
  });

  test('that does not exist, or is not theirs, is a page that was not found', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    site.expectErrors(/status of 404 /);
    await ownerPage.goto(`${site.service.url}/org/no-such-studio`);
    await ownerPage.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  });

  test('requires a second factor, which its owner has first, and then each member', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    site.expectErrors(/status of 403 /, /^ApiError: Owl Studio requires a second factor/, /status of 409 .*disable/);
    await ownerPage.goto(`${site.service.url}/org/owls`);
    const form = ownerPage.getByRole('form', { name: 'Sign-in' });
    await form.getByRole('radio', { name: 'A second factor' }).check();
    const missing = form.getByRole('table', { name: 'People who have not set it up' });
    await missing.getByRole('row', { name: IDA.email }).waitFor();
    await missing.getByRole('row', { name: studio.email }).waitFor();
    await form.getByRole('button', { name: 'Save sign-in' }).click();
    await form.getByRole('alert').getByText('Add an authenticator app or a passkey at').waitFor();
    await form.getByRole('link', { name: 'Security settings' }).click();
    await addApp(ownerPage, studio.password);

    await ownerPage.goto(`${site.service.url}/org/owls`);
    await form.getByRole('radio', { name: 'A second factor' }).check();
    await missing.getByRole('row', { name: IDA.email }).waitFor();
    await form.getByText('One person has not set it up.').waitFor();
    await form.getByRole('button', { name: 'Save sign-in' }).click();
    await ownerPage.getByText('Everyone must sign in with a second factor.').waitFor();

    await ownerPage.goto(`${site.service.url}/settings/security`);
    await ownerPage.getByText('Owl Studio requires a second factor').waitFor();
    const change = ownerPage.getByRole('form', { name: 'Change the authenticator app' });
    await change.getByRole('textbox', { name: 'Your password' }).fill(studio.password);
    await change.getByRole('button', { name: 'Remove the app' }).click();
    await change.getByText('this is your last one. Add another one first.').waitFor();

    await idaPage.goto(`${site.service.url}/dev`);
    await idaPage.getByText("You can't open Owl Studio and its games until you add one").waitFor();
    await idaPage.goto(`${site.service.url}/dev/${studio.slug}/crashes`);
    await idaPage.getByRole('alert').getByText('Owl Studio requires a second factor.').waitFor();
    await idaPage.getByRole('alert').getByRole('link', { name: 'Security settings' }).click();
    await addApp(idaPage, IDA.password);
    await idaPage.getByText('You signed in with it, so you can open Owl Studio').waitFor();
    await idaPage.goto(`${site.service.url}/dev`);
    await idaPage.getByRole('link', { name: GAME }).click();
    await idaPage.getByRole('navigation', { name: `Sections of ${GAME}` }).waitFor();
  });

  test('shows its audit log to its admins only', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await ownerPage.goto(`${site.service.url}/org/owls`);
    await ownerPage.getByRole('navigation', { name: 'Organisation' }).getByRole('link', { name: 'Audit log' }).click();
    const log = ownerPage.getByRole('table', { name: 'Audit log' });
    await log.getByText('organisations.requireSignIn').first().waitFor();
    await log.getByText('invitations.accept').waitFor();
    await ownerPage.getByRole('searchbox', { name: 'Search', exact: true }).fill('Owl Studio');
    await log.getByText('invitations.accept').waitFor({ state: 'detached' });
    await log.getByText('organisations.update').waitFor();
    const [download] = await Promise.all([
      ownerPage.waitForEvent('download'),
      ownerPage.getByRole('link', { name: 'CSV' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'audit-owls.csv');
    await idaPage.goto(`${site.service.url}/org/owls`);
    await idaPage.getByText('Your role is developer.').waitFor();
    assert.equal(await idaPage.getByRole('link', { name: 'Audit log' }).count(), 0);
  });

  test('is created by anyone, and gets a game of another one, which says who loses access', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await ownerPage.goto(`${site.service.url}/dev`);
    await ownerPage.getByRole('table', { name: 'Organisations' }).getByRole('link', { name: 'Owl Studio' }).waitFor();
    await ownerPage.getByRole('button', { name: 'Create organisation' }).click();
    const form = ownerPage.getByRole('dialog', { name: 'Create organisation' });
    await form.getByRole('textbox', { name: 'Name' }).fill('Night Studio');
    await form.getByRole('textbox', { name: 'Address' }).fill('night');
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    await ownerPage.waitForURL(`${site.service.url}/org/night`);
    await ownerPage.getByText('Your role is owner.').waitFor();

    await ownerPage.goto(`${site.service.url}/dev/${studio.slug}/settings/danger`);
    const move = ownerPage.getByRole('region', { name: 'Move game' });
    await move.getByLabel('Organisation').selectOption('Night Studio');
    await move.getByRole('button', { name: 'Move game' }).click();
    const dialog = ownerPage.getByRole('dialog', { name: `Move ${GAME} to Night Studio?` });
    await dialog.getByText('Lose access immediately, with their agents: Ida.').waitFor();
    await dialog.getByRole('button', { name: 'Move game' }).click();
    await move.getByText('Moved to Night Studio.').waitFor();
    await move.getByText('The game belongs to Night Studio.').waitFor();
    await idaPage.goto(`${site.service.url}/dev`);
    await idaPage.getByText("You don't have any games yet.").waitFor();
    await idaPage
      .getByRole('table', { name: 'Organisations' })
      .getByRole('row', { name: /Owl Studio Developer/ })
      .waitFor();
  });
});
