// Databases that Citus distributes over several servers. A statement about one game runs whole on the server that has
// the game's rows (docs/adr/0022-citus.md).
import { type RawBuilder, sql } from 'kysely';
import { type Db, isConflict, keepPlan, onlyRow, retryConflicts, row, rows, type Tx, transact } from './db.ts';

/** Where the rows of games are. Citus places a game by a hash of its id, in the same shard of every table. */
export type Shards = {
  /** The shard of the game. */
  of(db: Db, gameId: string): Promise<Shard>;
  all(db: Db): Promise<readonly Shard[]>;
};

/** One shard of every distributed table. */
export type Shard = {
  /** A game that it has or would have: Citus finds the server by it. */
  readonly gameId: string;
  /** The id of the shard of LEADING_TABLE. */
  readonly id: string;
  /** The names of the tables in this shard, such as `event_hours_102114` for `event_hours`. */
  readonly tables: ReadonlyMap<string, string>;
};

/** The table that the other distributed tables are placed like. */
export const LEADING_TABLE = 'event_ids';
/** The function that runs a statement in a shard. `chauffeur-server distribute` creates it. */
export const RUN_IN_SHARD = 'chauffeur_run_in_shard';
/** How many parameters a statement can have. */
export const MAX_PARAMETERS = 80;

/** How long a database is taken to be in one piece before it is looked at again. */
const RECHECK_MS = 10_000;
const MAX_GAMES = 100_000;
/** Enough to find a game for each of 1,000 shards. */
const SAMPLED_GAMES = 20_000;

type Known = { readonly shards: Shards | null; lookedUpAt: number };

/** Keys are adapters, which a pool and its transactions share. */
const known = new WeakMap<object, Known>();

/**
 * Where the rows of games are; null if the database isn't distributed. A transaction never waits for another connection
 * here: all connections could be waiting.
 */
export async function shardsOf(db: Db): Promise<Shards | null> {
  const entry = known.get(db.getExecutor().adapter);
  if (entry === undefined) return lookUp(db);
  if (entry.shards !== null || performance.now() - entry.lookedUpAt < RECHECK_MS) return entry.shards;
  // The others go on with the old answer meanwhile.
  entry.lookedUpAt = performance.now();
  return lookUp(db);
}

/** The same for all sets of games that are in one shard; empty if the database isn't distributed. */
export async function shardKeyOf(db: Db, gameIds: readonly string[]): Promise<string> {
  const shards = await shardsOf(db);
  if (shards === null) return '';
  const ids = await Promise.all(gameIds.map(async (gameId) => (await shards.of(db, gameId)).id));
  return [...new Set(ids)].sort().join();
}

/** Whether Citus has distributed this table. */
export async function isDistributed(db: Db, table: string): Promise<boolean> {
  const { hasCitus } = await onlyRow(
    db,
    sql<{ hasCitus: boolean }>`select to_regclass('pg_catalog.pg_dist_partition') is not null as "hasCitus"`,
  );
  if (!hasCitus) return false;
  return (await row(db, sql`select from pg_dist_partition where logicalrelid = to_regclass(${table})`)) !== undefined;
}

/** How many blocks a table has, or its largest shard; 0 for a table that does not exist. */
export async function countBlocks(db: Db, table: string): Promise<number> {
  const size = (await isDistributed(db, table))
    ? sql`(select max(shard_size) from citus_shards where table_name = to_regclass(${table}))`
    : sql`pg_relation_size(to_regclass(${table}))`;
  const { blocks } = await onlyRow(
    db,
    sql<{ blocks: number | null }>`select ${size} / current_setting('block_size')::bigint as blocks`,
  );
  return blocks ?? 0;
}

/** The two forms of a statement or a transaction about rows of games. */
type Forms<T> = {
  /** Runs it on one PostgreSQL. */
  readonly plain: () => Promise<T>;
  /** Runs it on Citus. */
  readonly distributed: (shards: Shards) => Promise<T>;
};

/**
 * Runs the form that this database needs. Repeats it after a conflict, such as with the move of a shard to another
 * server. If the plain form fails because the database was distributed just now, runs the other one. In a transaction it
 * does neither, because a failed transaction can't continue: `transactOfGames` repeats it as a whole.
 */
export async function runForm<T>(db: Db, { plain, distributed }: Forms<T>): Promise<T> {
  if (!db.isTransaction) return retryConflicts(() => runEitherForm(db, { plain, distributed }));
  const shards = await shardsOf(db);
  return shards === null ? plain() : distributed(shards);
}

async function runEitherForm<T>(db: Db, { plain, distributed }: Forms<T>): Promise<T> {
  const shards = await shardsOf(db);
  if (shards !== null) return distributed(shards);
  try {
    return await plain();
  } catch (error) {
    const now = await lookUp(db).catch(() => null);
    if (now === null) throw error;
    return distributed(now);
  }
}

/** Runs a transaction with calls of `rowsOfGame`. */
export function transactOfGames<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const run = () => transact(db, work);
  return runForm(db, { plain: run, distributed: run });
}

/**
 * Runs a statement about rows of one game, whose plan is kept, and returns its rows. Only for statements that Citus
 * can't route to the server of the game whole: `npm run sql` checks that, and the rules for a statement that can run in
 * a shard, also where the database isn't distributed (scripts/sql/shard-rules.ts).
 */
export function rowsOfGame<Row>(db: Db, gameId: string, statement: RawBuilder<Row>): Promise<Row[]> {
  return runForm(db, {
    plain: () => rows(db, keepPlan(statement)),
    distributed: async (shards) => rowsInShard(db, await shards.of(db, gameId), statement),
  });
}

/** Does the same as `rowsOfGame` for a statement about rows of all games, which runs in each shard on its own. */
export function rowsOfAllGames<Row>(db: Db, statement: RawBuilder<Row>): Promise<Row[]> {
  return runForm(db, {
    plain: () => rows(db, statement),
    async distributed(shards) {
      const results: Row[] = [];
      for (const shard of await shards.all(db)) results.push(...(await rowsInShard(db, shard, statement)));
      return results;
    },
  });
}

/** The sum of what the shards counted. */
export function sumOf(counts: readonly { count: number }[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

/** How many rows are deleted at once: few enough for a short transaction. */
const DELETED_AT_ONCE = 10_000;

/**
 * Deletes the rows of all games whose day, the column `day`, is before that UTC day. Rows that are being changed at this
 * moment are skipped.
 */
export async function deleteRowsBefore(
  db: Db,
  { table, day }: { readonly table: string; readonly day: string },
  before: string,
): Promise<void> {
  for (let deleted = DELETED_AT_ONCE; deleted >= DELETED_AT_ONCE; ) {
    const counts = await rowsOfAllGames(
      db,
      sql<{ count: number }>`with old as materialized (
          select ctid from ${sql.table(table)} where ${sql.ref(day)} < ${before}::date
          limit ${DELETED_AT_ONCE}::integer for update skip locked
        ), deleted as (
          delete from ${sql.table(table)} using old where ${sql.table(table)}.ctid = old.ctid returning 1
        ) select count(*)::integer as count from deleted`,
    );
    deleted = sumOf(counts);
  }
}

/** Runs a statement about rows of one shard. Throws a conflict if the shard moves meanwhile. */
export async function rowsInShard<Row>(
  db: Db,
  { id, gameId, tables }: Shard,
  statement: RawBuilder<Row>,
): Promise<Row[]> {
  const { sql: text, parameters } = statement.compile(db);
  if (parameters.length > MAX_PARAMETERS)
    throw new Error(`a statement in a shard has over ${MAX_PARAMETERS} parameters`);
  const values = [gameId, id, inShard(text, tables), ...parameters.map(asText)];
  const call = sql.join(values.map((value) => sql`${value}`));
  try {
    const results = await rows(
      db,
      sql<{ result: Row }>`select result from ${sql.raw(RUN_IN_SHARD)}(${call}) as result`,
    );
    return results.map(({ result }) => result);
  } catch (error) {
    // The shard may have been split.
    if (isConflict(error)) known.delete(db.getExecutor().adapter);
    throw error;
  }
}

/** The statement with the names of the tables in the shard. */
function inShard(text: string, tables: ReadonlyMap<string, string>): string {
  return text.replace(/[a-z][a-z_0-9]*/g, (word) => tables.get(word) ?? word);
}

/** A parameter in PostgreSQL's text format. */
function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value))
    return `{${value.map((element) => (element === null ? 'null' : quote(asText(element)!))).join()}}`;
  return String(value);
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

async function lookUp(db: Db): Promise<Shards | null> {
  const shards = await readShards(db);
  known.set(db.getExecutor().adapter, { shards, lookedUpAt: performance.now() });
  return shards;
}

async function readShards(db: Db): Promise<Shards | null> {
  const { exists } = await onlyRow(
    db,
    sql<{ exists: boolean }>`select exists (select from pg_proc where proname = ${RUN_IN_SHARD}) as exists`,
  );
  if (!exists) return null;
  let tables = await readTables(db);
  const find = async (db: Db, gameId: string, id: string): Promise<Shard> => {
    // A shard may have been split since the names were read.
    if (!tables.has(id)) tables = await readTables(db);
    return { id, gameId, tables: tables.get(id)! };
  };
  const games = new Map<string, Shard>();
  return {
    async of(db, gameId) {
      const existing = games.get(gameId);
      if (existing !== undefined) return existing;
      const { id } = await onlyRow(
        db,
        sql<{ id: string }>`select get_shard_id_for_distribution_column(${LEADING_TABLE}, ${gameId}::uuid)::text as id`,
      );
      const shard = await find(db, gameId, id);
      if (games.size >= MAX_GAMES) games.clear();
      games.set(gameId, shard);
      return shard;
    },
    async all(db) {
      const samples = await rows(
        db,
        sql<{ id: string; game_id: string }>`select distinct on (id) id, game_id from (
            select game_id, get_shard_id_for_distribution_column(${LEADING_TABLE}, game_id)::text as id
            from (select md5(no::text)::uuid as game_id from generate_series(1, ${SAMPLED_GAMES}::integer) as no) as games
          ) as placed order by id`,
      );
      const all: Shard[] = [];
      for (const { id, game_id } of samples) all.push(await find(db, game_id, id));
      return all;
    },
  };
}

/** For each shard, the names of all tables in it, except partitions. */
async function readTables(db: Db): Promise<Map<string, ReadonlyMap<string, string>>> {
  const shards = await rows(
    db,
    sql<{ id: string; names: [string, string][] }>`
      select main.shardid::text as id, json_agg(json_build_array(relname, relname || '_' || shards.shardid)) as names
      from pg_dist_shard as main
        join pg_dist_partition as placed on placed.colocationid = (
          select colocationid from pg_dist_partition where logicalrelid = ${LEADING_TABLE}::regclass)
        join pg_class on pg_class.oid = placed.logicalrelid and not relispartition
        join pg_dist_shard as shards on shards.logicalrelid = placed.logicalrelid
      where main.logicalrelid = ${LEADING_TABLE}::regclass and shards.shardminvalue = main.shardminvalue
      group by main.shardid`,
  );
  return new Map(shards.map(({ id, names }) => [id, new Map(names)]));
}
