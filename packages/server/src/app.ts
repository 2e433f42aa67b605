// Assembles the service: database, storage, email, accounts, and what its role runs.

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import type { Language } from '@chauffeur/contract/texts/messages';
import { VERSION } from '@chauffeur/contract/version';
import type pg from 'pg';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { holdDeletions } from './kernel/blobs/held-deletions.ts';
import { measureBlobs } from './kernel/blobs/measured.ts';
import { openBlobStore, parseBlobSettings } from './kernel/blobs/open.ts';
import { type Clock, systemClock } from './kernel/clock.ts';
import { type Database, openDatabase } from './kernel/database/db.ts';
import { distributeAdded } from './kernel/database/distribute.ts';
import { compareMigrations, MigrationError, migrate } from './kernel/database/migrate.ts';
import { refuseTransactionPooling } from './kernel/database/pooler.ts';
import { openReplica, type Replica } from './kernel/database/replica.ts';
import { createMailer, measureMailer } from './kernel/email/email.ts';
import { addEmailFooters } from './kernel/email/html-email.ts';
import { migrateJobs } from './kernel/jobs/jobs.ts';
import { startEmbeddedPostgres } from './kernel/postgres/embedded-postgres.ts';
import { makeDataFolder } from './kernel/private-files.ts';
import { type Closers, openClosers } from './kernel/processes/closers.ts';
import { joinPresence, type Presence } from './kernel/processes/presence.ts';
import type { Log } from './kernel/telemetry/log.ts';
import { createMetrics, type Metrics } from './kernel/telemetry/metrics.ts';
import type { Tracer } from './kernel/telemetry/tracing.ts';
import { type Auth, type AuthOptions, createAuth, readAuthSecret, ssoSettingsOf } from './people/accounts/accounts.ts';
import { needsSecondFactor } from './people/organisations/required-sign-in.ts';
import { DISTRIBUTED_TABLES } from './registry.ts';
import { legalLinks, readLegalFiles } from './request/legal-pages.ts';
import type { Role } from './roles.ts';
import { currentConnection } from './team/agents/connections.sql.ts';
import { endAccessAfterReset } from './team/credentials/credentials.ts';
import { leaveAllOrganisations } from './team/organisation-members/organisation-members.ts';

export type App = {
  readonly ctx: Context;
  readonly auth: Auth;
  /** The pool for commands that need a separate connection, such as a backup. */
  readonly pool: pg.Pool;
  /** The URL of the HTTP server; undefined in roles without one. */
  readonly url: string | undefined;
  /**
   * Stops accepting requests and jobs, waits up to `shutdownSeconds` for those in progress, and closes everything, even
   * if a part hangs. Safe to repeat. Throws ClosingError if a part failed to close. `maxGraceSeconds` shortens
   * the wait.
   */
  close(maxGraceSeconds?: number): Promise<void>;
};

/** Long enough for the pool to give up connections that it was opening. */
const CLOSE_SECONDS = 15;
/** The embedded PostgreSQL has its own deadlines with better messages; this one is a fallback. */
const POSTGRES_SECONDS = 60;

type Parts = {
  readonly log: Log;
  readonly clock?: Clock;
  /** How OAuth client documents are fetched; from the public internet by default. */
  readonly fetchDocument?: AuthOptions['fetchDocument'];
};

/** Starts the service in `role`. If a part fails to start, the parts before it are closed again. */
export async function startApp(config: Config, role: Role, parts: Parts): Promise<App> {
  const closers = openClosers(parts.log);
  try {
    return await assemble(config, role, parts, closers);
  } catch (error) {
    // The reason for the failed start matters more than errors while closing, which are logged.
    await closers.close().catch(() => undefined);
    throw error;
  }
}

async function assemble(given: Config, role: Role, parts: Parts, closers: Closers): Promise<App> {
  const { log, clock = systemClock, fetchDocument } = parts;
  const config = given.port === 0 ? { ...given, port: await findFreePort(given.host) } : given;
  if (role !== 'admin') await assertPortsFree(config, role);
  if (role === 'start' || role === 'api') readLegalFiles(config);
  // Most of the code, which an operator's command does not need. Loaded while the database starts; a failure is thrown
  // when it has started, so that it is stopped again.
  const loading = role === 'admin' ? undefined : import('./roles.ts');
  loading?.catch(() => undefined);
  const { database, connectionString } = await connect(config, role, log, closers);
  const roles = await loading;
  const { db } = database;
  const presence = await joinPresence(connectionString, role, log);
  closers.add({ name: 'presence', seconds: CLOSE_SECONDS, close: () => presence.leave() });
  presence.onSilence(() => database.cut());
  const metrics = createMetrics();
  metrics.buildInfo.set({ version: VERSION, node: process.versions.node, role }, 1);
  const replica = await connectReplica(config, role, { database, connectionString, presence, log, metrics });
  if (replica !== undefined)
    closers.add({ name: 'database replica', seconds: CLOSE_SECONDS, close: () => replica.close() });
  const store = openBlobStore(parseBlobSettings(config.blobs, config.dataFolder));
  const blobs = holdDeletions(measureBlobs(store, metrics), db);
  closers.add({ name: 'blobs', seconds: CLOSE_SECONDS, close: () => blobs.close() });
  await blobs.check();
  const url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${config.port}`;
  const publicUrl = (config.publicUrl ?? url).replace(/\/+$/, '');
  const outbox = join(config.dataFolder, 'outbox');
  const measured = measureMailer(createMailer({ smtp: config.smtp, from: config.mailFrom, outbox }), metrics);
  const mailer = addEmailFooters(measured, (language) => mailLinks(config, publicUrl, language));
  closers.add({ name: 'mailer', seconds: CLOSE_SECONDS, close: () => mailer.close() });
  const secret = await readAuthSecret(db, config);
  const tracer = await openTracer(config, role, { log, metrics });
  if (tracer !== undefined) closers.add({ name: 'tracer', seconds: CLOSE_SECONDS, close: () => tracer.stop() });
  const base = {
    config,
    db,
    replica,
    pool: database.pool,
    blobs,
    clock,
    log,
    mailer,
    metrics,
    presence,
    secret,
    tracer,
  };
  const ctx: Context = { ...base, publicUrl };
  const auth = createAuth(db, {
    ctx,
    secret,
    publicUrl: ctx.publicUrl,
    sso: ssoSettingsOf(ctx),
    limitSignIns: config.limitSignIns,
    leaveOrganisations: (userId) => leaveAllOrganisations(ctx, userId),
    needsSecondFactor: (userId) => needsSecondFactor(db, userId),
    endAccess: (userId) => endAccessAfterReset(ctx, userId),
    currentConnection: (consent) => currentConnection(db, consent),
    clock,
    fetchDocument,
  });
  // Its plugins query the database when they start. If the database closed first, as after a short command, the process
  // would end.
  await auth.$context;
  const takesRequests = await roles?.startRole(ctx, auth, database.pool, role, closers);
  return {
    ctx,
    auth,
    pool: database.pool,
    url: takesRequests ? url : undefined,
    close: (maxGraceSeconds) => closers.close(maxGraceSeconds),
  };
}

/** The links at the end of emails. A page of this service is opened in the language of the email. */
function mailLinks(config: Config, publicUrl: string, language: Language): { label: string; url: string }[] {
  return legalLinks(config, language).map(({ label, url }) => ({
    label,
    url: url.startsWith('/') ? `${publicUrl}${url}?lang=${language}` : url,
  }));
}

/** Undefined without a collector, and in commands. Without it, the code of OpenTelemetry is not loaded. */
async function openTracer(
  { otlpEndpoint: endpoint, otlpShare: share }: Config,
  role: Role,
  parts: { log: Log; metrics: Metrics },
): Promise<Tracer | undefined> {
  if (endpoint === undefined || role === 'admin') return undefined;
  const { startTracer } = await import('./kernel/telemetry/open-telemetry.ts');
  return startTracer({ endpoint, share, role, ...parts });
}

/** Undefined without a replica, and in roles that serve no requests. */
async function connectReplica(
  { databaseReplicaUrl: replicaUrl, databaseReplicaSeconds: maxLagSeconds, databaseConnections: connections }: Config,
  role: Role,
  parts: { database: Database; connectionString: string; presence: Presence; log: Log; metrics: Metrics },
): Promise<Replica | undefined> {
  if (replicaUrl === undefined || (role !== 'start' && role !== 'api')) return undefined;
  const { database, connectionString: primaryUrl, ...others } = parts;
  return openReplica({ primaryUrl, replicaUrl, primary: database.db, connections, maxLagSeconds, role, ...others });
}

async function connect(
  config: Config,
  role: Role,
  log: Log,
  closers: Closers,
): Promise<{ database: Database; connectionString: string }> {
  let connectionString = config.databaseUrl;
  if (connectionString === undefined) {
    const embedded = await startEmbeddedPostgres(config.dataFolder, log);
    closers.add({ name: 'embedded PostgreSQL', seconds: POSTGRES_SECONDS, close: () => embedded.stop() });
    connectionString = embedded.url;
  } else {
    await makeDataFolder(config.dataFolder);
  }
  const database = openDatabase(connectionString, {
    connections: config.databaseConnections,
    log,
    name: `chauffeur-${role}`,
  });
  closers.add({ name: 'database', seconds: CLOSE_SECONDS, close: () => database.close() });
  if (config.databaseUrl !== undefined) await refuseTransactionPooling(config.databaseUrl);
  if (role !== 'admin' || (await isEmpty(database.pool))) {
    await migrate(database.pool, log);
    await distributeAdded(database.pool, DISTRIBUTED_TABLES, log);
    await migrateJobs(database.pool);
  }
  return { database, connectionString };
}

/**
 * A command must not migrate a database that another version may be using. Throws MigrationError if it would have to.
 */
async function isEmpty(pool: pg.Pool): Promise<boolean> {
  const { applied, pending } = await compareMigrations(pool);
  if (applied.length > 0 && pending.length > 0)
    throw new MigrationError(
      `The database does not have ${pending[0]!.name} yet. Run chauffeur-server migrate or start this version first, or use the commands of the version that is running.`,
    );
  return applied.length === 0;
}

/**
 * Otherwise, a port in use would only be noticed after the database had been started and migrated. Throws as listening
 * does.
 */
async function assertPortsFree({ host, port, metricsPort }: Config, role: Role): Promise<void> {
  if (role !== 'worker') await listenOnce(host, port);
  if (metricsPort !== undefined) await listenOnce(host, metricsPort);
}

/** Port 0 means any free port. It must be known before the server listens, because emails and links contain it. */
function findFreePort(host: string): Promise<number> {
  return listenOnce(host, 0);
}

/** Listens on a port for a moment, and returns the port. */
async function listenOnce(host: string, port: number): Promise<number> {
  const probe = createServer().listen({ host, port });
  await once(probe, 'listening');
  const { port: opened } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return opened;
}
