// What the page of a crash report shows besides the crashed stack: all threads with registers and memory, and
// attachments.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { picture } from '../packages/server/test/setup/images.ts';
import { untilEqual } from '../packages/server/test/setup/until.ts';
import { shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { reportByApi, type Target } from './setup/crash-clients.ts';
import { type Site, serveSite } from './setup/site.ts';
import { openStudio, type Studio } from './setup/studio.ts';

const FIXTURES = fileURLToPath(new URL('../packages/server/test/fixtures/crashes', import.meta.url));

describe('the evidence of a crash report', () => {
  let studio: Studio;
  let page: Page;
  let target: Target;

  const site = serveSite(async ({ browser, service }: Site) => {
    studio = await openStudio(service, 'Foxes of the South');
    target = await ship('1.0.0');
    if (browser !== null) page = await site.openPage({ session: studio.session });
  });

  async function ship(version: string): Promise<Target> {
    const build = { version, os: 'linux', arch: 'x86_64' } as const;
    const { buildId } = await shipAndScan(site.service, studio, build, smallZip(`${version}.txt`));
    return { api: site.service.api, gameUid: studio.gameUid, buildId };
  }

  const readDump = async (name: string) => new Uint8Array(await readFile(join(FIXTURES, `${name}.dmp`)));
  const open = (path: string) => page.goto(`${site.service.url}/dev/${studio.slug}${path}`);

  async function put(url: string | undefined, body: string | Uint8Array): Promise<void> {
    const response = await fetch(url ?? '', { method: 'PUT', body: body as Uint8Array<ArrayBuffer> });
    assert.equal(response.status, 200);
  }

  async function openReport(facts = {}, log = 'a log'): Promise<string> {
    const { id } = await reportByApi(target, facts, { dump: await readDump('null_deref_inline'), log });
    await open(`/crashes/reports/${id}`);
    await page.getByText('Processed', { exact: true }).waitFor();
    return id;
  }

  test('has every thread with its frames, registers and stack memory', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await openReport();
    await page.getByText('All threads', { exact: true }).click();
    await page.getByText(/^Crashed · /).click();
    await page.getByRole('list', { name: /^Stack of Thread \d+/ }).waitFor();
    const memory = page.getByRole('region', { name: /^Stack memory of Thread \d+/ });
    await memory.getByText('← stack pointer').waitFor();
    assert.equal(await memory.getByRole('row').count(), 49);
    await page.getByRole('button', { name: 'Show all 512 words' }).click();
    await memory.getByRole('row').nth(512).waitFor();
    await memory
      .getByText(/^libc\.so\.6 \+ 0x/)
      .first()
      .waitFor();
  });

  test('has attachments: a screenshot is shown, a text can be read, and the original is downloaded', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const attachments = [{ name: 'screen.png' }, { name: 'page.html' }];
    const { id, uploads } = await reportByApi(
      target,
      { attachments },
      { dump: await readDump('nosym_middle'), log: 'x' },
    );
    await put(uploads.attachments?.[0]?.url, await picture(1920, 1080, 'png'));
    await put(uploads.attachments?.[1]?.url, '<script>document.title = "broken"</script>');
    await open(`/crashes/reports/${id}`);
    const image = page.getByRole('img', { name: 'Attachment screen.png' });
    await image.waitFor();
    await untilEqual(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth), 1920);
    await page.getByText('Show text', { exact: true }).click();
    await page.getByRole('region', { name: 'End of page.html' }).getByText('<script>').waitFor();
    const loading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download page.html' }).click();
    assert.equal((await loading).suggestedFilename(), 'page.html');
    assert.notEqual(await page.title(), 'broken');
  });

  test('is compared with that of another report of the group', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const dump = await readDump('null_deref_inline');
    const { id: other } = await reportByApi(target, { metadata: { level: 'attic' } }, { dump, log: 'the other log' });
    await openReport();
    await page.getByRole('link', { name: 'Compare with…' }).click();
    await page.getByRole('heading', { name: 'Compare reports' }).waitFor();
    await page.getByLabel('Report ID').fill(other);
    await page.getByRole('button', { name: 'Compare' }).click();
    const facts = page.getByRole('table', { name: 'Facts of both reports' });
    await facts.getByRole('row', { name: 'Metadata: level ≠ – attic' }).waitFor();
    const stacks = page.getByRole('table', { name: 'Stacks of both reports' });
    await stacks.getByRole('row').nth(1).waitFor();
    await page.getByText('the other log').waitFor();
    await page.getByLabel('Only differences').check();
    await untilEqual(() => facts.getByRole('row').count(), 2);
    await page.getByText('No differences.').waitFor();
  });

  test('is compared with another one that is selected in the list, with the mouse or the keyboard', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    // The list has each report before the next one is sent, so their order is known.
    for (const level of ['cellar', 'roof', 'tower'])
      await openReport({ metadata: { level } }, `the log of the ${level}`);
    const facts = page.getByRole('table', { name: 'Facts of both reports' });
    const bar = page.getByRole('group', { name: 'Selected reports' });

    await openReport();
    await open('/crashes?view=reports&q=');
    const reports = page.getByRole('table', { name: 'Crash reports' });
    const boxes = reports.getByRole('checkbox', { name: /^Select null_deref_inline\+0x/ });
    await untilEqual(async () => (await boxes.count()) >= 4, true);
    await boxes.nth(3).check();
    await bar.getByText('1 selected. Select another report to compare it with.').waitFor();
    await boxes.nth(1).check();
    assert.equal(await boxes.nth(0).isDisabled(), true);
    await bar.getByRole('button', { name: 'Compare' }).click();
    await facts.getByRole('row', { name: 'Metadata: level ≠ cellar tower' }).waitFor();

    await page.goBack();
    await untilEqual(async () => (await boxes.count()) >= 4, true);
    await bar.getByText('2 selected').waitFor();
    await bar.getByRole('button', { name: 'Clear selection' }).click();
    for (const key of ['j', 'j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await bar.getByText('2 selected').waitFor();
    await page.keyboard.press('x');
    await bar.getByText(/^1 selected/).waitFor();
    // The checkbox itself takes the space bar, and the keys of the list still work on it.
    await boxes.nth(2).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('c');
    await facts.getByRole('row', { name: 'Metadata: level ≠ tower roof' }).waitFor();
  });

  test('is compared with another one of its group, from the page of the group', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await openReport();
    await open('/crashes?q=');
    await page.getByRole('table', { name: 'Crash groups' }).getByRole('link', { name: 'null_deref_inline' }).click();
    await page.getByRole('heading', { level: 1, name: 'null_deref_inline' }).waitFor();
    await page.keyboard.press('End');
    const reports = page.getByRole('table', { name: 'Crash reports' });
    for (const at of [0, 1]) await reports.getByRole('checkbox').nth(at).check();
    await page.getByRole('group', { name: 'Selected reports' }).getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('table', { name: 'Facts of both reports' }).waitFor();
  });

  test('has breadcrumbs: the last events of the session, or why there are none', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const session = { device_uid: 'device-1', session_id: 'session-1' };
    const properties = { level: 'attic', '<b>': '<i>x</i>' };
    const sent = await fetch(`${target.api}/public/events`, {
      method: 'POST',
      headers: { 'x-app-id': target.gameUid, 'x-build-id': target.buildId, 'content-type': 'application/json' },
      body: JSON.stringify({
        events: [
          { event: 'session_start', ...session },
          { event: 'level_loaded', ...session, properties },
          { event: 'elsewhere', ...session, session_id: 'session-2' },
        ],
      }),
    });
    assert.equal(sent.status, 202);
    const { id } = await reportByApi(target, session, { dump: await readDump('null_deref_inline'), log: 'a log' });
    await open(`/crashes/reports/${id}`);
    await page.getByText('Processed', { exact: true }).waitFor();
    await page.getByText('Breadcrumbs', { exact: true }).click();
    const events = page.getByRole('table', { name: 'Breadcrumbs' });
    await events.getByRole('row', { name: 'level_loaded <b>=<i>x</i> level=attic' }).waitFor();
    assert.equal(await events.getByRole('row').count(), 3);
    await openReport();
    await page.getByText('Breadcrumbs', { exact: true }).click();
    await page.getByText(/^The report has no session ID\./).waitFor();
  });

  test('is part of a comparison of two builds', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const older = await ship('2.0.0');
    const newer = await ship('2.1.0');
    const [shared, gone] = [await readDump('null_deref_inline'), await readDump('nosym_middle')];
    await reportByApi(older, {}, { dump: shared, log: 'a log' });
    await reportByApi(older, {}, { dump: gone, log: 'a log' });
    await reportByApi(newer, {}, { dump: shared, log: 'a log' });
    const { id } = await reportByApi(newer, {}, { dump: shared, log: 'a log' });
    await open(`/crashes/reports/${id}`);
    await page.getByText('Processed', { exact: true }).waitFor();
    await open(`/builds/${newer.buildId}`);
    await page.getByRole('link', { name: 'Compare with…' }).click();
    await page.getByText('Choose two different builds.').waitFor();
    await page.getByLabel('Compared with').selectOption('2.0.0 for Linux x86_64');
    const both = page.getByRole('table', { name: 'Crashes in both' });
    await both.getByRole('row').nth(1).waitFor();
    assert.match(await both.getByRole('row').nth(1).innerText(), /\b2\s+1$/);
    const old = page.getByRole('table', { name: 'Crashes only in 2.0.0' });
    assert.equal(await old.getByRole('row').count(), 2);
    await page.getByRole('region', { name: 'Crashes only in 2.1.0' }).getByText('None.').waitFor();
    await page
      .getByRole('table', { name: 'Comparison' })
      .getByRole('row', { name: /^Devices 0 0/ })
      .waitFor();
    await page.getByText(/^The commit of one of the builds is unknown\./).waitFor();
    await page.getByRole('button', { name: 'Swap' }).click();
    await page.waitForURL(new RegExp(`a=${older.buildId}&b=${newer.buildId}`));
    await page.getByRole('table', { name: 'Crashes only in 2.0.0' }).waitFor();
  });
});
