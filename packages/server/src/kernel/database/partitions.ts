// Manages tables that are partitioned by time: creates partitions in advance or on demand, and drops them as a whole.
import { sql } from 'kysely';
import { changed, type Db, row, rows, type Tx, transact } from './db.ts';
import { isDistributed, LEADING_TABLE } from './shards.ts';

export type Partition = {
  /** The partitioned table. It has a default partition, `<table>_default`. */
  readonly table: string;
  /** The partition key and its type. */
  readonly column: string;
  readonly type: 'uuid' | 'timestamptz';
  /** The name of the partition: `<table>_` and a suffix that sorts by time. */
  readonly name: string;
  /** The lower bound (inclusive) and the upper bound (exclusive). */
  readonly from: string;
  readonly to: string;
};

/** An arbitrary key that no other lock of ours uses; it guards the creation of partitions. */
const LOCK = 7_304_511_002;

/** Creates the partition unless it exists. Its rows in the default partition move to it. */
export async function ensurePartition(db: Db, partition: Partition): Promise<void> {
  const { table, name, from, to } = partition;
  if (await exists(db, name)) return;
  await transact(db, async (tx) => {
    await rows(tx, sql`select pg_advisory_xact_lock(${LOCK})`);
    if (await exists(tx, name)) return;
    // Attached when complete: creating it in place would lock the table, which is being written to, for longer.
    await rows(tx, sql`create table ${sql.table(name)} (like ${sql.table(table)} including all)`);
    if (await isDistributed(tx, table)) await distributePartition(tx, name);
    await moveFromDefault(tx, partition);
    await rows(
      tx,
      sql`alter table ${sql.table(table)} attach partition ${sql.table(name)} for values from (${sql.lit(from)}) to (${sql.lit(to)})`,
    );
  });
}

async function distributePartition(tx: Tx, name: string): Promise<void> {
  await rows(tx, sql`select create_distributed_table(${name}, 'game_id', colocate_with => ${LEADING_TABLE})`);
  await rows(tx, sql`alter table ${sql.table(name)} replica identity full`);
}

/** Moves rows out of the default partition; PostgreSQL refuses to attach the new partition before that. */
async function moveFromDefault(tx: Tx, { table, column, type, name, from, to }: Partition): Promise<void> {
  const other = sql.table(`${table}_default`);
  await rows(tx, sql`lock table ${other} in access exclusive mode`);
  const columns = await rows(
    tx,
    sql<{ name: string }>`select attname as name from pg_attribute
      where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped and attgenerated = ''`,
  );
  const stored = sql.join(columns.map((attribute) => sql.ref(attribute.name)));
  const [key, cast] = [sql.ref(column), sql.raw(type)];
  const inside = sql`${key} >= ${from}::${cast} and ${key} < ${to}::${cast}`;
  await changed(tx, sql`insert into ${sql.table(name)} (${stored}) select ${stored} from ${other} where ${inside}`);
  await changed(tx, sql`delete from ${other} where ${inside}`);
}

async function exists(db: Db, name: string): Promise<boolean> {
  return (await row(db, sql`select 1 from pg_inherits where inhrelid = to_regclass(${name})`)) !== undefined;
}

/**
 * Returns the names of the table's partitions, oldest first, without the default partition and foreign ones. They include
 * partitions that are detached while Citus distributes them.
 */
export async function listPartitions(db: Db, table: string): Promise<string[]> {
  const partitions = await rows(
    db,
    sql<{ name: string }>`select relname as name from pg_class
      where relname ~ ${`^${table}(_\\d+)+$`} and relkind = 'r' and relnamespace = current_schema()::regnamespace
      order by relname`,
  );
  return partitions.map(({ name }) => name);
}

/**
 * Dropping takes a lock for which every other query has to wait, so it is better to retry than to block them all behind
 * one long query.
 */
const LOCK_WAIT = '3s';

/** Drops a partition with all its rows. Rejects if a long query prevents it. */
export async function dropPartition(db: Db, name: string): Promise<void> {
  await transact(db, async (tx) => {
    await rows(tx, sql`select set_config('lock_timeout', ${LOCK_WAIT}, true)`);
    await rows(tx, sql`drop table if exists ${sql.table(name)}`);
  });
}
