// Writes packages/server/migrations/plan.json: what each migration does to the tables that exist before it, measured by
// running it in PostgreSQL.
import type pg from 'pg';
import { type Blocked, type MigrationEffects, migrate } from '../../packages/server/src/kernel/database/migrate.ts';
import { createLog } from '../../packages/server/src/kernel/telemetry/log.ts';
import { withNewDatabase } from './new-database.ts';

/** Modes of locks on tables that block others (PostgreSQL documentation, "Explicit Locking"). */
const BLOCKED: Readonly<Record<string, Blocked>> = {
  ShareLock: 'writes',
  ShareRowExclusiveLock: 'writes',
  ExclusiveLock: 'writes',
  AccessExclusiveLock: 'reads and writes',
};

/** A partition counts as its partitioned table. */
const TABLES = `
  select c.oid, coalesce(p.relname, c.relname) as name, pg_relation_filenode(c.oid) as file, c.relkind = 'p' as is_partitioned
  from pg_class c
  left join pg_inherits i on i.inhrelid = c.oid and c.relispartition
  left join pg_class p on p.oid = i.inhparent
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`;

type Table = { oid: number; name: string; file: number | null; is_partitioned: boolean };

export function writeMigrationPlan(): Promise<string> {
  return withNewDatabase(async (pool) => {
    const effects: Record<string, MigrationEffects> = {};
    let before: readonly Table[] = [];
    await migrate(pool, createLog('warn'), {
      async beforeCommit(client, name) {
        effects[name] = await measure(client, before);
        await addPartitions(client);
        before = await readTables(client);
        // Otherwise the scans of this transaction are counted in the next one as well.
        await client.query('select pg_stat_force_next_flush()');
      },
    });
    return `${JSON.stringify(effects, null, 2)}\n`;
  });
}

async function measure(client: pg.PoolClient, before: readonly Table[]): Promise<MigrationEffects> {
  const after = new Map((await readTables(client)).map((table) => [table.oid, table]));
  const { rows: locks } = await client.query<{ oid: number; mode: string }>(
    'select distinct relation as oid, mode from pg_locks where pid = pg_backend_pid() and relation is not null',
  );
  const { rows: scans } = await client.query<{ oid: number }>(
    'select relid as oid from pg_stat_xact_user_tables where seq_scan > 0',
  );
  const scanned = new Set(scans.map(({ oid }) => oid));
  const blocked: Record<string, Blocked> = {};
  const reads = new Set<string>();
  for (const { oid, name, file } of before) {
    const modes = locks.filter((lock) => lock.oid === oid).map(({ mode }) => BLOCKED[mode]);
    for (const kind of modes) if (kind !== undefined && blocked[name] !== 'reads and writes') blocked[name] = kind;
    const kept = after.get(oid);
    if (kept !== undefined && (scanned.has(oid) || kept.file !== file)) reads.add(name);
  }
  return {
    ...(Object.keys(blocked).length > 0 && { locks: sortKeys(blocked) }),
    ...(reads.size > 0 && { reads: [...reads].sort() }),
  };
}

/** Without a partition, PostgreSQL would have nothing to read in a partitioned table. */
async function addPartitions(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('create table %I partition of %I default', c.relname || '_rest', c.relname) as statement
     from pg_class c
     where c.relkind = 'p' and c.relnamespace = 'public'::regnamespace
       and not exists (select from pg_inherits i where i.inhparent = c.oid)`,
  );
  for (const { statement } of rows) await client.query(statement);
}

async function readTables(client: pg.PoolClient): Promise<Table[]> {
  return (await client.query<Table>(TABLES)).rows;
}

function sortKeys(record: Record<string, Blocked>): Record<string, Blocked> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
