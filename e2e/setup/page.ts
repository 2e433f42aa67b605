// Opens pages of the website for tests: people are signed in without the form, and browser errors fail the test.
import assert from 'node:assert/strict';
import { afterEach, beforeEach } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { Service } from './processes.ts';
import type { Account, Session } from './studio.ts';

type PageOptions = BrowserContextOptions & {
  /** The person who is signed in. */
  readonly session?: Session;
};

export type Pages = {
  /** Opens a page in a separate context. If a test opens it, it is closed after the test. */
  openPage(options?: PageOptions): Promise<Page>;
  /** The current test causes these browser errors. It fails if one of them is missing. */
  expectErrors(...patterns: RegExp[]): void;
};

/** Makes every test of the suite that calls this fail if a page has an unexpected error. */
export function usePages(site: () => { readonly service: Service; readonly browser: Browser | null }): Pages {
  const errors: string[] = [];
  const expected: RegExp[] = [];
  let openedByTest: BrowserContext[] | undefined;

  beforeEach(() => {
    openedByTest = [];
  });
  afterEach(async () => {
    await Promise.all(openedByTest?.map((context) => context.close()) ?? []);
    const patterns = expected.splice(0);
    const found = errors.splice(0);
    const unexpected = found.filter((error) => !patterns.some((pattern) => pattern.test(error)));
    assert.deepEqual(unexpected, [], 'the browser reported errors');
    const missing = patterns.filter((pattern) => !found.some((error) => pattern.test(error)));
    assert.deepEqual(missing, [], 'the browser did not report expected errors');
  });

  return {
    async openPage({ session, ...options } = {}) {
      const { service, browser } = site();
      if (browser === null) throw new Error('a page needs a browser');
      const context = await browser.newContext(options);
      openedByTest?.push(context);
      watchErrors(context, (error) => errors.push(error));
      if (session !== undefined) await addSession(context, service, session);
      return context.newPage();
    },
    expectErrors: (...patterns) => {
      expected.push(...patterns);
    },
  };
}

/** Reports what the pages of the context log as an error, what they throw, and which of their requests fail. */
export function watchErrors(context: BrowserContext, report: (error: string) => void): void {
  context.on('console', (message) => {
    // A response with an error status is logged, too.
    if (message.type() === 'error') report(`${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => report(String(error.error())));
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    // A page that is left cancels its requests, and a download cancels the navigation that starts it.
    if (reason !== 'net::ERR_ABORTED') report(`${request.method()} ${request.url()}: ${reason}`);
  });
}

/** Fills in the form on the sign-in page, for tests of what comes before and after it. */
export async function submitSignIn(page: Page, { email, password }: Account): Promise<void> {
  // First, because the page before may have a field for an email, such as the form to report a bug.
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Signs a person in to all pages of the context. */
export async function addSession(context: BrowserContext, { url }: Service, { cookie }: Session): Promise<void> {
  const pairs = cookie.split('; ').map((pair) => [pair, pair.indexOf('=')] as const);
  await context.addCookies(pairs.map(([pair, at]) => ({ name: pair.slice(0, at), value: pair.slice(at + 1), url })));
}
