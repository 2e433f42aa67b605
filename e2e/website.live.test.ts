// Open pages of a game show its changes at once, behind nginx as docs/proxy.md configures it, and still do after nginx
// or the server was away. Where the stream is blocked, they ask every few seconds.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { findFreePort } from '../packages/server/test/setup/free-port.ts';
import { shipAndScan, smallZip } from '../packages/server/test/setup/uploads.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { reportMessage } from './setup/crash-clients.ts';
import { isNginxInstalled, type Nginx, NO_NGINX, startNginx } from './setup/nginx.ts';
import { usePages } from './setup/page.ts';
import type { Service } from './setup/processes.ts';
import { serveSite } from './setup/site.ts';
import { openStudio, type Studio } from './setup/studio.ts';

const STREAM = /\/changes/;
/** nginx is away for a moment, or refuses the stream. */
const ERRORS = /\/changes|net::ERR_/;

const port = await findFreePort();
const url = `http://127.0.0.1:${port}`;

describe('open pages behind nginx', () => {
  let front: Service;
  let nginx: Nginx | null = null;
  let studio: Studio;

  const site = serveSite(
    async ({ service }) => {
      front = { ...service, url, api: `${url}/api/v1` };
      if (!(await isNginxInstalled())) return;
      await startFront();
      studio = await openStudio(front, 'Owls of the North');
      await ship('1.0.0');
    },
    { env: { CHAUFFEUR_PUBLIC_URL: url, CHAUFFEUR_TRUST_PROXY: '1' } },
  );
  const pages = usePages(() => ({ service: front, browser: site.browser }));
  after(() => nginx?.stop());

  /** Starts nginx with the locations of the documentation, after `more`. */
  async function startFront(more = ''): Promise<void> {
    await nginx?.stop();
    const text = await readFile(new URL('../docs/proxy.md', import.meta.url), 'utf8');
    const [, documented = ''] = /```\n(location \/ \{.*?)```/s.exec(text) ?? [];
    const locations = documented.replace('http://127.0.0.1:4000', site.service.url);
    assert.notEqual(locations, documented);
    nginx = await startNginx(port, `server { listen 127.0.0.1:${port}; ${more}\n${locations} }`);
  }

  const ship = (version: string) =>
    shipAndScan(front, studio, { version, os: 'linux', arch: 'x86_64' }, smallZip(`${version}.txt`));

  /** Opens a page of the game, and waits for its stream. */
  async function openFollowing(page: Page, path: string): Promise<void> {
    const stream = page.waitForResponse(STREAM);
    await page.goto(`${url}/dev/${studio.slug}${path}`);
    assert.equal((await stream).status(), 200);
  }

  test('a list shows what has changed without asking, and after nginx was restarted', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    if (nginx === null) return t.skip(NO_NGINX);
    const page = await pages.openPage({ session: studio.session });
    await openFollowing(page, '/builds');
    const builds = page.getByRole('table', { name: 'Builds' });
    await builds.getByText('1.0.0', { exact: true }).waitFor();
    await ship('1.1.0');
    await builds.getByText('1.1.0', { exact: true }).waitFor();

    pages.expectErrors(ERRORS);
    const again = page.waitForResponse(STREAM);
    await startFront();
    assert.equal((await again).status(), 200);
    await ship('1.2.0');
    await builds.getByText('1.2.0', { exact: true }).waitFor();
  });

  test('a page that cannot follow asks every few seconds, and follows once it can', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    if (nginx === null) return t.skip(NO_NGINX);
    // The proxy answers like this while the server restarts.
    await startFront('location ~ /changes$ { return 502; }');
    pages.expectErrors(ERRORS);
    const page = await pages.openPage({ session: studio.session });
    await page.clock.install();
    const refused = page.waitForResponse(STREAM);
    await page.goto(`${url}/dev/${studio.slug}/crashes`);
    assert.equal((await refused).status(), 502);
    await page.getByText('No crash reports yet.').waitFor();
    const { buildId } = await ship('1.3.0');
    await reportMessage({ api: front.api, gameUid: studio.gameUid, buildId }, 'The lantern went out');
    await page.getByText('The lantern went out').first().waitFor();

    // A proxy that passes nothing on until it has a lot.
    await startFront(
      `location ~ /changes$ { proxy_pass ${site.service.url}; proxy_ignore_headers X-Accel-Buffering; }`,
    );
    await page.reload();
    await page.getByText('The lantern went out').first().waitFor();
    await reportMessage({ api: front.api, gameUid: studio.gameUid, buildId }, 'The bridge is gone');
    await page.getByRole('button', { name: 'Show 1 new group' }).waitFor();

    await startFront('location ~ /changes$ { return 502; }');
    const again = page.waitForResponse((response) => STREAM.test(response.url()) && response.status() === 502);
    await page.reload();
    await again;
    await startFront();
    const allowed = page.waitForResponse(STREAM);
    await page.clock.fastForward(30_000);
    assert.equal((await allowed).status(), 200);
  });
});
