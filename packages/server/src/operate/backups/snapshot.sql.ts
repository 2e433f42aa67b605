// The SQL of a backup: the catalog of what to save and restore, temporary tables of blobs, queued jobs, and tables as files
// in PostgreSQL's text format of COPY.
// cspell:ignore datestyle intervalstyle relpartbound sequencename schemaname conname constraintdef conparentid

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sql } from 'kysely';
import copyStreams from 'pg-copy-streams';
import { bytesOf } from '../../kernel/blobs/byte-source.ts';
import type { BlobStore } from '../../kernel/blobs/store.ts';
import { changed, type DatabaseSession, type Db, onlyRow, rows } from '../../kernel/database/db.ts';
import { type BlobEntry, readFile, writeFile } from './backup-files.ts';
import { type BackedUpPartition, type BackupFile, damagedBackup, prefixOf, type TableFile } from './manifest.ts';
import type { BlobReference } from './references.sql.ts';

/** Tables with the state of this installation, which has no meaning in another one, and tables that migrations fill. */
const EXCLUDED = [
  'account_writes',
  'backup_runs',
  'game_changes',
  'game_writes',
  'held_deletions',
  'migrations',
  'minute_counts',
  'processes',
  'replica_beats',
];

/** Makes texts of values independent of the settings of the server and its time zone. */
export async function setTextFormats(db: Db): Promise<void> {
  await rows(
    db,
    sql`select set_config('timezone', 'UTC', false), set_config('datestyle', 'ISO, YMD', false),
      set_config('intervalstyle', 'postgres', false), set_config('bytea_output', 'hex', false),
      set_config('extra_float_digits', '1', false), set_config('statement_timeout', '0', false),
      set_config('idle_in_transaction_session_timeout', '0', false)`,
  );
}

export async function beginSnapshot(db: Db): Promise<string> {
  await rows(db, sql`begin isolation level repeatable read`);
  const { name } = await onlyRow(db, sql<{ name: string }>`select pg_current_snapshot()::text as name`);
  return name;
}

export type Table = { readonly name: string; readonly columns: string[] };

/** The tables with the columns that are stored. Rows of partitions belong to the partitioned table. */
export function listTables(db: Db): Promise<Table[]> {
  return rows(
    db,
    sql<Table>`select relname::text as name,
        array(select attname::text from pg_attribute
          where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns
      from pg_class
      where relkind in ('r', 'p') and not relispartition and relnamespace = current_schema()::regnamespace
        and relname <> all(${EXCLUDED})
      order by relname`,
  );
}

/** The partitions with bounds. Default partitions exist in every installation. */
export function listBoundedPartitions(db: Db): Promise<BackedUpPartition[]> {
  return rows(
    db,
    sql<BackedUpPartition>`select inhparent::regclass::text as table, relname::text as name, bound[1] as from, bound[2] as to
      from pg_inherits join pg_class on pg_class.oid = inhrelid,
        regexp_match(pg_get_expr(relpartbound, pg_class.oid), '^FOR VALUES FROM \\(''([^'']+)''\\) TO \\(''([^'']+)''\\)$') as bound
      where relkind = 'r' and relnamespace = current_schema()::regnamespace and bound is not null
      order by relname`,
  );
}

export async function createPartition(db: Db, { table, name, from, to }: BackedUpPartition): Promise<void> {
  await rows(
    db,
    sql`create table if not exists ${sql.table(name)} partition of ${sql.table(table)}
      for values from (${sql.lit(from)}) to (${sql.lit(to)})`,
  );
}

export function listSequences(db: Db): Promise<{ name: string; value: number }[]> {
  return rows(
    db,
    sql<{ name: string; value: number }>`select sequencename::text as name, last_value as value from pg_sequences
      where schemaname = current_schema() and last_value is not null order by sequencename`,
  );
}

export async function setSequence(db: Db, { name, value }: { name: string; value: number }): Promise<void> {
  await rows(db, sql`select setval(to_regclass(${name}), ${value})`);
}

export function appliedMigrations(db: Db): Promise<{ name: string; sha256: string }[]> {
  return rows(db, sql<{ name: string; sha256: string }>`select name, sha256 from migrations order by name`);
}

type ForeignKey = { readonly table: string; readonly name: string; readonly definition: string };

/** Drops foreign keys, so that rows can be loaded in any order. They are checked when the keys are added again. */
export async function dropForeignKeys(db: Db): Promise<ForeignKey[]> {
  const keys = await rows(
    db,
    sql<ForeignKey>`select relname::text as table, conname::text as name, pg_get_constraintdef(pg_constraint.oid) as definition
      from pg_constraint join pg_class on pg_class.oid = conrelid
      where contype = 'f' and conparentid = 0 and relnamespace = current_schema()::regnamespace`,
  );
  for (const { table, name } of keys)
    await rows(db, sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`);
  return keys;
}

export async function addForeignKeys(db: Db, keys: readonly ForeignKey[]): Promise<void> {
  for (const { table, name, definition } of keys)
    await rows(db, sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`);
}

/** Turns triggers off or on. While rows are loaded, triggers would add rows that the backup also has. */
export async function switchTriggers(db: Db, to: 'enable' | 'disable'): Promise<void> {
  const tables = await rows(
    db,
    sql<{ name: string }>`select distinct relname::text as name from pg_trigger join pg_class on pg_class.oid = tgrelid
      where not tgisinternal and relnamespace = current_schema()::regnamespace`,
  );
  for (const { name } of tables) await rows(db, sql`alter table ${sql.table(name)} ${sql.raw(to)} trigger user`);
}

/** Creates a temporary table of blobs. */
export async function createBlobTable(db: Db): Promise<void> {
  await rows(
    db,
    sql`create temporary table backup_blobs (key text collate "C" primary key, size bigint not null, sha256 text not null)`,
  );
}

export async function emptyBlobTable(db: Db): Promise<void> {
  await rows(db, sql`truncate backup_blobs`);
}

/** Adds blobs to the temporary table, except those it already has. */
export async function addBlobs(db: Db, entries: readonly BlobEntry[]): Promise<void> {
  await changed(
    db,
    sql`insert into backup_blobs select * from unnest(${entries.map(({ key }) => key)}::text[],
        ${entries.map(({ size }) => size)}::bigint[], ${entries.map(({ sha256 }) => sha256)}::text[])
      on conflict do nothing`,
  );
}

/** Yields the blobs of the temporary table in pages. */
export async function* pageBlobs(db: Db, pageSize: number): AsyncGenerator<BlobEntry[]> {
  for (let after = ''; ; ) {
    const page = await rows(
      db,
      sql<BlobEntry>`select key, size, sha256 from backup_blobs where key > ${after} collate "C" order by key limit ${pageSize}`,
    );
    if (page.length === 0) return;
    yield page;
    after = page.at(-1)!.key;
  }
}

export type PendingBlob = BlobReference & { readonly known: BlobEntry | null };

/** The collected references in pages, with the entry of each blob in an earlier backup. */
export async function* pagePending(db: Db, pageSize: number): AsyncGenerator<PendingBlob[]> {
  for (let after = ''; ; ) {
    const page = await rows(
      db,
      sql<PendingBlob>`select reference.key, reference.size, reference.sha256, reference.packing,
          case when blob.key is not null
            then json_build_object('key', blob.key, 'size', blob.size, 'sha256', blob.sha256) end as known
        from blob_references as reference left join backup_blobs as blob on blob.key = reference.key
        where reference.key > ${after} collate "C" order by reference.key limit ${pageSize}`,
    );
    if (page.length === 0) return;
    yield page;
    after = page.at(-1)!.key;
  }
}

/** Returns the keys that are not in the temporary table. */
export async function notInBlobTable(db: Db, keys: readonly string[]): Promise<string[]> {
  const found = await rows(
    db,
    sql<{ key: string }>`select key from unnest(${keys}::text[]) as listed (key)
      where not exists (select from backup_blobs where backup_blobs.key = listed.key collate "C")`,
  );
  return found.map(({ key }) => key);
}

/** The collected references to blobs that the backup does not have. */
export async function referencesWithoutBlob(db: Db, expected: readonly string[]): Promise<string[]> {
  const found = await rows(
    db,
    sql<{ key: string }>`select key from blob_references as reference
      where not exists (select from backup_blobs where backup_blobs.key = reference.key) and key <> all(${expected}::text[])`,
  );
  return found.map(({ key }) => key);
}

/** Why the database cannot be restored into; null if nothing in it would be lost. */
export async function findContent(db: Db): Promise<string | null> {
  const { migrated } = await onlyRow(
    db,
    sql<{
      migrated: boolean;
    }>`select to_regclass('users') is not null and to_regclass('all_games') is not null as migrated`,
  );
  if (!migrated) return null;
  const { users, games } = await onlyRow(
    db,
    sql<{
      users: number;
      games: number;
    }>`select (select count(*) from users) as users, (select count(*) from all_games) as games`,
  );
  return users + games === 0 ? null : `it has ${users} accounts and ${games} games`;
}

export async function hasMigrations(db: Db): Promise<boolean> {
  const { found } = await onlyRow(db, sql<{ found: boolean }>`select to_regclass('migrations') is not null as found`);
  return found;
}

export async function emptyTables(db: Db, tables: readonly Table[]): Promise<void> {
  await rows(db, sql`truncate ${sql.join(tables.map(({ name }) => sql.table(name)))}`);
}

/**
 * Selects the queued jobs. The library has no function that returns the payloads, so they are read from its private
 * tables, and written through its functions. A running job counts as not started, because its process does not exist in
 * the restored installation.
 */
export const SELECT_JOBS = `select tasks.identifier, jobs.payload, jobs.run_at, jobs.max_attempts,
    case when jobs.locked_at is null then jobs.attempts else greatest(jobs.attempts - 1, 0) end as attempts,
    jobs.last_error, jobs.key, jobs.priority
  from graphile_worker._private_jobs as jobs join graphile_worker._private_tasks as tasks on tasks.id = jobs.task_id
  order by jobs.id`;

export async function createJobTable(db: Db): Promise<void> {
  await rows(
    db,
    sql`create temporary table saved_jobs (identifier text, payload json, run_at timestamptz, max_attempts int,
      attempts int, last_error text, key text, priority int, no bigint generated always as identity)`,
  );
}

export const SAVED_JOB_COLUMNS = 'identifier, payload, run_at, max_attempts, attempts, last_error, key, priority';

/** Enqueues the jobs of the temporary table. Returns their number. */
export async function enqueueSavedJobs(db: Db): Promise<number> {
  await rows(
    db,
    sql`create temporary table added_jobs as select saved.attempts, saved.last_error,
        (graphile_worker.add_job(identifier => saved.identifier, payload => saved.payload, run_at => saved.run_at,
          max_attempts => saved.max_attempts, job_key => saved.key, priority => saved.priority)).id as id
      from saved_jobs as saved order by saved.no`,
  );
  // No function sets both, and operators look at the errors of failed jobs.
  await rows(
    db,
    sql`update graphile_worker._private_jobs as jobs set attempts = added.attempts, last_error = added.last_error
      from added_jobs as added where added.id = jobs.id`,
  );
  return (await onlyRow(db, sql<{ count: number }>`select count(*) as count from added_jobs`)).count;
}

/** Excludes the sessions of unfinished uploads, whose bytes are not saved. */
const CONDITIONS: Readonly<Record<string, string>> = { upload_sessions: 'finished_at is not null' };

/** Saves a table as the transaction of the session sees it. */
export async function saveTable(
  session: DatabaseSession,
  target: BlobStore,
  id: string,
  { name, columns }: Table,
): Promise<TableFile> {
  const condition = CONDITIONS[name] ?? 'true';
  const query = `select ${columns.map(quote).join()} from ${quote(name)} where ${condition}`;
  return { table: name, columns, ...(await saveQuery(session, target, `${prefixOf(id)}${name}.copy.zst`, query)) };
}

export async function saveQuery(
  { client }: DatabaseSession,
  target: BlobStore,
  key: string,
  query: string,
): Promise<BackupFile & { rows: number }> {
  const stream = client.query(copyStreams.to(`copy (${query}) to stdout`));
  const file = await writeFile(
    target,
    key,
    bytesOf(() => stream),
  );
  return { ...file, rows: stream.rowCount };
}

/** Loads a file into a table. Throws BackupError if the file is damaged or has another number of rows. */
export async function loadFile(
  { client }: DatabaseSession,
  target: BlobStore,
  file: BackupFile & { rows: number },
  table: string,
  columns: string,
): Promise<void> {
  const stream = client.query(copyStreams.from(`copy ${quote(table)} (${columns}) from stdin`));
  await pipeline(Readable.from(readFile(target, file), { objectMode: false }), stream);
  if (stream.rowCount !== file.rows)
    throw damagedBackup(file.key, `it has ${stream.rowCount} rows instead of ${file.rows}`);
}

export function loadTable(session: DatabaseSession, target: BlobStore, file: TableFile): Promise<void> {
  return loadFile(session, target, file, file.table, file.columns.map(quote).join());
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
