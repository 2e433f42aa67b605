// Forms of the website: what was typed is not lost without a question, secrets neither, and two people can edit at
// once.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { askAs } from '../packages/server/test/setup/api-calls.ts';
import { until, untilEqual } from '../packages/server/test/setup/until.ts';
import { shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { reportMessage } from './setup/crash-clients.ts';
import { submitSignIn } from './setup/page.ts';
import { serveSite } from './setup/site.ts';
import { changeGame, openStudio, type Studio, startBrowserSession } from './setup/studio.ts';

describe('forms', () => {
  let studio: Studio;
  let groupId: string;
  const builds: string[] = [];
  let bugUid: string;
  const site = serveSite(async ({ service }) => {
    studio = await openStudio(service, 'Paper Trail');
    for (const version of ['1.0.0', '1.1.0']) {
      const build = { version, os: 'linux', arch: 'x86_64' } as const;
      builds.push((await shipAndScan(service, studio, build, smallZip('game.txt'))).buildId);
    }
    const buildId = builds[0]!;
    await reportMessage({ api: service.api, gameUid: studio.gameUid, buildId }, 'The paper is stuck');
    const ask = askAs(service, studio.session);
    const bug = { message: 'The ink is dry.', build_id: buildId };
    bugUid = (await ask<{ bug_uid: string }>('POST', `/games/${studio.gameUid}/bugs`, bug)).bug_uid;
    const path = `/games/${studio.gameUid}/crash-groups`;
    const groups = () => ask<{ groups: { group_id: string }[] }>('GET', path);
    groupId = await until(async () => (await groups()).groups[0]?.group_id);
  });

  const addressOf = (path: string) => `${site.service.url}/dev/${studio.slug}${path}`;
  const openSignedIn = async (path: string, prepare?: (page: Page) => Promise<void>): Promise<Page> => {
    const page = await site.openPage({ session: studio.session });
    await page.clock.install();
    await prepare?.(page);
    await page.goto(addressOf(path));
    return page;
  };
  const stay = async (page: Page, text: string) => {
    await page.getByRole('dialog').getByText(text).waitFor();
    await page.getByRole('button', { name: 'Stay' }).click();
  };

  /** The message is announced with the field, which has the focus. */
  const shownAt = async (page: Page, field: Locator, text: string | RegExp) => {
    const id = await until(() => field.getAttribute('aria-errormessage').then((value) => value ?? undefined));
    const message = page.locator(`[id="${id}"]`);
    if (typeof text === 'string') assert.equal(await message.textContent(), text);
    else assert.match((await message.textContent()) ?? '', text);
    await untilEqual(() => field.evaluate((element) => element === document.activeElement), true);
  };

  /** Comes back to the page after a while, which loads its data again. */
  const comeBack = async (page: Page) => {
    await page.clock.fastForward(60_000);
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  };

  test('ask before the page is left, if something was changed or typed', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const forms: readonly [path: string, label: string, text: string, question: string][] = [
      ['/settings/source', 'Address of a file', 'https://code.example/{path}', 'changes to the links to source code'],
      ['/settings/issues', 'Repository', 'night/owls', 'changes to the issue tracker'],
      ['/settings/alerts', 'Daily digest at', '07:30', 'changes to the alert schedule'],
      [`/crashes/groups/${groupId}`, 'Comment', 'Seen in the second level', 'The comment you typed will be lost.'],
      [`/bugs/${bugUid}`, 'Reply', 'Which ink do you use?', 'The reply you typed will be lost.'],
    ];
    for (const [path, label, text, question] of forms) {
      const page = await openSignedIn(path);
      const field = page.getByLabel(label, { exact: true });
      await field.fill(text);
      await page.getByRole('link', { name: 'Health', exact: true }).click();
      await stay(page, question);
      assert.equal(await field.inputValue(), text);
      const asked = page.waitForEvent('dialog');
      await page.evaluate(() => setTimeout(() => location.reload()));
      const dialog = await asked;
      assert.equal(dialog.type(), 'beforeunload');
      await dialog.dismiss();
      // Nothing to lose anymore.
      await field.fill(label === 'Daily digest at' ? '09:00' : '');
      await page.getByRole('link', { name: 'Health', exact: true }).click();
      await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
      await page.context().close();
    }
  });

  test('a player is asked before a bug report is left', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({ session: studio.session });
    await page.goto(`${site.service.url}/g/${studio.slug}/report`);
    await page.getByLabel('What happened').fill('The ink is dry.');
    await page.getByRole('link', { name: 'Your games' }).click();
    await page.getByRole('dialog').getByText('What you typed will be lost.').waitFor();
    await page.getByRole('button', { name: 'Stay' }).click();
    assert.equal(await page.getByLabel('What happened').inputValue(), 'The ink is dry.');
  });

  test('rules that someone else saves do not replace those being edited', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await openSignedIn('/settings/grouping');
    await page.getByRole('button', { name: 'Add rule' }).click();
    const frames = page.getByLabel('Frames of rule 1');
    await frames.fill('Ink::*');
    await askAs(site.service, studio.session)('PUT', `/games/${studio.gameUid}/grouping-rules`, {
      rules: [{ frames: 'Paper::*', effect: 'prefix' }],
    });
    await comeBack(page);
    await page.getByText('Someone else has saved other rules in the meantime.').waitFor();
    assert.equal(await frames.inputValue(), 'Ink::*');
    await page.getByRole('button', { name: 'Discard mine' }).click();
    await untilEqual(() => frames.inputValue(), 'Paper::*');
  });

  test('two people edit a listing: each saves only their own fields, and learns of a conflict', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await openSignedIn('/settings/listing');
    const tagline = page.getByRole('textbox', { name: 'Tagline' });
    const description = page.getByRole('textbox', { name: 'Description' });
    await tagline.fill('Mine');
    await changeGame(site.service, studio, { description: 'Theirs' });
    await comeBack(page);
    await untilEqual(() => description.inputValue(), 'Theirs');
    assert.equal(await tagline.inputValue(), 'Mine');
    assert.equal(await page.getByText('Someone else has changed').count(), 0);
    await changeGame(site.service, studio, { tagline: 'Theirs' });
    await comeBack(page);
    await page.getByText('Saving replaces their tagline.').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    const game = await askAs(site.service, studio.session)<Record<string, string>>('GET', `/games/${studio.gameUid}`);
    assert.deepEqual([game.tagline, game.description], ['Mine', 'Theirs']);
    assert.equal(await page.getByText('Someone else has changed').count(), 0);
    // The same without leaving the page: it learns of the conflict when it saves.
    await tagline.fill('Mine again');
    await changeGame(site.service, studio, { tagline: 'Theirs again' });
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await save.click();
    await page.getByText('Saving replaces their tagline.').waitFor();
    const read = async () =>
      (await askAs(site.service, studio.session)<{ tagline: string }>('GET', `/games/${studio.gameUid}`)).tagline;
    assert.equal(await read(), 'Theirs again');
    assert.equal(await page.getByText('Saved.').count(), 0);
    await save.click();
    await page.getByText('Saved.').waitFor();
    assert.equal(await read(), 'Mine again');
  });

  test('a session that ended elsewhere leads to signing in and back, and keeps what was typed', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const session = await startBrowserSession(site.service, studio);
    const page = await site.openPage({ session });
    await page.goto(addressOf(`/crashes/groups/${groupId}`));
    const comment = page.getByLabel('Comment', { exact: true });
    await comment.fill('The roller is worn');
    const headers = { ...session, 'content-type': 'application/json' };
    await fetch(`${site.service.url}/api/auth/sign-out`, { method: 'POST', headers, body: '{}' });
    site.expectErrors(/status of 401/);
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    const problem = page.getByRole('alert').filter({ hasText: "You're signed out" });
    await problem.first().getByRole('link', { name: 'Sign in' }).click();
    await submitSignIn(page, studio);
    await untilEqual(() => comment.inputValue(), 'The roller is worn');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByRole('list', { name: 'Activity' }).getByText('The roller is worn').waitFor();
  });

  test('undo does not undo what someone else has changed since', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await openSignedIn(`/bugs/${bugUid}`);
    const ask = askAs(site.service, studio.session);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByText('Ticket closed.').waitFor();
    await ask('PATCH', `/games/${studio.gameUid}/bugs/${bugUid}`, { status: 'fixed' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText("Someone else has changed this since, so it wasn't undone.").waitFor();
    const { status } = await ask<{ status: string }>('GET', `/games/${studio.gameUid}/bugs/${bugUid}`);
    assert.equal(status, 'fixed');

    site.expectErrors(/status of 409 .*undo/);
    await page.goto(addressOf(`/builds/${builds[0]}`));
    await page.getByRole('button', { name: 'Promote' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Promote' }).click();
    await page.getByText('stable on Linux x86_64 now has 1.0.0.').waitFor();
    await ask('POST', `/games/${studio.gameUid}/channels/stable/promote`, { build_id: builds[1] });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('stable has moved again on Linux x86_64 since this change. Nothing was undone.').waitFor();
  });

  test('a draft with a mistake is not saved, and the mistake is shown at its field', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await changeGame(site.service, studio, { visibility: 'public' });
    const page = await openSignedIn('/settings/listing');
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('');
    await page.getByRole('button', { name: 'Save as draft' }).click();
    await page.getByText('This field is required.').waitFor();
    await untilEqual(() => name.evaluate((field) => field === document.activeElement), true);
    assert.equal(await page.getByRole('alert').count(), 0);
  });

  test('after an update of the server, the site reloads with what was typed and chosen', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const outdated = new Set<Page>();
    // Routed before the page is opened: a browser under load may send a request unnoticed if it is routed only now.
    const openCurrent = (path: string) =>
      openSignedIn(path, async (page) => {
        page.on('request', (request) => {
          if (request.isNavigationRequest()) outdated.delete(page);
        });
        await page.route(/\/assets\/.*\.js$/, (route) =>
          outdated.has(page) ? route.fulfill({ status: 404, body: '' }) : route.continue(),
        );
      });
    /** Opens the command palette, whose file only the old version of the server had. */
    const update = async (page: Page) => {
      outdated.add(page);
      await page.keyboard.press('Control+k');
      await untilEqual(async () => outdated.has(page), false);
      await page.waitForLoadState();
    };
    site.expectErrors(/status of 404/);
    await changeGame(site.service, studio, { visibility: 'public', tagline: 'On paper' });
    const listing = await openCurrent('/settings/listing');
    await listing.getByRole('textbox', { name: 'Tagline' }).fill('');
    await listing.getByRole('textbox', { name: 'Description' }).fill('A game of ink');
    await listing.getByRole('radio', { name: 'Invisible' }).check();
    await listing.getByRole('combobox', { name: 'Languages' }).fill('Icelandic');
    await listing.getByRole('option', { name: 'Icelandic' }).click();
    await listing.getByRole('combobox', { name: 'Content notes' }).fill('Spilled ink');
    await listing.keyboard.press('Enter');
    await listing.getByRole('button', { name: 'Add link' }).click();
    await listing.getByLabel('Kind of link 1').selectOption({ label: 'Community' });
    await listing.getByLabel('Address of Community').fill('https://discord.example.com/ink');
    await listing.getByRole('button', { name: 'Add video' }).click();
    await listing.getByLabel('Address of video 1').fill('https://vimeo.com/76979871');
    await listing.getByRole('button', { name: 'Add Windows' }).click();
    await listing.getByLabel('Minimum for Windows').fill('Windows 10');
    const palette = listing.getByRole('dialog', { name: 'Command palette' });
    // It does not wait for the page, which stays below it when its data arrives.
    const data = new RegExp(`/games/${studio.slug}$`);
    await listing.route(data, async (route) => {
      await palette.waitFor();
      await route.continue();
    });
    await update(listing);
    await listing.getByRole('heading', { name: 'Listing', level: 1 }).waitFor();
    await listing.unroute(data);
    await palette.waitFor();
    await listing.keyboard.type('health');
    assert.equal(await palette.getByRole('combobox').inputValue(), 'health');
    await listing.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    await untilEqual(() => listing.getByRole('textbox', { name: 'Description' }).inputValue(), 'A game of ink');
    await untilEqual(() => listing.getByRole('radio', { name: 'Invisible' }).isChecked(), true);
    assert.equal(await listing.getByRole('textbox', { name: 'Tagline' }).inputValue(), '');
    const details = listing.getByRole('region', { name: 'Details' });
    for (const pill of ['Icelandic', 'Spilled ink']) assert.equal(await details.getByText(pill).count(), 1, pill);
    assert.equal(await listing.getByLabel('Address of Community').inputValue(), 'https://discord.example.com/ink');
    assert.equal(await listing.getByLabel('Address of video 1').inputValue(), 'https://vimeo.com/76979871');
    assert.equal(await listing.getByLabel('Minimum for Windows').inputValue(), 'Windows 10');
    // It is still not saved, and what is kept is used once.
    await listing.getByText('Not saved yet.').waitFor();
    listing.on('dialog', (dialog) => void dialog.accept());
    await listing.reload();
    await untilEqual(() => listing.getByRole('textbox', { name: 'Tagline' }).inputValue(), 'On paper');
    assert.equal(await details.getByText('Icelandic').count(), 0);

    const grouping = await openCurrent('/settings/grouping');
    const frames = (no: number) => grouping.getByLabel(`Frames of rule ${no}`);
    const before = await frames(1).count();
    await grouping.getByRole('button', { name: 'Add rule' }).click();
    await frames(before + 1).fill('Quill::*');
    await update(grouping);
    await untilEqual(() => frames(before + 1).inputValue(), 'Quill::*');

    const tracker = await openCurrent('/settings/issues');
    await tracker.getByLabel('Tracker').selectOption('gitlab');
    await update(tracker);
    await untilEqual(() => tracker.getByLabel('Tracker').inputValue(), 'gitlab');

    // The form for comments is loaded when someone scrolls to it.
    const group = await openCurrent(`/crashes/groups/${groupId}`);
    await group.setViewportSize({ width: 1280, height: 300 });
    const comment = group.getByLabel('Comment', { exact: true });
    const scroll = async () => {
      await group.mouse.wheel(0, 2000);
      return comment.count();
    };
    await untilEqual(scroll, 1);
    await comment.fill('Seen in the second level');
    await update(group);
    await group.getByRole('button', { name: 'Resolve', exact: true }).waitFor();
    await group.clock.fastForward(60_000);
    await untilEqual(scroll, 1);
    await untilEqual(() => comment.inputValue(), 'Seen in the second level');
  });

  test('mistakes that only the API finds are shown at their fields', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    site.expectErrors(/status of 400/);
    const page = await openSignedIn('/settings/alerts');
    const alerts = page.getByRole('alert');

    await page.getByRole('button', { name: 'Add a chat or webhook' }).click();
    const address = page.getByLabel('Address', { exact: true });
    await address.fill('http://hooks.example.com/alerts');
    await page.getByRole('button', { name: 'Add and send test' }).click();
    await shownAt(page, address, 'Must be an address that begins with https://.');
    assert.equal(await alerts.count(), 0);
    await address.fill('https://me:secret@hooks.example.com/alerts');
    assert.equal(await address.getAttribute('aria-invalid'), null);
    await page.getByRole('button', { name: 'Add and send test' }).click();
    await shownAt(
      page,
      address,
      'Not valid. Expected: The https address to which messages are posted: an address that begins with https:// and has no user name.',
    );

    await page.goto(addressOf('/settings/source'));
    const template = page.getByLabel('Address of a file', { exact: true });
    await template.fill('https://code.example/files');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await shownAt(page, template, /\{path\}/);
    assert.equal(await alerts.count(), 0);

    await page.goto(addressOf('/settings/issues'));
    const server = page.getByLabel('Server');
    await page.getByLabel('Repository').fill('night/owls');
    await server.fill('http://code.example');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await shownAt(page, server, 'Must begin with https://.');

    await page.goto(addressOf('/settings/listing'));
    await page.getByRole('button', { name: 'Add video' }).click();
    await page.getByRole('button', { name: 'Add video' }).click();
    await page.getByLabel('Address of video 1').fill('https://vimeo.com/76979871');
    const video = page.getByLabel('Address of video 2');
    const save = page.getByRole('button', { name: /^Save( and|$)|^Publish$/ });
    for (const address of ['https://video.example.com/1', 'http://vimeo.com/76979871', 'vimeo']) {
      await video.fill(address);
      await save.click();
      await untilEqual(() => video.evaluate((field) => field === document.activeElement), true);
      const messages = page.locator('.mantine-InputWrapper-root').filter({ has: video }).locator('p');
      assert.deepEqual(await messages.allTextContents(), ['Not a video on YouTube or Vimeo']);
    }
    const languages = page.getByRole('combobox', { name: 'Languages' });
    await languages.fill('Klingon');
    await languages.press('Tab');
    await page.getByText('“Klingon” was not added. Choose a language from the list.').waitFor();

    // Dialogs that used to close before the API had answered.
    await page.goto(addressOf(`/bugs/${bugUid}`));
    await page.getByRole('button', { name: 'Mark as duplicate' }).click();
    const number = page.getByLabel('Number of the other ticket');
    await number.fill('#1');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await shownAt(page, number, 'A ticket cannot be a duplicate of itself.');
    await page.goto(addressOf(`/crashes/groups/${groupId}`));
    await page.getByRole('button', { name: 'Rename' }).click();
    const title = page.getByLabel('Title', { exact: true });
    await title.fill('Paper \u202eknI');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await shownAt(page, title, /invisible/);
    await title.fill('Paper jam');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByText('Group renamed.').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await page.getByText(/^title:|duplicate_of|url_template/).count(), 0);
  });

  test('a dialog asks before it loses what was typed into it', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({ session: studio.session });
    await page.goto(`${site.service.url}/dev`);
    const dialog = page.getByRole('dialog', { name: 'Create game' });
    const question = page.getByRole('dialog', { name: 'Discard what you typed?' });
    const open = () => page.getByRole('button', { name: 'Create game' }).first().click();
    await open();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await open();
    const name = dialog.getByLabel('Name');
    await name.fill('Ink Well');
    await page.keyboard.press('Escape');
    await question.waitFor();
    for (let presses = 0; presses < 2; presses += 1) {
      await page.keyboard.press('Escape');
      await question.waitFor({ state: 'detached' });
      assert.equal(await name.inputValue(), 'Ink Well');
      assert.ok(await dialog.isVisible());
      await page.keyboard.press('Escape');
      await question.waitFor();
    }
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await page.mouse.click(4, 4);
    await question.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await question.count(), 0);

    await open();
    assert.equal(await name.inputValue(), '');
    await name.fill('Ink Well');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  test('a player is asked before a report to the operators is left', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await changeGame(site.service, studio, { visibility: 'public' });
    const page = await site.openPage();
    await page.goto(`${site.service.url}/g/${studio.slug}/report-page`);
    await page.locator('textarea').fill('It copies another game.');
    const asked = page.waitForEvent('dialog');
    await page.evaluate(() => setTimeout(() => location.reload()));
    const dialog = await asked;
    assert.equal(dialog.type(), 'beforeunload');
    await dialog.dismiss();
    await page.locator('select').selectOption({ index: 1 });
    // Sending it asks nothing.
    await page.locator('form.stacked button').click();
    await page.getByText('The operators of this site will look at the page.').waitFor();
  });

  test('each page has its own title in the tab', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await openSignedIn(`/bugs/${bugUid}`);
    const titles = ['#1 The ink is dry. · Paper Trail · Chauffeur', 'Bugs · Paper Trail · Chauffeur'];
    await untilEqual(() => page.title(), titles[0]!);
    const trail = page.getByRole('navigation', { name: 'Breadcrumb' });
    await untilEqual(() => trail.getByRole('listitem').allTextContents(), ['Bugs', '#1']);
    await trail.getByRole('link', { name: 'Bugs' }).click();
    await untilEqual(() => page.title(), titles[1]!);
    assert.equal(await trail.count(), 0);
    await page.goBack();
    await untilEqual(() => page.title(), titles[0]!);
    await page.goto(addressOf(''));
    await untilEqual(() => page.title(), 'Overview · Paper Trail · Chauffeur');
  });

  test('a secret is copied without HTTPS too, and is not lost if it could not be copied', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({ session: studio.session });
    await page.clock.install();
    // The browser reaches the server by plain HTTP, so it has no clipboard.
    await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await page.goto(addressOf('/settings/alerts'));
    await page.getByRole('button', { name: 'Add a chat or webhook' }).click();
    await page.getByLabel('Send alerts to').selectOption('webhook');
    await page.getByLabel('Address', { exact: true }).fill('https://hooks.example.com/alerts');
    await page.getByRole('button', { name: 'Add and send test' }).click();
    // The test can't arrive, because the webhook doesn't exist.
    await page.getByText('If it needs the signing secret first, close this to see the secret.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click();
    await page.getByText('Copy it now').waitFor();
    await page.evaluate(() => {
      const own = document.execCommand.bind(document);
      let calls = 0;
      document.execCommand = (name: string) => {
        calls += 1;
        return calls > 1 && own(name);
      };
    });
    const leave = () => page.getByRole('link', { name: 'Members' }).click();
    // The button says for two seconds that it failed.
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.getByRole('button', { name: 'Copy secret' }).click();
    await page.getByRole('button', { name: 'Copy failed' }).waitFor();
    await page.clock.resume();
    await leave();
    await stay(page, "You haven't copied the secret");
    await page.clock.pauseAt(Date.now() + 120_000);
    await page.getByRole('button', { name: 'Copy secret' }).click();
    await page.getByRole('button', { name: 'Copied: secret' }).waitFor();
    await page.clock.resume();
    await leave();
    await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
  });
});
