// Installations to back up and to restore into, and comparisons of their content.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { sql } from 'kysely';
import { type Db, onlyRow, rows } from '../../src/kernel/database/db.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { startServer, type TestServer } from './server.ts';
import { type CommandResult, environmentOf, runServerCommand } from './server-command.ts';

/** A database without tables and an empty folder. */
export type Place = { database: TestDatabase; dataFolder: string; remove(): Promise<void> };

export async function makePlace(): Promise<Place> {
  const [database, dataFolder] = [await createTestDatabase({ empty: true }), await makeFolder()];
  const remove = async () => {
    await database.drop();
    await rm(dataFolder, { recursive: true, force: true });
  };
  return { database, dataFolder, remove };
}

export function makeFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'chauffeur-test-'));
}

type Located = { dataFolder: string; database: { url: string } };

export function backUpTo(address: string, from: Located, args: readonly string[] = []): Promise<CommandResult> {
  return runServerCommand(environmentOf(from), ['backup', address, ...args]);
}

export function restoreFrom(address: string, to: Located, args: readonly string[] = []): Promise<CommandResult> {
  return runServerCommand(environmentOf(to), ['restore', address, ...args]);
}

/** Starts a server on a restored place. */
export function serve(place: Place): Promise<TestServer> {
  return startServer({ role: 'api', shareWith: place as unknown as TestServer });
}

/** Restored elsewhere, these differ: processes are those of each installation. */
const DIFFERENT = [
  'account_writes',
  'backup_runs',
  'game_changes',
  'game_writes',
  'held_deletions',
  'minute_counts',
  'processes',
  'replica_beats',
];

/** A digest of each table, with all partitions, and of the queued jobs. */
export async function digestsOf(db: Db): Promise<Record<string, string>> {
  const tables = await rows(
    db,
    sql<{ name: string }>`select relname as name from pg_class where relkind in ('r', 'p') and not relispartition
      and relnamespace = current_schema()::regnamespace and relname <> all(${DIFFERENT}) order by relname`,
  );
  const digests: Record<string, string> = {};
  for (const { name } of tables) {
    const columns = COLUMNS[name] ?? sql`row_of`;
    const condition = name === 'upload_sessions' ? sql`where finished_at is not null` : sql``;
    digests[name] = await digest(
      db,
      sql`select ${columns}::text as line from ${sql.table(name)} as row_of ${condition}`,
    );
  }
  digests.jobs = await digest(
    db,
    sql`select (identifier, payload::text, run_at, max_attempts, attempts, last_error, key, priority)::text as line
      from graphile_worker._private_jobs as jobs join graphile_worker._private_tasks as tasks on tasks.id = task_id`,
  );
  return digests;
}

/** What is compared of tables that a restore changes: it raises the serials of channels. */
const COLUMNS: Readonly<Record<string, ReturnType<typeof sql>>> = {
  migrations: sql`(name, sha256)`,
  channel_pointers: sql`(to_jsonb(row_of) - 'serial')`,
};

async function digest(db: Db, lines: ReturnType<typeof sql>): Promise<string> {
  const { text } = await onlyRow(
    db,
    sql<{
      text: string;
    }>`select count(*) || ' rows ' || coalesce(md5(string_agg(line, E'\n' order by line collate "C")), '') as text
      from (${lines}) as lines`,
  );
  return text;
}

/** Returns which of these blobs differ between two servers, or are missing in the second. */
export async function differingBlobs(a: TestServer, b: TestServer, keys: readonly string[]): Promise<string[]> {
  const differing: string[] = [];
  for (const key of keys) {
    const original = await buffer(await a.ctx.blobs.read(key));
    const copy = (await b.ctx.blobs.stat(key)) === null ? null : await buffer(await b.ctx.blobs.read(key));
    if (copy === null || !original.equals(copy)) differing.push(key);
  }
  return differing;
}
