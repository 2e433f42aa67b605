// Flow 12 of the website: an admin is invited, accepts and leaves; a game is transferred by mail, and deleted by its new owner.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { smallZip } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { newestLink } from './setup/outbox.ts';
import { runServerCommand } from './setup/processes.ts';
import { shipBuild } from './setup/shop.ts';
import { serveSite } from './setup/site.ts';
import { type Account, openStudioByCommands, type Studio } from './setup/studio.ts';

const IDA: Account = { email: 'ida@example.com', password: 'another horse battery' };
const GAME = 'Owls of the North';

describe('the people of a game', () => {
  let studio: Studio;
  let owners: Page;
  let idas: Page;
  const site = serveSite(async ({ service, browser }) => {
    studio = await openStudioByCommands(service, GAME);
    const build = { version: '1.0.0', os: 'linux', arch: 'x86_64' };
    await shipBuild(service, studio, build, smallZip('1.0.0.txt'));
    await runServerCommand(
      service,
      ['admin', 'user', 'create', '--email', IDA.email, '--password-stdin', '--verified', '--name', 'Ida'],
      `${IDA.password}\n`,
    );
    if (browser === null) return;
    owners = await (await browser.newContext()).newPage();
    idas = await (await browser.newContext()).newPage();
  });

  const edit = (part: string) => `${site.service.url}/dev/${studio.slug}/edit/${part}`;

  async function signInAt(page: Page, address: string, { email, password }: Account): Promise<void> {
    await page.goto(address);
    await page.getByRole('textbox', { name: 'Email' }).fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  // One flow, in which each step needs those before it.
  test('are invited by mail, join, and leave', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await signInAt(owners, edit('admins'), studio);
    await owners.getByRole('heading', { name: 'Invite an admin' }).waitFor();
    await owners.getByRole('textbox', { name: 'Email' }).fill(IDA.email);
    await owners.getByRole('button', { name: 'Send invitation' }).click();
    await owners.getByText(`We sent an invitation to ${IDA.email}.`).waitFor();
    const row = owners.getByRole('table', { name: 'Invitations' }).getByRole('row', { name: IDA.email });
    await row.getByText('Pending').waitFor();
    await row.getByRole('button', { name: 'Resend' }).click();
    await owners.getByText('The invitation was sent less than a minute ago').waitFor();

    const link = await newestLink(site.service, `Invitation to ${GAME}`, IDA.email);
    await owners.goto(link);
    await owners.getByText(`The invitation was sent to ${IDA.email}`).waitFor();
    assert.ok(await owners.getByRole('button', { name: 'Accept' }).isDisabled());
    await signInAt(idas, link, IDA);
    await idas.getByRole('heading', { name: `Join ${GAME}` }).waitFor();
    await idas.getByRole('button', { name: 'Accept' }).click();
    await idas.getByText(`You're now an admin of ${GAME}`).waitFor();
    await idas.reload();
    await idas.getByText(`You're now an admin of ${GAME}`).waitFor();

    await idas.goto(edit('danger'));
    await idas.getByText('Only the owner can transfer or delete the game.').waitFor();
    await idas.getByRole('link', { name: 'Admins page' }).click();
    await idas.getByRole('button', { name: 'Leave' }).click();
    await idas.getByRole('button', { name: 'Leave game' }).click();
    await idas.getByRole('heading', { name: 'Your games' }).waitFor();
    await idas.goto(edit('admins'));
    await idas.getByText("This game does not exist, or you don't have access to it.").waitFor();
  });

  test('hand the game over by mail, and its new owner deletes it after typing its name', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await owners.goto(edit('danger'));
    await owners.getByRole('textbox', { name: 'Email of the new owner' }).fill(IDA.email);
    await owners.getByRole('textbox', { name: 'Your password' }).fill('not the password');
    await owners.getByRole('button', { name: 'Offer game' }).click();
    await owners.getByText('Incorrect password.').waitFor();
    await owners.getByRole('textbox', { name: 'Your password' }).fill(studio.password);
    await owners.getByRole('button', { name: 'Offer game' }).click();
    await owners.getByRole('button', { name: 'Withdraw offer' }).waitFor();

    await idas.goto(await newestLink(site.service, `Transfer of ${GAME}`, IDA.email));
    await idas.getByRole('button', { name: 'Accept' }).click();
    await idas.getByText(`You now own ${GAME}`).waitFor();
    await idas.goto(edit('danger'));
    await idas.getByRole('button', { name: 'Delete game' }).click();
    const dialog = idas.getByRole('dialog');
    await dialog.getByText('Players can no longer find, download or play it').waitFor();
    await dialog.getByText('1 admin loses access.').waitFor();
    await dialog.getByRole('textbox', { name: `Type ${GAME} to confirm` }).fill('Owls');
    await dialog.getByRole('textbox', { name: 'Your password' }).fill(IDA.password);
    await dialog.getByRole('button', { name: 'Delete game' }).click();
    await dialog.getByText('this is not the name of the game').waitFor();
    await dialog.getByRole('textbox', { name: `Type ${GAME} to confirm` }).fill(GAME);
    await dialog.getByRole('button', { name: 'Delete game' }).click();
    await idas.getByRole('heading', { name: 'Your games' }).waitFor();
    assert.equal(await idas.getByRole('link', { name: GAME }).count(), 0);
    const shown = await idas.goto(`${site.service.url}/g/${studio.slug}`);
    assert.equal(shown?.status(), 404);
  });
});
