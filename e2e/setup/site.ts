// A server and a browser for tests of the website, with a database in the PostgreSQL that all tests share.
import { join } from 'node:path';
import { after, before } from 'node:test';
import type { Browser } from 'playwright-core';
import { createTestDatabase, type TestDatabase } from '../../packages/server/test/setup/database.ts';
import { type Pages, usePages } from './page.ts';
import { type Environment, makeFolder, type Service, startService } from './processes.ts';
import { shareChromium } from './shared-chromium.ts';

export type Site = Pages & {
  readonly service: Service;
  /** Null when no Chromium is installed. */
  readonly browser: Browser | null;
  /** A folder for the files of the tests. The server has its own folder in it. */
  readonly folder: string;
};

/** Starts both before the first test of the suite that calls this, then runs `prepare`; removes them after the last. */
export function serveSite(prepare?: (site: Site) => Promise<void>, environment: Environment = {}): Site {
  let work: Awaited<ReturnType<typeof makeFolder>>;
  let database: TestDatabase;
  let service: Service;
  let browser: Browser | null;
  const site: Site = {
    ...usePages(() => ({ service, browser })),
    get service() {
      return service;
    },
    get browser() {
      return browser;
    },
    get folder() {
      return work.path;
    },
  };
  before(async () => {
    [work, database] = await Promise.all([makeFolder(), createTestDatabase()]);
    const settings = { DATABASE_URL: database.url, ...environment };
    [service, browser] = await Promise.all([startService(join(work.path, 'data'), settings), shareChromium()]);
    await prepare?.(site);
  });
  after(async () => {
    await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
    await service?.stop();
    await Promise.all([work?.remove(), database?.drop()]);
  });
  return site;
}
