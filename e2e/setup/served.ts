// A server with a studio in a new folder, for suites that break it and start it again.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../packages/server/test/setup/database.ts';
import { type Environment, makeFolder, type ServiceProcess, startService } from './processes.ts';
import { openStudio, type Studio } from './studio.ts';

export type Served = {
  /** The running server, which changes with each restart. */
  readonly service: ServiceProcess;
  readonly studio: Studio;
  /** A folder for the files of the tests. The server has its own folder in it. */
  readonly folder: string;
  /** Starts the server again, with the same folder and port. */
  restart(): Promise<void>;
  /** The process of its own PostgreSQL, from the lock file; undefined if it was stopped in order. */
  database(): Promise<{ pid: number; ready: boolean } | undefined>;
};

/**
 * Starts it before the first test of the suite that calls this, and removes it after the last. Its database is on the
 * PostgreSQL server that all tests share, or with `ownPostgres` on a separate server, which a test can break.
 */
export function serveStudio({
  ownPostgres = false,
  settings = {},
}: {
  ownPostgres?: boolean;
  settings?: Environment;
} = {}): Served {
  let work: Awaited<ReturnType<typeof makeFolder>>;
  let database: TestDatabase | undefined;
  let service: ServiceProcess;
  let studio: Studio;
  before(async () => {
    work = await makeFolder();
    database = ownPostgres ? undefined : await createTestDatabase();
    service = await startService(join(work.path, 'data'), {
      ...settings,
      ...(database && { DATABASE_URL: database.url }),
    });
    studio = await openStudio(service);
  });
  after(async () => {
    await service?.stop();
    await Promise.all([work?.remove(), database?.drop()]);
  });
  return {
    get service() {
      return service;
    },
    get studio() {
      return studio;
    },
    get folder() {
      return work.path;
    },
    async restart() {
      service = await startService(service.dataFolder, service.environment);
    },
    async database() {
      const lockFile = join(service.dataFolder, 'postgres', 'postmaster.pid');
      const text = await readFile(lockFile, 'utf8').catch(() => '');
      return text === '' ? undefined : { pid: Number.parseInt(text, 10), ready: /^ready *$/m.test(text) };
    },
  };
}
