// Migrates the database to the newest schema: numbered SQL files, each run once, in order, under a lock.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { MIGRATIONS_FOLDER } from '../../folders.ts';
import type { Log } from '../telemetry/log.ts';

/** An arbitrary constant: the key of the advisory lock that only one migrating process holds. */
const LOCK = 4_011_986_001;

/** A migration failed or does not match the database, and was rolled back. */
class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

type Migration = { name: string; sql: string; sha256: string };

/**
 * Runs the pending migrations, or those of them that are in `names`, and returns their names. Several processes may
 * call it at once.
 */
export async function migrate(pool: pg.Pool, log: Log, names?: ReadonlySet<string>): Promise<string[]> {
  const migrations = await readMigrations();
  const client = await pool.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    const done = await readDone(client);
    checkHistory(migrations, done);
    const missing = migrations.filter(({ name }) => !done.has(name) && names?.has(name) !== false);
    for (const migration of missing) {
      log.info({ migration: migration.name }, 'migrating the database');
      await apply(client, migration);
    }
    return missing.map(({ name }) => name);
  } finally {
    await client.query('select pg_advisory_unlock($1)', [LOCK]).catch(() => undefined);
    client.release();
  }
}

/** The migrations of this version, in order. */
export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(MIGRATIONS_FOLDER)).filter((name) => /^\d{4}_[a-z_]+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(MIGRATIONS_FOLDER, name), 'utf8');
      return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

async function readDone(client: pg.PoolClient): Promise<Map<string, string>> {
  await client.query(
    'create table if not exists migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
  );
  const { rows } = await client.query<{ name: string; sha256: string }>('select name, sha256 from migrations');
  return new Map(rows.map(({ name, sha256 }) => [name, sha256]));
}

function checkHistory(migrations: readonly Migration[], done: ReadonlyMap<string, string>): void {
  const available = new Map(migrations.map(({ name, sha256 }) => [name, sha256]));
  for (const [name, sha256] of done) {
    if (!available.has(name))
      throw new MigrationError(`The database has ${name}, which is newer than this version: start a newer version.`);
    if (available.get(name) !== sha256)
      throw new MigrationError(
        `${name} was changed after it was applied to this database: restore the file, and put the change into a new migration.`,
      );
  }
}

async function apply(client: pg.PoolClient, { name, sql, sha256 }: Migration): Promise<void> {
  try {
    await client.query('begin');
    await client.query(sql);
    await client.query('insert into migrations (name, sha256) values ($1, $2)', [name, sha256]);
    await client.query('commit');
  } catch (cause) {
    await client.query('rollback').catch(() => undefined);
    throw new MigrationError(`${name} failed: ${(cause as Error).message}`, { cause });
  }
}
