// A developer rolls a release back on one platform or three, and promotes and deletes selected builds of a version.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { untilEqual } from '../packages/server/test/setup/until.ts';
import { shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { serveSite } from './setup/site.ts';
import { openStudio, readOffers, type Studio } from './setup/studio.ts';

describe('the channels of a game with three platforms', () => {
  let studio: Studio;
  let page: Page;
  const site = serveSite(async ({ service, browser }) => {
    studio = await openStudio(service, 'Owls of the North');
    for (const version of ['1.0.0', '1.1.0'])
      for (const os of ['linux', 'macos', 'windows'])
        await shipAndScan(service, studio, { version, os }, smallZip(`${version}-${os}.txt`));
    await shipAndScan(service, studio, { version: '1.1.0', os: 'web', arch: 'wasm32' }, smallZip('index.html'));
    if (browser === null) return;
    page = await site.openPage({ session: studio.session });
  });

  const offered = async () =>
    (await readOffers(site.service, studio.slug)).map(({ os, version }) => `${os} ${version}`).sort();

  test('are rolled back in two clicks, as one entry of the history, and the undo restores them', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const before = ['linux 1.1.0', 'macos 1.1.0', 'web 1.1.0', 'windows 1.1.0'];
    const after = ['linux 1.0.0', 'macos 1.0.0', 'web 1.1.0', 'windows 1.0.0'];
    await page.goto(`${site.service.url}/dev/${studio.slug}/channels`);
    await page.getByRole('button', { name: 'Roll back stable', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Roll stable back' });
    for (const platform of ['Linux', 'macOS', 'Windows'])
      await dialog
        .getByText(`stable on ${platform} x86_64 changes from 1.1.0 back to 1.0.0, without an expiry.`)
        .waitFor();
    await dialog.getByText('Browser wasm32 has no earlier build and keeps 1.1.0.').waitFor();
    assert.deepEqual(await offered(), before);
    await dialog.getByRole('button', { name: 'Roll back to 1.0.0' }).click();
    await page.getByText('stable on Linux x86_64, macOS x86_64 and Windows x86_64 now has 1.0.0.').waitFor();
    assert.deepEqual(await offered(), after);
    await page
      .getByRole('row', { name: /1\.0\.0 Windows x86_64, macOS x86_64, Linux x86_64 Rolled back owner/ })
      .waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await untilEqual(offered, before);
    await page.getByRole('row', { name: /1\.1\.0 Windows x86_64, macOS x86_64, Linux x86_64 Undone owner/ }).waitFor();
  });

  test('are changed from the cells of the grid, on one platform', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.goto(`${site.service.url}/dev/${studio.slug}/channels`);
    await page.getByRole('button', { name: 'Roll back to 1.0.0: stable on macOS x86_64' }).click();
    const dialog = page.getByRole('dialog', { name: 'Roll stable back on macOS x86_64' });
    await dialog.getByText('stable on macOS x86_64 changes from 1.1.0 back to 1.0.0, without an expiry.').waitFor();
    await dialog.getByRole('button', { name: 'Roll back to 1.0.0' }).click();
    await page.getByText('stable on macOS x86_64 now has 1.0.0.').waitFor();
    assert.deepEqual(await offered(), ['linux 1.1.0', 'macos 1.0.0', 'web 1.1.0', 'windows 1.1.0']);
    await page.getByRole('button', { name: 'Change stable on macOS x86_64' }).click();
    const cell = page.getByRole('dialog', { name: 'stable on macOS x86_64' });
    const select = cell.getByLabel('Build', { exact: true });
    await select.selectOption((await select.getByRole('option', { name: /^1\.1\.0/ }).getAttribute('value')) ?? '');
    await cell.getByRole('button', { name: 'Promote 1.1.0' }).click();
    await page.getByText('stable on macOS x86_64 now has 1.1.0.').waitFor();
    assert.deepEqual(await offered(), ['linux 1.1.0', 'macos 1.1.0', 'web 1.1.0', 'windows 1.1.0']);
    await page.getByText('The files are unscanned, because the server has no virus scanner.').waitFor();
    await page.getByRole('button', { name: 'Promote a build to beta on Linux x86_64' }).waitFor();
  });

  const select = async (...names: readonly string[]) => {
    for (const name of names) await page.getByLabel(`Select ${name} x86_64`).check();
  };

  test('offer the builds of a version that are selected in the list and promoted together', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.goto(`${site.service.url}/dev/${studio.slug}/builds`);
    await select('1.0.0 for Linux', '1.0.0 for Windows', '1.1.0 for macOS');
    const bar = page.getByRole('group', { name: 'Selected builds' });
    await bar.getByText('3 selected').waitFor();
    await bar.getByText('To promote, select builds of one version only, not 1.0.0 and 1.1.0.').waitFor();
    assert.equal(await bar.getByRole('button', { name: 'Promote…' }).isDisabled(), true);
    await page.getByLabel('Select 1.1.0 for macOS x86_64').uncheck();
    await bar.getByRole('button', { name: 'Promote…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Promote 1.0.0 for Linux x86_64 and Windows x86_64' });
    for (const platform of ['Linux', 'Windows'])
      await dialog.getByText(`stable on ${platform} x86_64 changes from 1.1.0 to 1.0.0.`).waitFor();
    await dialog.getByRole('button', { name: 'Promote', exact: true }).click();
    await page.getByText('stable on Linux x86_64 and Windows x86_64 now has 1.0.0.').waitFor();
    assert.deepEqual(await offered(), ['linux 1.0.0', 'macos 1.1.0', 'web 1.1.0', 'windows 1.0.0']);
    await bar.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await untilEqual(offered, ['linux 1.1.0', 'macos 1.1.0', 'web 1.1.0', 'windows 1.1.0']);
  });

  test('offer nothing where selected builds are deleted, after the version is typed', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.goto(`${site.service.url}/dev/${studio.slug}/builds`);
    await select('1.1.0 for Linux', '1.1.0 for Windows');
    await page.getByRole('group', { name: 'Selected builds' }).getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 2 builds?' });
    for (const platform of ['Linux', 'Windows'])
      await dialog
        .getByText(`stable on ${platform} x86_64 will offer nothing until another build is promoted`)
        .waitFor();
    const button = dialog.getByRole('button', { name: 'Delete 2 builds' });
    assert.equal(await button.isDisabled(), true);
    await dialog.getByLabel('Type 1.1.0 to confirm').fill('1.1.0');
    await button.click();
    await page.getByText('2 builds deleted.').waitFor();
    assert.deepEqual(await offered(), ['macos 1.1.0', 'web 1.1.0']);
    await page.getByLabel('Select 1.1.0 for Linux x86_64').waitFor({ state: 'detached' });
  });
});
