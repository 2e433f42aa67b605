// A developer filters builds, promotes one and rolls it back, and edits the game’s store page and deploy key.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { askAs } from '../packages/server/test/setup/api-calls.ts';
import { picture } from '../packages/server/test/setup/images.ts';
import { until, untilEqual } from '../packages/server/test/setup/until.ts';
import { type BuildInput, shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { serveSite } from './setup/site.ts';
import { addAccount, openStudio, readOffers, type Studio } from './setup/studio.ts';

describe('the developer pages of a game', () => {
  let studio: Studio;
  let page: Page;
  const site = serveSite(async ({ service, browser }) => {
    studio = await openStudio(service, 'Owls of the North');
    await ship({ version: '1.0.0', os: 'windows', arch: 'x86_64', title: 'First flight' });
    await ship({ version: '1.1.0', os: 'windows', arch: 'x86_64', changelog_items: [{ title: 'A second forest' }] });
    await ship({ version: '1.1.0', os: 'macos', arch: 'arm64', channel: 'nightly' });
    await ship({ version: '1.2.0-rc.1', os: 'linux', arch: 'x86_64', channel: 'beta' });
    if (browser === null) return;
    page = await site.openPage({ session: studio.session });
  });

  const ship = (build: BuildInput) => shipAndScan(site.service, studio, build, smallZip(`${build.version}.txt`));
  const open = (path: string) => page.goto(`${site.service.url}/dev/${studio.slug}${path}`);
  const table = () => page.getByRole('table', { name: 'Builds' });
  /** The text of each row: `1.1.0 for Windows x86_64`. */
  const builds = () =>
    table()
      .locator('tbody [data-row]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('aria-label')));
  const versions = async () => (await builds()).map((name) => name?.split(' ')[0]);

  /** The version that players on Windows can download. */
  async function offered(): Promise<string | undefined> {
    return (await readOffers(site.service, studio.slug)).find(({ os }) => os === 'windows')?.version;
  }

  test('filters builds by text, OS, channel and state, and keeps the filters in the URL', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/builds');
    await page.getByRole('link', { name: '1.2.0-rc.1 for' }).waitFor();
    await untilEqual(versions, ['1.2.0-rc.1', '1.1.0', '1.1.0', '1.0.0']);
    await page.keyboard.press('/');
    await page.keyboard.type('FLIGHT');
    await page.waitForURL(/search=FLIGHT/);
    await page.getByRole('link', { name: '1.1.0 for Windows' }).waitFor({ state: 'detached' });
    await untilEqual(versions, ['1.0.0']);
    await page.reload();
    await page.getByRole('link', { name: '1.0.0 for' }).waitFor();
    await untilEqual(versions, ['1.0.0']);
    await page.getByLabel('OS').selectOption('linux');
    await page.getByText('No builds match.').waitFor();
    await page.getByRole('button', { name: 'Show all builds' }).click();
    await page.getByLabel('Channel').selectOption('beta');
    await page.waitForURL(/\?channel=beta$/);
    await page.getByRole('link', { name: '1.2.0-rc.1 for' }).waitFor();
    await page.getByRole('link', { name: '1.0.0 for' }).waitFor({ state: 'detached' });
    await untilEqual(versions, ['1.2.0-rc.1']);
  });

  test('compares two builds that are selected in the list, with the mouse or the keyboard', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/builds');
    await page.getByLabel('Select 1.1.0 for Windows x86_64').check();
    const bar = page.getByRole('group', { name: 'Selected builds' });
    await bar.getByText('1 selected').waitFor();
    // The selection outlives a search for the other build.
    await page.getByLabel('Search versions and titles').fill('FLIGHT');
    await untilEqual(versions, ['1.0.0']);
    await page.getByLabel('Select 1.0.0 for Windows x86_64').check();
    await bar.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('heading', { name: 'Compare builds' }).waitFor();
    const chosen = () =>
      page
        .locator('main select')
        .evaluateAll((all) => all.map((each) => (each as HTMLSelectElement).selectedOptions[0]?.text));
    await untilEqual(chosen, ['1.1.0 for Windows x86_64', '1.0.0 for Windows x86_64']);

    await open('/builds');
    await page.getByRole('link', { name: '1.0.0 for' }).waitFor();
    for (const key of ['j', 'j', 'x', 'k', 'x', 'c']) await page.keyboard.press(key);
    await page.getByRole('heading', { name: 'Compare builds' }).waitFor();
    await untilEqual(async () => (await chosen())[0], '1.1.0 for Windows x86_64');
  });

  test('lists the builds of a version together, who uploaded them, and where they are live', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/builds');
    await untilEqual(builds, [
      '1.2.0-rc.1 for Linux x86_64',
      '1.1.0 for Windows x86_64',
      '1.1.0 for macOS arm64',
      '1.0.0 for Windows x86_64',
    ]);
    await untilEqual(() => table().getByText('1.1.0', { exact: true }).count(), 1);
    // The size of an update is there once a job has compared the two files.
    const name = /1\.1\.0 .*Windows x86_64 stable since \d\d:\d\d (From 1\.0\.0: .* for players )?Ready deploy key/;
    await table().getByRole('row', { name }).waitFor();
    await table().getByRole('button', { name: 'Size' }).click();
    await page.waitForURL(/\?sort=size$/);
    await table().getByRole('columnheader', { name: 'Size' }).and(page.locator('[aria-sort=descending]')).waitFor();
    await page.reload();
    await untilEqual(async () => (await versions()).length, 4);
    await table().getByRole('button', { name: 'Registered' }).click();
    await page.waitForURL(/builds$/);
  });

  test('opens a build with the keyboard alone, and shows its file, changelog and ids', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/builds');
    await page.getByRole('link', { name: '1.1.0 for Windows' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '1.1.0 for Windows x86_64' }).waitFor();
    await page.getByText('A second forest').waitFor();
    await page.getByText('game.zip').waitFor();
    await page.getByText(/^deploy key \w{8}$/).waitFor();
    await page
      .getByText(
        `chauffeur symbols --build-id ${new URL(page.url()).pathname.split('/').at(-1)} symbols --game ${studio.slug}`,
      )
      .waitFor();
    await page.getByRole('region', { name: 'Crash reporter' }).getByText(studio.gameUid).waitFor();
    await page.getByRole('link', { name: 'Provenance and contents' }).click();
    await page.waitForURL(/\/g\/owls-of-the-north\/files\//);
  });

  test('promotes a build after listing what will change, and undoes it', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/builds');
    await page.getByRole('link', { name: '1.0.0 for' }).click();
    await page.getByRole('button', { name: 'Promote' }).click();
    const dialog = page.getByRole('dialog', { name: 'Promote 1.0.0 for Windows x86_64' });
    await dialog.getByText('stable on Windows x86_64 changes from 1.1.0 to 1.0.0.').waitFor();
    await dialog.getByText('It is available to all players immediately.').waitFor();
    await dialog.getByLabel('Expires').selectOption('24');
    await dialog.getByText(/The channel then offers nothing until a build is promoted/).waitFor();
    await dialog.getByRole('button', { name: 'Promote' }).click();
    await page.getByText('stable on Windows x86_64 now has 1.0.0.').waitFor();
    assert.equal(await offered(), '1.0.0');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('stable on Windows x86_64 now has 1.1.0.').waitFor();
    assert.equal(await offered(), '1.1.0');
  });

  test('undoes the first promotion on a channel, which then offers nothing', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/builds');
    await page.getByRole('link', { name: '1.0.0 for' }).click();
    await page.getByRole('button', { name: 'Promote' }).click();
    const dialog = page.getByRole('dialog', { name: 'Promote 1.0.0 for Windows x86_64' });
    await dialog.getByLabel('Channel').fill('dev');
    await dialog.getByText('dev on Windows x86_64 offers nothing yet and will offer 1.0.0.').waitFor();
    await dialog.getByRole('button', { name: 'Promote' }).click();
    await page.getByText('dev on Windows x86_64 now has 1.0.0.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('dev on Windows x86_64 now offers nothing.').waitFor();
  });

  test('rolls a channel back from its cell, and the history shows who did it', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/channels');
    await page.getByRole('button', { name: /^stable on Windows x86_64: 1\.1\.0/ }).click();
    const dialog = page.getByRole('dialog', { name: 'stable on Windows x86_64' });
    await dialog.getByText('stable on Windows x86_64 changes from 1.1.0 back to 1.0.0, without an expiry.').waitFor();
    await dialog.getByRole('button', { name: 'Roll back to 1.0.0' }).click();
    await page.getByRole('button', { name: /^stable on Windows x86_64: 1\.0\.0/ }).waitFor();
    await page.getByRole('row', { name: /1\.0\.0 Windows x86_64 Rolled back owner/ }).waitFor();
    assert.equal(await offered(), '1.0.0');
    await page.getByRole('button', { name: /^beta on Windows x86_64: no build/ }).click();
    const select = page.getByLabel('Build', { exact: true });
    const option = select.getByRole('option', { name: /^1\.1\.0/ });
    await select.selectOption((await option.getAttribute('value')) ?? '');
    await page.getByRole('button', { name: 'Promote 1.1.0' }).click();
    await page.getByRole('button', { name: /^beta on Windows x86_64: 1\.1\.0/ }).waitFor();
  });

  test('counts down to the expiry of a promotion, and removes players from the beta', async (t) => {
    const { browser, service } = site;
    if (browser === null) return t.skip(NO_CHROMIUM);
    const player = { email: 'player@example.com', password: 'correct horse battery' };
    const join = askAs(service, await addAccount(service, { ...player, name: 'Robin' }));
    await open('/channels');
    await page.getByText('No beta members yet.').waitFor();
    await join('PUT', `/games/${studio.gameUid}/beta`);

    await page.clock.install();
    await page.reload();
    await page.getByRole('button', { name: /^dev on Linux x86_64: no build/ }).click();
    await page.getByLabel('Expires').selectOption('1');
    await page.getByRole('button', { name: 'Promote 1.2.0-rc.1' }).click();
    const cell = page.getByRole('button', { name: /^dev on Linux x86_64: 1\.2\.0-rc\.1/ });
    await cell.getByText(/Expires in (1 hour|59 minutes)/).waitFor();
    await page.clock.fastForward('02:00');
    await cell.getByText(/Expires in 5[78] minutes/).waitFor();
    await page.clock.fastForward('58:00');
    await cell.getByText('Expired').waitFor();
    await page.clock.resume();

    const members = page.getByRole('region', { name: 'Beta members' });
    await members.getByRole('button', { name: 'Remove Robin' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove Robin from the beta?' });
    await dialog.getByText("They aren't notified, and they can join again on the game's page.").waitFor();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await members.getByText('Robin was removed from the beta.').waitFor();
    await members.getByText('No beta members yet.').waitFor();
  });

  test('edits texts and images until the game can be listed', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/settings');
    await page.waitForURL(/\/settings\/listing$/);
    await page.getByText('5 things left before it can be listed').waitFor();
    await page.getByLabel('Tagline').fill('A stroll through the night');
    await page.getByLabel('Description').fill('Listen.\nThey are near.');
    await page.getByLabel('Tags').fill('Cosy, two players');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    await untilEqual(() => page.getByLabel('Tags').inputValue(), 'cosy, two-players');
    await page.getByText('3 things left before it can be listed').waitFor();

    await page.getByRole('link', { name: 'Media', exact: true }).click();
    const file = async (name: string, width = 1280, height = 720, background?: string) => {
      const buffer = await picture(width, height, 'png', background);
      return { name, mimeType: 'image/png', buffer };
    };
    const choose = (label: string) =>
      page.getByRole('button', { name: label }).locator('xpath=..').locator('input[type=file]');
    await choose('Upload cover').setInputFiles(await file('square.png', 1100, 1100));
    await page.getByText(/^square\.png: 1100×1100 pixels are not 16:9/).waitFor();
    await page
      .getByText('Crop 240 pixels at the top and 241 at the bottom. The result, 1100×619, can be uploaded.')
      .waitFor();
    await page.getByRole('img', { name: /^Crop 240 pixels/ }).waitFor();
    await choose('Upload cover').setInputFiles(await file('cover.png'));
    await page.getByText('Cover uploaded.').waitFor();
    await page
      .getByRole('button', { name: /^Game: / })
      .locator('img[src*="/public/media/"]')
      .waitFor();
    await choose('Upload thumbnail').setInputFiles(await file('thumbnail.png'));
    await page.getByText('Thumbnail uploaded.').waitFor();
    await choose('Add screenshots').setInputFiles([await file('one.png'), await file('two.png', 1280, 720, '#204080')]);
    await page.getByText('2 screenshots uploaded.').waitFor();
    await page.getByRole('button', { name: 'Move screenshot 2 earlier' }).click();
    await page.getByText('Order changed.').waitFor();
    await page.getByRole('img', { name: 'Screenshot 1: two.png' }).waitFor();
    const first = page.getByRole('button', { name: 'Move screenshot 1 earlier', disabled: true });
    await until(() => first.evaluate((button) => button === document.activeElement));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Delete screenshot 1' }).click();
    await page.getByText('two.png was deleted.').waitFor();
    await page.getByRole('img', { name: 'Screenshot 1: one.png' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('two.png was deleted.').waitFor({ state: 'detached' });
    await page.getByRole('img', { name: 'Screenshot 1: two.png' }).waitFor();
    await page.getByRole('img', { name: 'Screenshot 2: one.png' }).waitFor();
    await page.getByRole('button', { name: 'Delete screenshot 2' }).click();
    await page.getByText('one.png was deleted.').waitFor();
    await page.getByRole('img', { name: 'Screenshot 2: one.png' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Listing' }).click();
    await page.getByText('Ready to be listed').waitFor();
  });

  test('creates a new deploy key only after naming the one it revokes', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/settings/keys');
    await page.getByText('Active', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a new key?' });
    await dialog.getByText(studio.environment.SERVICE_ACCESS_TOKEN?.slice(0, 8) ?? '').waitFor();
    await dialog.getByRole('button', { name: 'Revoke and create a new key' }).click();
    await page.getByText("Copy the secret key now. You won't see it again.").waitFor();
    await page.getByText('Revoked', { exact: true }).waitFor();
    await page.getByRole('button', { name: "I've copied it" }).click();
    await page.reload();
    await page.getByText('Revoked', { exact: true }).waitFor();
    await page.getByText('Secret key').waitFor({ state: 'detached' });
  });

  test('creates an upload token, shows its secret once, and renames and revokes it', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/settings/keys');
    await page.getByRole('button', { name: 'Create token' }).click();
    const form = page.getByRole('dialog', { name: 'Create an upload token' });
    await form.getByLabel('Name').fill('Jenkins');
    await form.getByLabel('Channels').check();
    await form.getByRole('button', { name: 'Create token' }).click();
    await page.getByText("Copy the secret key now. You won't see it again.").waitFor();
    const table = page.getByRole('table', { name: 'Upload tokens' });
    await table.getByText('builds, symbols, channels').waitFor();

    // Leaving asks first, because the secret would be lost.
    await page.getByRole('link', { name: 'Media', exact: true }).click();
    await page.getByRole('dialog', { name: 'Leave without the secret key?' }).waitFor();
    await page.getByRole('button', { name: 'Stay' }).click();
    await page.getByRole('button', { name: "I've copied it" }).click();
    await page.getByText('Secret key', { exact: true }).waitFor({ state: 'detached' });

    await table.getByRole('button', { name: 'Rename Jenkins' }).click();
    const rename = page.getByRole('dialog', { name: 'Rename “Jenkins”' });
    await rename.getByLabel('Name').fill('Jenkins 2');
    await rename.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').getByLabel('Also revoke 1 upload token').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await table.getByRole('button', { name: 'Revoke Jenkins 2' }).click();
    await page.getByRole('button', { name: 'Revoke token' }).click();
    await table.getByText('Revoked', { exact: true }).waitFor();
  });

  test('shows when it is offline or the server is unavailable, and retries automatically', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/builds');
    await page.getByRole('link', { name: '1.2.0-rc.1 for' }).waitFor();
    site.expectErrors(/status of 503 .*channels/);
    await page.context().setOffline(true);
    await page.getByText("You're offline.").waitFor();
    await page.context().setOffline(false);
    await page.getByText("You're offline.").waitFor({ state: 'detached' });

    // The channels fail as they do during a restart: one refused request with a time to wait, then a successful one.
    const channels = /\/api\/v1\/games\/[^/]+\/channels$/;
    const error = { code: 5030, message: 'away', data: { retry_after: 2 } };
    await page.route(channels, (route) => route.fulfill({ status: 503, json: { success: false, error } }), {
      times: 1,
    });
    await open('/channels');
    await page.getByText('Retrying automatically.').waitFor();
    await page.getByText('All players').waitFor();
    await page.getByText('Retrying automatically.').waitFor({ state: 'detached' });
  });
});
