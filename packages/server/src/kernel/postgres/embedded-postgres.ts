// A PostgreSQL server of our own in the data folder: created, started, reused after a crash, and stopped by the last
// process that uses it.
import { randomUUID } from 'node:crypto';
import { setInterval } from 'node:timers/promises';
import type { Log } from '../telemetry/log.ts';
import { answers, ask, urlOf } from './ask.ts';
import { type Cluster, locateCluster } from './cluster.ts';
import { createCluster } from './create.ts';
import { findServer } from './lock-file.ts';
import { endSessions, startServer, stopServer } from './server.ts';

export type EmbeddedPostgres = {
  /** The connection string of the service's database. */
  readonly url: string;
  /**
   * Stops the server, unless another process of the service still uses it. Throws EmbeddedPostgresError if it keeps
   * running.
   */
  stop(): Promise<void>;
};

const DATABASE = 'chauffeur';
const WATCH_MS = 1000;

/**
 * Starts the cluster below `dataFolder`, which is created at the first start, and resolves when it accepts queries.
 * Throws EmbeddedPostgresError if it cannot be created or started.
 */
export async function startEmbeddedPostgres(dataFolder: string, log: Log): Promise<EmbeddedPostgres> {
  const cluster = await locateCluster(dataFolder);
  if (await answers(cluster)) {
    log.info('using the embedded PostgreSQL that is already running');
  } else {
    await createCluster(cluster, log);
    await startServer(cluster, log);
  }
  await createDatabase(cluster);
  const watch = watchServer(cluster, log);
  const sessionName = `chauffeur-${randomUUID().slice(0, 8)}`;
  return {
    url: `${urlOf(cluster, DATABASE)}&application_name=${sessionName}`,
    async stop() {
      await watch.end();
      if (await isUsedByOthers(cluster, sessionName)) {
        log.info('leaving the embedded PostgreSQL running, because another process uses it');
      } else {
        await stopServer(cluster, log);
      }
    },
  };
}

/**
 * Restarts the server if it ends unexpectedly. It does so even while the service is stopping, because systemd sends its
 * signal to both: uploads and jobs in progress need the database until they end, which may take minutes, and starting
 * it takes a second. This cannot prolong the stop, which ends the watch before the server.
 */
function watchServer(cluster: Cluster, log: Log): { end(): Promise<void> } {
  const ending = new AbortController();
  const watching = (async () => {
    for await (const _ of setInterval(WATCH_MS, undefined, { signal: ending.signal })) {
      const server = await findServer(cluster);
      if (server?.stopping === true) endSessions(server, log);
      if (server !== undefined) continue;
      log.error('the embedded PostgreSQL ended unexpectedly; restarting it');
      await startServer(cluster, log, ending.signal).catch((err) =>
        log.error({ err }, 'the embedded PostgreSQL could not be restarted'),
      );
    }
  })().catch((error: Error) => {
    if (error.name !== 'AbortError') throw error;
  });
  return {
    async end() {
      ending.abort();
      await watching;
    },
  };
}

async function createDatabase(cluster: Cluster): Promise<void> {
  const existing = await ask(cluster, `select 1 from pg_database where datname = '${DATABASE}'`);
  // Two processes may start at once: it does not matter which of them creates it.
  if (existing?.length === 0) await ask(cluster, `create database ${DATABASE}`);
}

/** Ignores sessions of this process: one may still be closing, or belong to a job that was given up. */
async function isUsedByOthers(cluster: Cluster, sessionName: string): Promise<boolean> {
  const sessions = await ask(
    cluster,
    `select 1 from pg_stat_activity where datname = '${DATABASE}' and application_name <> '${sessionName}' limit 1`,
  );
  return sessions !== undefined && sessions.length > 0;
}
