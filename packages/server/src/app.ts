// Assembles the service: database, storage, mail, accounts, and in the process's role the HTTP server and the worker.

import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { type Auth, createAuth, readAuthSecret } from './features/accounts/accounts.ts';
import { JOBS, MOUNTINGS } from './features.ts';
import { createHttpServer } from './http/server.ts';
import { openBlobStore, parseBlobSettings } from './kernel/blobs/open.ts';
import { type Clock, systemClock } from './kernel/clock.ts';
import { type Database, openDatabase } from './kernel/db.ts';
import { startEmbeddedPostgres } from './kernel/embedded-postgres.ts';
import { migrateJobs } from './kernel/jobs.ts';
import type { Log } from './kernel/log.ts';
import { createMailer } from './kernel/mail.ts';
import { createMetrics } from './kernel/metrics.ts';
import { migrate } from './kernel/migrate.ts';
import { joinPresence } from './kernel/presence.ts';
import { startWorker } from './worker/run.ts';

/** `start` is all in one process; `api` and `worker` split it; `admin` is for one command. */
export type Role = 'start' | 'api' | 'worker' | 'admin';

export type App = {
  readonly ctx: Context;
  readonly auth: Auth;
  /** Where the HTTP server listens; undefined in roles without one. */
  readonly url: string | undefined;
  /** Stops taking requests and jobs, lets those under way end, and closes everything. Safe to repeat. */
  close(): Promise<void>;
};

/** Things to close, the last opened first. */
type Closers = (() => Promise<void> | void)[];

/** Brings the service up in `role`. When a part fails to start, those before it are closed again. */
export async function startApp(
  config: Config,
  role: Role,
  { log, clock = systemClock }: { log: Log; clock?: Clock },
): Promise<App> {
  const closers: Closers = [];
  try {
    return await assemble(config, role, log, clock, closers);
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

async function assemble(given: Config, role: Role, log: Log, clock: Clock, closers: Closers): Promise<App> {
  const config = given.port === 0 ? { ...given, port: await findFreePort(given.host) } : given;
  const { database, connectionString } = await connect(config, role, log, closers);
  const { db } = database;
  const presence = await joinPresence(connectionString, db, role, log);
  closers.push(() => presence.leave());
  const blobs = openBlobStore(parseBlobSettings(config.blobs, config.dataFolder));
  closers.push(() => blobs.close());
  await blobs.check();
  const mailer = createMailer({ smtp: config.smtp, from: config.mailFrom, outbox: join(config.dataFolder, 'outbox') });
  closers.push(() => mailer.close());
  const secret = await readAuthSecret(db, config);
  const base = { config, db, blobs, clock, log, mailer, metrics: createMetrics(), presence };
  const publicUrl = (config.publicUrl ?? `http://${hostInUrl(config.host)}:${config.port}`).replace(/\/+$/, '');
  const ctx: Context = { ...base, publicUrl };
  const auth = createAuth(db, { secret, publicUrl, limitSignIns: config.limitSignIns });
  const close = onlyOnce(() => closeAll(closers));
  if (role === 'start' || role === 'worker') {
    const worker = await startWorker(ctx, database.pool, JOBS);
    closers.push(() => worker.stop());
  }
  if (role !== 'start' && role !== 'api') return { ctx, auth, url: undefined, close };
  const server = createHttpServer(ctx, auth, MOUNTINGS);
  closers.push(() => closeServer(server, config, log));
  await server.listen({ host: config.host, port: config.port });
  return { ctx, auth, url: `http://${hostInUrl(config.host)}:${config.port}`, close };
}

async function connect(
  config: Config,
  role: Role,
  log: Log,
  closers: Closers,
): Promise<{ database: Database; connectionString: string }> {
  await mkdir(config.dataFolder, { recursive: true });
  let connectionString = config.databaseUrl;
  if (connectionString === undefined) {
    const embedded = await startEmbeddedPostgres(config.dataFolder, log);
    closers.push(() => embedded.stop());
    connectionString = embedded.url;
  }
  const database = openDatabase(connectionString, {
    connections: config.databaseConnections,
    log,
    name: `chauffeur-${role}`,
  });
  closers.push(() => database.close());
  await migrate(database.pool, log);
  await migrateJobs(database.pool);
  return { database, connectionString };
}

/** Port 0 asks for a free one; it must be known before the server listens, since mails and links carry it. */
async function findFreePort(host: string): Promise<number> {
  const probe = createServer().listen({ host, port: 0 });
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Lets uploads under way end, for as long as the settings allow. */
async function closeServer(server: FastifyInstance, { shutdownSeconds }: Config, log: Log): Promise<void> {
  const timer = setTimeout(() => {
    log.warn('uploads were still under way when the time to stop was over');
    server.server.closeAllConnections();
  }, shutdownSeconds * 1000);
  await server.close();
  clearTimeout(timer);
}

async function closeAll(closers: Closers): Promise<void> {
  while (closers.length > 0) await closers.pop()?.();
}

function onlyOnce(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}
