// Opens the database for a command that must not migrate it, and closes it when the command ends.
import type pg from 'pg';
import type { Config } from '../config.ts';
import { openDatabase } from '../kernel/database/db.ts';
import { startEmbeddedPostgres } from '../kernel/postgres/embedded-postgres.ts';
import type { Log } from '../kernel/telemetry/log.ts';

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
