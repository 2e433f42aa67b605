// Finds every table that has rows of games, in PostgreSQL's own catalog, and deletes those of one game in batches. A table that is added later is
// covered without being named here.
import { sql } from 'kysely';
import { changed, type Db, onlyRow, retryConflicts, rows } from '../../kernel/db.ts';

export type TenantTable = {
  readonly name: string;
  /** Tables that its rows refer to. */
  readonly parents: readonly string[];
  /** Whether an index finds the rows of a game; without one, the table is read block by block. */
  readonly indexed: boolean;
};

/** Of partitioned tables their partitions, each for itself. */
export function listTenantTables(db: Db): Promise<TenantTable[]> {
  return rows(
    db,
    sql<TenantTable>`
      select relname::text as name,
        array(select distinct confrelid::regclass::text from pg_constraint
          where conrelid = pg_class.oid and contype = 'f' and confrelid <> conrelid) as parents,
        exists(select from pg_index where indrelid = pg_class.oid and indpred is null and indkey[0] = attnum) as indexed
      from pg_class join pg_attribute on attrelid = pg_class.oid
      where relkind = 'r' and relnamespace = current_schema()::regnamespace
        and attname = 'game_id' and not attisdropped and relname <> 'all_games'
      order by relname`,
  );
}

const BATCH_ROWS = 5000;
/** 64 MB of a table, at PostgreSQL's usual 8 kB a block. */
const BATCH_BLOCKS = 8192;

/** Each batch is a transaction of its own, so that nobody waits behind it for long. Safe to repeat. */
export async function deleteRows(
  db: Db,
  { name, indexed }: TenantTable,
  gameId: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await (indexed ? deleteByIndex(db, name, gameId, signal) : deleteByBlock(db, name, gameId, signal));
  } catch (error) {
    // Retention dropped the partition meanwhile, and the rows with it.
    if (!isMissingTable(error)) throw error;
  }
}

async function deleteByIndex(db: Db, name: string, gameId: string, signal: AbortSignal): Promise<void> {
  const table = sql.table(name);
  let count: number;
  do {
    signal.throwIfAborted();
    count = await retryConflicts(() =>
      changed(
        db,
        sql`delete from ${table} where ctid = any(array(
          select ctid from ${table} where game_id = ${gameId} limit ${BATCH_ROWS}))`,
      ),
    );
  } while (count > 0);
}

/** With a limit alone, each batch would read again what the ones before it have left. */
async function deleteByBlock(db: Db, name: string, gameId: string, signal: AbortSignal): Promise<void> {
  const table = sql.table(name);
  const { blocks } = await onlyRow(
    db,
    sql<{
      blocks: number;
    }>`select pg_relation_size(to_regclass(${name})) / current_setting('block_size')::bigint as blocks`,
  );
  for (let first = 0; first < blocks; first += BATCH_BLOCKS) {
    signal.throwIfAborted();
    const [from, to] = [first, first + BATCH_BLOCKS].map((block) => `(${block},0)`);
    await retryConflicts(() =>
      changed(db, sql`delete from ${table} where ctid >= ${from}::tid and ctid < ${to}::tid and game_id = ${gameId}`),
    );
  }
}

function isMissingTable(error: unknown): boolean {
  return (error as { code?: string }).code === '42P01';
}
