// A game in Rust that ends with a segmentation fault. Sentry's SDK writes a dump in a separate process, and sends it.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { addSymbols } from '../../packages/server/test/setup/symbols.ts';
import { until } from '../../packages/server/test/setup/until.ts';
import { NO_CHROMIUM } from '../setup/chromium.ts';
import { clientFile, missingClient, openReportingGame, summaryOf } from '../setup/sentry-clients.ts';
import { serveSite } from '../setup/site.ts';
import { openStudio, type Studio } from '../setup/studio.ts';

describe('a dump of a game in Rust', { skip: missingClient('rust') }, () => {
  let studio: Studio;
  const site = serveSite(async ({ service }) => {
    studio = await openStudio(service);
  });

  test('is one crash report, with the names of its functions once the symbols are there', async (t) => {
    const game = await openReportingGame(site.service, studio.session);
    const { code, output } = await game.play('rust', 'crash');
    assert.equal(code, null, output);
    const [unnamed, ...others] = await game.reports();
    assert.deepEqual(others, []);
    assert.match(unnamed!.title, /^game\+0x/);
    assert.ok(unnamed!.missing_symbols.some(({ module }) => module === 'game'));
    await addSymbols(site.service, game, game.buildId, await readFile(clientFile('rust', 'game')));
    const named = await until(async () => {
      const [report] = await game.reports();
      return report!.title === 'game::drive' && report;
    });
    assert.deepEqual(summaryOf(named), {
      kind: 'crash',
      title: 'game::drive',
      buildId: game.buildId,
      message: '',
      thrown: [],
      own: [],
      breadcrumbs: ['ui: clicked play'],
      tag: 'mountains',
    });
    assert.equal(named.reason, 'SIGSEGV / SEGV_MAPERR');
    const functions = named.stack.filter(({ file }) => file?.endsWith('src/main.rs')).map(({ function: name }) => name);
    assert.deepEqual(functions, ['game::drive', 'game::crash', 'game::main']);

    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({ session: studio.session });
    await page.goto(`${site.service.url}/dev/${game.slug}/crashes/reports/${named.crash_id}`);
    await page.getByRole('heading', { name: 'game::drive' }).waitFor();
    await page.getByText('game::crash', { exact: true }).waitFor();
    await page.locator('summary', { hasText: 'Breadcrumbs' }).click();
    await page.getByText('clicked play').waitFor();
  });
});
