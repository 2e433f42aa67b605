// Visits every page of the website, signed in or signed out.
import type { Browser, Page } from 'playwright-core';
import { addSession, watchErrors } from './page.ts';
import type { Service } from './processes.ts';
import type { Showroom, Visit } from './showroom.ts';

export type Viewport = { readonly width: number; readonly height: number };

/** Calls `look` for each page once it has loaded. `errors` are those of the browser since the previous page. */
export async function visitPages(
  { service, browser }: { service: Service; browser: Browser },
  { owner, visits }: Showroom,
  viewport: Viewport,
  look: (page: Page, visit: Visit, errors: readonly string[]) => Promise<void>,
): Promise<void> {
  for (const signedIn of [false, true]) {
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
    if (signedIn) await addSession(context, service, owner.session);
    const errors: string[] = [];
    watchErrors(context, (error) => errors.push(error));
    const page = await context.newPage();
    for (const visit of visits.filter((visit) => visit.signedIn === signedIn)) {
      await page.goto(service.url + visit.path);
      await untilShown(page);
      await look(page, visit, errors.splice(0));
    }
    await context.close();
  }
}

/** Waits until no part of the page is loading or shows a placeholder, and the images in view are loaded. */
export async function untilShown(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await untilDrawn(page);
  // Images below the viewport load when the page is scrolled.
  await page.waitForFunction(() =>
    [...document.images].every((image) => image.complete || !image.checkVisibility() || image.y >= window.innerHeight),
  );
}

/** Waits until no part of the page is loading or shows a placeholder. */
export async function untilDrawn(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    // What is further down loads when someone uses the page.
    dispatchEvent(new Event('scroll'));
    return document.querySelector('[aria-busy="true"], [data-loading], .mantine-Skeleton-root') === null;
  });
}
