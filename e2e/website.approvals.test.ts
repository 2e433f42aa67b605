// Approvals: requests of an agent stay pending until the owner follows the link in the mail, or passes on its code.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { callTool } from '../packages/server/test/setup/agents.ts';
import { askAs } from '../packages/server/test/setup/api-calls.ts';
import { openPostOffice } from '../packages/server/test/setup/post-office.ts';
import { shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { submitSignIn } from './setup/page.ts';
import { serveSite } from './setup/site.ts';
import { addAccount, openStudio, readOffers, type Studio } from './setup/studio.ts';

type Pending = { code: number; approval: { uid: string; confirm_url: string; summary: string } };
type Approval = { status: string; result: Record<string, unknown> | null };

const office = await openPostOffice();

describe('a request of an agent', () => {
  after(() => office.close());

  let studio: Studio;
  let page: Page;
  let key: string;
  let candidate: string;
  const site = serveSite(
    async ({ service, browser }) => {
      studio = await openStudio(service, 'Owls of the North', linkTo);
      const ask = askAs(service, studio.session);
      ({ key } = await ask<{ key: string }>('POST', '/account/agent-keys', { name: 'Release desk', may_write: true }));
      await ship('1.0.0', 'stable');
      candidate = await ship('1.1.0', 'beta');
      if (browser !== null) page = await site.openPage();
    },
    { env: { CHAUFFEUR_SMTP: office.url } },
  );

  /** Returns the link in the mail that verifies the address of a new account. */
  async function linkTo(email: string): Promise<string> {
    const mail = await office.take(/^Verify your email/);
    assert.equal(mail.to, email);
    return mail.link;
  }

  async function ship(version: string, channel: string): Promise<string> {
    const build = { version, channel, os: 'linux', arch: 'x86_64' };
    return (await shipAndScan(site.service, studio, build, smallZip(`${version}.txt`))).buildId;
  }

  const tool = <T>(name: string, input: object = {}) =>
    callTool<T>(site.service, key, name, { ...input } as Record<string, unknown>);
  const promote = (idempotency_key: string) =>
    tool<Pending & { version?: string }>('promote_build', {
      uid: studio.gameUid,
      build_id: candidate,
      channel: 'stable',
      idempotency_key,
    });
  const offered = async () =>
    (await readOffers(site.service, studio.slug)).find(({ channel }) => channel === 'stable')?.version;
  const codeIn = (text: string) => /Confirmation code: (\d{6})/.exec(text.replace(/\s+/g, ' '))?.[1] ?? '';

  test('is carried out when the owner follows the link in the email, signs in and approves', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const pending = await promote('release-1.1.0');
    assert.equal(pending.code, 4214);
    assert.equal(await offered(), '1.0.0');
    const mail = await office.take(/^Approve\? Promote 1\.1\.0/);
    assert.equal(mail.to, studio.email);
    assert.equal(mail.link, pending.approval.confirm_url);

    await page.goto(mail.link);
    await submitSignIn(page, studio);
    await page.getByRole('heading', { name: 'Promote 1.1.0 for Linux x86_64 to stable' }).waitFor();
    await page.getByText('“Release desk”').waitFor();
    await page.getByText('stable on Linux x86_64 changes from 1.0.0 to 1.1.0.').waitFor();
    await page.getByText('It is available to all players immediately.').waitFor();
    const comparison = page.getByRole('region', { name: 'Comparison with what players have' });
    await comparison.getByRole('columnheader', { name: '1.1.0, to promote' }).waitFor();
    await comparison.getByRole('columnheader', { name: '1.0.0, now' }).waitFor();
    await comparison.getByRole('link', { name: 'View 1.0.0' }).waitFor();
    for (const figure of ['Launch health', 'Crash-free sessions', 'New crash groups'])
      await comparison.getByRole('row', { name: new RegExp(`^${figure}`) }).waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Approved. The change was made.').waitFor();
    assert.equal(await offered(), '1.1.0');
    assert.equal((await promote('release-1.1.0')).version, '1.1.0', 'a repeated request returns the result');

    await page.getByRole('link', { name: 'View channels' }).click();
    await page.getByText('owner through Release desk, approved by owner').waitFor();
  });

  test('is listed on the page of games, and the agent gets an error if the owner denies it', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const old = await ship('0.9.0', 'dev');
    const remove = () => tool<Pending>('delete_build', { uid: studio.gameUid, build_id: old });
    await remove();
    await page.goto(`${site.service.url}/dev`);
    await page.getByRole('link', { name: 'Delete the build 0.9.0' }).click();
    await page.getByText("Only the game's members lose the download.").waitFor();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Denied. Nothing was changed.').waitFor();
    const listing = page.waitForResponse(`${site.service.url}/api/v1/approvals*`);
    await page.getByRole('link', { name: 'Your games' }).first().click();
    await page.getByRole('link', { name: 'Owls of the North' }).waitFor();
    const { data } = (await (await listing).json()) as { data: { approvals: unknown[] } };
    assert.deepEqual(data.approvals, []);
    await page.getByRole('heading', { name: 'Waiting for your approval' }).waitFor({ state: 'detached' });
    await assert.rejects(remove(), /4215/);
    await page.goto(`${site.service.url}/dev/${studio.slug}/builds/${old}`);
    await page.getByRole('heading', { name: '0.9.0 for Linux x86_64' }).waitFor();
  });

  test('is carried out with the emailed code, and the open page updates', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const spare = await ship('0.8.0', 'dev');
    const { approval } = await tool<Pending>('delete_build', { uid: studio.gameUid, build_id: spare });
    const { uid } = approval;
    const { text, link } = await office.take(/^Approve\? Delete the build 0\.8\.0/);
    await page.goto(link);
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    const code = codeIn(text);
    const wrong = code === '000000' ? '000001' : '000000';
    await assert.rejects(tool('confirm_approval', { uid, code: wrong }), /4216/);
    assert.equal((await tool<Approval>('confirm_approval', { uid, code })).status, 'approved');
    assert.deepEqual((await tool<Approval>('get_approval', { uid })).result?.files, 1);
    await page.getByText('Approved. The build was deleted.').waitFor();
  });

  test('cannot be approved once it no longer applies, nor by anyone else', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const spare = await ship('0.7.0', 'dev');
    await tool('promote_build', { uid: studio.gameUid, build_id: spare, channel: 'stable' });
    const { link } = await office.take(/^Approve\? Promote 0\.7\.0/);
    await ship('1.2.0', 'stable');
    await page.goto(link);
    await page.getByText('The channel has moved since this was requested.').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Approve' }).isDisabled());

    const stranger = { email: 'eve@example.com', password: 'correct horse battery' };
    const session = await addAccount(site.service, stranger, linkTo);
    site.expectErrors(/status of 404 .*approvals/);
    const other = await site.openPage({ session });
    await other.goto(link);
    await other.getByText("This request doesn't exist, or only someone else can approve it.").waitFor();
  });

  // Runs last, because it revokes the key with which the other tests ship builds.
  test('shows when the agent has collected its deploy key', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const ask = () => tool<Pending & { key_ref?: string }>('request_deploy_key', { uid: studio.gameUid });
    assert.equal((await ask()).code, 4214);
    const { link } = await office.take(/^Approve\? Give an agent a new deploy key/);
    await page.goto(link);
    await page.getByText(/^Your current deploy key \(.+…\) stops working/).waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('your current deploy key keeps working').waitFor();
    const { key_ref } = await ask();
    await page.getByText('Approved. The agent has the key.').waitFor();
    await page.getByRole('link', { name: 'View deploy keys' }).click();
    await page
      .getByRole('row', { name: new RegExp(`${key_ref}.*owner through Release desk, approved by owner`) })
      .waitFor();
  });
});
