// A PostgreSQL of our own under the data folder: created, started, adopted after a crash, stopped by the last that uses it.
import { randomUUID } from 'node:crypto';
import { setInterval } from 'node:timers/promises';
import type { Log } from './log.ts';
import { answers, ask, urlOf } from './postgres/ask.ts';
import { type Cluster, locateCluster } from './postgres/cluster.ts';
import { createCluster } from './postgres/create.ts';
import { findServer } from './postgres/lock-file.ts';
import { endSessions, startServer, stopServer } from './postgres/server.ts';

export type EmbeddedPostgres = {
  /** Connection string of the service’s database. */
  readonly url: string;
  /** Stops the server, unless another process of the service still uses it. Throws EmbeddedPostgresError when it goes on. */
  stop(): Promise<void>;
};

const DATABASE = 'chauffeur';
const WATCH_MS = 1000;

/**
 * Brings the cluster below `dataFolder` up, creating it at the first start, and answers when it takes queries. Throws
 * EmbeddedPostgresError when it cannot be created or does not start.
 */
export async function startEmbeddedPostgres(dataFolder: string, log: Log): Promise<EmbeddedPostgres> {
  const cluster = await locateCluster(dataFolder);
  if (await answers(cluster)) {
    log.info('adopting the embedded PostgreSQL that is already running');
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
        log.info('leaving the embedded PostgreSQL running for the other process that uses it');
      } else {
        await stopServer(cluster, log);
      }
    },
  };
}

/**
 * Starts the server again when it ended under us: nobody else looks after it. Also while the service stops, when the same signal
 * reached both, as systemd sends it: uploads and jobs under way need the database until they have ended, which may take
 * minutes, and to start it takes a second. That cannot prolong the stop: it ends the watch before it ends the server.
 */
function watchServer(cluster: Cluster, log: Log): { end(): Promise<void> } {
  const ending = new AbortController();
  const watching = (async () => {
    for await (const _ of setInterval(WATCH_MS, undefined, { signal: ending.signal })) {
      const server = await findServer(cluster);
      if (server?.stopping === true) endSessions(server, log);
      if (server !== undefined) continue;
      log.error('the embedded PostgreSQL has died; starting it again');
      await startServer(cluster, log, ending.signal).catch((err) =>
        log.error({ err }, 'the embedded PostgreSQL did not start again'),
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
  const found = await ask(cluster, `select 1 from pg_database where datname = '${DATABASE}'`);
  // Two processes may start at once: that the other one made it is as good.
  if (found?.length === 0) await ask(cluster, `create database ${DATABASE}`);
}

/** Sessions of this process do not count: one may be closing still, or belong to a job that was given up. */
async function isUsedByOthers(cluster: Cluster, sessionName: string): Promise<boolean> {
  const sessions = await ask(
    cluster,
    `select 1 from pg_stat_activity where datname = '${DATABASE}' and application_name <> '${sessionName}' limit 1`,
  );
  return sessions !== undefined && sessions.length > 0;
}
