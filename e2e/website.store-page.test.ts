// The store page of a game: what developers write for it, and what players read, also without JavaScript.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { smallZip } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import type { Service } from './setup/processes.ts';
import { changeGame, shipBuild } from './setup/shop.ts';
import { serveSite } from './setup/site.ts';
import { openStudio, type Studio } from './setup/studio.ts';

const DESCRIPTION = `## What you do

Walk past **forty houses** in the rain.
<img src=x onerror=alert(1)>

- [Maps](https://maps.example.com/all)
- [Trap](javascript:alert(1))

![A tracker](https://tracker.example.com/x.png)`;

describe('the page of a game', () => {
  let service: Service;
  let browser: Browser | null;
  let studio: Studio;

  const site = serveSite(async (site) => {
    ({ service, browser } = site);
    studio = await openStudio(service, 'Small Walk');
    await Promise.all([
      shipBuild(service, studio, { version: '1.0.0', os: 'linux', arch: 'x86_64' }, smallZip('walk')),
      changeGame(service, studio, { tagline: 'A stroll through rain', description: DESCRIPTION }),
    ]);
  });

  async function openWithoutScripts(path = `/g/${studio.slug}`): Promise<Page> {
    const page = await site.openPage({ javaScriptEnabled: false, viewport: { width: 320, height: 700 } });
    await page.goto(service.url + path);
    return page;
  }

  async function openEditor(): Promise<Page> {
    const page = await site.openPage({ session: studio.session });
    await page.goto(`${service.url}/dev/${studio.slug}/edit/listing`);
    return page;
  }

  test('the description is formatted, and loads and runs nothing', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const page = await openWithoutScripts();
    const description = page.getByRole('region', { name: 'Description' });
    await description.getByRole('heading', { name: 'What you do', level: 2 }).waitFor();
    assert.equal(await description.locator('strong').textContent(), 'forty houses');
    await description.getByText('<img src=x onerror=alert(1)>').waitFor();
    const maps = description.getByRole('link', { name: 'Maps' });
    assert.equal(await maps.getAttribute('href'), 'https://maps.example.com/all');
    assert.equal(await maps.getAttribute('rel'), 'nofollow ugc noopener noreferrer');
    assert.equal(await description.getByRole('link').count(), 1);
    assert.equal(await description.locator('img').count(), 0);
    const summary = await page.locator('meta[name=description]').getAttribute('content');
    assert.match(summary ?? '', /^A stroll through rain – What you do Walk past forty houses in the rain\./);
  });

  test('a developer sees the formatted description next to the form while typing', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const page = await openEditor();
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByRole('heading', { name: 'What you do' }).waitFor();
    await page.getByRole('textbox', { name: 'Description' }).fill('Walk *slowly*.\nOr <b>not</b>.');
    await preview.locator('em', { hasText: 'slowly' }).waitFor();
    await preview.getByText('Or <b>not</b>.').waitFor();
    await page.getByRole('textbox', { name: 'Description' }).fill('');
    await preview.getByText('The description appears here.').waitFor();
  });
});
