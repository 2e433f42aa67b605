// Crash reports: a developer finds a crash, uploads its symbols, resolves its group and downloads its files.
import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { untilEqual } from '../packages/server/test/setup/until.ts';
import { shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { reportByApi, reportByCrashpad, type Target } from './setup/crash-clients.ts';
import { runCommand } from './setup/processes.ts';
import { type Site, serveSite } from './setup/site.ts';
import { openStudio, type Studio } from './setup/studio.ts';

const FIXTURES = fileURLToPath(new URL('../packages/server/test/fixtures/crashes', import.meta.url));
const NO_DUMP = new TextEncoder().encode('no dump');
const LOG = `level: garage\nopen /home/ann/save\n<img src=x onerror=alert(1)>\n`;

describe('the crash pages', () => {
  let studio: Studio;
  let page: Page;
  let old: Target;

  const site = serveSite(async ({ browser, service }: Site) => {
    studio = await openStudio(service, 'Owls of the North');
    old = await ship('1.0.0');
    if (browser === null) return;
    page = await site.openPage({ session: studio.session, permissions: ['clipboard-read', 'clipboard-write'] });
    await open('/crashes');
    await page.getByRole('heading', { name: 'Crashes' }).waitFor();
  });

  async function ship(version: string): Promise<Target> {
    const zip = smallZip(`${version}.txt`);
    const { buildId } = await shipAndScan(
      site.service,
      studio,
      { version, os: 'linux', arch: 'x86_64', commit: 'abc1234' },
      zip,
    );
    return { api: site.service.api, gameUid: studio.gameUid, buildId };
  }

  const readDump = async (name: string) => new Uint8Array(await readFile(join(FIXTURES, `${name}.dmp`)));

  async function crash(target: Target, name: string, report: Record<string, unknown> = {}): Promise<void> {
    await reportByApi(target, { os: 'linux', arch: 'x86_64', ...report }, { dump: await readDump(name), log: LOG });
  }

  async function sendSymbols(name: string): Promise<void> {
    const folder = join(site.folder, name);
    await mkdir(join(folder, 'symbols'), { recursive: true });
    await copyFile(join(FIXTURES, `${name}.sym`), join(folder, 'symbols', `${name}.sym`));
    const args = ['symbols', '--build-id', old.buildId, 'symbols'];
    const { code, stderr } = await runCommand(args, { environment: studio.environment, folder });
    assert.equal(code, 0, stderr);
  }

  const open = (path: string) => page.goto(`${site.service.url}/dev/${studio.slug}${path}`);
  const groups = () => page.getByRole('table', { name: 'Crash groups' });
  const stack = () => page.getByRole('list', { name: 'Stack of the crashed thread' });

  test('show the first crash without a reload, and offer to show later ones', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.getByText('No crash reports yet.').waitFor();
    await page.getByText(`X-App-Id: ${studio.gameUid}`).waitFor();
    const words = 'I turned <b>left</b> at the second pillar.';
    await crash(old, 'null_deref_inline', { user_message: words, metadata: { level: 'garage' } });
    await groups().getByRole('link', { name: 'null_deref_inline' }).waitFor();
    await reportByCrashpad(old, { prod: 'Owls', ver: '1.0.0' }, await readDump('nosym_middle'));
    await page.getByRole('button', { name: 'Show 1 new group' }).click();
    await groups()
      .getByRole('link', { name: /^nosym_middle/ })
      .waitFor();
    await untilEqual(() => groups().locator('[data-row]').count(), 2);
  });

  test('open a group with the keyboard, and show the reason, the player’s message as text and the command for its symbols', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/builds');
    await page.getByRole('heading', { name: 'Builds' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('x');
    await groups().getByRole('link', { name: 'null_deref_inline' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'null_deref_inline' }).waitFor();
    await page.getByText('Invalid memory access at 0x14 (likely a null pointer).').waitFor();
    await page.getByText('“I turned <b>left</b> at the second pillar.”').waitFor();
    await page.getByText(/^(?:One module keeps|\d+ modules keep) stacks from being complete$/).waitFor();
    await page.getByText(`chauffeur symbols --build-id ${old.buildId} symbols`).waitFor();
    await page
      .getByText(/libc\.so\.6/)
      .first()
      .waitFor();
    await stack().getByText('guessed').first().waitFor();
    await page.getByText('Log', { exact: true }).first().waitFor();
  });

  test('link to the new group of a report when symbols arrive late', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    // The group has lost its only report.
    site.expectErrors(/status of 404 .*crash-groups/);
    const gone = page.waitForResponse((response) => response.status() === 404 && /crash-groups/.test(response.url()));
    await sendSymbols('null_deref_inline');
    await gone;
    await page.getByRole('link', { name: 'Go to render::measure' }).click();
    await page.getByRole('heading', { level: 1, name: 'render::measure' }).waitFor();
    await page.getByText("First frame in your game's code").waitFor();
    const first = stack().getByRole('listitem').first();
    await first.filter({ hasText: /render::measure.*inlined.*null_deref_inline\.cc:\d+/ }).waitFor();
    await page.getByText(`chauffeur symbols --build-id ${old.buildId} symbols`).waitFor({ state: 'detached' });
    const fold = stack().getByRole('button', { name: /^▸ \d+ frames in libc\.so\.6/ });
    await fold.waitFor();
    const before = await stack().getByRole('listitem').count();
    await fold.click();
    await stack().getByRole('listitem').nth(before).waitFor();
  });

  test('list the line of the source code, the totals, and times that fit into their columns', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const group = page.url();
    await page.setViewportSize({ width: 1280, height: 800 });
    await open('/crashes');
    const row = groups().getByRole('row').filter({ hasText: 'render::measure' });
    await row.getByText(/^null_deref_inline\.cc:\d+ · Invalid memory access/).waitFor();
    await page.getByText(/^\d+ groups · \d+ reports$/).waitFor();
    const cut = await groups()
      .locator('time')
      .evaluateAll((times) =>
        times.filter((time) => {
          const cell = time.closest('td')!.getBoundingClientRect();
          return time.getBoundingClientRect().right > cell.right;
        }),
      );
    assert.deepEqual(cut, []);
    await page.goto(group);
    await stack().waitFor();
  });

  test('link frames to the source code at the commit of the build', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const group = page.url();
    await open('/settings/source');
    await page.getByLabel('Address of a file').fill('https://git.example.com/owls/{commit}/{path}#L{line}');
    await page.getByLabel('Folders to remove from paths').fill('/build/game');
    await page.getByLabel('Try a path').fill('/build/game/x/../null_deref_inline.cc');
    await page.getByText('https://git.example.com/owls/COMMIT/null_deref_inline.cc#L12').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.goto(group);
    const link = stack().getByRole('link', { name: /null_deref_inline\.cc:\d+$/ });
    await link.first().waitFor();
    assert.match(
      (await link.first().getAttribute('href')) ?? '',
      /^https:\/\/git\.example\.com\/owls\/abc1234\/(?:.*\/)?null_deref_inline\.cc#L\d+$/,
    );
    await open(`/builds/${old.buildId}`);
    await page.getByText('abc1234').first().waitFor();
    await page.getByLabel('Commits since').waitFor();
    await page.goto(group);
    await stack().waitFor();
  });

  test('copy the stack with one key, and expand the log, the modules and the registers', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await page.keyboard.press('y');
    await page.getByRole('button', { name: 'Stack copied' }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(copied, /^render::measure\nSIGSEGV \/ SEGV_MAPERR at 0x14 · Linux amd64\n\n 0 {2}render::measure {2}/);
    await page.getByText('Log', { exact: true }).first().click();
    await page.getByText('open /home/<user>/save').waitFor();
    await page.getByText('<img src=x onerror=alert(1)>').waitFor();
    await page.getByText('Registers', { exact: true }).click();
    await page.getByText('0x000056064af5fce8').waitFor();
    await page.getByText('Modules', { exact: true }).click();
    await page
      .getByRole('table', { name: 'Modules' })
      .getByRole('row', { name: /^null_deref_inline .*Used/ })
      .waitFor();
    await page.getByText('Metadata', { exact: true }).click();
    await page.getByRole('region', { name: 'More details' }).getByText('garage', { exact: true }).waitFor();
  });

  test('show the reason, the trend and the first frames on a laptop without scrolling', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const laptop = await site.openPage({ session: studio.session, viewport: { width: 1280, height: 800 } });
    await laptop.goto(page.url());
    const frames = laptop.getByRole('list', { name: 'Stack of the crashed thread' }).getByRole('listitem');
    await frames.first().waitFor();
    const parts = [
      laptop.getByText('Invalid memory access at 0x14 (likely a null pointer).'),
      laptop.getByRole('img', { name: /^Reports by day/ }),
      frames.nth(4),
    ];
    for (const part of parts) {
      const box = await part.boundingBox();
      assert.ok(box !== null && box.y + box.height <= 800, JSON.stringify(box));
    }
  });

  test('claim nothing about the reports of a group that cannot be loaded', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    site.expectErrors(/500.*\/crashes\/[^/]+\)$/);
    const failing = await site.openPage({ session: studio.session });
    await failing.route(/\/api\/v1\/games\/[^/]+\/crashes\/[^/]+$/, (route) =>
      route.fulfill({ status: 500, json: { success: false, error: { code: 5000, message: 'The server failed.' } } }),
    );
    await failing.goto(page.url());
    await failing.getByRole('alert').getByText('The server failed').waitFor();
    await failing.getByText('Reports', { exact: true }).first().waitFor();
    // They are unknown while a request is repeated.
    await failing.getByText('Player messages').waitFor({ state: 'detached' });
  });

  test('load the rest of a group on a phone when someone reads on, and move nothing meanwhile', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const phone = await site.openPage({ session: studio.session, viewport: { width: 412, height: 823 } });
    const requests: string[] = [];
    phone.on('request', (request) => requests.push(request.url()));
    await phone.addInitScript(`
      window.shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.shift += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });
    `);
    // The newest build, on which the badge depends, comes last.
    const group = phone.waitForResponse(/\/crash-groups\/[^/]+$/);
    await phone.route(/\/builds\?page_size=1$/, async (route) => {
      await (await group).finished();
      await route.continue();
    });
    await phone.goto(page.url());
    await phone.getByText('First frame in your game').waitFor();
    await phone.getByRole('list', { name: 'Stack of the crashed thread' }).waitFor();
    const shift = await phone.evaluate<number>('window.shift');
    assert.ok(shift < 0.02, `the layout shifted by ${shift}`);
    // What changes meanwhile is loaded again.
    assert.ok(new Set(requests).size <= 25, `${requests.length} requests:\n${requests.join('\n')}`);
    assert.deepEqual(
      requests.filter((url) => /crash-impact|activity|similar/.test(url)),
      [],
    );
    await phone.mouse.wheel(0, 400);
    await phone.getByRole('region', { name: 'Impact' }).waitFor();
    await phone.getByRole('region', { name: 'Activity' }).waitFor();
  });

  test('search reports by any function on their stacks and by words, and keep the search in the URL', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/crashes');
    await groups().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(' layout::visit');
    await groups().getByRole('link', { name: 'render::measure' }).waitFor();
    await untilEqual(() => groups().locator('[data-row]').count(), 1);
    await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Reports' }).click();
    await page.getByLabel('Search crashes').fill('paintlevel2');
    await page.waitForURL(/q=paintlevel2/);
    const reports = page.getByRole('table', { name: 'Crash reports' });
    await reports.getByRole('link', { name: 'render::measure' }).waitFor();
    await untilEqual(() => reports.locator('[data-row]').count(), 1);
    await page.reload();
    await reports.getByRole('link', { name: 'render::measure' }).waitFor();
    await page.getByLabel('Search crashes').fill('message:pillar os:windows');
    await page.getByText('No matching crashes.').waitFor();
    await page.getByLabel('OS').selectOption('Linux');
    await untilEqual(() => page.getByLabel('Search crashes').inputValue(), 'message:pillar os:linux');
    await reports.getByRole('link', { name: 'render::measure' }).waitFor();
    await page.getByRole('button', { name: 'Groups' }).click();
    await groups().waitFor();
    await untilEqual(() => page.getByLabel('Search crashes').inputValue(), 'is:open');
  });

  test('resolve a group as fixed, undo it, and show a regression in a later build', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await groups().getByRole('link', { name: 'render::measure' }).click();
    await page.getByRole('button', { name: 'Resolve' }).click();
    const dialog = page.getByRole('dialog', { name: 'Resolve crash group' });
    await dialog.getByLabel('Fixed in version').fill('1.1.0');
    await dialog.getByRole('button', { name: 'Resolve as fixed in 1.1.0' }).click();
    await page.getByText(/^Group resolved as fixed in 1\.1\.0\./).waitFor();
    await page.getByText('Fixed in 1.1.0', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Change undone.').waitFor();
    await page.getByRole('button', { name: 'Redo' }).click();
    await page.getByText('Change made again.').waitFor();
    await page.getByText('Fixed in 1.1.0', { exact: true }).waitFor();
    await crash(await ship('1.1.0'), 'null_deref_inline');
    await page.getByText('Regressed', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Show 1 new report' }).click();
    await page.reload();
    await page.getByText('Also in 1.1.0 (newest build)').waitFor();
  });

  test('open a report, download its dump through a private link, and delete it after naming what is lost', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const reports = page.getByRole('table', { name: 'Crash reports' });
    await reports.locator('[data-row]').first().click();
    await page.waitForURL(/\/crashes\/reports\//);
    await page.getByText('Processed', { exact: true }).waitFor();
    const loading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download dump' }).click();
    const download = await loading;
    assert.match(download.suggestedFilename(), /^crash-[\w-]+\.dmp$/);
    assert.deepEqual(new Uint8Array(await readFile(await download.path())), await readDump('null_deref_inline'));
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this report?' });
    await dialog.getByText(/permanently deletes the report for everyone who works on Owls of the North/).waitFor();
    await dialog.getByText('Files deleted with it: stack, log, dump.').waitFor();
    await dialog.getByRole('button', { name: 'Delete report' }).click();
    await page.getByText('Report deleted, including its dump, log and stack.').waitFor();
  });

  test('show a report whose dump cannot be read', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const report = { message: 'assertion failed: car != null' };
    const { id } = await reportByApi(old, report, { dump: NO_DUMP, log: LOG });
    await open(`/crashes/reports/${id}`);
    await page.getByText('Unreadable', { exact: true }).waitFor();
    await page
      .getByText(/^The dump cannot be read:/)
      .first()
      .waitFor();
    const trail = page.getByRole('navigation', { name: 'Breadcrumb' });
    await trail.getByRole('link', { name: 'assertion failed: car != null' }).waitFor();
  });

  test('list the missing symbols on the page of a build, and count new groups on the games and overview pages', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open(`/builds/${old.buildId}`);
    const missing = page.getByRole('table', { name: 'Modules without symbols' });
    await missing.getByRole('row', { name: /^nosym_middle .*Never uploaded/ }).waitFor();
    await crash(await ship('1.2.0'), 'nosym_middle', { os: 'linux' });
    await reportByApi(await ship('1.3.0'), { message: 'a new one' }, { dump: NO_DUMP, log: LOG });
    // The page of all games doesn't follow.
    await open('/crashes');
    await groups().getByRole('link', { name: 'a new one' }).waitFor();
    await page.goto(`${site.service.url}/dev`);
    await page
      .getByRole('row', { name: /^Owls of the North/ })
      .getByRole('link', { name: '1', exact: true })
      .click();
    await page.waitForURL((url) => url.searchParams.get('q') === 'is:open is:new');
    await groups().getByRole('link', { name: 'a new one' }).waitFor();
    await page.getByText('New since 1.3.0', { exact: true }).first().waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('link', { name: /^\d+ new crash groups$/ }).waitFor();
    const top = page.getByRole('table', { name: 'Crashes that hit the most devices' });
    await top.getByRole('link', { name: 'a new one' }).waitFor();
  });
});
