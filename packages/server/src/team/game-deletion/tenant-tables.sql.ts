// Finds every table with rows of games in PostgreSQL's catalog, and deletes the rows of one game in batches. New tables
// are covered automatically.
import { sql } from 'kysely';
import { changed, type Db, retryConflicts, rows } from '../../kernel/database/db.ts';
import { countBlocks } from '../../kernel/database/shards.ts';

type TenantTable = {
  readonly name: string;
  /** The tables that the rows of this one reference. */
  readonly parents: readonly string[];
  /** Whether an index finds the rows of a game. Without one, the table is read block by block. */
  readonly indexed: boolean;
};

/** Lists the partitions of partitioned tables separately. */
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
/** The blocks of a batch: 64 MB of a table with PostgreSQL's default block size of 8 kB. */
const BATCH_BLOCKS = 8192;

/** Each batch is a separate transaction, so that it blocks others only briefly. Safe to repeat. */
export async function deleteRows(
  db: Db,
  { name, indexed }: TenantTable,
  gameId: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await (indexed ? deleteByIndex(db, name, gameId, signal) : deleteByBlock(db, name, gameId, signal));
  } catch (error) {
    // Retention has dropped the partition and its rows in the meantime.
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
        sql`delete from ${table} where game_id = ${gameId} and ctid = any(array(
          select ctid from ${table} where game_id = ${gameId} limit ${BATCH_ROWS}))`,
      ),
    );
  } while (count > 0);
}

/** Without an index, a limited delete would read the same remaining rows again for each batch. */
async function deleteByBlock(db: Db, name: string, gameId: string, signal: AbortSignal): Promise<void> {
  const table = sql.table(name);
  const blocks = await countBlocks(db, name);
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

type Table = { readonly name: string; readonly parents: readonly string[] };

/**
 * Puts tables before the tables that they reference, because a cascade would otherwise delete their rows in one
 * statement. Tables with circular references come last, in their given order.
 */
export function orderTables<T extends Table>(tables: readonly T[]): T[] {
  const ordered: T[] = [];
  let rest = [...tables];
  while (rest.length > 0) {
    const referenced = new Set(rest.flatMap(({ name, parents }) => parents.filter((parent) => parent !== name)));
    const free = rest.filter(({ name }) => !referenced.has(name));
    if (free.length === 0) return [...ordered, ...rest];
    ordered.push(...free);
    rest = rest.filter((table) => !free.includes(table));
  }
  return ordered;
}
