// Playing what engines export, on its own origin and in the sandbox without one.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { shipAndScan } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM, startChromium } from './setup/chromium.ts';
import {
  ATTEMPTED,
  attemptsBuild,
  emscriptenBuild,
  hasEngines,
  NO_ENGINES,
  phaserBuild,
  pixiBuild,
  RED,
  threeBuild,
} from './setup/engine-builds.ts';
import { usePages } from './setup/page.ts';
import { serveSite } from './setup/site.ts';
import { openStudio, type Studio } from './setup/studio.ts';

const BUILDS = { emscriptenBuild, attemptsBuild };
const ENGINE_BUILDS = { pixiBuild, phaserBuild, threeBuild };
const ENGINES = [
  ['an Emscripten program with threads', 'emscriptenBuild', '2000000 counted, level Meadow'],
  ['a game of Pixi', 'pixiBuild', `pixi ${RED}`],
  ['a game of Phaser', 'phaserBuild', `phaser ${RED}, houses 40`],
  ['a game of three.js', 'threeBuild', `three ${RED}`],
] as const;
/** Names below `localhost` don't exist for some browsers. */
const VENUES = [
  { venue: 'on its own origin', blocked: null },
  { venue: 'in the sandbox without an origin', blocked: /^http:\/\/[^/]+\.localhost[:/]/ },
];
/** WebGL without a graphics card. */
const SOFTWARE = ['--enable-unsafe-swiftshader', '--use-angle=swiftshader'];

describe('engines on the website', () => {
  let studio: Studio;
  let browser: Browser | null;
  let isComplete: boolean;
  const site = serveSite(async ({ service }) => {
    studio = await openStudio(service, 'Small Walk');
    isComplete = await hasEngines();
    for (const [name, make] of Object.entries({ ...BUILDS, ...(isComplete && ENGINE_BUILDS) }))
      await shipAndScan(
        service,
        studio,
        { version: name, channel: name.toLowerCase(), os: 'web', arch: 'wasm32' },
        await make(),
      );
  });
  before(async () => {
    browser = await startChromium(SOFTWARE);
  });
  after(() => browser?.close());
  const pages = usePages(() => ({ service: site.service, browser }));

  /** Starts the build of a channel. Returns its status line when it is no longer loading. */
  async function play(page: Page, build: string, blocked: RegExp | null): Promise<string | null> {
    if (blocked !== null) await page.route(blocked, (route) => route.abort());
    await page.goto(`${site.service.url}/g/${studio.slug}/play?channel=${build.toLowerCase()}`);
    await page.getByRole('button', { name: 'Play Small Walk' }).click();
    const { hostname } = new URL((await page.locator('iframe').getAttribute('src')) ?? '', page.url());
    assert.equal(hostname.endsWith('.localhost'), blocked === null);
    const state = page.frameLocator('iframe').locator('#state', { hasNotText: /^loading$/ });
    return state.textContent();
  }

  for (const { venue, blocked } of VENUES) {
    for (const [what, build, expected] of ENGINES) {
      test(`${what} runs ${venue}`, async (t) => {
        if (browser === null) return t.skip(NO_CHROMIUM);
        if (!isComplete && build in ENGINE_BUILDS) return t.skip(NO_ENGINES);
        if (blocked !== null) pages.expectErrors(/^GET http:.*\.localhost:\d+\/play: net::ERR_FAILED/, /ERR_FAILED \(/);
        const page = await pages.openPage();
        assert.equal(await play(page, build, blocked), expected);
      });
    }

    test(`workers, images, requests, storage and errors work ${venue}`, async (t) => {
      if (browser === null) return t.skip(NO_CHROMIUM);
      if (blocked !== null) pages.expectErrors(/^GET http:.*\.localhost:\d+\/play: net::ERR_FAILED/, /ERR_FAILED \(/);
      pages.expectErrors(/broken on purpose/, /none\.js/, /none\.mjs/);
      const page = await pages.openPage();
      assert.deepEqual(JSON.parse((await play(page, 'attemptsBuild', blocked)) ?? ''), ATTEMPTED);
    });
  }
});
