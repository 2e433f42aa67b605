// Starts and stops the server of a cluster.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { PRIVATE_FILE } from '../private-files.ts';
import type { Log } from '../telemetry/log.ts';
import { answers, type Cluster, EmbeddedPostgresError, logOf, spawnAsOwner } from './cluster.ts';
import { findServer, removeStaleLock, type Server, signal } from './lock-file.ts';

const START_DEADLINE_MS = 60_000;
const STOP_DEADLINE_MS = 30_000;

/**
 * Starts the server and waits until it responds. After a kill -9, the old server may hold the folder for a second or
 * two, and recovery may be running, so a server that ends at once is started again until the deadline. If `ending` is
 * aborted, the started server is stopped. Throws EmbeddedPostgresError if it does not respond in time.
 */
export async function startServer(cluster: Cluster, log: Log, ending?: AbortSignal): Promise<void> {
  const deadline = Date.now() + START_DEADLINE_MS;
  await removeStaleLock(cluster);
  let server = await spawnServer(cluster);
  while (!(await answers(cluster))) {
    if (ending?.aborted === true) return endChild(server);
    if (Date.now() > deadline)
      throw new EmbeddedPostgresError(`PostgreSQL did not start. See its log at ${logOf(cluster)}.`);
    await wait(20);
    if (hasEnded(server)) {
      log.warn('the embedded PostgreSQL did not start; trying again');
      await wait(250);
      server = await spawnServer(cluster);
    }
  }
}

async function spawnServer(cluster: Cluster): Promise<ChildProcess> {
  const logFile = await open(logOf(cluster), 'a', PRIVATE_FILE);
  const settings = {
    listen_addresses: '',
    unix_socket_directories: cluster.socketFolder,
    unix_socket_permissions: '0700',
    max_connections: '200',
    shared_buffers: '128MB',
    log_min_messages: 'warning',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawnAsOwner(cluster, cluster.binaries.postgres, ['-D', cluster.folder, ...options], {
    stdio: ['ignore', logFile.fd, logFile.fd],
    // A separate session: Ctrl-C in a terminal must reach only the service, which then stops the database last.
    detached: true,
  });
  child.on('error', () => undefined);
  child.unref();
  await logFile.close();
  return child;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Uses the handle of the process, because the lock file may not exist yet. */
async function endChild(server: ChildProcess): Promise<void> {
  if (hasEnded(server)) return;
  const ended = once(server, 'exit');
  server.kill('SIGINT');
  await ended;
}

/**
 * Ends a server that another program asked to stop (SIGTERM, PostgreSQL's smart shutdown). Such a server accepts no new
 * sessions and waits for the open ones, but ours never end. This ends them, so that the server can be started again.
 */
export function endDatabaseSessions({ pid }: Server, log: Log): void {
  log.warn('the embedded PostgreSQL is stopping; ending its sessions in order to restart it');
  signal(pid, 'SIGINT');
}

/** Stops the server in order and waits for its end. Throws EmbeddedPostgresError if it keeps running. */
export async function stopServer(cluster: Cluster, log: Log): Promise<void> {
  const server = await findServer(cluster);
  if (server === undefined) {
    log.info('the embedded PostgreSQL has already ended');
    return;
  }
  // SIGINT is PostgreSQL's fast shutdown: sessions end and everything is written (manual, "Shutting Down the Server").
  signal(server.pid, 'SIGINT');
  const deadline = Date.now() + STOP_DEADLINE_MS;
  while ((await findServer(cluster)) !== undefined) {
    if (Date.now() > deadline)
      throw new EmbeddedPostgresError(`PostgreSQL did not stop. See its log at ${logOf(cluster)}.`);
    await wait(20);
  }
}
