// A developer promotes a version on three platforms from its page, rolls it back, and deletes it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { askAs } from '../packages/server/test/setup/api-calls.ts';
import { until, untilEqual } from '../packages/server/test/setup/until.ts';
import { shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { noise, write } from '../packages/updater/test/setup/folders.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { runCommand } from './setup/processes.ts';
import { serveSite } from './setup/site.ts';
import { openStudio, readOffers, type Studio } from './setup/studio.ts';

describe('the page of a version', () => {
  let studio: Studio;
  let page: Page;
  const site = serveSite(async ({ service, browser }) => {
    studio = await openStudio(service, 'Owls of the North');
    for (const [version, channel] of [
      ['1.0.0', 'stable'],
      ['1.1.0', 'beta'],
    ] as const)
      for (const os of ['linux', 'macos', 'windows'])
        await shipAndScan(
          service,
          studio,
          { version, os, channel, changelog_items: [{ title: `News of ${version}` }] },
          smallZip(`${version}-${os}.txt`),
        );
    if (browser === null) return;
    page = await site.openPage({ session: studio.session });
  });

  const offered = async () =>
    (await readOffers(site.service, studio.slug)).map(({ os, version }) => `${os} ${version}`).sort();
  const open = (version: string) =>
    page.goto(`${site.service.url}/dev/${studio.slug}/version?version=${encodeURIComponent(version)}`);
  const on = (version: string) => ['linux', 'macos', 'windows'].map((os) => `${os} ${version}`);

  test('is reached from the list of versions, and has its builds, channels and notes', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.goto(`${site.service.url}/dev/${studio.slug}/builds`);
    await page.getByRole('link', { name: 'Versions', exact: true }).click();
    const list = page.getByRole('table', { name: 'Versions' });
    await list.getByRole('row', { name: /1\.1\.0 .* beta / }).waitFor();
    await list.getByRole('row', { name: /1\.0\.0 .* stable / }).waitFor();
    await list.getByRole('link', { name: '1.1.0' }).click();
    await page.getByRole('heading', { name: '1.1.0', exact: true }).waitFor();
    const builds = page.getByRole('table', { name: 'Builds of this version' });
    for (const platform of ['Linux', 'macOS', 'Windows'])
      await builds.getByRole('link', { name: `1.1.0 for ${platform} x86_64` }).waitFor();
    await page.getByText('News of 1.1.0').waitFor();
    await page.getByText('No crash group is new or fixed in this version.').waitFor();
    const sections = page.getByRole('navigation', { name: /^Sections of / });
    await sections.locator('[aria-current="page"]', { hasText: 'Builds' }).waitFor();
    await page.getByRole('link', { name: '1.0.0', exact: true }).click();
    await page.getByText('News of 1.0.0').waitFor();
  });

  test('promotes all platforms in two clicks, and rolls all of them back in two', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('1.1.0');
    await page.getByRole('button', { name: 'Promote…' }).click();
    const promotion = page.getByRole('dialog', {
      name: /^Promote 1\.1\.0 for .*(Linux|macOS|Windows) x86_64, .* and .* x86_64$/,
    });
    for (const platform of ['Linux', 'macOS', 'Windows'])
      await promotion.getByText(`stable on ${platform} x86_64 changes from 1.0.0 to 1.1.0.`).waitFor();
    await promotion.getByRole('button', { name: 'Promote', exact: true }).click();
    await page.getByText(/^stable on .* now has 1\.1\.0\.$/).waitFor();
    assert.deepEqual(await offered(), on('1.1.0'));
    await page.getByRole('button', { name: 'Roll back stable' }).click();
    const rollback = page.getByRole('dialog', { name: 'Roll stable back' });
    await rollback.getByRole('button', { name: 'Roll back to 1.0.0' }).click();
    await page.getByText(/^stable on .* now has 1\.0\.0\.$/).waitFor();
    assert.deepEqual(await offered(), on('1.0.0'));
    await page.getByRole('button', { name: 'Undo' }).click();
    await untilEqual(offered, on('1.1.0'));
  });

  test('promotes only the selected platforms', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('1.0.0');
    await page.getByLabel('Select 1.0.0 for Linux x86_64').check();
    await page.getByLabel('Select 1.0.0 for macOS x86_64').check();
    const bar = page.getByRole('group', { name: 'Selected builds' });
    await bar.getByRole('button', { name: 'Promote…' }).click();
    const dialog = page.getByRole('dialog', { name: /^Promote 1\.0\.0 for/ });
    await dialog.getByRole('button', { name: 'Promote', exact: true }).click();
    await untilEqual(offered, ['linux 1.0.0', 'macos 1.0.0', 'windows 1.1.0']);
  });

  test('rolls back only the chosen platforms, as one change that can be undone', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('1.1.0');
    await page.getByRole('button', { name: 'Promote…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Promote', exact: true }).click();
    await untilEqual(offered, on('1.1.0'));
    await page.getByRole('button', { name: 'Roll back stable' }).click();
    const rollback = page.getByRole('dialog', { name: 'Roll stable back' });
    await rollback.getByLabel('macOS x86_64').uncheck();
    await rollback.getByText('Players on the other platforms keep what they have.').waitFor();
    await rollback.getByRole('button', { name: 'Roll back' }).click();
    await page.getByText(/^stable on Linux x86_64 and Windows x86_64 now has /).waitFor();
    await untilEqual(offered, ['linux 1.0.0', 'macos 1.1.0', 'windows 1.0.0']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await untilEqual(offered, on('1.1.0'));
    await page.getByRole('button', { name: 'Roll back stable' }).click();
    await rollback.getByLabel('Windows x86_64').uncheck();
    await rollback.getByRole('button', { name: 'Roll back' }).click();
    await untilEqual(offered, ['linux 1.0.0', 'macos 1.0.0', 'windows 1.1.0']);
  });

  test('deletes all builds after the version is typed', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('1.0.0');
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 1.0.0?' });
    await dialog.getByLabel('Type 1.0.0 to confirm').fill('1.0.0');
    await dialog.getByRole('button', { name: 'Delete version' }).click();
    await page.waitForURL(/\/versions$/);
    const list = page.getByRole('table', { name: 'Versions' });
    await list.getByRole('link', { name: '1.1.0' }).waitFor();
    await list.getByRole('link', { name: '1.0.0' }).waitFor({ state: 'detached' });
    assert.deepEqual(await offered(), ['windows 1.1.0']);
  });

  test('says how much players of the version before download', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const ask = askAs(site.service, studio.session);
    type Created = { game_uid: string; slug: string };
    const game = await ask<Created>('POST', '/games', { name: 'Otters of the South', visibility: 'public' });
    type Key = { access_token: string; secret_key: string };
    const key = await ask<Key>('POST', `/games/${game.game_uid}/deploy-keys`);
    const environment = {
      ...studio.environment,
      SERVICE_ACCESS_TOKEN: key.access_token,
      SERVICE_SECRET_KEY: key.secret_key,
    };
    const source = join(site.folder, 'otters');
    write(source, 'world.pak', noise(3_000_000, 1));
    for (const version of ['1.0', '1.1']) {
      write(source, 'version.txt', `This is ${version}. `.repeat(1000));
      const platform = ['--os', 'linux', '--arch', 'x86_64', '--channel', 'stable'];
      const pushed = await runCommand(['push', source, '--version', version, ...platform], {
        environment,
        folder: site.folder,
      });
      assert.equal(pushed.code, 0, pushed.stderr);
    }
    type Listed = { channels: { version: string; updates: { bytes: number }[] }[] };
    const update = await until(async () => {
      const { channels } = await ask<Listed>('GET', `/games/${game.game_uid}/channels`);
      return channels.find(({ version }) => version === '1.1')?.updates[0];
    });
    assert.ok(update.bytes < 500_000, String(update.bytes));
    await page.goto(`${site.service.url}/dev/${game.slug}/builds`);
    const row = page.getByRole('table', { name: 'Builds' }).getByRole('row', { name: '1.1 for Linux x86_64' });
    await row
      .getByText(/^From 1\.0: [\d.,]+ (bytes|KiB) for players$/)
      .filter({ visible: true })
      .waitFor();
  });
});
