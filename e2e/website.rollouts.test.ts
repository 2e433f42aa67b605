// A developer rolls a version out to some devices from its page, pauses and resumes the rollout, and finishes it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { askAs } from '../packages/server/test/setup/api-calls.ts';
import { shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { serveSite } from './setup/site.ts';
import { openStudio, readOffers, type Studio } from './setup/studio.ts';

describe('the page of a rollout', () => {
  let studio: Studio;
  let page: Page;
  const site = serveSite(async ({ service, browser }) => {
    studio = await openStudio(service, 'Owls of the North');
    for (const [version, channel] of [
      ['1.0.0', 'stable'],
      ['1.1.0', 'beta'],
    ] as const)
      for (const os of ['linux', 'windows'])
        await shipAndScan(service, studio, { version, os, channel }, smallZip(`${version}-${os}.txt`));
    if (browser === null) return;
    page = await site.openPage({ session: studio.session });
  });

  const offered = async () =>
    (await readOffers(site.service, studio.slug)).map(({ os, version }) => `${os} ${version}`).sort();

  test('is reached by starting a rollout, which says before what it means', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.goto(`${site.service.url}/dev/${studio.slug}/version?version=1.1.0`);
    await page.getByRole('button', { name: 'Roll out…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Roll 1.1.0 out' });
    await dialog.getByText('5% of the devices that follow stable are offered 1.1.0 instead of 1.0.0').waitFor();
    const steps = dialog.getByLabel('Steps');
    await steps.fill('10%:4h,5%:1d');
    await dialog.getByText('each share must be larger than the one before').waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Start rollout' }).isDisabled(), true);
    await steps.fill('10%:4h,50%:1d,100%');
    await dialog.getByText('The steps: 10% for 4 hours, 50% for 1 day, then all devices.').waitFor();
    await dialog.getByLabel('Tolerance in percentage points').fill('0.5');
    await dialog.getByText("If 99% of the other devices don't crash, a guard accepts 98.5%").waitFor();
    await dialog.getByRole('button', { name: 'Start rollout' }).click();
    await page.getByRole('heading', { name: 'Rollout of 1.1.0' }).waitFor();
    await page.getByText('10% of the devices on stable are offered 1.1.0').waitFor();
    await page.getByText('In 4 hours, it goes on to 50%, unless a guard stops it.').waitFor();
    const guards = page.getByRole('table', { name: 'Guards' });
    assert.equal(await guards.getByRole('row', { name: /Pauses, beyond 0\.5 points/ }).count(), 4);
    assert.deepEqual(await offered(), ['linux 1.0.0', 'windows 1.0.0']);
    const sections = page.getByRole('navigation', { name: /^Sections of / });
    await sections.locator('[aria-current="page"]', { hasText: 'Channels' }).waitFor();
  });

  test('pauses, resumes, extends and finishes it; other pages have a line about it', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused at 10% of the devices on stable').waitFor();
    for (const path of ['', '/channels', '/version?version=1.1.0']) {
      await page.goto(`${site.service.url}/dev/${studio.slug}${path}`);
      await page.getByText('The rollout of 1.1.0 on stable is paused at 10% of devices').waitFor();
    }
    await page.getByRole('link', { name: 'See how it does' }).click();
    await page.getByRole('button', { name: 'Resume…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume rollout' }).click();
    await page.getByText('10% of the devices on stable are offered 1.1.0').waitFor();
    await page.getByRole('button', { name: 'Change share…' }).click();
    const share = page.getByRole('dialog', { name: 'Change the share of 1.1.0' });
    await share.getByLabel('Percentage of devices').fill('60');
    await share.getByText('60% of the devices that follow stable are offered 1.1.0 instead of 1.0.0.').waitFor();
    await share.getByRole('button', { name: 'Change share' }).click();
    await page.getByText('60% of the devices on stable are offered 1.1.0').waitFor();
    await page.getByRole('button', { name: 'Finish…' }).click();
    const finish = page.getByRole('dialog', { name: 'Finish the rollout of 1.1.0' });
    await finish.getByText('It is available to all players immediately.').waitFor();
    await finish.getByRole('button', { name: 'Finish rollout' }).click();
    await page.getByText('stable offers 1.1.0 to all devices', { exact: true }).waitFor();
    assert.deepEqual(await offered(), ['linux 1.1.0', 'windows 1.1.0']);
    const history = page.getByRole('table', { name: 'History of the rollout' });
    for (const text of ['Changed from 10% to 60% of devices.', 'Resumed.', 'Paused.', 'Started at 10% of devices.'])
      await history.getByText(text, { exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Abort…' }).count(), 0);
  });

  test('a version that the channel is rolled back from is shown as withdrawn, with its devices', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await askAs(site.service, studio.session)('POST', `/games/${studio.slug}/channels/stable/rollback`, {});
    await page.goto(`${site.service.url}/dev/${studio.slug}/channels`);
    const withdrawn = page.getByRole('table', { name: 'Withdrawn builds' });
    await withdrawn.getByRole('row', { name: /1\.1\.0 for Windows x86_64 Rolled back on stable/ }).waitFor();
    assert.equal(await withdrawn.getByRole('row', { name: /Devices unknown/ }).count(), 2);
    await page.goto(`${site.service.url}/dev/${studio.slug}/version?version=1.1.0`);
    await page.getByText('1.1.0 was withdrawn from stable').waitFor();
    await page.goto(`${site.service.url}/dev/${studio.slug}/builds`);
    const rows = page.getByRole('row', { name: /Rolled back on stable/ });
    await rows.first().waitFor();
    assert.equal(await rows.count(), 2);
  });
});
