// The store page of a game: what developers write for it, and what players read, also without JavaScript.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { askAs } from '../packages/server/test/setup/api-calls.ts';
import { addPictures } from '../packages/server/test/setup/images.ts';
import { newestLink, newestMail } from '../packages/server/test/setup/mail.ts';
import { runServerCommand } from '../packages/server/test/setup/server-command.ts';
import { until, untilEqual } from '../packages/server/test/setup/until.ts';
import { shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { readVideoFixture } from '../packages/server/test/setup/videos.ts';
import { findSeriousProblems } from './setup/accessibility.ts';
import { FIREFOX, NO_CHROMIUM } from './setup/chromium.ts';
import type { Service } from './setup/processes.ts';
import { drawScene } from './setup/scenery.ts';
import { serveSite } from './setup/site.ts';
import { changeGame, openStudio, type Studio } from './setup/studio.ts';

type Game = { game_uid: string; slug: string };

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
      shipAndScan(service, studio, { version: '1.0.0', os: 'linux', arch: 'x86_64' }, smallZip('walk')),
      changeGame(service, studio, { tagline: 'A stroll through rain', description: DESCRIPTION }),
    ]);
    const changelog_items = [{ title: 'Umbrellas', description: 'In <b>six</b> colours' }];
    await shipAndScan(
      service,
      studio,
      { version: '1.1.0', os: 'linux', arch: 'x86_64', changelog_items },
      smallZip('walk', Buffer.alloc(90_000)),
    );
  });

  async function openWithoutScripts(path = `/g/${studio.slug}`): Promise<Page> {
    const page = await site.openPage({ javaScriptEnabled: false, viewport: { width: 320, height: 700 } });
    await page.goto(service.url + path);
    return page;
  }

  /** On the page, wherever it is scrolled to. */
  function placeOf(element: Locator) {
    return element.evaluate((shown) => {
      const { left, top, width, height } = shown.getBoundingClientRect();
      return { left, top: Math.round(top + window.scrollY), width, height };
    });
  }

  async function openEditor(): Promise<Page> {
    const page = await site.openPage({ session: studio.session });
    await page.goto(`${service.url}/dev/${studio.slug}/settings/listing`);
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

  test('a developer gives facts, and players read them', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const page = await openEditor();
    await page.getByRole('combobox', { name: 'Languages' }).fill('brazil');
    await page.getByRole('option', { name: 'Brazilian Portuguese' }).click();
    await page.getByRole('combobox', { name: 'Content notes' }).fill('<i>Rain</i>');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Add link' }).click();
    const website = page.getByRole('textbox', { name: 'Address of Website' });
    await website.fill('http://walk.example.com');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('An address that starts with https://').waitFor();
    await website.fill('https://walk.example.com/"onclick');
    await page.getByRole('button', { name: 'Add Linux' }).click();
    await page.getByRole('textbox', { name: 'Minimum for Linux' }).fill('2 GB of memory\nAny graphics card');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    await page.reload();
    assert.equal(await website.inputValue(), 'https://walk.example.com/%22onclick');

    const shown = await openWithoutScripts();
    const details = shown.getByRole('region', { name: 'Details' });
    await details.getByText('Brazilian Portuguese').waitFor();
    await details.getByText('<i>Rain</i>').waitFor();
    const link = details.getByRole('link', { name: 'Website' });
    assert.equal(await link.getAttribute('href'), 'https://walk.example.com/%22onclick');
    assert.equal(await link.getAttribute('rel'), 'nofollow ugc noopener noreferrer');
    await details.getByText('walk.example.com', { exact: true }).waitFor();
    await details.getByText('Updated').waitFor();
    const requirements = shown.getByRole('region', { name: 'System requirements' });
    await requirements.getByText('Any graphics card').waitFor();
    assert.equal(await shown.getByText('Recommended').count(), 0);
  });

  test('the release history is open without JavaScript, with dates, sizes and changes', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const page = await openWithoutScripts();
    await page.getByText('Release history').click();
    const releases = page.locator('.releases');
    await releases.getByRole('heading', { name: '1.0.0' }).waitFor();
    await releases.getByText('In <b>six</b> colours').waitFor();
    await releases.getByText('2 releases').waitFor();
    assert.deepEqual(await releases.getByRole('heading', { level: 3 }).allTextContents(), ['1.1.0', '1.0.0']);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
  });

  test('the press kit downloads without JavaScript, once there is an image', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const page = await openWithoutScripts();
    const link = page.getByRole('link', { name: 'Images and facts (zip)' });
    assert.equal(await link.count(), 0);
    await addPictures(service, studio, 'cover', [await drawScene(3, { width: 1600, height: 900 })]);
    await page.reload();
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    assert.equal(download.suggestedFilename(), `${studio.slug}-press-kit.zip`);
    assert.equal(await download.failure(), null);
  });

  test('an uploaded video plays on the page, also without JavaScript', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    site.expectErrors(/status of 400 .*videos/);
    const scenes = await Promise.all([3, 4].map((no) => drawScene(no, { width: 1600, height: 900 })));
    await addPictures(service, studio, 'cover', scenes.slice(0, 1));
    await addPictures(service, studio, 'screenshot', scenes.slice(1));
    const editor = await site.openPage({ session: studio.session });
    await editor.goto(`${service.url}/dev/${studio.slug}/settings/media`);
    const videos = editor.getByRole('region', { name: 'Videos' });
    const choose = async (name: string, buffer: Buffer) => {
      const input = videos
        .getByRole('button', { name: 'Upload video' })
        .locator('xpath=..')
        .locator('input[type=file]');
      await input.setInputFiles({ name, mimeType: 'video/mp4', buffer });
    };
    await choose('page.mp4', Buffer.from('<!doctype html>'));
    await videos.getByText(/^page\.mp4: neither an MP4 nor a WebM\. A video is/).waitFor();
    const bytes = await readVideoFixture('vp9.mp4');
    await choose('half.mp4', bytes.subarray(0, 1000));
    await videos.getByText(/^half\.mp4: damaged or cut off\. Export it again\./).waitFor();
    await choose('first.mp4', bytes);
    await videos.getByText('first.mp4 was uploaded.').waitFor();
    await choose('second.webm', await readVideoFixture('vp9.webm'));
    await videos.getByText('second.webm was uploaded.').waitFor();
    await videos.getByText('On the page').nth(1).waitFor();
    await videos.getByRole('button', { name: 'Move video 2 earlier' }).click();
    await videos.getByText('1. second.webm').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await editor.emulateMedia({ colorScheme });
      assert.deepEqual(await findSeriousProblems(editor), [], colorScheme);
    }

    const still = await openWithoutScripts();
    const page = await site.openPage();
    await page.goto(`${service.url}/g/${studio.slug}`);
    for (const [each, name] of [
      [still, 'without'],
      [page, 'with'],
    ] as const) {
      for (const label of ['Video 1 of Small Walk', 'Video 2 of Small Walk']) {
        const video = each.getByLabel(label);
        assert.deepEqual(
          await video.evaluate((element: HTMLVideoElement) => [element.preload, element.autoplay, element.readyState]),
          ['none', false, 0],
          `${label} ${name} scripts`,
        );
        const before = await placeOf(video);
        await video.press(' ');
        await until(
          () => video.evaluate((element: HTMLVideoElement) => element.videoWidth === 426 && element.currentTime > 0),
          () => `${label} does not play ${name} scripts`,
        );
        assert.deepEqual(await placeOf(video), before, 'nothing moves');
      }
    }
    assert.equal(await still.evaluate(() => document.documentElement.scrollWidth), 320);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await findSeriousProblems(page), [], colorScheme);
    }
    const html = await (await fetch(`${service.url}/g/${studio.slug}`)).text();
    const imagesIn = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, uid]) => uid);
    const gallery = imagesIn(/<a href="[^"]+\/media\/([\w-]+)"[^>]* data-small>/g);
    // The cover is large above the videos, so it comes last.
    assert.equal(gallery.length, 2);
    assert.deepEqual(imagesIn(/ poster="[^"]+\/media\/([\w-]+)/g), gallery.toReversed());
    assert.match(html, /<meta property="og:video:type" content="video\/webm">/);
    assert.match(
      html,
      /"trailer":\[\{"@type":"VideoObject","name":"Small Walk","contentUrl":"http[^"]+\/public\/videos\//,
    );
    const german = await (await fetch(`${service.url}/g/${studio.slug}?lang=de`)).text();
    assert.match(german, /aria-label="Video 1 zu Small Walk"/);

    await videos.getByRole('button', { name: 'Delete video 1' }).click();
    await editor.getByRole('dialog', { name: 'Delete video' }).getByRole('button', { name: 'Delete video' }).click();
    await videos.getByText('1. first.mp4').waitFor();
    await page.reload();
    assert.equal(await page.locator('video').count(), 1);
    await videos.getByRole('button', { name: 'Delete video 1' }).click();
    await editor.getByRole('dialog', { name: 'Delete video' }).getByRole('button', { name: 'Delete video' }).click();
    await videos.getByText('0 of 3 videos').waitFor();
    const response = await page.reload();
    assert.equal(await page.locator('video').count(), 0);
    assert.doesNotMatch(response?.headers()['content-security-policy'] ?? '', /media-src/);
  });

  test('a game without images shows the first frame of its video', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const ask = askAs(service, studio.session);
    const { game_uid, slug } = await ask<Game>('POST', '/games', { name: 'Only a Film', visibility: 'invisible' });
    const body = new FormData();
    body.append('file', new Blob([await readVideoFixture('vp9.mp4')]), 'film.mp4');
    const headers = studio.session;
    const response = await fetch(`${service.api}/games/${game_uid}/videos`, { method: 'POST', headers, body });
    assert.equal(response.status, 201);
    await until(async () => (await (await fetch(`${service.url}/g/${slug}`)).text()).includes('<video'));
    const page = await openWithoutScripts(`/g/${slug}`);
    const video = page.getByLabel('Video 1 of Only a Film');
    await until(() => video.evaluate(({ readyState }: HTMLVideoElement) => readyState >= 2));
    assert.deepEqual(await video.evaluate(({ currentTime, paused }: HTMLVideoElement) => [currentTime, paused]), [
      0,
      true,
    ]);
  });

  test('an upload of a video shows its progress, and can be cancelled', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const editor = await site.openPage({ session: studio.session });
    await editor.goto(`${service.url}/dev/${studio.slug}/settings/media`);
    const videos = editor.getByRole('region', { name: 'Videos' });
    // The request hangs until it is cancelled.
    let arrived = 0;
    await editor.route(/\/games\/[^/]+\/videos$/, (route) => {
      if (route.request().method() === 'GET') return route.continue();
      arrived += 1;
    });
    const input = videos.getByRole('button', { name: 'Upload video' }).locator('xpath=..').locator('input[type=file]');
    await input.setInputFiles({ name: 'long.mp4', mimeType: 'video/mp4', buffer: await readVideoFixture('vp9.mp4') });
    await videos.getByRole('progressbar', { name: 'Upload of long.mp4' }).waitFor({ state: 'attached' });
    await editor.getByRole('link', { name: 'Listing' }).click();
    await editor
      .getByRole('dialog', { name: 'A video is being uploaded' })
      .getByRole('button', { name: 'Stay' })
      .click();
    await videos.getByRole('button', { name: 'Cancel' }).click();
    await videos.getByRole('button', { name: 'Upload video' }).waitFor();
    assert.equal(arrived, 1);
    assert.equal(await videos.getByRole('alert').count(), 0);
    await videos.getByText('0 of 3 videos').waitFor();
  });

  test('a video of another website loads only after a click', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const editor = await openEditor();
    await editor.getByRole('button', { name: 'Add video' }).click();
    const address = editor.getByRole('textbox', { name: 'Address of video 1' });
    await address.fill('https://example.com/video.mp4');
    await editor.getByText('Not a video on YouTube or Vimeo').waitFor();
    await address.fill('https://youtu.be/dQw4w9WgXcQ?si=tracking');
    await editor.getByRole('button', { name: 'Save', exact: true }).click();
    await editor.getByText('Saved.').waitFor();
    assert.equal(await address.inputValue(), 'https://www.youtube.com/watch?v=dQw4w9WgXcQ');

    const still = await openWithoutScripts();
    const link = still.getByRole('link', { name: 'Play video from YouTube' });
    assert.equal(await link.getAttribute('href'), 'https://www.youtube.com/watch?v=dQw4w9WgXcQ');
    assert.equal(await still.evaluate(() => document.documentElement.scrollWidth), 320);

    const page = await site.openPage();
    const elsewhere: string[] = [];
    await page.route(/^https:/, (route) => {
      elsewhere.push(route.request().url());
      return route.fulfill({ contentType: 'text/html', body: '<link rel="icon" href="data:,"><h1>Player</h1>' });
    });
    const response = await page.goto(`${service.url}/g/${studio.slug}`);
    assert.match(
      response?.headers()['content-security-policy'] ?? '',
      /frame-src https:\/\/www\.youtube-nocookie\.com;/,
    );
    await page.getByText('Plays from YouTube, which then sees').waitFor();
    assert.deepEqual(elsewhere, []);
    assert.equal(await page.locator('iframe').count(), 0);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await findSeriousProblems(page), [], colorScheme);
    }
    await page.getByRole('button', { name: 'Play video from YouTube' }).press(' ');
    await page.frameLocator('iframe[title="Video of Small Walk on YouTube"]').getByText('Player').waitFor();
    assert.deepEqual(elsewhere, ['https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?rel=0&autoplay=1']);
    const others = await fetch(`${service.url}/g/${studio.slug}/follow`);
    assert.doesNotMatch(others.headers.get('content-security-policy') ?? '', /frame-src/);
  });

  test('the overview leads to the statistics, where names and numbers are apart', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({ session: studio.session, viewport: { width: 1280, height: 900 } });
    await page.goto(`${service.url}/dev/${studio.slug}`);
    await page.getByRole('link', { name: 'View statistics' }).click();
    await page.getByRole('heading', { name: 'Statistics', exact: true }).waitFor();
    const none = page.getByText('No views, downloads or plays in this time.');
    await none.waitFor();
    // Browsers that say they are automated don't count.
    const player = await site.openPage({ userAgent: FIREFOX });
    await player.goto(`${service.url}/g/${studio.slug}`);
    const count = async () => {
      await page.reload();
      await page.locator('dt').or(none).first().waitFor();
      return page.locator('dt', { hasText: 'Plays in the browser' }).count();
    };
    await untilEqual(count, 1);
    const term = page.locator('dt', { hasText: 'Plays in the browser' });
    // Next to each other, or one above the other.
    const gap = await term.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const name = range.getBoundingClientRect();
      const number = element.nextElementSibling?.getBoundingClientRect() ?? name;
      return Math.max(number.left - name.right, number.top - name.bottom, name.top - number.bottom);
    });
    assert.ok(gap >= 0, `${gap} px`);
  });

  test('a player without an account follows the game by mail, and unsubscribes, without JavaScript', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const page = await openWithoutScripts();
    await page.getByRole('link', { name: 'Follow', exact: true }).click();
    const email = page.getByRole('textbox', { name: 'Email' });
    await email.fill('reader@localhost');
    await page.getByRole('button', { name: 'Follow by email' }).click();
    await page.getByText('Check your email.').waitFor();
    await page.goto(await newestLink(service, 'Confirm that you follow Small Walk', 'reader@localhost'));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: 'You follow Small Walk' }).waitFor();
    await page.reload();
    await page.goto(`${service.url}/g/${studio.slug}/follow`);
    await email.fill('reader@localhost');
    await page.getByRole('button', { name: 'Follow by email' }).click();
    const mail = await newestMail(service, 'You already follow Small Walk', 'reader@localhost');
    await page.goto(service.url + (/\/unfollow\/[\w-]+/.exec(mail.text)?.[0] ?? ''));
    await page.getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByRole('heading', { name: 'Unsubscribed' }).waitFor();
  });

  test('forms of public pages say what is missing below the field, and keep what was typed', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage();
    await page.goto(`${service.url}/g/${studio.slug}/follow`);
    const email = page.getByRole('textbox', { name: 'Email' });
    const alert = page.getByRole('alert');
    const follow = page.getByRole('button', { name: 'Follow by email' });
    await follow.click();
    await alert.getByText('This field is required.').waitFor();
    assert.ok(await email.evaluate((field) => field === document.activeElement));
    await email.fill('reader');
    assert.equal(await alert.count(), 0);
    await follow.click();
    await alert.getByText('Enter an email address, such as name@example.com.').waitFor();
    assert.deepEqual(await findSeriousProblems(page), []);

    await page.goto(`${service.url}/g/${studio.slug}/report-page`);
    const message = page.getByRole('textbox', { name: 'What is wrong?' });
    await message.fill('  ');
    await page.getByRole('button', { name: 'Send report' }).click();
    await alert.filter({ hasText: 'Choose one.' }).waitFor();
    await alert.filter({ hasText: 'This field is required.' }).waitFor();
    await message.fill('My houses.');
    await page.getByRole('button', { name: 'Send report' }).click();
    assert.deepEqual(await alert.allTextContents(), ['Choose one.']);
    assert.equal(await message.inputValue(), 'My houses.');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await findSeriousProblems(page), [], colorScheme);
    }
  });

  test('a signed-in player follows the game with one click, and forms of other sites are refused', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const page = await site.openPage({ session: studio.session });
    await page.goto(`${service.url}/g/${studio.slug}/follow`);
    await page.getByRole('button', { name: 'Follow', exact: true }).click();
    await page.getByRole('button', { name: 'Stop following' }).click();
    await page.getByRole('button', { name: 'Follow', exact: true }).waitFor();
    const forged = await fetch(`${service.url}/g/${studio.slug}/follow`, {
      method: 'POST',
      headers: { cookie: studio.session.cookie, origin: 'https://evil.example.com' },
      body: new URLSearchParams({ follow: 'yes' }),
    });
    assert.equal(forged.status, 404);
    await page.reload();
    await page.getByRole('button', { name: 'Follow', exact: true }).waitFor();
    for (const path of ['/follow/nonsense', '/unfollow/nonsense', '/g/nothing/follow'])
      assert.equal((await fetch(service.url + path)).status, 404, path);
  });

  test('a developer saves a draft, previews it on the page, and publishes it', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const page = await openEditor();
    const tagline = page.getByRole('textbox', { name: 'Tagline' });
    await tagline.fill('A stroll through snow');
    await page.getByText('Players will see the new tagline.').waitFor();
    await page.getByRole('button', { name: 'Save as draft' }).click();
    await page.getByText("This is a draft, which players don't see").waitFor();
    await page.getByRole('link', { name: 'Preview the page' }).click();
    await page.getByText('A stroll through snow').waitFor();
    await page.getByText('A preview of the draft.').waitFor();
    const others = await openWithoutScripts(`/g/${studio.slug}?preview=draft`);
    await others.getByText('A stroll through rain').waitFor();
    assert.equal(await others.getByRole('navigation', { name: 'Manage this game' }).count(), 0);
    await page
      .getByRole('navigation', { name: 'Manage this game' })
      .getByRole('link', { name: 'Edit the page' })
      .click();
    assert.equal(await tagline.inputValue(), 'A stroll through snow');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    await page.getByText("This is a draft, which players don't see").waitFor({ state: 'detached' });
    await others.reload();
    await others.getByText('A stroll through snow').waitFor();
    await tagline.fill('Rejected');
    await page.getByRole('button', { name: 'Save as draft' }).click();
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await page.getByText("This is a draft, which players don't see").waitFor({ state: 'detached' });
    assert.equal(await tagline.inputValue(), 'A stroll through snow');
  });

  test('a player reports the page, and an operator hides it with a reason and shows it again', async (t) => {
    if (browser === null) return t.skip(NO_CHROMIUM);
    const page = await openWithoutScripts();
    await page.getByRole('link', { name: 'Report this page' }).click();
    await page.getByRole('combobox', { name: 'Reason' }).selectOption({ label: "It uses someone else's work" });
    await page.getByRole('textbox', { name: 'What is wrong?' }).fill('My houses.\nAll forty.');
    await page.getByRole('button', { name: 'Send report' }).click();
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();

    await runServerCommand(service.environment, ['admin', 'user', 'operator', '--email', studio.email]);
    const desk = await site.openPage({ session: studio.session });
    await desk.goto(`${service.url}/operator/store`);
    await desk.getByText('My houses.').waitFor();
    await desk.getByRole('button', { name: 'Hide page' }).click();
    await desk.getByRole('textbox', { name: 'Reason' }).fill('The houses are not yours.');
    await desk.getByRole('dialog').getByRole('button', { name: 'Hide page' }).click();
    await desk.getByText('No open reports.').waitFor();
    assert.equal((await fetch(`${service.url}/g/${studio.slug}`)).status, 404);
    await desk.goto(`${service.url}/dev/${studio.slug}/builds`);
    await desk.getByText('The houses are not yours.').waitFor();
    await desk.goto(`${service.url}/operator/store`);
    await desk.getByRole('button', { name: 'Hidden' }).click();
    await desk.getByRole('button', { name: 'Show page again' }).click();
    await desk.getByText('No page is hidden.').waitFor();
    assert.equal((await fetch(`${service.url}/g/${studio.slug}`)).status, 200);
  });
});
