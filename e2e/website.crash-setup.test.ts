// What a developer sees of crash reporting before it works: what was refused because of a wrong build id, and how to set
// it up until the first report arrives.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { register } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { serveSite } from './setup/site.ts';
import { openStudio, type Studio } from './setup/studio.ts';

describe('crash reporting before it works', () => {
  let studio: Studio;
  let page: Page;

  const site = serveSite(
    async ({ service, browser }) => {
      studio = await openStudio(service, 'Small Walk');
      if (browser === null) return;
      page = await site.openPage({ session: studio.session });
    },
    { env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } },
  );

  const open = (path: string) => page.goto(`${site.service.url}/dev/${studio.slug}${path}`);
  async function sendEvents(buildId: string, count: number): Promise<void> {
    const headers = { 'content-type': 'application/json', 'x-app-id': studio.gameUid, 'x-build-id': buildId };
    const events = Array.from({ length: count }, () => ({ event: 'session_start', device_uid: 'a-device' }));
    const body = JSON.stringify({ events });
    const response = await fetch(`${site.service.api}/public/events`, { method: 'POST', headers, body });
    assert.equal(response.status, 403, await response.text());
  }

  test('says which wrong build ids a game sends and what to do, until the developer hides it', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    for (let no = 0; no < 12; no += 1) await sendEvents('BUILD_ID', 100);
    const sentence = page.getByText('1,200 events came with the build ID BUILD_ID: it was never replaced.');
    await open('/health');
    await sentence.waitFor();
    await page.getByText('Run chauffeur build --write <file> before the game is compiled').waitFor();
    await open('/crashes');
    await sentence.waitFor();
    await page.getByRole('button', { name: 'Hide until it happens again' }).click();
    await sentence.waitFor({ state: 'detached' });
    await sendEvents('1.0.0', 1);
    await page.reload();
    await page.getByText('1 event came with the build ID 1.0.0: it is a version, not an ID.').waitFor();
    await sentence.waitFor();
  });

  test('sets a game up with its ids, and shows the test crash as it arrives', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const buildId = await register(site.service, studio, { version: '1.2.0' });
    await open('/crashes');
    await page.getByText('Waiting for the first report:').waitFor();
    await page.getByLabel('Engine').selectOption('c');
    await page
      .getByText(/chauffeur build --version 1\.2\.0 .*--write src\/chauffeur_build\.h --game small-walk/)
      .waitFor();
    await page.getByText('#include "chauffeur_build.h"').waitFor();
    await page.getByLabel('Engine').selectOption('unity');
    await page.getByText('public class ChauffeurCrashes : MonoBehaviour').waitFor();
    await page.getByLabel('Engine').selectOption('godot');
    await page.getByText('crash_reporter/enabled=true').waitFor();
    const command = page.getByText(new RegExp(`X-App-Id: ${studio.gameUid}' -H 'X-Build-Id: ${buildId}'`));
    await command.waitFor();
    await page.getByRole('button', { name: 'Send a test crash' }).click();
    await page
      .getByRole('link', { name: /assertion failed/ })
      .first()
      .waitFor();
    await page
      .getByRole('link', { name: /assertion failed/ })
      .first()
      .click();
    await page.getByRole('heading', { level: 1, name: /assertion failed/ }).waitFor();
  });

  test('fills the ids into the examples of the documentation, for a developer who is signed in', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const buildId = await register(site.service, studio, { version: '1.3.0' });
    const docs = (path: string) => `${site.service.url}/docs/${path}`;
    const developer = await site.openPage({ session: studio.session });
    const example = developer.getByText('curl -sS').first();
    await developer.goto(docs('crashes'));
    await example.waitFor();
    assert.equal(await developer.getByText('The examples below have the ids of').count(), 0, 'no game was opened yet');
    await developer.goto(`${site.service.url}/dev/${studio.slug}`);
    await developer.getByRole('heading', { level: 1 }).first().waitFor();
    await developer.goto(docs('crashes'));
    await developer.getByText('and of its newest build, 1.3.0 for Linux.').waitFor();
    await developer
      .getByText(`-H "X-App-Id: ${studio.gameUid}" -H "X-Build-Id: ${buildId}"`, { exact: false })
      .first()
      .waitFor();
    await developer.goto(docs('unreal'));
    await developer.getByText(`AppId="${studio.gameUid}"`, { exact: false }).waitFor();
    await developer.getByLabel('Game').selectOption('no game');
    await developer.getByText('AppId="0193a7c0-1111-', { exact: false }).waitFor();
    await developer.reload();
    await developer.getByText('The examples below have the ids of').waitFor();
    assert.equal(await developer.getByLabel('Game').inputValue(), '');

    const visitor = await site.openPage();
    const asked: string[] = [];
    visitor.on('request', (request) => asked.push(request.url()));
    await visitor.goto(docs('unreal'), { waitUntil: 'networkidle' });
    await visitor.getByText('AppId="0193a7c0-1111-', { exact: false }).waitFor();
    assert.deepEqual(
      asked.filter((url) => url.includes('/api/')),
      [],
    );
  });
});
