// A game that only sends sessions of Sentry's SDKs: its crash-free rates, why it is unrated, and the sessions of a device.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { askAs } from '../packages/server/test/setup/api-calls.ts';
import { shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { serveSite } from './setup/site.ts';
import { openStudio, type Studio } from './setup/studio.ts';

const REASON = /don't say whether the game reached its menu, so its launches are unrated/;

describe("sessions of Sentry's SDKs", () => {
  let studio: Studio;
  let buildId: string;
  let page: Page;
  const players = Array.from({ length: 25 }, () => randomUUID());

  const site = serveSite(
    async ({ service, browser }) => {
      studio = await openStudio(service, 'Night Owls');
      const build = { version: '1.2.0', os: 'windows', arch: 'x86_64' };
      ({ buildId } = await shipAndScan(service, studio, build, smallZip('windows')));
      const ask = askAs(service, studio.session);
      const { dsn } = await ask<{ dsn: string }>('POST', `/games/${studio.gameUid}/dsns`, { name: 'all' });
      const sessions = players.map((did, no) => ({
        ...{ sid: randomUUID(), did, init: true, started: new Date().toISOString() },
        ...{ status: no < 5 ? 'crashed' : 'exited', attrs: { release: 'owls@1.2.0' } },
      }));
      const lines = sessions.flatMap((session) => ['{"type":"session"}', JSON.stringify(session)]);
      const response = await fetch(`${service.url}/tunnel`, {
        method: 'POST',
        body: [JSON.stringify({ dsn }), ...lines].join('\n'),
      });
      assert.equal(response.status, 200);
      if (browser === null) return;
      page = await site.openPage({ session: studio.session });
    },
    { env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } },
  );

  const open = (path: string) => page.goto(`${site.service.url}/dev/${studio.slug}${path}`);

  test('give the rates of a build and a version, which say why they are unrated', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    for (const path of [`/builds/${buildId}`, '/version?version=1.2.0']) {
      await open(path);
      await page.getByText(REASON).waitFor();
      const main = page.getByRole('main');
      await main.getByText('Crash-free sessions').waitFor();
      assert.match(await main.innerText(), /Crash-free devices\s+80%/);
      assert.doesNotMatch(await main.innerText(), /Crashed on boot/);
    }
  });

  test('are in the list of launch health, which claims nothing about launches', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/health');
    await page.getByText(REASON).waitFor();
    const row = page.getByRole('table', { name: 'Builds by launch health' }).getByRole('row', { name: /1\.2\.0/ });
    assert.match(await row.innerText(), /Unrated\s+only sessions/);
    assert.match(await row.innerText(), /80% of 25/);
    const days = page.getByRole('table', { name: 'Days of the build' });
    assert.match(await days.innerText(), /Devices\s+Crashed devices/);
  });

  test('are the rate of a channel on the overview of the game', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('');
    const row = page.getByRole('row', { name: /^stable/ });
    await row.waitFor();
    assert.match(await row.innerText(), /Unrated.*80%\s+of 25/s);
  });

  test('are in the record of a device', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open(`/events?device=${players[0]}`);
    const table = page.getByRole('table', { name: "Sessions from Sentry's SDKs" });
    // The version appears once the builds have been loaded.
    await table.getByText('1.2.0').waitFor();
  });
});
