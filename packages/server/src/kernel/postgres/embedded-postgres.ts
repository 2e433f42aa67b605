// A PostgreSQL server of our own in the data folder: created, started, reused after a crash, and stopped by the last
// process that uses it.
import { randomUUID } from 'node:crypto';
import { chown, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setInterval } from 'node:timers/promises';
import { PRIVATE_FOLDER } from '../private-files.ts';
import type { Log } from '../telemetry/log.ts';
import {
  answers,
  ask,
  type Cluster,
  EmbeddedPostgresError,
  locateCluster,
  spawnAsOwner,
  USER,
  urlOf,
} from './cluster.ts';
import { findServer } from './lock-file.ts';
import { endDatabaseSessions, startServer, stopServer } from './server.ts';

/** Creates the cluster unless it exists. Throws EmbeddedPostgresError with the message of initdb. */
async function createCluster(cluster: Cluster, log: Log): Promise<void> {
  const made = await stat(join(cluster.folder, 'PG_VERSION')).then(
    () => true,
    () => false,
  );
  if (made) return;
  log.info({ folder: cluster.folder }, 'creating the embedded PostgreSQL');
  // Created next to its final place and moved when complete: a first start that was killed must not leave half a
  // cluster.
  const making = `${cluster.folder}.new`;
  await rm(making, { recursive: true, force: true });
  await mkdir(making, { mode: PRIVATE_FOLDER });
  if (cluster.owner !== undefined) await chown(making, cluster.owner.uid, cluster.owner.gid);
  await initialise(cluster, making);
  await rename(making, cluster.folder);
}

async function initialise(cluster: Cluster, folder: string): Promise<void> {
  const options = [
    '--username',
    USER,
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--data-checksums',
    '-D',
    folder,
  ];
  const child = spawnAsOwner(cluster, cluster.binaries.initdb, options, { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr?.on('data', (data: Buffer) => {
    complaint = `${complaint}${data}`.slice(-2000);
  });
  const code = await new Promise((resolve) => child.on('error', resolve).on('close', resolve));
  if (code === 0) return;
  const reason = code instanceof Error ? code.message : complaint.trim();
  throw new EmbeddedPostgresError(
    `PostgreSQL could not be set up: ${reason}\nCorrect that, or set DATABASE_URL to a PostgreSQL server.`,
  );
}

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
      if (server?.stopping === true) endDatabaseSessions(server, log);
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
