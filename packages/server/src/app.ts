// Assembles the service: database, storage, mail, accounts, and in the process's role the HTTP server and the worker.

import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { type Auth, type AuthOptions, createAuth, readAuthSecret } from './features/accounts/accounts.ts';
import { currentConnection } from './features/agents/agents.ts';
import { ownsGames } from './features/games/games.ts';
import { FURTHER_MOUNTINGS, JOBS, MOUNTINGS } from './features.ts';
import { createHttpServer } from './http/server.ts';
import { openBlobStore, parseBlobSettings } from './kernel/blobs/open.ts';
import { type Clock, systemClock } from './kernel/clock.ts';
import { type Closers, openClosers } from './kernel/closers.ts';
import { type Database, openDatabase } from './kernel/db.ts';
import { startEmbeddedPostgres } from './kernel/embedded-postgres.ts';
import { migrateJobs } from './kernel/jobs.ts';
import type { Log } from './kernel/log.ts';
import { createMailer } from './kernel/mail.ts';
import { createMetrics } from './kernel/metrics.ts';
import { migrate } from './kernel/migrate.ts';
import { joinPresence } from './kernel/presence.ts';
import { mountMcp } from './mcp/mcp.ts';
import { startWorker } from './worker/run.ts';

/** `start` is all in one process; `api` and `worker` split it; `admin` is for one command. */
export type Role = 'start' | 'api' | 'worker' | 'admin';

export type App = {
  readonly ctx: Context;
  readonly auth: Auth;
  /** Where the HTTP server listens; undefined in roles without one. */
  readonly url: string | undefined;
  /**
   * Stops taking requests and jobs, lets those under way end for up to `shutdownSeconds`, and closes everything, whatever
   * hangs. Safe to repeat. Throws ClosingError when a part did not close in order.
   */
  close(): Promise<void>;
};

const SWEEP_MS = 100;
/** Beyond `shutdownSeconds`, to see that the connections that were cut then are gone. */
const CUT_SECONDS = 10;
/** Enough for the pool to give up the connections that it was opening. */
const CLOSE_SECONDS = 15;
/** The embedded PostgreSQL has deadlines of its own, which say more; this one is for what they miss. */
const POSTGRES_SECONDS = 60;

type Parts = {
  readonly log: Log;
  readonly clock?: Clock;
  /** How the documents of programs are read (OAuth); from the public internet where absent. */
  readonly fetchDocument?: AuthOptions['fetchDocument'];
};

/** Brings the service up in `role`. When a part fails to start, those before it are closed again. */
export async function startApp(config: Config, role: Role, parts: Parts): Promise<App> {
  const closers = openClosers(parts.log);
  try {
    return await assemble(config, role, parts, closers);
  } catch (error) {
    // Why the start failed matters more than what could not be closed, which is in the log.
    await closers.close().catch(() => undefined);
    throw error;
  }
}

async function assemble(given: Config, role: Role, parts: Parts, closers: Closers): Promise<App> {
  const { log, clock = systemClock, fetchDocument } = parts;
  const config = given.port === 0 ? { ...given, port: await findFreePort(given.host) } : given;
  const { database, connectionString } = await connect(config, role, log, closers);
  const { db } = database;
  const presence = await joinPresence(connectionString, role, log);
  closers.add({ name: 'presence', seconds: CLOSE_SECONDS, close: () => presence.leave() });
  const blobs = openBlobStore(parseBlobSettings(config.blobs, config.dataFolder));
  closers.add({ name: 'blobs', seconds: CLOSE_SECONDS, close: () => blobs.close() });
  await blobs.check();
  const mailer = createMailer({ smtp: config.smtp, from: config.mailFrom, outbox: join(config.dataFolder, 'outbox') });
  closers.add({ name: 'mailer', seconds: CLOSE_SECONDS, close: () => mailer.close() });
  const secret = await readAuthSecret(db, config);
  const base = { config, db, blobs, clock, log, mailer, metrics: createMetrics(), presence, secret };
  const publicUrl = (config.publicUrl ?? `http://${hostInUrl(config.host)}:${config.port}`).replace(/\/+$/, '');
  const ctx: Context = { ...base, publicUrl };
  const auth = createAuth(db, {
    secret,
    publicUrl,
    limitSignIns: config.limitSignIns,
    ownsGames: (userId) => ownsGames(db, userId),
    currentConnection: (consent) => currentConnection(db, consent),
    clock,
    fetchDocument,
  });
  // Its plugins ask the database when they start: one that is closed meanwhile, as after a short command, would end the process.
  await auth.$context;
  const url = await startRole(ctx, auth, database, role, closers);
  return { ctx, auth, url, close: () => closers.close() };
}

/** Starts what takes jobs and requests; answers where requests are taken. Both end what is under way at the same time. */
async function startRole(
  ctx: Context,
  auth: Auth,
  { pool }: Database,
  role: Role,
  closers: Closers,
): Promise<string | undefined> {
  const { host, port, shutdownSeconds } = ctx.config;
  const server =
    role === 'start' || role === 'api'
      ? createHttpServer(ctx, auth, [...MOUNTINGS, ...FURTHER_MOUNTINGS], (http) =>
          mountMcp(http, ctx, auth, MOUNTINGS),
        )
      : undefined;
  const worker = role === 'start' || role === 'worker' ? await startWorker(ctx, pool, JOBS) : undefined;
  const seconds = shutdownSeconds + CUT_SECONDS;
  closers.add(
    ...(worker === undefined ? [] : [{ name: 'worker', seconds, close: () => worker.stop() }]),
    ...(server === undefined ? [] : [{ name: 'HTTP server', seconds, close: () => closeServer(server, ctx) }]),
  );
  if (server === undefined) return undefined;
  await server.listen({ host, port });
  return `http://${hostInUrl(host)}:${port}`;
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
    closers.add({ name: 'embedded PostgreSQL', seconds: POSTGRES_SECONDS, close: () => embedded.stop() });
    connectionString = embedded.url;
  }
  const database = openDatabase(connectionString, {
    connections: config.databaseConnections,
    log,
    name: `chauffeur-${role}`,
  });
  closers.add({ name: 'database', seconds: CLOSE_SECONDS, close: () => database.close() });
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

/** Lets requests under way end, for as long as the settings allow; then cuts them off. */
async function closeServer(http: FastifyInstance, { config, log }: Context): Promise<void> {
  const timer = setTimeout(() => {
    log.warn('uploads were still under way when the time to stop was over');
    http.server.closeAllConnections();
  }, config.shutdownSeconds * 1000);
  // An answer that had begun before, such as a download, keeps its connection open for the client's next request: for over a
  // minute.
  const sweep = setInterval(() => http.server.closeIdleConnections(), SWEEP_MS);
  try {
    await http.close();
  } finally {
    clearTimeout(timer);
    clearInterval(sweep);
  }
}
