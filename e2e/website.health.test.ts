// Launch health with its numbers, the event explorer and the data of a device, from events as games send them.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { formatPercent } from '@chauffeur/contract/format';
import type { Page } from 'playwright-core';
import { askAs } from '../packages/server/test/setup/api-calls.ts';
import { untilEqual } from '../packages/server/test/setup/until.ts';
import { shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { serveSite } from './setup/site.ts';
import { keyOf, openStudio, type Studio } from './setup/studio.ts';

/** The launches of one build: how many devices start it, never reach the menu, and crash before they do. */
type Launches = { devices: number; silent: number; crashed: number; custom: Readonly<Record<string, number>> };

const ON_WINDOWS: Launches = { devices: 32, silent: 2, crashed: 0, custom: { level_up: 9, 'shop, opened': 2 } };
const ON_LINUX: Launches = { devices: 12, silent: 2, crashed: 1, custom: { level_up: 4 } };

describe('launch health and events', () => {
  let studio: Studio;
  let builds: { windows: string; linux: string };
  let page: Page;

  const site = serveSite(
    async ({ service, browser }) => {
      studio = await openStudio(service, 'Small Walk');
      const ship = async (version: string, os: string) =>
        (await shipAndScan(service, studio, { version, os, arch: 'x86_64' }, smallZip(os))).buildId;
      builds = { windows: await ship('1.0.0', 'windows'), linux: await ship('1.1.0', 'linux') };
      await launch(studio.gameUid, builds.windows, ON_WINDOWS);
      await launch(studio.gameUid, builds.linux, ON_LINUX);
      if (browser === null) return;
      page = await site.openPage({ session: studio.session });
    },
    { env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } },
  );

  async function launch(gameUid: string, buildId: string, { devices, silent, crashed, custom }: Launches) {
    const events = Array.from({ length: devices }, (_, no) => {
      const device_uid = `${buildId.slice(-4)}-${no}`;
      return [
        { event: 'session_start', device_uid },
        ...(no < crashed ? [{ event: 'crash', device_uid }] : []),
        ...(no < devices - silent ? [{ event: 'boot_ok', device_uid, ms: 2500 }] : []),
      ];
    }).flat();
    for (const [event, count] of Object.entries(custom))
      events.push(...Array.from({ length: count }, () => ({ event, device_uid: `${buildId.slice(-4)}-0` })));
    const headers = { 'content-type': 'application/json', 'x-app-id': gameUid, 'x-build-id': buildId };
    const body = JSON.stringify({ events });
    const response = await fetch(`${site.service.api}/public/events`, { method: 'POST', headers, body });
    assert.equal(response.status, 202, await response.text());
  }

  const open = (path: string) => page.goto(`${site.service.url}/dev/${studio.slug}${path}`);
  const row = (name: RegExp) => page.getByRole('table', { name: 'Builds by launch health' }).getByRole('row', { name });

  test('rates builds and shows the numbers, or what is missing for a rating', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/health');
    await row(/1\.0\.0 Windows x86_64 Healthy on the game's page/).waitFor();
    assert.deepEqual(
      (
        await row(/1\.0\.0/)
          .getByRole('cell')
          .allTextContents()
      ).slice(2),
      ['32', '93.8% of 32', '0% of 32', '100% of 32', '2.5 s of 30', '–'],
    );
    await row(/1\.1\.0 Linux x86_64 Unrated 12 of 20 devices/).waitFor();
    await page.getByLabel('1.1.0 for Linux x86_64, compared with').selectOption('1.0.0 for Windows x86_64');
    const compared = page.getByRole('table', { name: 'Comparison' });
    await compared.getByRole('row', { name: /^Booted 83\.3% 93\.8% Unclear −10\.4 \(/ }).waitFor();
    await page.waitForURL(/other=/);
    await page.getByText('Based on the newest rated build on stable: 1.0.0 for Windows x86_64').waitFor();
    await page.getByRole('table', { name: 'Bands' }).getByText('at least 98%').waitFor();
  });

  test('is on the overview for the newest version of a channel, and the page opens with the newest build', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('');
    const live = page.getByRole('table', { name: 'Live now' });
    // It is on one of the two platforms. The other one still has the version before.
    const row = live.getByRole('row', { name: /^stable 1\.1\.0 Linux x86_64 · 1\.0\.0 on Windows x86_64/ });
    await row.getByText('12 of 20 devices').waitFor();
    await row.getByText('of 12', { exact: true }).waitFor();
    await row.getByText(/^No clear change$/).waitFor();
    await row.getByText(/^Booted: −10\.4 \(/).waitFor();
    await row.getByRole('link', { name: '1.1.0' }).click();
    await page.waitForURL(/\/version\?version=1\.1\.0$/);
    await open('/health');
    await page.getByRole('heading', { name: '1.1.0 for Linux x86_64 by day' }).waitFor();
  });

  test('has the same percentage for developers and for players', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.goto(`${site.service.url}/g/${studio.slug}`);
    await page.getByText('Starts for 93.8% of players').first().waitFor();
    await page.goto(`${site.service.url}/g/${studio.slug}?lang=de`);
    await page
      .getByText(/ 93,8 % /)
      .first()
      .waitFor();
    await page.goto(`${site.service.url}/g/${studio.slug}?lang=en`);
  });

  test('shows a build by day in charts or as a table, and keeps the choice in the URL', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/health');
    await row(/1\.1\.0/)
      .getByRole('link')
      .focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '1.1.0 for Linux x86_64 by day' }).waitFor();
    await page
      .getByRole('img', { name: /^Crashed on boot by day, .*\. 1\.1\.0: 8\.3% of 12; Starts: 12\.$/ })
      .waitFor();
    await page.getByRole('button', { name: 'Show as table', expanded: false }).click();
    await page.getByRole('button', { name: 'Hide table', expanded: true }).waitFor();
    const today = page.getByRole('table', { name: 'Days of the build' }).getByRole('row').nth(1).getByRole('cell');
    await untilEqual(
      async () => (await today.allTextContents()).slice(1),
      ['12', '10', '1', '12', '8.3% of 12', '1', '2.5 s of 10', '–', '12'],
    );
    const shares = page.getByRole('table', { name: 'Crashed on boot' }).getByRole('row').nth(1).getByRole('cell');
    await untilEqual(async () => (await shares.allTextContents()).slice(1), ['8.3%', '12']);
    await page
      .getByRole('list', { name: 'Series' })
      .getByRole('button', { name: /^1\.1\.0/ })
      .click();
    await page.waitForURL(/hidden=/);
    await page.getByText('All series are hidden').waitFor();
    await page.getByRole('button', { name: 'Time to start' }).click();
    await page.getByRole('img', { name: /^Median time to start by day, .*2\.5 s of 10\.$/ }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: '1.1.0 for Linux x86_64 by day' }).waitFor();
    await page.getByRole('img', { name: /^Median time to start by day/ }).waitFor();
    await page.getByRole('table', { name: 'Days of the build' }).waitFor();
  });

  test('says that a build has no launch events yet', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const build = { version: '1.2.0', os: 'linux', arch: 'x86_64', channel: 'dev' };
    const { buildId } = await shipAndScan(site.service, studio, build, smallZip('dev'));
    await open(`/health?build=${buildId}`);
    const days = page.getByRole('region', { name: '1.2.0 for Linux x86_64 by day' });
    await days.getByText('No device has sent a launch event of this build in the last 30 days.').waitFor();
    assert.equal(await days.getByRole('img').count(), 0);
  });

  test('shows downloads, devices and crash-free devices of the game by day on its overview', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('');
    const charts = page.getByRole('region', { name: 'Last 30 days' });
    await charts.getByRole('img', { name: 'Downloads by day in the last 30 days: 0.' }).waitFor();
    const { devices, crashed } = {
      devices: ON_WINDOWS.devices + ON_LINUX.devices,
      crashed: ON_WINDOWS.crashed + ON_LINUX.crashed,
    };
    await charts.getByRole('img', { name: `Devices by day in the last 30 days: up to ${devices} a day.` }).waitFor();
    const rate = `${formatPercent((devices - crashed) / devices)} of ${devices} device days`;
    await charts.getByRole('img', { name: new RegExp(`^Crash-free devices .*: ${rate}`) }).waitFor();
    await charts.getByRole('button', { name: 'Show as table' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/table=1/);
    const rows = charts.getByRole('table', { name: 'Last 30 days' }).getByRole('row');
    await untilEqual(() => rows.count(), 1 + 30);
    const cells = async (row: number) => (await rows.nth(row).getByRole('cell').allTextContents()).slice(1);
    await untilEqual(() => cells(1), ['0', String(devices), `${((100 * (devices - crashed)) / devices).toFixed(1)}%`]);
    // There were no players yesterday.
    await untilEqual(() => cells(2), ['0', '0', '–']);
  });

  test('charts fit any paper, where nothing is measured, and the dark theme is printed with dark texts', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const printed = await site.openPage({ session: studio.session, colorScheme: 'dark' });
    await printed.addInitScript(() => {
      globalThis.ResizeObserver = class {
        observe() {}
        unobserve() {}
        disconnect() {}
      };
    });
    await printed.goto(`${site.service.url}/dev/${studio.slug}`);
    const charts = printed.getByRole('region', { name: 'Last 30 days' });
    const today = charts.getByRole('img', { name: /^Devices by day/ }).locator('rect[y]');
    await today.waitFor();
    for (const width of [1280, 720]) {
      await printed.setViewportSize({ width, height: 900 });
      const [bar, chart] = await Promise.all([
        today.boundingBox(),
        charts.getByRole('img', { name: /^Devices by day/ }).boundingBox(),
      ]);
      assert.ok(bar !== null && chart !== null);
      const right = (bar.x + bar.width - chart.x) / chart.width;
      assert.ok(right > 0.95 && right <= 1, `the last day ends at ${right} of a chart in ${width} px`);
    }
    const colours = await printed.evaluate(async () => {
      const colour = () => getComputedStyle(document.querySelector('h1') as Element).color;
      const onPaper = new Promise<string>((resolve) => addEventListener('beforeprint', () => resolve(colour())));
      const before = colour();
      print();
      return { before, onPaper: await onPaper, after: colour() };
    });
    const lightness = (colour: string) => Math.max(...(colour.match(/\d+/g) ?? []).map(Number));
    assert.ok(lightness(colours.onPaper) < 80, colours.onPaper);
    assert.ok(lightness(colours.before) > 180, colours.before);
    assert.equal(colours.after, colours.before);
  });

  test('an overview whose channels cannot be loaded says so, and claims nothing about them', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const failing = await site.openPage({ session: studio.session });
    site.expectErrors(/500.*\/channels/);
    await failing.route(/\/api\/v1\/games\/[^/]+\/channels/, (route) =>
      route.fulfill({ status: 500, json: { success: false, error: { code: 5000, message: 'The server failed.' } } }),
    );
    await failing.goto(`${site.service.url}/dev/${studio.slug}`);
    await failing.getByRole('alert').getByText('The server failed').waitFor();
    const builds = failing.getByRole('table', { name: 'Newest builds' });
    await builds.getByRole('row', { name: /1\.1\.0/ }).waitFor();
    assert.equal(await failing.getByText('No channel offers a build').count(), 0);
    assert.equal(await builds.getByText('–', { exact: true }).count(), 0);
    await untilEqual(() => failing.locator('.mantine-Skeleton-root').count(), 0);
  });

  test('is shown on the page of a build and in the table of all games', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open(`/builds/${builds.linux}`);
    const health = page.getByRole('region', { name: 'Launch health' });
    await health.getByText('12 of 20 devices in the last 30 days').waitFor();
    await health.getByText('83.3% of 12').waitFor();
    await health.getByRole('link', { name: 'Daily numbers' }).click();
    await page.getByRole('heading', { name: '1.1.0 for Linux x86_64 by day' }).waitFor();
    await page.goto(`${site.service.url}/dev`);
    await page
      .getByRole('row', { name: /Small Walk/ })
      .getByRole('link', { name: 'Healthy' })
      .click();
    await page.waitForURL(/\/small-walk\/health$/);
  });

  test('counts up to four events by hour or day, and keeps the choice in the URL', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/events?range=24h&events=level_up');
    await page.getByRole('img', { name: /^Events by hour, .*level_up: 13\.$/ }).waitFor();
    await page.getByRole('checkbox', { name: /^shop, opened/ }).check();
    await page.getByRole('img', { name: /shop, opened: 2\.$/ }).waitFor();
    await page.getByRole('checkbox', { name: /^boot_ok/ }).check();
    await page.getByRole('checkbox', { name: /^session_start/ }).check();
    await page.getByRole('img', { name: /session_start: 44\.$/ }).waitFor();
    assert.equal(await page.getByRole('checkbox', { name: /^crash/ }).isDisabled(), true);
    await page.getByRole('button', { name: 'Show as table' }).click();
    const table = page.getByRole('table', { name: 'Events' });
    const heads = ['Hour', 'level_up', 'shop, opened', 'boot_ok', 'session_start'];
    await untilEqual(() => table.getByRole('columnheader').allTextContents(), heads);
    await untilEqual(() => table.getByRole('row').count(), 1 + 24);
    await page.getByRole('button', { name: '7 days' }).click();
    await page.waitForURL(/range=7d/);
    await table.getByRole('row').nth(8).waitFor({ state: 'detached' });
    await page.reload();
    await table.waitFor();
    // The newest day comes first.
    const today = table.getByRole('row').nth(1).getByRole('cell');
    await untilEqual(async () => (await today.allTextContents()).slice(1), ['13', '2', '40', '44']);
  });

  test('an event with a long name has the room for it, also where the system chooses the colours', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const name = `the_player_${'sold_the_crane_and_'.repeat(2)}left`;
    await launch(studio.gameUid, builds.linux, { devices: 1, silent: 1, crashed: 0, custom: { [name]: 1 } });
    const wide = await site.openPage({ session: studio.session, forcedColors: 'active' });
    await wide.goto(`${site.service.url}/dev/${studio.slug}/events?events=level_up`);
    const label = wide.locator('label').filter({ hasText: name });
    const [box, text] = await Promise.all([label.boundingBox(), label.getByText(name).boundingBox()]);
    assert.ok(box !== null && text !== null && text.height > 30, 'the name needs more than one line');
    assert.ok(text.y >= box.y && text.y + text.height <= box.y + box.height, 'the name covers the next one');
    const lineOf = (link: string) =>
      wide.getByRole('link', { name: link, exact: true }).evaluate((tab) => getComputedStyle(tab).borderBottomColor);
    assert.notEqual(await lineOf('Events'), await lineOf('Health'));
  });

  test('splits an event by build in the same colours as other pages, and hides parts', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/events?events=boot_ok&split=build');
    const legend = page.getByRole('list', { name: 'Series' });
    await legend.getByRole('button', { name: '1.0.0 Windows x86_64 30' }).waitFor();
    const colour = await legend
      .getByRole('button', { name: /^1\.0\.0/ })
      .locator('svg > rect')
      .getAttribute('stroke');
    const image = page.getByRole('img', { name: /^boot_ok by day/ });
    await image
      .and(page.getByRole('img', { name: /1\.0\.0 Windows x86_64: 30; 1\.1\.0 Linux x86_64: 10\.$/ }))
      .waitFor();
    await legend.getByRole('button', { name: /^1\.0\.0/ }).click();
    await page.getByRole('img', { name: /^boot_ok by day, [^:]*\. 1\.1\.0 Linux x86_64: 10\.$/ }).waitFor();
    await page.getByRole('button', { name: 'By OS' }).click();
    await legend.getByRole('button', { name: 'Windows 30' }).waitFor();
    await open('/health');
    assert.equal(
      await row(/1\.0\.0/)
        .locator('svg > rect')
        .getAttribute('stroke'),
      colour,
    );
  });

  test('shows the data of one device, exports it, and deletes it after naming the consequences', async (t) => {
    const { browser, service } = site;
    if (browser === null) return t.skip(NO_CHROMIUM);
    const device = `${builds.linux.slice(-4)}-11`;
    await open('/events');
    await page.getByRole('textbox', { name: 'device_uid' }).fill(device);
    await page.getByRole('button', { name: 'Look up' }).click();
    await page.getByRole('table', { name: 'Events of the device' }).getByText('session_start').waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as JSON' }).click(),
    ]);
    assert.equal(file.suggestedFilename(), `device-${device}.json`);
    const record = JSON.parse(await readFile(await file.path(), 'utf8'));
    assert.deepEqual(
      [record.device_uid, record.builds.length, record.events.map(({ event }: { event: string }) => event)],
      [device, 1, ['session_start']],
    );
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this device?' });
    await dialog.getByText('one build will count one device fewer, which may change its band').waitFor();
    await dialog.getByRole('button', { name: 'Delete device' }).click();
    await page.getByText('Events deleted: 1. Builds with one device fewer: 1.').waitFor();
    await open('/health');
    await row(/1\.1\.0 Linux x86_64 Unrated 11 of 20 devices/).waitFor();
    const ask = askAs(service, studio.session);
    const remaining = await ask<{ events: unknown[] }>('GET', `/games/${studio.gameUid}/devices/${device}`);
    assert.deepEqual(remaining.events, []);
  });

  test('shows the command that sends the first event of a game', async (t) => {
    const { browser, service } = site;
    if (browser === null) return t.skip(NO_CHROMIUM);
    const ask = askAs(service, studio.session);
    const { game_uid, slug } = await ask<{ game_uid: string; slug: string }>('POST', '/games', { name: 'Quiet Lake' });
    await page.goto(`${service.url}/dev/${slug}/events`);
    await page.getByRole('link', { name: 'Register your first build' }).waitFor();
    const key = await ask<Record<string, string>>('POST', `/games/${game_uid}/deploy-keys`);
    const build = { version: '0.1', os: 'linux', arch: 'x86_64' };
    await shipAndScan(service, keyOf(service, key), build, smallZip('lake'));
    await page.reload();
    const line = (await page.getByText(/^curl -sS/).textContent()) ?? '';
    const [, url = ''] = /curl -sS (\S+)/.exec(line) ?? [];
    const [, body = ''] = /-d '(.*)'$/.exec(line) ?? [];
    const headers = Object.fromEntries(
      [...line.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name, value]) => [name, value]),
    );
    const response = await fetch(url, { method: 'POST', headers: headers as Record<string, string>, body });
    assert.equal(response.status, 202, await response.text());
    await page.reload();
    await page.getByRole('checkbox', { name: /^boot_ok/ }).waitFor();
    await page.getByRole('img', { name: /^Events by day, .*boot_ok: 1\.$/ }).waitFor();
  });
});
