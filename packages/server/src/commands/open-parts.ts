// Opens what a command needs, and closes it when the command ends, even if it fails: the parts of the service, its
// database without a migration, or a store of blobs that an argument names.
import { resolve } from 'node:path';
import type pg from 'pg';
import { type App, startApp } from '../app.ts';
import { type Config, readProcessConfig } from '../config.ts';
import { openBlobStore, parseStoreArgument } from '../kernel/blobs/open.ts';
import type { BlobSettings, BlobStore } from '../kernel/blobs/store.ts';
import { openDatabase } from '../kernel/database/db.ts';
import { startEmbeddedPostgres } from '../kernel/postgres/embedded-postgres.ts';
import { isStorageFull } from '../kernel/storage-full.ts';
import { createLog, type Log } from '../kernel/telemetry/log.ts';
import { BackupError } from '../operate/backups/manifest.ts';
import { UsageError } from './fail.ts';
import { endOnUncaughtError } from './last-resort.ts';

/** `quiet` suppresses log lines below warnings, because standard output has only the command's result. */
export async function withApp<T>({ quiet }: { quiet: boolean }, work: (app: App) => Promise<T>): Promise<T> {
  const config = readProcessConfig();
  const log = createLog(quiet && config.logLevel === 'info' ? 'warn' : config.logLevel);
  const starting = startApp(config, 'admin', { log });
  endOnUncaughtError(starting, log);
  const app = await starting;
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

const CONNECTIONS = 4;

/** `name` is the command. The embedded PostgreSQL is started if it isn't running, and created if there is none. */
export async function withDatabase<T>(
  config: Config,
  { log, name }: { log: Log; name: string },
  work: (pool: pg.Pool) => Promise<T>,
): Promise<T> {
  const embedded = config.databaseUrl === undefined ? await startEmbeddedPostgres(config.dataFolder, log) : undefined;
  const url = config.databaseUrl ?? embedded!.url;
  const database = openDatabase(url, { connections: CONNECTIONS, log, name: `chauffeur-${name}` });
  try {
    return await work(database.pool);
  } finally {
    await database.close();
    await embedded?.stop();
  }
}

type Options = {
  /** What is incomplete if the disk is full. */
  what: string;
};

export async function withStore<T>(
  address: string,
  { what }: Options,
  work: (store: BlobStore) => Promise<T>,
): Promise<T> {
  const store = openBlobStore(readAddress(address));
  try {
    await store.check();
    return await work(store);
  } catch (error) {
    if (!isStorageFull(error)) throw error;
    throw new BackupError(`The disk is full, so ${what} is incomplete. Free some space, and run the command again.`);
  } finally {
    await store.close();
  }
}

function readAddress(address: string): BlobSettings {
  try {
    const settings = parseStoreArgument(address, 'The address');
    return settings.kind === 'files' ? { ...settings, folder: resolve(settings.folder) } : settings;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
