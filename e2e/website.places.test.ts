// Finding the way on the website: pages that don't exist, going back to a place in a list, code that is missing after
// an update or without a connection, and warnings before something is lost.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { askAs } from '../packages/server/test/setup/api-calls.ts';
import { until, untilEqual } from '../packages/server/test/setup/until.ts';
import { type Shipped, shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { reportMessage } from './setup/crash-clients.ts';
import { serveSite } from './setup/site.ts';
import { changeGame, openStudio, type Studio } from './setup/studio.ts';

/** More than fit on one page of the list. */
const GROUPS = 40;

/** Names have no digits, which would put all messages into one group. */
const nameOf = (no: number) => String.fromCharCode(97 + Math.floor(no / 26), 97 + (no % 26));

describe('finding the way on the website', () => {
  let studio: Studio;
  let shipped: Shipped;
  const site = serveSite(async ({ service }) => {
    studio = await openStudio(service, 'Way Home');
    const build = { version: '1.0.0', os: 'linux', arch: 'x86_64' } as const;
    shipped = await shipAndScan(service, studio, build, smallZip('game.txt'));
    const target = { api: service.api, gameUid: studio.gameUid, buildId: shipped.buildId };
    for (let no = 0; no < GROUPS; no += 1) await reportMessage(target, `The door ${nameOf(no)} is stuck`);
    const ask = askAs(service, studio.session);
    await until(async () => {
      const { groups } = await ask<{ groups: object[] }>('GET', `/games/${studio.gameUid}/crash-groups?limit=100`);
      return groups.length === GROUPS;
    });
  });

  const address = (path: string, game = studio.slug) => `${site.service.url}/dev/${game}${path}`;
  const openSignedIn = async (path: string): Promise<Page> => {
    const page = await site.openPage({ session: studio.session });
    await page.goto(address(path));
    return page;
  };

  test('addresses without a build, group, report or game show that there is no page', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({ session: studio.session });
    const unknown = '00000000-0000-4000-8000-000000000000';
    const paths = [
      address('/builds/123'),
      address(`/builds/${unknown}`),
      address(`/crashes/groups/${unknown}`),
      address('/crashes/reports/x'),
      address('/crashes', 'no-such-game'),
    ];
    site.expectErrors(/status of 40[04]/, /This game does not exist/);
    for (const path of paths) {
      await page.goto(path);
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      assert.equal(await page.getByRole('alert').count(), 0, path);
    }
  });

  test('a page that is opened by the uid of the game marks its section and moves to the address with the name', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({ session: studio.session });
    await page.goto(address('/crashes?q=door', studio.gameUid));
    await page.waitForURL(address('/crashes?q=door'));
    const section = page.getByRole('link', { name: 'Crashes', exact: true });
    await untilEqual(() => section.getAttribute('aria-current'), 'page');
  });

  test('the former addresses of the settings lead to them', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await openSignedIn('/edit/images');
    await page.getByRole('heading', { name: 'Media', level: 1 }).waitFor();
    assert.equal(page.url(), address('/settings/media'));
    await page.goto(address('/edit/audit?failed=1'));
    await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
    assert.equal(page.url(), address('/settings/audit?failed=1'));
    await page.goto(address('/edit'));
    await page.waitForURL(address('/settings/listing'));
    const settings = page.getByRole('navigation', { name: 'Settings' });
    await settings.getByRole('group', { name: 'Store page' }).getByRole('link', { name: 'Media' }).waitFor();
    await settings.getByRole('group', { name: 'Access' }).getByRole('link', { name: 'Members' }).waitFor();
  });

  test('going back from a crash group leads to the same place in the list, with the focus on the group', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await openSignedIn('/crashes');
    const rows = page.getByRole('table', { name: 'Crash groups' }).locator('[data-row]');
    await rows.first().waitFor();
    await page.getByRole('button', { name: 'Show more groups' }).click();
    await untilEqual(() => rows.count(), GROUPS);
    const last = rows.last();
    await last.scrollIntoViewIfNeeded();
    const [title, scrolled] = [await last.textContent(), await page.evaluate(() => window.scrollY)];
    assert.ok(scrolled > 0);
    for (const goBack of [
      () => page.goBack(),
      () => page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').click(),
    ]) {
      await last.click();
      await page.getByRole('heading', { name: title ?? '' }).waitFor();
      await goBack();
      await untilEqual(() => rows.count(), GROUPS);
      await untilEqual(() => page.evaluate(() => document.activeElement?.textContent), title);
      await untilEqual(() => page.evaluate(() => window.scrollY), scrolled);
    }
    // A link to the list starts at its top.
    await page.getByRole('link', { name: 'Overview' }).click();
    await rows.first().waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Crashes', exact: true }).click();
    await rows.first().waitFor();
    assert.ok((await rows.count()) < GROUPS);
  });

  test('without a connection, a page that was not loaded yet is opened as soon as there is one', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await openSignedIn('/builds');
    await page.getByRole('table', { name: 'Builds' }).waitFor();
    site.expectErrors(/ERR_INTERNET_DISCONNECTED/);
    await page.context().setOffline(true);
    // Until the page knows, it may still load the code.
    await page.getByText("You're offline.").waitFor();
    await Promise.all([page.waitForEvent('requestfailed'), page.getByRole('link', { name: 'Channels' }).click()]);
    assert.equal(await page.getByRole('alert').count(), 0);
    await page.context().setOffline(false);
    await page.getByRole('heading', { name: 'Channels', level: 1 }).waitFor();
    // The browser has no access to the rules of a style sheet that it could not load.
    const isStyled = () => page.evaluate(() => [...document.styleSheets].every(({ cssRules }) => cssRules.length > 0));
    await untilEqual(isStyled, true);
    await page.context().setOffline(true);
    await page.getByText("You're offline.").waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('zone');
    await page.context().setOffline(false);
    const field = page.getByRole('dialog', { name: 'Command palette' }).getByRole('combobox');
    await field.waitFor();
    assert.equal(await field.inputValue(), 'zone');
  });

  test('while the server is away, a page that was not loaded yet waits for it, without a reload', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({ session: studio.session });
    // The files fail as they do behind a proxy while the server restarts.
    let isAway = false;
    await page.route(/\/assets\/.*\.(js|css)$/, (route) =>
      isAway ? route.fulfill({ status: 502, body: '' }) : route.continue(),
    );
    await page.goto(address('/builds'));
    await page.getByRole('table', { name: 'Builds' }).waitFor();
    await page.clock.install();
    let reloads = 0;
    page.on('request', (request) => {
      if (request.isNavigationRequest()) reloads += 1;
    });
    isAway = true;
    site.expectErrors(/status of 502/);
    await page.getByRole('link', { name: 'Channels' }).click();
    await page.getByText('The server is busy or unavailable.').waitFor();
    // Longer than a few retries take.
    for (let no = 0; no < 10; no += 1) {
      const asked = page.waitForResponse(
        (response) => response.request().method() === 'HEAD' && response.status() === 502,
      );
      await page.clock.fastForward(5000);
      await asked;
    }
    isAway = false;
    await page.clock.fastForward(5000);
    await page.getByRole('heading', { name: 'Channels', level: 1 }).waitFor();
    assert.equal(reloads, 0);
  });

  test('after an update of the server, the site reloads once and keeps what was typed', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage();
    // The new version doesn't have the files of the old one, until the page is loaded from it.
    let isOld = false;
    page.on('request', (request) => {
      if (request.isNavigationRequest()) isOld = false;
    });
    await page.route(/\/assets\/.*\.js$/, (route) =>
      isOld ? route.fulfill({ status: 404, body: '' }) : route.continue(),
    );
    await page.goto(`${site.service.url}/sign-in`);
    await page.getByRole('textbox', { name: 'Email' }).fill('me@example.com');
    await page.getByRole('textbox', { name: 'Password' }).fill('a secret');
    isOld = true;
    site.expectErrors(/status of 404/);
    await page.getByRole('link', { name: /password/ }).click();
    await page.waitForURL(/\/reset$/);
    await page.getByRole('button', { name: 'Send email' }).waitFor();
    assert.equal(isOld, false);
    await page.goBack();
    const email = page.getByRole('textbox', { name: 'Email' });
    await untilEqual(() => email.inputValue(), 'me@example.com');
    assert.equal(await page.getByRole('textbox', { name: 'Password' }).inputValue(), '');
  });

  test('the list of shortcuts has those of the open page', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await openSignedIn('/crashes');
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    const help = page.getByRole('dialog');
    await help.getByText('Next row').waitFor();
    await help.getByText('Select row').waitFor();
    assert.equal(await help.getByText('Copy stack as text').count(), 0);
    await page.goto(address('/settings/source'));
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await help.getByText('Show keyboard shortcuts').waitFor();
    for (const text of ['Next row', 'Select row', 'Search this list', 'Compare'])
      assert.equal(await help.getByText(text).count(), 0, text);
    await page.goto(address('/bugs'));
    await page.getByRole('heading', { name: 'Bugs', level: 1 }).waitFor();
    await page.keyboard.press('/');
    await untilEqual(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Search tickets');
  });

  test('Shift selects the rows in between, and going back from a group selects them again', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await openSignedIn('/crashes');
    const rows = page.getByRole('table', { name: 'Crash groups' }).locator('tbody tr');
    const box = (no: number) => rows.nth(no).getByRole('checkbox');
    await box(1).click();
    await box(4).click({ modifiers: ['Shift'] });
    const chosen = page.getByRole('group', { name: /Selected/ });
    await chosen.getByText('4 selected').waitFor();
    await box(2).focus();
    await page.keyboard.press('x');
    await chosen.getByText('3 selected').waitFor();
    await rows.nth(6).getByRole('link').first().click();
    await page.getByRole('navigation', { name: 'Breadcrumb' }).waitFor();
    await page.goBack();
    await chosen.getByText('3 selected').waitFor();
    const checked = await Promise.all([0, 1, 2, 3, 4, 5].map((no) => box(no).isChecked()));
    assert.deepEqual(checked, [false, true, false, true, true, false]);
  });

  test('a listing with changes asks before it is left, and says that saving makes the game public', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await changeGame(site.service, studio, { visibility: 'public' });
    const page = await openSignedIn('/settings/listing');
    await page.getByRole('textbox', { name: 'Tagline' }).fill('Find the way out');
    await page.getByRole('link', { name: 'Media', exact: true }).click();
    await page.getByRole('dialog').getByText('Your changes to the listing are lost.').waitFor();
    await page.getByRole('button', { name: 'Stay' }).click();
    assert.equal(await page.getByRole('textbox', { name: 'Tagline' }).inputValue(), 'Find the way out');
    const asked = page.waitForEvent('dialog');
    await page.evaluate(() => setTimeout(() => location.reload()));
    const question = await asked;
    assert.equal(question.type(), 'beforeunload');
    await question.dismiss();

    // Someone else hides the game. Saving the tagline must not make it public again.
    await changeGame(site.service, studio, { visibility: 'draft' });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    const ask = askAs(site.service, studio.session);
    const game = await ask<{ visibility: string; tagline: string }>('GET', `/games/${studio.gameUid}`);
    assert.deepEqual([game.visibility, game.tagline], ['draft', 'Find the way out']);
    await page.getByRole('radio', { name: 'Public' }).check();
    await page.getByRole('button', { name: 'Save and make public' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('link', { name: 'Media', exact: true }).click();
    await page.getByRole('heading', { name: 'Media', level: 1 }).waitFor();
  });

  test('a new secret key is not lost without a warning, unless it was copied', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({ session: studio.session, permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(address('/settings/keys'));
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'Revoke and create a new key' }).click();
    await page.getByText("You won't see it again.").waitFor();
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByText("You haven't copied the secret key").waitFor();
    await page.getByRole('button', { name: 'Stay' }).click();
    await page.getByRole('button', { name: 'Copy secret key' }).click();
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
  });

  test('promoting a build that the channel already offers is not offered', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await openSignedIn(`/builds/${shipped.buildId}`);
    await page.getByRole('button', { name: 'Promote' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('stable on Linux x86_64 already offers 1.0.0. Nothing changes.').waitFor();
    assert.equal(await dialog.getByText('available to all players').count(), 0);
    assert.ok(await dialog.getByRole('button', { name: 'Promote' }).isDisabled());
    await dialog.getByLabel('Channel').fill('beta');
    await dialog.getByText('beta on Linux x86_64 offers nothing yet').waitFor();
    assert.ok(await dialog.getByRole('button', { name: 'Promote' }).isEnabled());
  });

  test('mistakes in forms are shown at their fields, and players see no codes', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage();
    await page.goto(`${site.service.url}/sign-in`);
    const email = page.getByRole('textbox', { name: 'Email' });
    await email.fill('someone');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Enter an email address, such as name@example.com.').waitFor();
    await page.getByText('This field is required.').waitFor();
    assert.equal(await email.getAttribute('aria-invalid'), 'true');
    await untilEqual(() => email.evaluate((field) => field === document.activeElement), true);
    await email.fill('someone@example.com');
    await page.getByText('Enter an email address').waitFor({ state: 'detached' });
    await page.goto(`${site.service.url}/sign-up`);
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('   ');
    await page.getByRole('button', { name: 'Create account' }).click();
    await untilEqual(() => name.evaluate((field) => field === document.activeElement), true);
    assert.equal(await name.getAttribute('aria-invalid'), 'true');
    await page.goBack();
    await email.fill('someone@example.com');
    await page.getByRole('textbox', { name: 'Password' }).fill('not the password');
    site.expectErrors(/status of 401/);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('Incorrect email or password.').waitFor();
    for (const text of ['Technical details', 'Error code', 'Request ID'])
      assert.equal(await page.getByText(text).count(), 0, text);
  });
});
