// A service and a browser for the tests of the website: on a database of the one PostgreSQL that all tests share, which is there at once.
import { join } from 'node:path';
import { after, before } from 'node:test';
import type { Browser } from 'playwright-core';
import { createTestDatabase, type TestDatabase } from '../../packages/server/test/setup/database.ts';
import { startChromium } from './chromium.ts';
import { type Environment, makeFolder, type Service, startService } from './processes.ts';

export type Site = {
  readonly service: Service;
  /** Null when no Chromium is installed. */
  readonly browser: Browser | null;
  /** For files of the tests; the service has its own below it. */
  readonly folder: string;
};

/** Starts both before the first test of the suite that calls this, then runs `prepare`; removes them after the last. */
export function serveSite(prepare?: (site: Site) => Promise<void>, environment: Environment = {}): Site {
  let work: Awaited<ReturnType<typeof makeFolder>>;
  let database: TestDatabase;
  let service: Service;
  let browser: Browser | null;
  const site: Site = {
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
    [service, browser] = await Promise.all([startService(join(work.path, 'data'), settings), startChromium()]);
    await prepare?.(site);
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    await Promise.all([work?.remove(), database?.drop()]);
  });
  return site;
}
