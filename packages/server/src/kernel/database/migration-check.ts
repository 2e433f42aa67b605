// Says what pending migrations would do to a database: which tables they lock, and for how long at most.
import type pg from 'pg';
import { compareMigrations } from './migrate.ts';
import { type Blocked, readEffects } from './migrations.ts';

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
