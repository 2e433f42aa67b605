// Alerts of a game: a webhook is added and tested, a rule is muted, a message is sent again, and a mail's link ends the
// mails.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AlertAction } from '@chauffeur/contract/operations/alerts';
import type { Page } from 'playwright-core';
import { actionToken } from '../packages/server/src/notify/alerts/action-links.ts';
import { askAs } from '../packages/server/test/setup/api-calls.ts';
import { mailTo } from '../packages/server/test/setup/mail.ts';
import { openReceiver, type Receiver } from '../packages/server/test/setup/receiver.ts';
import { until, untilEqual } from '../packages/server/test/setup/until.ts';
import { shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { reportMessage } from './setup/crash-clients.ts';
import { serveSite } from './setup/site.ts';
import { addAccount, openStudio, type Studio } from './setup/studio.ts';

const PLAYER = { email: 'robin@example.com', password: 'correct horse battery', name: 'Robin' };

describe('the alerts of a game', () => {
  let receiver: Receiver;
  let studio: Studio;
  let page: Page;
  before(async () => {
    receiver = await openReceiver();
  });
  after(() => receiver.close());

  const site = serveSite(
    async ({ service, browser }) => {
      studio = await openStudio(service, 'Night Shift');
      if (browser !== null) page = await site.openPage({ session: studio.session });
    },
    { env: { CHAUFFEUR_ALERT_PRIVATE_HOSTS: '1' } },
  );

  const messages = () => page.getByRole('table', { name: 'Messages' }).getByRole('row');

  /** Files a bug as a player, which is an alert. */
  async function fileBug(message: string): Promise<void> {
    const player = await addAccount(site.service, PLAYER);
    await askAs(site.service, player)('POST', `/games/${studio.gameUid}/bugs`, { message });
  }

  test('reach a webhook whose secret is shown once, after a test message', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.goto(`${site.service.url}/dev/${studio.slug}/settings/alerts`);
    await page.getByRole('button', { name: 'Add a chat or webhook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Send alerts to').selectOption('Webhook');
    await dialog.getByLabel('Address').fill(`${receiver.url}/hook`);
    await dialog.getByLabel('Name', { exact: true }).fill('Our board');
    await dialog.getByRole('button', { name: 'Add and send test' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByText('Added Our board, and sent a test to it').waitFor();
    await page.getByRole('row').filter({ hasText: 'Our board' }).getByText('Sent', { exact: true }).first().waitFor();
    assert.equal((await receiver.take('/hook')).type, 'test');
    await page.reload();
    await page.getByText('Webhook at 127.0.0.1').waitFor();
    assert.equal(await page.getByText(/whsec_/).count(), 0);
  });

  test('are sent to a chat at its own host only, and the page says whether the test arrived', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    site.expectErrors(/status of 400/);
    await page.getByRole('button', { name: 'Add a chat or webhook' }).click();
    const dialog = page.getByRole('dialog');
    // The address shows which chat it is, unless it is chosen.
    await dialog.getByLabel('Address').fill('https://discord.com/api/webhooks/1/a');
    assert.equal(await dialog.getByLabel('Send alerts to').inputValue(), 'discord');
    await dialog.getByLabel('Send alerts to').selectOption('Discord');
    await dialog.getByLabel('Address').fill('https://example.com/api/webhooks/1/a');
    await dialog.getByRole('button', { name: 'Add and send test' }).click();
    await dialog.getByText(/It begins with https:\/\/discord\.com\/api\/webhooks\//).waitFor();
    // A chat in the operator's own network. Nothing listens there.
    await dialog.getByLabel('Address').fill('http://127.0.0.1:1/api/webhooks/1/a');
    await dialog.getByRole('button', { name: 'Add and send test' }).click();
    await dialog.getByText("Discord was added, but the test didn't arrive").waitFor();
    await dialog.getByText(/The host refused the connection \(ECONNREFUSED\)/).waitFor();
    assert.equal(await dialog.getByLabel('Address').inputValue(), 'http://127.0.0.1:1/api/webhooks/1/a');
    // The corrected destination is the same one, and its test arrives.
    await dialog.getByLabel('Address').fill(`${receiver.url}/chat`);
    await dialog.getByRole('button', { name: 'Save and send test' }).click();
    await page.getByText('Added Discord, and sent a test to it').waitFor();
    assert.equal((await receiver.take('/chat')).embeds.length, 1);
    await untilEqual(() => page.getByRole('button', { name: 'Delete Discord' }).count(), 1);
    // Its name and alerts are changed without its address, and an address is tested again.
    await page.getByRole('button', { name: 'Edit Discord' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit Discord' });
    assert.equal(await edit.getByLabel('Address').inputValue(), '');
    await edit.getByLabel('Name').fill('The war room');
    await edit.getByLabel('New bug ticket').uncheck();
    await edit.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Changed The war room').waitFor();
    await page.getByRole('row', { name: /The war room Discord at .*: New crash group/ }).waitFor();
    await page.getByRole('button', { name: 'Edit The war room' }).click();
    const again = page.getByRole('dialog', { name: 'Edit The war room' });
    assert.equal(await again.getByLabel('New bug ticket').isChecked(), false);
    await again.getByLabel('Name').fill('Discord');
    await again.getByLabel('Address').fill(`${receiver.url}/other-chat`);
    await again.getByRole('button', { name: 'Save and send test' }).click();
    await page.getByText('Changed Discord, and sent a test to it').waitFor();
    assert.equal((await receiver.take('/other-chat')).embeds.length, 1);
    receiver.respond(404);
    await page.getByRole('button', { name: 'Send test to Discord' }).click();
    await page.getByText('Not sent to Discord').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Discord at' });
    await row.getByText("The destination doesn't know this address (status 404).").first().waitFor();
    await page.getByRole('button', { name: 'Delete Discord' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete Discord' }).waitFor({ state: 'detached' });
  });

  test('are sent as the rules say, and again with the same id', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    // A weekly summary isn't daily, and only what can happen again to the same group or build is limited.
    const choices = (label: string) => page.getByLabel(label).getByRole('option').allTextContents();
    assert.deepEqual(await choices('When: Weekly summary'), ['On Monday', 'In the digest', 'Never']);
    assert.deepEqual(await choices('When: Regression'), ['Immediately', 'Daily digest', 'Never']);
    const limited = await page
      .getByRole('table', { name: 'Rules' })
      .getByLabel(/^How often: /)
      .all();
    assert.deepEqual(await Promise.all(limited.map((each) => each.getAttribute('aria-label'))), [
      'How often: Regression',
      'How often: Snooze ended',
      'How often: Spike',
      'How often: Launch health dropped',
    ]);
    const rule = page.getByLabel('When: New bug ticket');
    await rule.selectOption('Immediately');
    await page.getByLabel('Mute Spike').selectOption('For a week');
    await page.getByRole('button', { name: 'Unmute Spike' }).waitFor();
    await page.reload();
    assert.equal(await rule.inputValue(), 'now');
    await page.getByRole('button', { name: 'Unmute Spike' }).click();
    await page.getByLabel('Mute Spike').waitFor();
    await fileBug('The lamp stays on');
    const sent = await receiver.take('/hook');
    assert.match(sent.alerts[0].text, /The lamp stays on/);
    await page.reload();
    const row = messages().filter({ hasText: 'Our board' }).filter({ hasText: 'bug' });
    await row.getByRole('button', { name: /^Send again to Our board/ }).click();
    assert.equal((await receiver.take('/hook')).delivery_uid, sent.delivery_uid);
  });

  test('end by mail with the link in a mail', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const mail = await mailTo(site.service, studio.email, /Night Shift.*bug/i);
    const link = /https?:\/\/\S+\/unsubscribe\/\S+/.exec(mail.text)?.[0];
    assert.ok(link !== undefined, mail.text);
    const reader = await site.openPage({});
    await reader.goto(link);
    await reader.getByRole('button', { name: 'Unsubscribe' }).click();
    await reader.getByText("You'll no longer get alerts about Night Shift by email").waitFor();
    await page.reload();
    await until(async () => !(await page.getByLabel("Email me this game's alerts").isChecked()));
    await page.getByText('No one gets them by email.').waitFor();
  });

  test('reach no one after the webhook is deleted', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.getByRole('button', { name: 'Delete Our board' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No chats or webhooks yet.').waitFor();
    await page.getByText('Night Shift: ').first().waitFor();
    await untilEqual(() => messages().filter({ hasText: 'Our board' }).count(), 0);
  });
});

describe('the links of an alert about a crash', () => {
  let studio: Studio;
  let page: Page;
  let groupId: string;
  const secret = 'a secret that the test and its server share';

  const site = serveSite(
    async ({ service, browser }) => {
      studio = await openStudio(service, 'Day Shift');
      const build = { version: '1.0.0', os: 'linux', arch: 'x86_64' } as const;
      const { buildId } = await shipAndScan(service, studio, build, smallZip('game.txt'));
      await reportMessage({ api: service.api, gameUid: studio.gameUid, buildId }, 'The door is stuck');
      const ask = askAs(service, studio.session);
      const path = `/games/${studio.gameUid}/crash-groups`;
      const group = await until(async () => (await ask<{ groups: { group_id: string }[] }>('GET', path)).groups[0]);
      groupId = group.group_id;
      if (browser !== null) page = await site.openPage({ session: studio.session });
    },
    { env: { CHAUFFEUR_SECRET: secret } },
  );

  const linkTo = (action: AlertAction, ageMs = 0) => {
    const ctx = { secret, clock: { now: () => new Date(Date.now() - ageMs) } };
    return `${site.service.url}/dev/${studio.slug}/alerts/${actionToken(ctx, { gameId: studio.gameUid, groupId, action })}`;
  };
  const stateOf = async () => {
    const path = `/games/${studio.gameUid}/crash-groups/${groupId}`;
    const group = await askAs(site.service, studio.session)<{ status: string; assignee: object | null }>('GET', path);
    return [group.status, group.assignee !== null];
  };

  test('show what would happen, and change the group when the button is pressed', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.goto(linkTo('assign'));
    await page.getByRole('heading', { name: 'Assign this crash group to you?' }).waitFor();
    await page.getByRole('link', { name: 'The door is stuck' }).waitFor();
    assert.deepEqual(await stateOf(), ['open', false]);
    await page.getByRole('button', { name: 'Assign to me' }).click();
    await page.getByText('Assigned to you.').waitFor();
    assert.deepEqual(await stateOf(), ['open', true]);
    await page.reload();
    await page.getByText("You're already assigned to it").waitFor();
    await page.goto(linkTo('snooze'));
    await page.getByLabel('How long').selectOption('For a day');
    await page.getByRole('button', { name: 'Snooze' }).click();
    await page.getByText('Group snoozed.').waitFor();
    assert.deepEqual(await stateOf(), ['snoozed', true]);
    await page.goto(linkTo('resolve'));
    await page.getByRole('button', { name: 'Resolve' }).click();
    await page.getByText('Group resolved.').waitFor();
    assert.deepEqual(await stateOf(), ['resolved', true]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Change undone.').waitFor();
    assert.deepEqual(await stateOf(), ['snoozed', true]);
  });

  test('ask visitors to sign in, and are unknown to strangers and after they expired', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    site.expectErrors(/status of 404|This game does not exist/);
    const visitor = await site.openPage({});
    await visitor.goto(linkTo('resolve'));
    await visitor.waitForURL(/\/sign-in\?next=/);
    const stranger = await site.openPage({ session: await addAccount(site.service, PLAYER) });
    await stranger.goto(linkTo('resolve'));
    await stranger.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.goto(linkTo('resolve', 15 * 86_400_000));
    await page.getByText('this link has expired').waitFor();
    await page.getByRole('link', { name: 'Open the crashes of Day Shift' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Resolve' }).count(), 0);
  });
});
