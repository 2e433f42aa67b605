// Partitions of tables that are cut by time: made ahead or at once, emptying the default one, and dropped whole.
import { sql } from 'kysely';
import { type Db, row, rows, type Tx, transact } from './db.ts';

export type Partition = {
  /** The partitioned table; it has a default partition, `<table>_default`. */
  readonly table: string;
  /** The column that it is cut by, and its type. */
  readonly column: string;
  readonly type: 'uuid' | 'timestamptz';
  /** Name of the partition: `<table>_` and what sorts as time does. */
  readonly name: string;
  /** The first value that it has, and the first that it has not. */
  readonly from: string;
  readonly to: string;
};

/** Any number that no other lock of ours has: it guards the making of partitions. */
const LOCK = 7_304_511_002;

/** Makes the partition unless it is there. Rows of it that the default partition took in move over. */
export async function ensurePartition(db: Db, partition: Partition): Promise<void> {
  const { table, name, from, to } = partition;
  if (await exists(db, name)) return;
  await transact(db, async (tx) => {
    await rows(tx, sql`select pg_advisory_xact_lock(${LOCK})`);
    if (await exists(tx, name)) return;
    // Attached when it is whole: making it in place would lock the table that is being written to for longer.
    await rows(tx, sql`create table ${sql.table(name)} (like ${sql.table(table)} including all)`);
    await takeIn(tx, partition);
    await rows(
      tx,
      sql`alter table ${sql.table(table)} attach partition ${sql.table(name)} for values from (${sql.lit(from)}) to (${sql.lit(to)})`,
    );
  });
}

/** Moves what the default partition has of it: PostgreSQL refuses to attach a partition before. */
async function takeIn(tx: Tx, { table, column, type, name, from, to }: Partition): Promise<void> {
  const other = sql.table(`${table}_default`);
  await rows(tx, sql`lock table ${other} in access exclusive mode`);
  const columns = await rows(
    tx,
    sql<{ name: string }>`select attname as name from pg_attribute
      where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped and attgenerated = ''`,
  );
  const stored = sql.join(columns.map((found) => sql.ref(found.name)));
  const [key, cast] = [sql.ref(column), sql.raw(type)];
  await rows(
    tx,
    sql`with moved as (
        delete from ${other} where ${key} >= ${from}::${cast} and ${key} < ${to}::${cast} returning ${stored}
      ) insert into ${sql.table(name)} (${stored}) select ${stored} from moved`,
  );
}

async function exists(db: Db, name: string): Promise<boolean> {
  return (await row(db, sql`select 1 from pg_inherits where inhrelid = to_regclass(${name})`)) !== undefined;
}

/** Names of the table’s partitions, the oldest first, without the default one and what others attached. */
export async function listPartitions(db: Db, table: string): Promise<string[]> {
  const found = await rows(
    db,
    sql<{ name: string }>`select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = to_regclass(${table}) and relname ~ ${`^${table}_[0-9_]+$`} order by relname`,
  );
  return found.map(({ name }) => name);
}

/** Dropping takes a lock that every other query waits behind: better to come again than to hold them all up behind a long one. */
const LOCK_WAIT = '3s';

/** Drops a partition with all its rows. Rejects when a long query does not let it. */
export async function dropPartition(db: Db, name: string): Promise<void> {
  await transact(db, async (tx) => {
    await rows(tx, sql`select set_config('lock_timeout', ${LOCK_WAIT}, true)`);
    await rows(tx, sql`drop table if exists ${sql.table(name)}`);
  });
}
