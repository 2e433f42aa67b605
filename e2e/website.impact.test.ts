// Whom crashes hit, in a browser: the impact of a group, filters by facets, and the crashes of a build.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { askAs } from '../packages/server/test/setup/api-calls.ts';
import { envelope, newEventId, partsOf, sendEnvelope } from '../packages/server/test/setup/envelopes.ts';
import { untilEqual } from '../packages/server/test/setup/until.ts';
import { shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { serveSite } from './setup/site.ts';
import { openStudio, type Studio } from './setup/studio.ts';

const GPU = 'NVIDIA GeForce RTX 3060';

describe('the impact of crashes', () => {
  let studio: Studio;
  let page: Page;
  let buildId: string;

  const site = serveSite(async ({ service, browser }) => {
    studio = await openStudio(service, 'Night Shift');
    const build = { version: '1.0.0', os: 'linux', arch: 'x86_64' } as const;
    ({ buildId } = await shipAndScan(service, studio, build, smallZip('game.txt')));
    const report = (message: string, device_uid: string, gpu: string) =>
      fetch(`${service.api}/public/crashes`, {
        method: 'POST',
        headers: { 'x-app-id': studio.gameUid, 'x-build-id': buildId, 'content-type': 'application/json' },
        body: JSON.stringify({ message, device_uid, session_id: device_uid, metadata: { gpu, level: 'garage' } }),
      });
    for (const device of ['d1', 'd1', 'd2']) await report('The door is stuck', device, GPU);
    await report('The lamp is dark', 'd3', 'AMD Radeon RX 580');
    const path = `/games/${studio.gameUid}/dsns`;
    const { dsn } = await askAs(service, studio.session)<{ dsn: string }>('POST', path, { name: 'Linux' });
    for (const gpu of [GPU, GPU, 'Intel Arc A770']) await reportError(service, dsn, gpu);
    if (browser !== null) page = await site.openPage({ session: studio.session });
  });

  /** An error that the game handled, which one of Sentry's SDKs reports. */
  async function reportError(service: typeof site.service, dsn: string, gpu: string): Promise<void> {
    const error = { type: 'SaveError', value: 'no space', mechanism: { type: 'generic', handled: true } };
    const event = { level: 'error', release: buildId, exception: [error], contexts: { gpu: { name: gpu } } };
    const sent = envelope({ event_id: newEventId() }, [[{ type: 'event' }, JSON.stringify(event)]]);
    assert.equal((await sendEnvelope({ server: service, ...partsOf(dsn) }, sent)).status, 200);
  }

  const open = (path: string) => page.goto(`${site.service.url}/dev/${studio.slug}${path}`);
  const titles = () => page.getByRole('table', { name: 'Crash groups' }).locator('[data-row]').count();

  test('of a group shows devices and facets, which lead to the crashes with the same value', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/crashes');
    await untilEqual(titles, 2);
    await page.getByRole('link', { name: 'The door is stuck' }).click();
    const impact = page.getByRole('region', { name: 'Impact' });
    await impact.getByRole('link', { name: new RegExp(`^GPU ${GPU}.*: 3 reports, 2 devices$`) }).click();
    await page.waitForURL(/q=gpu/);
    await untilEqual(titles, 1);
  });

  test('of a query is a panel whose values are added to the query', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/crashes');
    await page.getByText('Facets', { exact: true }).click();
    await page.getByRole('button', { name: /^GPU AMD Radeon RX 580.*: 1 report, 1 device$/ }).click();
    await untilEqual(titles, 1);
    assert.equal(await page.getByLabel('Search crashes').inputValue(), 'is:open gpu:"AMD Radeon RX 580"');
  });

  test('of errors is apart from that of crashes, and a search of them is saved', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/crashes');
    await page.getByText('Facets', { exact: true }).click();
    await page.getByRole('button', { name: /^GPU NVIDIA.*: 3 reports, 2 devices$/ }).waitFor();
    await page.getByRole('button', { name: 'Errors', exact: true }).click();
    await page.getByRole('button', { name: /^GPU NVIDIA.*: 2 reports/ }).waitFor();
    await page.getByRole('button', { name: /^GPU Intel Arc A770.*: 1 report/ }).click();
    await untilEqual(titles, 1);
    await page.getByRole('button', { name: 'Save search' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save search' });
    await dialog.getByLabel('Name').fill('Arc');
    await dialog.getByRole('button', { name: 'Save search' }).click();
    await page.getByRole('button', { name: 'Delete search' }).waitFor();
    await open('/crashes');
    await page.getByLabel('Saved searches').selectOption('Arc');
    await page.waitForURL(/kind=error/);
    await page.getByRole('link', { name: /SaveError/ }).click();
    const impact = page.getByRole('region', { name: 'Impact' });
    await impact.getByRole('link', { name: /^GPU NVIDIA.*: 2 reports/ }).click();
    await page.waitForURL(/kind=error/);
    await untilEqual(titles, 1);
  });

  test('of a build has the groups that hit the most devices', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open(`/builds/${buildId}`);
    const table = page.getByRole('table', { name: 'Crash groups of this build' });
    await table.getByText('The door is stuck').waitFor();
    assert.match((await table.locator('tbody tr').first().textContent()) ?? '', /The door is stuck.*2.*3/);
  });
});
