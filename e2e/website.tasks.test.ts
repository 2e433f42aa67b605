// Seven tasks of a developer, from the overview of the game to the result. Each takes at most five clicks; their number
// and the seconds are printed.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { newestMail } from '../packages/server/test/setup/mail.ts';
import { openReceiver, type Receiver } from '../packages/server/test/setup/receiver.ts';
import { until } from '../packages/server/test/setup/until.ts';
import { shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { reportByApi, type Target } from './setup/crash-clients.ts';
import { serveSite } from './setup/site.ts';
import { addAccount, openStudio, readOffers, type Studio } from './setup/studio.ts';

const ROOT = join(import.meta.dirname, '..');
const DUMP = join(ROOT, 'packages', 'server', 'test', 'fixtures', 'crashes', 'null_deref_inline.dmp');
const MAX_CLICKS = 5;

describe('a developer', () => {
  let studio: Studio;
  let target: Target;
  let receiver: Receiver;
  before(async () => {
    receiver = await openReceiver();
  });
  after(() => receiver.close());

  const site = serveSite(
    async ({ service }) => {
      studio = await openStudio(service, 'Owls of the North');
      for (const version of ['1.0.0', '1.1.0'])
        for (const os of ['linux', 'macos', 'windows'] as const) {
          const zip = smallZip(`${version}-${os}.txt`);
          const { buildId } = await shipAndScan(service, studio, { version, os, channel: 'stable' }, zip);
          target = { api: service.api, gameUid: studio.gameUid, buildId };
        }
      await reportByApi(target, {}, { dump: new Uint8Array(await readFile(DUMP)), log: 'a log' });
    },
    { env: { CHAUFFEUR_ALERT_PRIVATE_HOSTS: '1' } },
  );

  /** Opens the overview of the game, and counts the clicks of `work` until it is done. */
  async function measure(t: TestContext, work: (page: Page) => Promise<void>, at = `/dev/${studio.slug}`) {
    const page = await site.openPage({
      session: studio.session,
      permissions: ['clipboard-read', 'clipboard-write'],
      viewport: { width: 1280, height: 900 },
    });
    let clicks = 0;
    await page.exposeFunction('countClick', () => {
      clicks += 1;
    });
    await page.addInitScript(() => {
      // A selection in a native list is a click as well.
      for (const kind of ['click', 'change'])
        document.addEventListener(
          kind,
          ({ isTrusted, target }) => {
            const isList = target instanceof HTMLSelectElement;
            if ((kind === 'change') === isList && (isTrusted || isList))
              (globalThis as unknown as { countClick: () => void }).countClick();
          },
          { capture: true },
        );
    });
    await page.goto(`${site.service.url}${at}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    const since = performance.now();
    await work(page);
    const seconds = (performance.now() - since) / 1000;
    t.diagnostic(`${clicks} clicks, ${seconds.toFixed(1)} s`);
    assert.ok(clicks > 0 && clicks <= MAX_CLICKS, `${clicks} clicks`);
    return page;
  }

  const tab = (page: Page, name: string) =>
    page.getByRole('navigation').getByRole('link', { name, exact: true }).first().click();

  test('ships the first build of a new game', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const folder = join(site.folder, 'tiny');
    await cp(join(ROOT, 'examples', 'tiny-game'), folder, { recursive: true });
    const path = [join(ROOT, 'node_modules', '.bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
    await measure(
      t,
      async (page) => {
        await page.getByRole('button', { name: 'Create game' }).click();
        await page.getByRole('textbox', { name: 'Name' }).fill('Owls of the South');
        await page.getByRole('button', { name: 'Create', exact: true }).click();
        await page.getByRole('button', { name: 'Create deploy key' }).click();
        await page.getByLabel('Game folder').fill(folder);
        const lines: string[] = [];
        for (const name of ['Copy credentials', 'Copy push command']) {
          await page.evaluate(() => navigator.clipboard.writeText(''));
          await page.getByRole('button', { name }).click();
          lines.push(
            await until(() => page.evaluate(() => navigator.clipboard.readText()).then((text) => text || undefined)),
          );
        }
        await promisify(execFile)('sh', ['-e', '-c', lines.join('\n')], {
          cwd: site.folder,
          env: { ...process.env, PATH: path },
        });
        await page.getByRole('heading', { name: 'Your first build is live' }).waitFor();
      },
      '/dev',
    );
  });

  test('finds the cause of the newest crash', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await measure(t, async (page) => {
      await tab(page, 'Crashes');
      await page.getByRole('table', { name: 'Crash groups' }).getByRole('link').first().click();
      await page.getByText("First frame in your game's code").waitFor();
      await page.getByRole('list', { name: 'Stack of the crashed thread' }).getByRole('listitem').first().waitFor();
    });
  });

  test('judges a release', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await measure(t, async (page) => {
      await tab(page, 'Builds');
      await page.getByRole('link', { name: 'Versions', exact: true }).click();
      await page.getByRole('table', { name: 'Versions' }).getByRole('link', { name: '1.1.0' }).click();
      await page.getByRole('heading', { name: 'Health' }).waitFor();
      await page.getByRole('heading', { name: 'Crashes' }).waitFor();
    });
  });

  test('rolls three platforms back', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await measure(t, async (page) => {
      await tab(page, 'Channels');
      await page.getByRole('button', { name: 'Roll back stable', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Roll back to 1.0.0' }).click();
      await page.getByText(/^stable on .* now has 1\.0\.0\.$/).waitFor();
    });
    const offers = await readOffers(site.service, studio.slug);
    assert.deepEqual(new Set(offers.map(({ version }) => version)), new Set(['1.0.0']));
  });

  test('resolves a crash in the next version', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await measure(t, async (page) => {
      await tab(page, 'Crashes');
      await page.getByRole('table', { name: 'Crash groups' }).getByRole('link').first().click();
      await page.getByRole('button', { name: 'Resolve' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click();
      await page.getByText('Group resolved in the next build.').waitFor();
    });
  });

  test('invites somebody', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await addAccount(site.service, { email: 'nora@example.com', password: 'correct horse battery' });
    await measure(t, async (page) => {
      await tab(page, 'Settings');
      await page.getByRole('link', { name: 'Members' }).click();
      await page.getByRole('textbox', { name: 'Email' }).fill('nora@example.com');
      await page.getByRole('button', { name: 'Send invitation' }).click();
      await page.getByText('We sent an invitation to nora@example.com.').waitFor();
    });
    await newestMail(site.service, 'Invitation to Owls of the North', 'nora@example.com');
  });

  test('gets alerts in Discord', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await measure(t, async (page) => {
      await tab(page, 'Settings');
      await page.getByRole('link', { name: 'Alerts' }).click();
      await page.getByRole('button', { name: 'Add a chat or webhook' }).click();
      const dialog = page.getByRole('dialog');
      // The address of Discord would choose it.
      await dialog.getByLabel('Address').fill(`${receiver.url}/chat`);
      await dialog.getByLabel('Send alerts to').selectOption('Discord');
      await dialog.getByRole('button', { name: 'Add and send test' }).click();
      await page.getByText('Added Discord, and sent a test to it').waitFor();
    });
    assert.equal((await receiver.take('/chat')).embeds.length, 1);
  });
});
