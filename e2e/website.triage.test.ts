// cspell:ignore prority
// Triage of crash groups in a browser: alone and in bulk, with undo, comments, merges, splits, rules and issues.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { startTracker, type Tracker } from '../packages/server/test/setup/tracker.ts';
import { until, untilEqual } from '../packages/server/test/setup/until.ts';
import { shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { reportByApi, reportMessage, type Target } from './setup/crash-clients.ts';
import { serveSite } from './setup/site.ts';
import { openStudio, type Studio } from './setup/studio.ts';

const DUMP = fileURLToPath(new URL('../packages/server/test/fixtures/crashes/nosym_middle.dmp', import.meta.url));

describe('the triage of crash groups', () => {
  let tracker: Tracker;
  let studio: Studio;
  let target: Target;
  let page: Page;
  before(async () => {
    tracker = await startTracker();
  });
  after(() => tracker.stop());

  const site = serveSite(
    async ({ service, browser }) => {
      studio = await openStudio(service, 'Night Shift');
      const build = { version: '1.0.0', os: 'linux', arch: 'x86_64' } as const;
      const { buildId } = await shipAndScan(service, studio, build, smallZip('game.txt'));
      target = { api: service.api, gameUid: studio.gameUid, buildId };
      for (const message of ['The door is stuck', 'The door is gone', 'The lamp is dark'])
        await reportMessage(target, message);
      if (browser !== null) page = await site.openPage({ session: studio.session });
    },
    { env: { CHAUFFEUR_ALERT_PRIVATE_HOSTS: '1' } },
  );

  const open = (path: string) => page.goto(`${site.service.url}/dev/${studio.slug}${path}`);
  const groups = () => page.getByRole('table', { name: 'Crash groups' });
  const titles = () => groups().locator('[data-row]').allTextContents();
  const openGroup = async (title: string) => {
    await open('/crashes');
    await groups().getByRole('link', { name: title }).click();
    await page.getByRole('heading', { name: title }).waitFor();
  };
  const activity = () => page.getByRole('list', { name: 'Activity' });

  test('changes several groups at once, and undoes and redoes that', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/crashes');
    await untilEqual(async () => (await titles()).length, 3);
    await page.getByText('3 groups · ', { exact: false }).waitFor();
    const all = page.getByLabel('Select all rows');
    await all.check();
    await page.getByText('3 selected').waitFor();
    await all.uncheck();
    for (const title of ['The door is stuck', 'The lamp is dark']) await page.getByLabel(`Select ${title}`).check();
    const bar = page.getByRole('group', { name: 'Selected groups' });
    await bar.getByText('2 selected').waitFor();
    await bar.getByLabel('Set priority').selectOption('High');
    await page.getByText('2 groups set to high priority.').waitFor();
    await untilEqual(() => groups().getByText('High', { exact: true }).count(), 2);
    await bar.getByRole('button', { name: 'Snooze' }).click();
    const dialog = page.getByRole('dialog', { name: 'Snooze 2 crash groups' });
    await dialog.getByLabel('For a number of reports').check();
    await dialog.getByLabel('Reports', { exact: true }).fill('5');
    await dialog.getByRole('button', { name: 'Snooze' }).click();
    await page.getByText('2 groups snoozed.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Change undone.').waitFor();
    await page.getByRole('button', { name: 'Redo' }).click();
    await page.getByText('Change made again.').waitFor();
    await page.getByLabel('Status').selectOption('Snoozed');
    await untilEqual(async () => (await titles()).length, 2);
  });

  test('assigns, renames and comments on a group, and shows who did what', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await openGroup('The door is gone');
    await page.getByLabel('Assignee').selectOption({ index: 1 });
    await page.getByText(/^Group assigned to /).waitFor();
    for (const title of [`Missing::${'doors::'.repeat(14)}open`, 'Missing doors']) {
      const rename = page.getByRole('button', { name: 'Rename' });
      assert.ok(await rename.evaluate((button) => button.scrollWidth <= button.clientWidth), 'the button is cut off');
      await rename.click();
      const dialog = page.getByRole('dialog', { name: 'Rename crash group' });
      await dialog.getByLabel('Title').fill(title);
      await dialog.getByRole('button', { name: 'Rename' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('heading', { name: title }).waitFor();
    }
    await page.getByText('The door is gone', { exact: true }).first().waitFor();
    await page.getByLabel('Comment', { exact: true }).fill('A <b>null</b> door?');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await activity().getByText('A <b>null</b> door?').waitFor();
    await activity().getByText('renamed it to “Missing doors”').waitFor();
    await activity().getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Edit comment').fill('It was the hinge.');
    await page.getByRole('button', { name: 'Save' }).click();
    await activity().getByText('It was the hinge.').waitFor();
    await activity().getByRole('button', { name: 'Delete' }).click();
    await until(async () => (await activity().getByText('It was the hinge.').count()) === 0);
  });

  test('merges groups in the list, and separates them on the page of the group', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/crashes?q=');
    for (const title of ['The door is stuck', 'Missing doors']) await page.getByLabel(`Select ${title}`).check();
    await page.getByRole('button', { name: 'Merge' }).click();
    await page.getByText('2 groups merged into one.').waitFor();
    await untilEqual(async () => (await titles()).length, 2);
    await groups().getByRole('link', { name: /door/ }).click();
    const merged = page.getByRole('table', { name: 'Merged groups' });
    await merged.getByRole('button', { name: /^Separate / }).click();
    await page.getByText(/is a separate group again\.$/).waitFor();
    await open('/crashes?q=');
    await untilEqual(async () => (await titles()).length, 3);
  });

  test('searches with completion, and saves the search', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/crashes');
    const box = page.getByLabel('Search crashes');
    await box.click();
    await box.press('End');
    await box.pressSequentially(' prio');
    await page.getByRole('option', { name: /^priority:/ }).click();
    await page.getByRole('option', { name: 'high' }).click();
    await untilEqual(() => box.inputValue(), 'is:open priority:high ');
    await untilEqual(async () => (await titles()).length, 0);
    await box.fill('priority:high is:clos');
    await box.press('Enter');
    await page.getByText('“is” is one of: open, resolved').waitFor();
    await box.fill('priority:high');
    await untilEqual(async () => (await titles()).length, 2);
    // Nothing is shown for another query than that in the box, and a click searches for what was meant.
    await box.fill('prority:high');
    await box.press('Enter');
    await page.getByText('Did you mean “priority:”?').waitFor();
    assert.deepEqual(await titles(), []);
    await page.reload();
    await page.getByRole('button', { name: 'Search for priority:high' }).click();
    await untilEqual(async () => (await titles()).length, 2);
    assert.equal(await box.inputValue(), 'priority:high');
    await page.getByRole('button', { name: 'Save search' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save search' });
    await dialog.getByLabel('Name').fill('What hurts');
    await dialog.getByRole('button', { name: 'Save search' }).click();
    await page.getByRole('button', { name: 'Delete search' }).waitFor();
    await page.getByLabel('Status').selectOption('Snoozed');
    await untilEqual(() => box.inputValue(), 'is:snoozed priority:high');
    await open('/crashes');
    await page.getByLabel('Saved searches').selectOption('What hurts');
    await untilEqual(() => box.inputValue(), 'priority:high');
    await untilEqual(async () => (await titles()).length, 2);
    await page.getByRole('button', { name: 'Delete search' }).click();
    await page.getByText('The search What hurts was deleted.').waitFor();
    await page.getByLabel('Saved searches').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByLabel('Saved searches').selectOption('What hurts');
  });

  test('creates an issue in the tracker and links it', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/settings/issues');
    await page.getByLabel('Repository').fill('owls/night-shift');
    await page.getByLabel('Server').fill(tracker.url);
    await page.getByLabel('Access token').fill('secret');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('A token is stored.').waitFor();
    await openGroup('Missing doors');
    await page.getByRole('button', { name: 'Link issue' }).click();
    const dialog = page.getByRole('dialog', { name: 'Link an issue' });
    await dialog.getByRole('link', { name: 'Open a new issue' }).waitFor();
    await dialog.getByRole('button', { name: 'Create issue' }).click();
    await page.getByText('Issue created and linked.').waitFor();
    const link = page.getByRole('link', { name: /issues\/1$/ });
    assert.equal(await link.getAttribute('href'), `${tracker.url}/issues/1`);
    assert.equal(tracker.requests[0]?.body.title, 'Missing doors');
  });

  test('previews grouping rules, and saves them', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await reportByApi(
      target,
      { os: 'linux', arch: 'x86_64' },
      { dump: new Uint8Array(await readFile(DUMP)), log: 'started' },
    );
    // The rules are previewed on processed reports.
    await until(async () => {
      await open('/crashes');
      await groups().waitFor();
      return (
        (await groups()
          .getByRole('link', { name: /nosym_middle/ })
          .count()) > 0
      );
    });
    await open('/settings/grouping');
    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.getByLabel('Frames of rule 1').fill('Log::*');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText(/^Of the last 1 reports, 0 would move\./).waitFor();
    await page.getByRole('button', { name: 'Save rules' }).click();
    await page.getByText(/^Changed by /).waitFor();
    await page.reload();
    assert.equal(await page.getByLabel('Frames of rule 1').inputValue(), 'Log::*');
  });
});
