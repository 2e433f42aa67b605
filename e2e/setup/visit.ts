// Visits every page of the website, signed in or signed out.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Service } from './processes.ts';
import type { Showroom, Visit } from './showroom.ts';

export type Viewport = { readonly width: number; readonly height: number };

/** Calls `look` for each page once it has loaded. `faults` are the browser's complaints since the previous page. */
export async function visitPages(
  { service, browser }: { service: Service; browser: Browser },
  { owner, visits }: Showroom,
  viewport: Viewport,
  look: (page: Page, visit: Visit, faults: readonly string[]) => Promise<void>,
): Promise<void> {
  for (const signedIn of [false, true]) {
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
    if (signedIn) await signIn(context, service, owner);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(String(error)));
    for (const visit of visits.filter((visit) => visit.signedIn === signedIn)) {
      await page.goto(service.url + visit.path);
      await untilShown(page);
      await look(page, visit, faults.splice(0));
    }
    await context.close();
  }
}

async function signIn(
  context: BrowserContext,
  { url }: Service,
  data: { email: string; password: string },
): Promise<void> {
  const answer = await context.request.post(`${url}/api/auth/sign-in/email`, { data, headers: { origin: url } });
  if (!answer.ok()) throw new Error(`sign-in returned ${answer.status()}: ${await answer.text()}`);
}

/** Waits until no part of the page is loading or shows a placeholder, and the images in view are loaded. */
async function untilShown(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"], .mantine-Skeleton-root') === null);
  // Images below the viewport load when the page is scrolled.
  await page.waitForFunction(() =>
    [...document.images].every((image) => image.complete || !image.checkVisibility() || image.y >= window.innerHeight),
  );
}
