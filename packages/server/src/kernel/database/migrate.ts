// Migrates the database to the newest schema: each migration runs once, in order, in a transaction, under a lock.
import { setTimeout as wait } from 'node:timers/promises';
import { isNewer, VERSION } from '@chauffeur/contract/version';
import type pg from 'pg';
import type { Log } from '../telemetry/log.ts';
import { type Migration, readMigrations } from './migrations.ts';
import { splitStatements } from './statements.ts';

/** An arbitrary constant: the key of the advisory lock that only one migrating process holds. */
const LOCK = 4_011_986_001;

/** How a migration waits for the locks on its tables. */
type Waits = {
  /** Meanwhile requests to the table wait behind it, so it soon gives up and tries again: a backup may take minutes. */
  readonly lockMs: number;
  readonly retryMs: number;
  /** How long all attempts take together. */
  readonly deadlineMs: number;
};
/**
 * It steps back well before PostgreSQL looks for deadlocks, after a second: in one, a request that waited first would
 * fail.
 */
const WAITS: Waits = { lockMs: 300, retryMs: 2_000, deadlineMs: 10 * 60_000 };

/** SQLSTATE of a lock that was not available in time, and of a deadlock. */
const LOCKED = new Set(['55P03', '40P01']);

/** A migration failed or does not match the database, and was rolled back. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

type Options = {
  /** Runs only these of the pending migrations. */
  readonly names?: ReadonlySet<string>;
  /** Called in the transaction of each migration, before it is committed. */
  readonly beforeCommit?: (client: pg.PoolClient, name: string) => Promise<void>;
  readonly waits?: Waits;
};

/** A row of the table `migrations`. */
type Applied = { readonly name: string; readonly sha256: string; readonly works_with: string | null };

/** Runs the pending migrations and returns their names. Several processes may call it at once. */
export async function migrate(pool: pg.Pool, log: Log, options: Options = {}): Promise<string[]> {
  const migrations = await readMigrations();
  const client = await pool.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await requireUtf8(client);
    await createTable(client);
    const pending = findPending(migrations, await readApplied(client)).filter(
      ({ name }) => options.names?.has(name) !== false,
    );
    for (const migration of pending) {
      log.info({ migration: migration.name }, 'migrating the database');
      await applyWhenFree(client, migration, log, options);
    }
    return pending.map(({ name }) => name);
  } finally {
    await client.query('select pg_advisory_unlock($1)', [LOCK]).catch(() => undefined);
    client.release();
  }
}

/**
 * Which migrations a database has, and which are pending. Throws MigrationError if this version doesn't work with it.
 */
export async function compareMigrations(
  pool: Pick<pg.Pool, 'query'>,
): Promise<{ applied: readonly string[]; pending: Migration[] }> {
  const migrations = await readMigrations();
  const { rows } = await pool.query<{ found: boolean }>(`select to_regclass('migrations') is not null as found`);
  const applied = rows[0]?.found === true ? await readApplied(pool) : [];
  return { applied: applied.map(({ name }) => name), pending: findPending(migrations, applied) };
}

/** PostgreSQL's tools create databases with another encoding if the system has no locale. */
async function requireUtf8(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>('show server_encoding');
  const encoding = rows[0]?.server_encoding;
  if (encoding !== 'UTF8')
    throw new MigrationError(
      `The database has the encoding ${encoding}. Create it with UTF8: createdb --encoding UTF8 --template template0.`,
    );
}

/** Takes no lock on an existing table, which a backup may be reading. */
async function createTable(client: pg.PoolClient): Promise<void> {
  await client.query(
    'create table if not exists migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now(), works_with text)',
  );
  await client.query(
    `do $$ begin
      if not exists (select from pg_attribute where attrelid = 'migrations'::regclass and attname = 'works_with') then
        alter table migrations add column works_with text;
      end if;
    end $$`,
  );
}

/** Databases of before 0.2.0 have no column `works_with`. */
async function readApplied(client: Pick<pg.Pool, 'query'>): Promise<Applied[]> {
  const { rows } = await client.query<Applied>(
    `select name, sha256, to_jsonb(migrations) ->> 'works_with' as works_with from migrations order by name`,
  );
  return rows;
}

function findPending(migrations: readonly Migration[], applied: readonly Applied[]): Migration[] {
  const available = new Map(migrations.map(({ name, sha256 }) => [name, sha256]));
  for (const { name, sha256, works_with: worksWith } of applied) {
    if (!available.has(name) && (worksWith === null || isNewer(worksWith, VERSION)))
      throw new MigrationError(
        `The database has ${name}, with which Chauffeur ${VERSION} does not work: start ${worksWith === null ? 'a newer version' : `version ${worksWith} or newer`}.`,
      );
    if (available.has(name) && available.get(name) !== sha256)
      throw new MigrationError(
        `${name} was changed after it was applied to this database: restore the file, and put the change into a new migration.`,
      );
  }
  const done = new Set(applied.map(({ name }) => name));
  return migrations.filter(({ name }) => !done.has(name));
}

async function applyWhenFree(
  client: pg.PoolClient,
  migration: Migration,
  log: Log,
  { beforeCommit, waits = WAITS }: Options,
): Promise<void> {
  const deadline = Date.now() + waits.deadlineMs;
  for (;;) {
    try {
      return await apply(client, migration, waits.lockMs, beforeCommit);
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === undefined || !LOCKED.has(code))
        throw new MigrationError(`${migration.name} failed: ${(error as Error).message}`, { cause: error });
      if (Date.now() + waits.retryMs > deadline)
        throw new MigrationError(
          `${migration.name} could not lock its tables, because others use them, such as a backup. Run it again when they have ended.`,
          { cause: error },
        );
      log.warn({ migration: migration.name }, 'waiting for a table that is in use, such as by a backup');
      await wait(waits.retryMs);
    }
  }
}

async function apply(
  client: pg.PoolClient,
  { name, sql, sha256, worksWith }: Migration,
  lockMs: number,
  beforeCommit: Options['beforeCommit'],
): Promise<void> {
  try {
    await client.query('begin');
    await client.query(`set local lock_timeout = ${lockMs}`);
    // On Citus, a function can't be created after shards were changed in parallel. Elsewhere, nothing reads this.
    await client.query(`set local citus.multi_shard_modify_mode = 'sequential'`);
    for (const statement of splitStatements(sql)) await client.query(statement);
    await client.query('insert into migrations (name, sha256, works_with) values ($1, $2, $3)', [
      name,
      sha256,
      worksWith,
    ]);
    await beforeCommit?.(client, name);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
