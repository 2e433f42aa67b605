// Migrates the database to the newest schema: each migration runs once, in order, in a transaction, under a lock.
// Migrations are numbered files of SQL. What each does to tables that exist before it is in `plan.json`, from which
// `checkMigrations` says what pending ones would lock, and for how long.

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isNewer, VERSION } from '@chauffeur/contract/version';
import type pg from 'pg';
import { MIGRATIONS_FOLDER } from '../../folders.ts';
import type { Log } from '../telemetry/log.ts';

type Migration = {
  readonly name: string;
  readonly sql: string;
  readonly sha256: string;
  /** The oldest release that works with the database after this migration; null if it is part of the first release. */
  readonly worksWith: string | null;
};

/** What a migration does to tables that exist before it. */
export type MigrationEffects = {
  /** Tables that it locks until it ends, and what others can't do meanwhile. */
  readonly locks?: Readonly<Record<string, Blocked>>;
  /** Tables that it reads or writes as a whole, so that it takes longer the larger they are. */
  readonly reads?: readonly string[];
};
export type Blocked = 'reads and writes' | 'writes';

/** The migrations of this version, in order. */
export async function readMigrations(): Promise<Migration[]> {
  const [files, releases] = await Promise.all([readdir(MIGRATIONS_FOLDER), readReleases()]);
  const names = files.filter((name) => /^\d{4}_[a-z_]+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(MIGRATIONS_FOLDER, name), 'utf8');
      const sha256 = createHash('sha256').update(sql).digest('hex');
      return { name, sql, sha256, worksWith: releases.findLast(({ last }) => last < name)?.version ?? null };
    }),
  );
}

/** The effects of each migration, from `plan.json`, which `npm run generate` measures. */
async function readEffects(): Promise<Readonly<Record<string, MigrationEffects>>> {
  return JSON.parse(await readFile(join(MIGRATIONS_FOLDER, 'plan.json'), 'utf8')) as Record<string, MigrationEffects>;
}

/** All releases, oldest first, with their last migration: `releases.json`. Each release keeps the one before it working. */
export async function readReleases(): Promise<readonly { readonly version: string; readonly last: string }[]> {
  const text = await readFile(join(MIGRATIONS_FOLDER, 'releases.json'), 'utf8');
  return Object.entries(JSON.parse(text) as Record<string, string>).map(([version, last]) => ({ version, last }));
}

/** Comments, quoted texts and names, bodies of functions, and everything else up to the next of these or a semicolon. */
const PART = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|(\$\w*\$)[\s\S]*?\1|;|[^-/'"$;]+|[\s\S]/g;

/** The statements without their semicolons. Not for texts with `\\'`, or functions without quotes. */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let current = '';
  let isEmpty = true;
  for (const [part] of sql.matchAll(PART)) {
    if (part === ';') {
      if (!isEmpty) statements.push(current.trim());
      current = '';
      isEmpty = true;
      continue;
    }
    current += part;
    if (!/^(--|\/\*|\s*$)/.test(part)) isEmpty = false;
  }
  if (!isEmpty) statements.push(current.trim());
  return statements;
}

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
        `The database has ${name}, which Chauffeur ${VERSION} does not support: start ${worksWith === null ? 'a newer version' : `version ${worksWith} or newer`}.`,
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
          `${migration.name} could not lock its tables, because something else uses them, such as a backup. Run it again when that has finished.`,
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

/** Slow on purpose: a busy disk reads and rewrites a table, or builds an index, at least at this rate. */
const BYTES_PER_SECOND = 50_000_000;

export type CheckedMigration = {
  readonly name: string;
  /** The tables that it locks until it ends. `bytes` is their size without indexes, with all partitions. */
  readonly locks: readonly { readonly table: string; readonly blocks: Blocked; readonly bytes: number }[];
  /** The most seconds that it takes once it has its locks, estimated from the sizes of the tables that it reads. */
  readonly seconds: number;
};

/** Changes nothing. Throws MigrationError if this version doesn't work with the database. */
export async function checkMigrations(
  pool: pg.Pool,
): Promise<{ applied: readonly string[]; pending: readonly CheckedMigration[] }> {
  const [{ applied, pending }, effects, sizes] = await Promise.all([
    compareMigrations(pool),
    readEffects(),
    readSizes(pool),
  ]);
  return {
    applied,
    pending: pending.map(({ name }) => {
      const { locks = {}, reads = [] } = effects[name] ?? {};
      const bytes = reads.reduce((sum, table) => sum + (sizes.get(table) ?? 0), 0);
      return {
        name,
        // A table that the database doesn't have is one that an earlier pending migration creates.
        locks: Object.entries(locks)
          .filter(([table]) => sizes.has(table))
          .map(([table, blocks]) => ({ table, blocks, bytes: sizes.get(table) ?? 0 })),
        seconds: Math.ceil(bytes / BYTES_PER_SECOND),
      };
    }),
  };
}

async function readSizes(pool: pg.Pool): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pool.query<{ name: string; bytes: number }>(
    `select c.relname as name,
            (select coalesce(sum(pg_table_size(relid)), 0)::bigint from pg_partition_tree(c.oid)) as bytes
     from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}
