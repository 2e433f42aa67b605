// An admin is invited, accepts and leaves; a game is transferred by mail, and deleted by its new owner.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { newestLink } from '../packages/server/test/setup/mail.ts';
import { shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { submitSignIn } from './setup/page.ts';
import { serveSite } from './setup/site.ts';
import { type Account, addAccount, openStudio, type Studio } from './setup/studio.ts';

const IDA: Account = { email: 'ida@example.com', password: 'another horse battery' };
const GAME = 'Owls of the North';

describe('the members of a game', () => {
  let studio: Studio;
  let ownerPage: Page;
  let idaPage: Page;
  const site = serveSite(async ({ service, browser }) => {
    studio = await openStudio(service, GAME);
    const build = { version: '1.0.0', os: 'linux', arch: 'x86_64' };
    await shipAndScan(service, studio, build, smallZip('1.0.0.txt'));
    await addAccount(service, { ...IDA, name: 'Ida' });
    if (browser === null) return;
    ownerPage = await site.openPage({ session: studio.session });
    idaPage = await site.openPage();
  });

  const edit = (part: string) => `${site.service.url}/dev/${studio.slug}/settings/${part}`;

  // One test, because each step depends on the steps before it.
  test('are invited by mail, join and leave', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    site.expectErrors(/status of 429 .*resend/, /status of 404 .*games/, /^ApiError: This game does not exist/);
    await ownerPage.goto(edit('admins'));
    await ownerPage.getByRole('heading', { name: 'Invite to this game' }).waitFor();
    await ownerPage.getByRole('textbox', { name: 'Email' }).fill(IDA.email);
    await ownerPage.getByLabel('Role').selectOption('admin');
    await ownerPage.getByRole('button', { name: 'Send invitation' }).click();
    await ownerPage.getByText(`We sent an invitation to ${IDA.email}.`).waitFor();
    const row = ownerPage.getByRole('table', { name: 'Invitations' }).getByRole('row', { name: IDA.email });
    await row.getByText('Pending').waitFor();
    await row.getByRole('button', { name: 'Resend' }).click();
    await ownerPage.getByText('The invitation was sent less than a minute ago').waitFor();

    const link = await newestLink(site.service, `Invitation to ${GAME}`, IDA.email);
    await ownerPage.goto(link);
    await ownerPage.getByText(`The invitation was sent to ${IDA.email}`).waitFor();
    assert.ok(await ownerPage.getByRole('button', { name: 'Accept' }).isDisabled());
    await idaPage.goto(link);
    await submitSignIn(idaPage, IDA);
    await idaPage.getByRole('heading', { name: `Join ${GAME}` }).waitFor();
    await idaPage.getByRole('button', { name: 'Accept' }).click();
    await idaPage.getByText(`You're now an admin of ${GAME}`).waitFor();
    await idaPage.reload();
    await idaPage.getByText(`You're now an admin of ${GAME}`).waitFor();

    await ownerPage.goto(edit('admins'));
    const setRole = async (role: string) => {
      const saved = ownerPage.waitForResponse((response) => response.request().method() === 'PATCH');
      await ownerPage.getByLabel('Role of Ida').selectOption(role);
      assert.equal((await saved).status(), 200);
    };
    await setRole('triager');
    await idaPage.goto(edit('keys'));
    await idaPage.getByText('Only developers, admins and owners of the game can see this page.').waitFor();
    await setRole('admin');
    await idaPage.reload();
    await idaPage.getByRole('button', { name: 'Create key' }).waitFor();

    await idaPage.goto(edit('danger'));
    await idaPage.getByText('Only owners of the game can see this page.').waitFor();
    await idaPage.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Members' }).click();
    await idaPage.getByRole('button', { name: 'Leave' }).click();
    await idaPage.getByRole('button', { name: 'Leave game' }).click();
    await idaPage.getByRole('heading', { name: 'Your games' }).waitFor();
    await idaPage.goto(edit('admins'));
    await idaPage.getByRole('heading', { name: 'Page not found' }).waitFor();
  });

  test('transfer the game by mail, and the new owner deletes it after typing its name', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    site.expectErrors(/status of 403 .*transfer/, /status of 400 .*deletion/, /status of 404 .*\/g\//);
    await ownerPage.goto(edit('danger'));
    await ownerPage.getByRole('textbox', { name: 'Email of the new owner' }).fill(IDA.email);
    await ownerPage.getByRole('textbox', { name: 'Your password' }).fill('not the password');
    await ownerPage.getByRole('button', { name: 'Offer game' }).click();
    await ownerPage.getByText('Incorrect password.').waitFor();
    await ownerPage.getByRole('textbox', { name: 'Your password' }).fill(studio.password);
    await ownerPage.getByRole('button', { name: 'Offer game' }).click();
    await ownerPage.getByRole('button', { name: 'Withdraw offer' }).waitFor();

    await idaPage.goto(await newestLink(site.service, `Transfer of ${GAME}`, IDA.email));
    await idaPage.getByRole('button', { name: 'Accept' }).click();
    await idaPage.getByText(`You now own ${GAME}`).waitFor();
    await idaPage.goto(edit('danger'));
    await idaPage.getByRole('button', { name: 'Delete game' }).click();
    const dialog = idaPage.getByRole('dialog');
    await dialog.getByText('Players can no longer find, download or play it').waitFor();
    await dialog.getByText('1 admin loses access.').waitFor();
    await dialog.getByRole('textbox', { name: `Type ${GAME} to confirm` }).fill('Owls');
    await dialog.getByRole('textbox', { name: 'Your password' }).fill(IDA.password);
    await dialog.getByRole('button', { name: 'Delete game' }).click();
    await dialog.getByText('this is not the name of the game').waitFor();
    await dialog.getByRole('textbox', { name: `Type ${GAME} to confirm` }).fill(GAME);
    await dialog.getByRole('button', { name: 'Delete game' }).click();
    await idaPage.getByRole('heading', { name: 'Your games' }).waitFor();
    assert.equal(await idaPage.getByRole('link', { name: GAME }).count(), 0);
    const shown = await idaPage.goto(`${site.service.url}/g/${studio.slug}`);
    assert.equal(shown?.status(), 404);
  });
});
