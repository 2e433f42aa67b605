// A server and a browser for tests of the website. The server runs in the process of the tests: starting one takes more
// processor time than most of these tests, and the first server of a process makes the next ones fast. With
// CHAUFFEUR_TEST_CLUSTER=1, it is a cluster of four processes behind nginx instead.
import { join } from 'node:path';
import { after, before } from 'node:test';
import type { Browser } from 'playwright-core';
import { createLog } from '../../packages/server/src/kernel/telemetry/log.ts';
import { createTestDatabase } from '../../packages/server/test/setup/database.ts';
import { startServer } from '../../packages/server/test/setup/server.ts';
import { environmentOf } from '../../packages/server/test/setup/server-command.ts';
import { NO_CLUSTER, ON_CLUSTER, startCluster } from './cluster.ts';
import { type Pages, usePages } from './page.ts';
import { type Environment, makeFolder, type Service, startService } from './processes.ts';
import { shareChromium } from './shared-chromium.ts';

export type Site = Pages & {
  readonly service: Service;
  /** Null when no Chromium is installed. */
  readonly browser: Browser | null;
  /** A folder for the files of the tests. */
  readonly folder: string;
};

type Options = {
  /** Settings by the names of their environment variables. */
  readonly env?: Environment;
  /** Starts the server in a separate process, for tests of what it prints. */
  readonly apart?: boolean;
};

/** People of a test get several mails of a kind within an hour. */
const MANY_MAILS: Environment = { CHAUFFEUR_LIMIT_UNCONFIRMED_MAILS: '0' };

/** Starts both before the first test of the suite that calls this, then runs `prepare`; removes them after the last. */
export function serveSite(prepare?: (site: Site) => Promise<void>, { env = {}, apart = false }: Options = {}): Site {
  let work: Awaited<ReturnType<typeof makeFolder>>;
  let server: Server;
  let browser: Browser | null;
  const site: Site = {
    ...usePages(() => ({ service: server.service, browser })),
    get service() {
      return server.service;
    },
    get browser() {
      return browser;
    },
    get folder() {
      return work.path;
    },
  };
  before(async () => {
    work = await makeFolder();
    const start = apart ? startApart : ON_CLUSTER ? startOnCluster : startHere;
    [server, browser] = await Promise.all([start({ ...MANY_MAILS, ...env }, work.path), shareChromium()]);
    await prepare?.(site);
  });
  after(async () => {
    await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
    await server?.stop();
    await work?.remove();
  });
  return site;
}

type Server = { readonly service: Service; stop(): Promise<void> };

async function startHere(env: Environment): Promise<Server> {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => lines.push(line) });
  const server = await startServer({ log, env });
  const { url, api, dataFolder } = server;
  const environment = { ...env, ...environmentOf(server) };
  return {
    service: { url, api, dataFolder, environment, output: () => lines.join('') },
    stop: () => server.stop(),
  };
}

/** The processes share a folder, in which the tests find the mails of all. */
async function startOnCluster(env: Environment, folder: string): Promise<Server> {
  const cluster = await startCluster({ CHAUFFEUR_DATA: join(folder, 'data'), ...env }, { scan: false });
  if (cluster === null) throw new Error(NO_CLUSTER);
  return { service: { ...cluster, dataFolder: join(folder, 'data') }, stop: () => cluster.stop() };
}

async function startApart(env: Environment, folder: string): Promise<Server> {
  const database = await createTestDatabase();
  const service = await startService(join(folder, 'data'), { DATABASE_URL: database.url, ...env });
  return {
    service,
    async stop() {
      await service.stop();
      await database.drop();
    },
  };
}
