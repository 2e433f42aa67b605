// A developer rolls a release back on three platforms at once, and undoes that.
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
    await page.getByRole('button', { name: 'Roll back stable' }).click();
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
});
