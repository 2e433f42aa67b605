// cspell:ignore Spiele
// Public pages in the language that the browser prefers, or that the visitor chose in the footer.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { textsOf } from '@chauffeur/contract/texts/catalogue';
import type { Page } from 'playwright-core';
import { addPictures, picture } from '../packages/server/test/setup/images.ts';
import { type Shipped, shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { findSeriousProblems } from './setup/accessibility.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import type { Service } from './setup/processes.ts';
import { serveSite } from './setup/site.ts';
import { addAccount, changeGame, openStudio } from './setup/studio.ts';

const PLAYER = { email: 'player@example.com', password: 'correct horse battery' };
const de = textsOf('de');
const LINUX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

describe('public pages', () => {
  let service: Service;
  let shipped: Shipped;

  const site = serveSite(async (site) => {
    ({ service } = site);
    const studio = await openStudio(service, 'Small Walk');
    await addAccount(service, PLAYER);
    [shipped] = await Promise.all([
      shipAndScan(service, studio, { version: '1.2.0', os: 'linux', arch: 'x86_64' }, smallZip('walk')),
      changeGame(service, studio, { tagline: 'A stroll through rain', description: 'One evening.' }),
      addPictures(service, studio, 'screenshot', [await picture(), await picture(1920, 1080)]),
    ]);
  });

  async function open(path: string, options: Parameters<typeof site.openPage>[0] = {}): Promise<Page> {
    const page = await site.openPage({ locale: 'de-AT', userAgent: LINUX, ...options });
    await page.goto(service.url + path);
    return page;
  }

  const languageOf = (page: Page) => page.locator('html').getAttribute('lang');

  test('are in the language that the browser prefers, with what scripts say', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await open('/g/small-walk');
    assert.equal(await languageOf(page), 'de');
    await page.getByRole('link', { name: de.t('downloads.best', { os: 'Linux' }) }).waitFor();
    await page.getByText(de.t('scan.unscanned')).waitFor();
    await page.getByRole('button', { name: de.t('game.image.enlarge', { no: 1, total: 2 }) }).click();
    const viewer = page.getByRole('dialog', { name: de.t('game.images', { game: 'Small Walk' }) });
    await viewer.getByText(de.t('viewer.place', { no: 1, total: 2 })).waitFor();
    await page.keyboard.press('ArrowRight');
    await viewer.getByRole('img', { name: de.t('game.image', { game: 'Small Walk', no: 2, total: 2 }) }).waitFor();
    await page.goto(`${service.url}/g/small-walk/files/${shipped.fileUid}`);
    await page.getByRole('heading', { name: de.t('file.origin') }).waitFor();
    await page.goto(`${service.url}/browse?q=nothing`);
    await page.getByRole('heading', { name: de.t('browse.noMatch') }).waitFor();
    await page.goto(`${service.url}/browse?q=small`);
    await page
      .getByText(de.t('browse.countFor', { games: de.t('browse.count', { count: 1 }), text: 'small' }))
      .waitFor();
  });

  test('are in the language that was chosen in the footer, also without JavaScript', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await open('/browse?os=linux', { javaScriptEnabled: false });
    await page
      .getByRole('navigation', { name: de.t('site.languages') })
      .getByRole('link', { name: 'English' })
      .click();
    assert.equal(await languageOf(page), 'en');
    // The filter stays, and so does the language on the next page.
    await page.getByRole('navigation', { name: 'OS' }).getByRole('link', { name: 'Linux', exact: true }).waitFor();
    assert.match(page.url(), /os=linux/);
    await page.getByRole('link', { name: 'Small Walk' }).click();
    await page.getByRole('link', { name: 'Download for Linux' }).waitFor();
    await page.getByRole('navigation', { name: 'Language' }).getByRole('link', { name: 'Deutsch' }).click();
    await page.getByRole('link', { name: de.t('downloads.best', { os: 'Linux' }) }).waitFor();
  });

  test('and the pages to play, report a bug and sign in are in the same language', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    site.expectErrors(/status of 400 .*reset-password/, /status of 401 .*sign-in/);
    const page = await open('/g/small-walk/report');
    assert.equal(await languageOf(page), 'de');
    await page.getByRole('heading', { name: de.t('bug.heading') }).waitFor();
    assert.equal(await page.title(), `${de.t('bug.title', { game: 'Small Walk' })} · Chauffeur`);
    await page.getByRole('button', { name: de.t('bug.send') }).click();
    await page.getByText(de.t('field.mistake.empty')).waitFor();
    await page.getByRole('textbox', { name: de.t('bug.message') }).fill('It never ends.');
    await page.getByRole('link', { name: de.t('site.signIn') }).click();
    const question = page.getByRole('dialog', { name: de.t('bug.leave') });
    await question.getByRole('button', { name: de.t('dialog.close') }).click();
    await page.getByRole('button', { name: de.t('bug.send') }).click();
    await page.getByText(de.t('bug.sent', { number: 1 })).waitFor();

    await page.goto(`${service.url}/g/small-walk/play`);
    await page.getByText(de.t('play.none')).waitFor();
    // Not the API's message, which is in English.
    await page.goto(`${service.url}/reset?token=nothing`);
    await page.getByRole('textbox', { name: de.t('field.newPassword') }).fill('correct horse battery');
    await page.getByRole('button', { name: de.t('reset.new.submit') }).click();
    await page.getByRole('alert').getByText(de.t('error.account.INVALID_TOKEN')).waitFor();
    assert.deepEqual(await findSeriousProblems(page), []);

    // Pages of the program have the choice of the language in their footer, too. The address keeps what it says.
    const language = (name: string, link: string) =>
      page.getByRole('navigation', { name, exact: true }).getByRole('link', { name: link });
    await page.goto(`${service.url}/sign-in?next=${encodeURIComponent('/g/small-walk')}`);
    await language(de.t('site.languages'), 'English').click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('next'), '/g/small-walk');
    await page.goto(`${service.url}/g/small-walk/play`);
    await language('Language', 'Deutsch').click();
    await page.getByText(de.t('play.none')).waitFor();

    // A page for developers is in English, and the page to sign in that it leads to is not.
    await page.getByRole('link', { name: de.t('site.games') }).click();
    await page.getByRole('heading', { name: de.t('signIn.title') }).waitFor();
    await page.getByRole('textbox', { name: de.t('field.email') }).fill(PLAYER.email);
    await page.getByRole('textbox', { name: de.t('field.password') }).fill('wrong');
    await page
      .locator('main')
      .getByRole('button', { name: de.t('signIn.title'), exact: true })
      .click();
    await page.getByRole('alert').getByText(de.t('error.account.INVALID_EMAIL_OR_PASSWORD')).waitFor();
    await page.getByRole('textbox', { name: de.t('field.password') }).fill(PLAYER.password);
    await page
      .locator('main')
      .getByRole('button', { name: de.t('signIn.title'), exact: true })
      .click();
    await page.getByRole('heading', { name: 'Your games' }).waitFor();
    assert.equal(await languageOf(page), 'en');
    assert.equal(await page.getByRole('navigation', { name: 'Language' }).count(), 0);
    await page.getByRole('link', { name: 'Browse' }).waitFor();
  });

  test('name their other languages to search engines, and are kept by shared caches for each language', async () => {
    const get = async (path: string, headers: Record<string, string> = {}) => {
      const response = await fetch(service.url + path, { headers });
      return { headers: response.headers, text: await response.text() };
    };
    const plain = await get('/g/small-walk');
    assert.match(plain.text, /<html lang="en">/);
    const url = `${service.url}/g/small-walk`;
    const addresses = { en: `${url}?lang=en`, de: `${url}?lang=de`, 'x-default': url };
    for (const [language, address] of Object.entries(addresses))
      assert.ok(plain.text.includes(`<link rel="alternate" hreflang="${language}" href="${address}">`), language);
    assert.match(plain.headers.get('vary') ?? '', /Accept-Language/);
    assert.match(plain.headers.get('cache-control') ?? '', /s-maxage/);
    assert.equal(plain.headers.get('set-cookie'), null);

    const german = await get('/g/small-walk?lang=de');
    assert.ok(german.text.includes(`<link rel="canonical" href="${url}?lang=de">`));
    assert.match(german.headers.get('set-cookie') ?? '', /^chauffeur\.language=de; /);
    assert.match(german.headers.get('cache-control') ?? '', /private/);
    assert.notEqual(german.headers.get('etag'), plain.headers.get('etag'));

    for (const lang of ['xx', '', 'de,en', '<b>', 'x'.repeat(5000)]) {
      const { text, headers } = await get(`/g/small-walk?lang=${encodeURIComponent(lang)}`);
      assert.match(text, /<html lang="en">/);
      assert.equal(headers.get('set-cookie'), null);
    }
    const missing = await get('/nowhere', { 'accept-language': 'de', accept: 'text/html' });
    assert.ok(missing.text.includes(`<h1>${de.t('problem.notFound')}</h1>`));
    const hidden = await get('/browse?q=walk&lang=de');
    assert.doesNotMatch(hidden.text, /hreflang="x-default"/);
    const program = await get('/sign-in?lang=de');
    assert.match(program.text, /<noscript>.*<a href="\/browse">Spiele<\/a>.*<\/noscript>/);
    assert.match(program.headers.get('set-cookie') ?? '', /^chauffeur\.language=de; /);
  });
});
