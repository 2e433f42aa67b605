// The way from a compiler to the website: a game is built, `chauffeur symbols` takes what the build left, the game really
// crashes, and the page of the report has functions, files, lines and inlined calls.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { untilEqual } from '../packages/server/test/setup/until.ts';
import { register } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { reportByApi } from './setup/crash-clients.ts';
import { hasCompilers, NO_COMPILERS, SOURCES, TOOLCHAINS } from './setup/native-game.ts';
import { runCommand } from './setup/processes.ts';
import { type Site, serveSite } from './setup/site.ts';
import { openStudio, type Studio } from './setup/studio.ts';

type ShownFrame = { name: string; inlined: boolean; guessed: boolean; place: string };

/** The calls of the crash, the innermost first, and the comment on the line where each one is. */
const CALLS = [
  { name: /^Item::wear\(int\)$/, file: 'items.h', comment: 'The crash: there is no item.', inlined: true },
  { name: /^Pocket<Item>::use\(int, int\)$/, file: 'items.h', comment: 'Calls wear.', inlined: true },
  { name: /^Knight::swing\(int\)$/, file: 'knight.cc', comment: 'Calls use.', inlined: false },
  // Compilers name lambdas in their own ways.
  { name: /lambda|operator\(\)|\$_/, file: 'world.cc', comment: 'Calls swing.', inlined: true },
  { name: /^World::tick\(int\)$/, file: 'world.cc', comment: 'Calls attack.', inlined: false },
  { name: /^play\(World ?&\)$/, file: 'main.cc', comment: 'Calls tick.', inlined: false },
  { name: /^(main|entry_point\(\))$/, file: 'main.cc', comment: 'Calls play.', inlined: false },
] as const;

describe('a C++ game that crashes', () => {
  let studio: Studio;
  let page: Page;
  let canBuild: boolean;
  let places: string[];

  const site = serveSite(async ({ browser, service }: Site) => {
    studio = await openStudio(service, 'Knights of the Hill');
    if (browser !== null) page = await site.openPage({ session: studio.session });
  });
  before(async () => {
    canBuild = await hasCompilers();
    places = await Promise.all(CALLS.map(({ file, comment }) => placeOf(file, comment)));
  });

  /** Where the page says that a call is. */
  async function placeOf(file: string, comment: string): Promise<string> {
    const lines = (await readFile(join(SOURCES, file), 'utf8')).split('\n');
    const index = lines.findIndex((line) => line.endsWith(`// ${comment}`));
    assert.ok(index >= 0, comment);
    return `${file}:${index + 1}`;
  }

  function shownFrames(): Promise<ShownFrame[]> {
    const frames = page.getByRole('list', { name: 'Stack of the crashed thread' }).getByRole('listitem');
    return frames.evaluateAll((items) =>
      items.map((item) => ({
        name: item.querySelector('[title]')?.textContent ?? '',
        inlined: /inlined/.test(item.textContent ?? ''),
        guessed: /guessed/.test(item.textContent ?? ''),
        place: /[\w.]+:\d+$/.exec(item.textContent ?? '')?.[0] ?? item.textContent ?? '',
      })),
    );
  }

  for (const { name, os, build } of TOOLCHAINS) {
    test(`built with ${name}, shows functions, lines and inlined calls`, async (t) => {
      if (!canBuild) return t.skip(NO_COMPILERS);
      if (site.browser === null) return t.skip(NO_CHROMIUM);
      const folder = join(site.folder, name.replaceAll(/\W+/g, '-'));
      const game = await build(folder);
      const buildId = await register(site.service, studio, { version: `1.0.0-${name.length}`, os });
      const sent = await runCommand(['symbols', '--build-id', buildId, 'build'], {
        environment: studio.environment,
        folder,
      });
      assert.equal(sent.code, 0, sent.stderr);
      const target = { api: site.service.api, gameUid: studio.gameUid, buildId };
      const { id } = await reportByApi(target, { os, arch: 'x86_64' }, { dump: await game.crash(), log: 'a log' });
      await page.goto(`${site.service.url}/dev/${studio.slug}/crashes/reports/${id}`);
      await untilEqual(async () => (await shownFrames()).slice(0, CALLS.length).map(({ place }) => place), places);
      const frames = (await shownFrames()).slice(0, CALLS.length);
      for (const [index, call] of CALLS.entries()) assert.match(frames[index]?.name ?? '', call.name);
      assert.deepEqual(
        frames.map(({ inlined, guessed }) => ({ inlined, guessed })),
        CALLS.map(({ inlined }) => ({ inlined, guessed: false })),
      );
    });
  }
});
