// The command palette, and where the keyboard focus goes when what had it is gone.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { askAs } from '../packages/server/test/setup/api-calls.ts';
import { until, untilEqual } from '../packages/server/test/setup/until.ts';
import { shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { findSeriousProblems } from './setup/accessibility.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { reportMessage } from './setup/crash-clients.ts';
import { serveSite } from './setup/site.ts';
import { openStudio, type Studio } from './setup/studio.ts';

describe('the keyboard', () => {
  let studio: Studio;
  let page: Page;
  let groupId: string;
  const site = serveSite(async ({ service, browser }) => {
    studio = await openStudio(service, 'Owls of the North');
    await askAs(service, studio.session)('POST', '/games', { name: 'Moth Season' });
    const [shipped] = await Promise.all(
      ['1.0.0', '1.1.0'].map((version) =>
        shipAndScan(service, studio, { version, os: 'linux', arch: 'x86_64' }, smallZip(`${version}.txt`)),
      ),
    );
    await reportMessage({ api: service.api, gameUid: studio.gameUid, buildId: shipped!.buildId }, 'The owl fell');
    const path = `/games/${studio.gameUid}/crash-groups`;
    const groups = () => askAs(service, studio.session)<{ groups: { group_id: string }[] }>('GET', path);
    groupId = await until(async () => (await groups()).groups[0]?.group_id);
    if (browser !== null) page = await site.openPage({ session: studio.session });
  });

  const open = (path: string) => page.goto(`${site.service.url}/dev/${studio.slug}${path}`);
  const palette = () => page.getByRole('dialog', { name: 'Command palette' });
  const field = () => palette().getByRole('combobox');
  const selected = () => palette().getByRole('option', { selected: true }).textContent();
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement;
      return element?.getAttribute('aria-label') ?? element?.textContent;
    });

  test('opens pages, games and documentation with Ctrl-K, and returns to where it was with Escape', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    await open('/crashes');
    const search = page.getByLabel('Search crashes');
    await search.focus();
    assert.deepEqual(
      loaded.filter((url) => /CommandPalette/.test(url)),
      [],
    );
    await page.keyboard.press('Control+k');
    await field().waitFor();
    assert.equal(await selected(), 'Overview');
    await page.keyboard.press('ArrowUp');
    assert.notEqual(await selected(), 'Overview');
    await page.keyboard.press('ArrowDown');
    assert.equal(await selected(), 'Overview');
    assert.deepEqual(await findSeriousProblems(page), []);
    await page.keyboard.press('Escape');
    await field().waitFor({ state: 'detached' });
    assert.equal(await focused(), 'Search crashes');

    await page.keyboard.press('Control+k');
    await page.keyboard.type('zone');
    await untilEqual(selected, 'Danger zone');
    const active = await field().getAttribute('aria-activedescendant');
    assert.equal(await palette().getByRole('option', { selected: true }).getAttribute('id'), active);
    await page.keyboard.press('Enter');
    await page.waitForURL(/settings\/danger$/);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('moth');
    await untilEqual(selected, 'Moth Season');
    await page.keyboard.press('Enter');
    await page.waitForURL(/dev\/moth-season$/);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('nothing like this');
    await untilEqual(selected, 'Search crashes for “nothing like this”');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/docs\/search\?q=nothing%20like%20this$/);
  });

  test('promotes a build, creates a game and changes the theme from the palette', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/builds');
    await page.getByRole('main').getByRole('button', { name: 'Go to…' }).click();
    await field().waitFor();
    await page.keyboard.type('promote');
    await untilEqual(selected, 'Promote build…');
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: '1.0.0 for Linux x86_64' }).waitFor();
    await page.keyboard.type('1.0.0');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Promote 1.0.0 for Linux x86_64' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('light dark');
    await page.keyboard.press('Enter');
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('create');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Create game' }).waitFor();
    await page.keyboard.press('Control+k');
    assert.equal(await field().count(), 0);
    await page.keyboard.press('Escape');
    await page.waitForURL(/dev$/);
  });

  test('opens the palette from the menu of the account, as a phone has no keys for it', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/builds');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: /^Account: / }).click();
    await page.getByRole('button', { name: 'Go to…' }).click();
    await field().waitFor();
    await page.keyboard.type('channels');
    await page.keyboard.press('Enter');
    await page.waitForURL(/channels/);
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  test('finds the palette in the list of shortcuts, and returns to the button of a dialog', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/builds');
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('Search pages and actions').waitFor();
    await page.keyboard.press('Escape');
    await untilEqual(focused, 'Keyboard shortcuts');
  });

  test('keeps the focus near a button that is removed, or that was disabled while it worked', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const press = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).focus();
      await page.keyboard.press('Enter');
    };
    await open(`/crashes/groups/${groupId}`);
    await press('Ignore');
    await page.getByRole('button', { name: 'Reopen' }).waitFor();
    // While the change is being stored, Reopen can't have it.
    await until(async () => ['Reopen', 'Rename'].includes((await focused()) ?? ''));
    await press('Undo');
    await page.getByRole('button', { name: 'Redo' }).waitFor();
    await untilEqual(focused, 'Redo');
    await page.getByLabel('Comment', { exact: true }).fill('Seen twice');
    await press('Comment');
    await page.getByText('Seen twice').waitFor();
    await press('Edit');
    await page.getByLabel('Edit comment').waitFor();
    await untilEqual(focused, 'Edit comment');
    await press('Cancel');
    await untilEqual(focused, 'Edit');
    await press('Delete');
    await page.getByText('Seen twice').waitFor({ state: 'detached' });
    await until(async () => (await page.evaluate(() => document.activeElement?.tagName)) !== 'BODY');
    await open('/crashes');
    await press('Game: Owls of the North. Switch game');
    await page.getByRole('menuitem', { name: 'Moth Season' }).waitFor();
    const items = ['Moth Season', 'Owls of the North'];
    await until(async () => items.includes((await focused()) ?? ''));
    const first = await focused();
    await page.keyboard.press('ArrowDown');
    await untilEqual(
      focused,
      items.find((name) => name !== first),
    );
  });
});
