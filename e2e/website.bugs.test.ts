// Bug tickets: filed by players with and without an account, read by developers together with their crash, and triaged
// and answered.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { askAs } from '../packages/server/test/setup/api-calls.ts';
import { picture } from '../packages/server/test/setup/images.ts';
import { newestMail } from '../packages/server/test/setup/mail.ts';
import { startTracker, type Tracker } from '../packages/server/test/setup/tracker.ts';
import { until, untilEqual } from '../packages/server/test/setup/until.ts';
import { shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { serveSite } from './setup/site.ts';
import { addAccount, openStudio, type Session, type Studio } from './setup/studio.ts';

const PLAYER = { email: 'player@example.com', password: 'correct horse battery' };
const DUMP = fileURLToPath(new URL('../packages/server/test/fixtures/crashes/null_deref_inline.dmp', import.meta.url));
/** More tickets than the list has on a page. */
const MANY = 52;

describe('the bug tickets of a game', () => {
  let studio: Studio;
  let player: Session;
  let page: Page;
  let tracker: Tracker;
  after(() => tracker.stop());

  const site = serveSite(
    async ({ service, browser }) => {
      tracker = await startTracker();
      studio = await openStudio(service, 'Small Walk');
      const build = { version: '1.2.0', os: 'linux', arch: 'x86_64' };
      [player] = await Promise.all([
        addAccount(service, { ...PLAYER, name: 'Robin' }),
        shipAndScan(service, studio, build, smallZip('walk')),
      ]);
      const ask = askAs(service, player);
      for (let no = 1; no <= MANY; no += 1)
        await ask('POST', `/games/${studio.gameUid}/bugs`, { message: `Number ${no} of many` });
      if (browser !== null) page = await site.openPage({ session: studio.session });
    },
    { env: { CHAUFFEUR_LIMIT_BUGS: '0', CHAUFFEUR_ALERT_PRIVATE_HOSTS: '1' } },
  );

  const open = (path: string) => page.goto(`${site.service.url}/dev/${studio.slug}${path}`);
  const rows = () => page.getByRole('list', { name: 'Tickets' }).getByRole('link');
  const ticket = () => page.getByRole('region', { name: 'Ticket' });

  test('are listed newest first, page by page, and opened with the keyboard alone', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/bugs');
    await rows()
      .first()
      .filter({ hasText: new RegExp(`^Number ${MANY} of many#${MANY}Robin`) })
      .waitFor();
    await page.getByRole('button', { name: 'Show older tickets' }).click();
    await page.getByRole('link', { name: /^Number 1 of many/ }).waitFor();
    await untilEqual(() => rows().count(), MANY);
    // The button is gone, and the keys go on from the row before it.
    const focusedRow = () => rows().evaluateAll((all) => all.indexOf(document.activeElement as HTMLElement));
    await untilEqual(async () => (await focusedRow()) > 0, true);
    await page.reload();
    await rows().first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await ticket()
      .getByRole('heading', { name: `Number ${MANY - 1} of many` })
      .waitFor();
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await ticket()
      .getByRole('heading', { name: `Number ${MANY} of many` })
      .waitFor();
  });

  test('show the message as plain text, and the crash report that was sent with it', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const form = await site.openPage({ session: player });
    await form.goto(`${site.service.url}/g/${studio.slug}/report`);
    await form.getByLabel('What happened').fill('It fell over. <b>Twice.</b>\nAt the door.');
    const dump = { name: 'walk.dmp', mimeType: 'application/octet-stream', buffer: await readFile(DUMP) };
    await form.locator('input[type=file]').nth(1).setInputFiles(dump);
    await form.getByRole('button', { name: 'Send report' }).click();
    await form.getByText('Crash dump uploaded').waitFor();
    await open('/bugs');
    await page.getByRole('link', { name: /^It fell over\. <b>Twice\.<\/b>/ }).click();
    await untilEqual(() => ticket().locator('pre').textContent(), 'It fell over. <b>Twice.</b>\nAt the door.');
    await ticket()
      .getByRole('heading', { name: `It fell over. <b>Twice.</b> #${MANY + 1}` })
      .waitFor();
    await ticket().getByText('Robin', { exact: true }).waitFor();
    await ticket().getByText('Linux x86_64').waitFor();
    const crash = ticket().getByRole('region', { name: 'Crash report' });
    await crash.getByText('SIGSEGV / SEGV_MAPERR').waitFor();
    await crash.getByRole('list', { name: 'Top of the stack' }).getByText('null_deref_inline').first().waitFor();
    const report = await crash.getByRole('link', { name: 'Open report' }).getAttribute('href');
    assert.match(report ?? '', /\/dev\/small-walk\/crashes\/reports\/[0-9a-f-]{36}$/);
    await ticket().getByRole('link', { name: '1.2.0' }).click();
    await page.getByRole('heading', { name: '1.2.0 for Linux x86_64' }).waitFor();
  });

  test('can be marked as fixed, closed and reopened, each with undo', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/bugs');
    await page.getByRole('link', { name: /^It fell over/ }).click();
    await ticket().getByRole('button', { name: 'Mark as fixed…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Fixed in version').fill('1.2.1');
    await dialog.getByRole('checkbox', { name: 'Email the player' }).waitFor();
    await dialog.getByRole('button', { name: 'Mark as fixed' }).click();
    await ticket().getByText('Ticket marked as fixed in 1.2.1.').waitFor();
    await ticket().getByText('Fixed in 1.2.1', { exact: true }).waitFor();
    const mail = await newestMail(site.service, 'Re: ', PLAYER.email);
    assert.match(mail.text, /The fix is in version 1\.2\.1\./);
    // It keeps its position, so the list does not move while someone works through it.
    await page.getByRole('link', { name: /^It fell over.*Fixed$/ }).waitFor();
    await ticket().getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: /^It fell over.*Open$/ }).waitFor();
    await ticket().getByRole('button', { name: 'Close' }).click();
    await ticket().getByText('Ticket closed.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Closed', exact: true }).click();
    await page.waitForURL(/\/bugs\?status=closed$/);
    await untilEqual(() => rows().count(), 1);
    await page.reload();
    await page.getByRole('link', { name: /^It fell over.*Closed$/ }).click();
    await ticket().getByRole('button', { name: 'Reopen' }).click();
    await ticket().getByText('Ticket reopened.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Fixed', exact: true }).click();
    await page.getByText('No fixed tickets.').waitFor();
  });

  test('are filed without an account, and answered by mail', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const form = await site.openPage();
    await form.goto(`${site.service.url}/g/${studio.slug}/report`);
    await form.getByText('You can also report without one.').waitFor();
    await form.getByLabel('Title').fill('Grass is blue');
    await form.getByLabel('What happened').fill('Since the update the grass is blue.');
    await form.getByLabel('What you were doing').fill('Walking north.');
    const screenshot = { name: 'grass.png', mimeType: 'image/png', buffer: await picture(1280, 720, 'png') };
    await form.locator('input[type=file]').first().setInputFiles(screenshot);
    await form.getByLabel('Your name').fill('Kim');
    await form.getByLabel('Email').fill('kim@example.com');
    await form.getByRole('button', { name: 'Send report' }).click();
    await form.getByText(`Report #${MANY + 2} sent.`).waitFor();
    await form.getByText('open the link that we sent to kim@example.com').waitFor();
    const [link = ''] = /https?:\S+\/confirm-replies\/[\w-]+/.exec(
      (await newestMail(site.service, 'Confirm your address', 'kim@example.com')).text,
    ) ?? [''];
    const mailbox = await site.openPage();
    await mailbox.goto(link);
    await mailbox.getByRole('button', { name: 'Confirm' }).click();
    await mailbox.getByRole('heading', { name: 'Address confirmed' }).waitFor();
    await open('/bugs');
    await page.getByRole('link', { name: /^Grass is blue/ }).click();
    await ticket().getByText('Kim', { exact: true }).waitFor();
    const shot = ticket().getByRole('img', { name: 'Screenshot 1, from the player' });
    await untilEqual(() => shot.evaluate((image) => (image as HTMLImageElement).naturalWidth), 1280);
    await ticket().getByRole('region', { name: 'What the player was doing' }).getByText('Walking north.').waitFor();
    await ticket().getByRole('textbox', { name: 'Reply' }).fill('It will be green again in 1.2.1.');
    await ticket().getByRole('button', { name: 'Send reply' }).click();
    await ticket().getByText('Reply sent to 1 player by email.').waitFor();
    await ticket().getByText('It will be green again in 1.2.1.').waitFor();
    await untilEqual(() => ticket().getByRole('textbox', { name: 'Reply' }).inputValue(), '');
    const mail = await newestMail(site.service, 'Re: Grass is blue', 'kim@example.com');
    assert.match(mail.text, /It will be green again in 1\.2\.1\./);
    await form.getByRole('link', { name: 'the page of your report' }).click();
    await form.getByText('It will be green again in 1.2.1.').waitFor();
  });

  test('get a title, labels, a crash group and duplicates, each with undo, and are found by them', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/bugs');
    await page.getByRole('link', { name: /^Grass is blue/ }).click();
    const fill = async (button: string, label: string, text: string) => {
      await ticket().getByRole('button', { name: button, exact: true }).click();
      await page.getByRole('dialog').getByLabel(label).fill(text);
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    };
    await fill('Rename', 'Title', 'Blue grass');
    await page.getByRole('link', { name: /^Blue grass/ }).waitFor();
    await ticket().getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: /^Grass is blue/ }).waitFor();
    await fill('Link issue', 'Address of the issue', 'https://tracker.example.com/12');
    await ticket().getByRole('link', { name: 'tracker.example.com/12' }).waitFor();
    await ticket().getByRole('button', { name: 'Undo' }).click();
    await ticket().getByRole('link', { name: 'tracker.example.com/12' }).waitFor({ state: 'detached' });
    const settings = { kind: 'github', base_url: tracker.url, project: 'owls/walk', token: 'secret' };
    await askAs(site.service, studio.session)('PUT', `/games/${studio.gameUid}/issue-tracker`, settings);
    const issue = page.getByRole('dialog', { name: 'Link an issue' });
    site.expectErrors(/status of 409 .*issue/);
    tracker.answer = { status: 401, body: '{}' };
    await ticket().getByRole('button', { name: 'Link issue' }).click();
    await issue.getByRole('link', { name: 'Open a new issue' }).waitFor();
    await issue.getByRole('button', { name: 'Create issue' }).click();
    await issue.getByText('the token is wrong or has expired').waitFor();
    tracker.answer = null;
    await issue.getByRole('button', { name: 'Create issue' }).click();
    await ticket().getByText('Issue created and linked.').waitFor();
    const created = ticket().getByRole('link', { name: /issues\/2$/ });
    assert.equal(await created.getAttribute('href'), `${tracker.url}/issues/2`);
    assert.equal(tracker.requests[1]?.body.title, 'Grass is blue');
    await ticket().getByLabel('Assignee').selectOption({ index: 1 });
    await ticket()
      .getByText(/^Ticket assigned to /)
      .waitFor();
    const mine = page.getByLabel('Assigned to me');
    const tickets = page.getByRole('list', { name: 'Tickets' }).getByRole('listitem');
    const all = await tickets.count();
    assert.ok(all > 1);
    await mine.check();
    await untilEqual(() => tickets.count(), 1);
    await tickets.getByRole('link', { name: /^Grass is blue/ }).click();
    assert.match(page.url(), /[?&]mine=1/);
    await mine.uncheck();
    await untilEqual(() => tickets.count(), all);
    await tickets.getByRole('link', { name: /^Grass is blue/ }).click();
    await ticket().getByLabel('Assignee').selectOption('');
    await untilEqual(() => ticket().getByLabel('Assignee').inputValue(), '');
    await ticket().getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await ticket().getByLabel('Assignee').inputValue()) !== '');
    await fill('Add labels', 'Labels', 'colours, level 2');
    await ticket().getByRole('link', { name: 'colours' }).waitFor();
    const report = await askAs(site.service, studio.session)<{
      bugs: { crash_id: string | null; group: { group_id: string } | null }[];
    }>('GET', `/games/${studio.gameUid}/bugs?text=fell`);
    const group = report.bugs[0]!.group!.group_id;
    await fill('Link crash group', 'Address or ID of the crash group', `${site.service.url}/crashes/groups/${group}`);
    await ticket().getByText('Crash group linked.').waitFor();
    await ticket()
      .getByRole('link', { name: /null_deref_inline/ })
      .click();
    const listed = page.getByRole('list', { name: 'Bug tickets' });
    // They are further down, and loaded when someone reads on.
    await page.getByRole('list', { name: 'Stack of the crashed thread' }).waitFor();
    await page.mouse.wheel(0, 600);
    await listed.getByRole('link', { name: /Grass is blue/ }).waitFor();
    await listed.getByRole('link', { name: /It fell over/ }).waitFor();
    await listed.getByRole('link', { name: /Grass is blue/ }).click();
    await fill('Mark as duplicate', 'Number of the other ticket', '#9999');
    await page.getByRole('dialog').getByText('There is no ticket #9999.').waitFor();
    await page.getByRole('dialog').getByLabel('Number of the other ticket').fill(`#${MANY}`);
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await ticket().getByText(`Marked as a duplicate of #${MANY}.`).waitFor();
    await ticket().getByText('Closed', { exact: true }).waitFor();
    await ticket().getByRole('button', { name: 'Undo' }).click();
    await ticket().getByText('Open', { exact: true }).waitFor();
    await ticket().getByRole('link', { name: 'level 2' }).click();
    await page.waitForURL(/label=level\+2/);
    await untilEqual(() => rows().count(), 1);
    await page.getByRole('button', { name: 'Show all labels' }).click();
    await page.getByLabel('Search tickets').fill(`#${MANY}`);
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await untilEqual(() => rows().count(), 1);
  });

  test('can be limited to players with an account', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/settings/bugs');
    await page.getByLabel('Players without an account can report bugs').click();
    await page.getByText('Saved.').waitFor();
    const form = await site.openPage();
    await form.goto(`${site.service.url}/g/${studio.slug}/report`);
    await form.getByText('The developer only accepts reports from players with an account.').waitFor();
    assert.equal(await form.getByRole('button', { name: 'Send report' }).count(), 0);
  });

  test('are counted in the table of all games, with a link to them', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.goto(`${site.service.url}/dev`);
    await page
      .getByRole('row', { name: /Small Walk/ })
      .getByRole('link', { name: String(MANY + 2) })
      .click();
    await page.waitForURL(/\/dev\/small-walk\/bugs$/);
  });

  test('that were filed while someone reads the list are shown when they ask for them', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/bugs');
    const first = rows().first().locator('span').first();
    await first.waitFor();
    const before = await first.textContent();
    await askAs(site.service, player)('POST', `/games/${studio.gameUid}/bugs`, { message: 'The bridge is gone' });
    const show = page.getByRole('button', { name: 'Show 1 new ticket' });
    await show.waitFor();
    assert.equal(await first.textContent(), before);
    await show.click();
    await page.getByRole('link', { name: /^The bridge is gone/ }).waitFor();
    await show.waitFor({ state: 'detached' });
  });

  test('that do not exist are reported as not found', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    site.expectErrors(/status of 404 .*bugs/);
    await open('/bugs/01a1ff85-9ec1-787f-9de0-c917371bd17d');
    await page.getByText('Ticket not found.').waitFor();
  });
});
