// The connection pool to PostgreSQL, transactions, and the mapping of its types.
import { Kysely, PostgresDialect, type RawBuilder, type Transaction } from 'kysely';
import pg from 'pg';
import type { Log } from './log.ts';

/** A pool or a transaction: every query function takes one. Rows are typed at each query, not by a schema object. */
// biome-ignore lint/complexity/noBannedTypes: the empty schema says that queries are written in SQL.
export type Db = Kysely<{}>;
// biome-ignore lint/complexity/noBannedTypes: as above.
export type Tx = Transaction<{}>;

export type Database = { readonly db: Db; readonly pool: pg.Pool; close(): Promise<void> };

const INT8 = 20;

/** int8 arrives as a number: no count or size of ours passes 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : (pg.types.getTypeParser(oid, format as 'text') as (value: string) => unknown),
};

export function openDatabase(
  connectionString: string,
  options: { connections: number; log: Log; name: string },
): Database {
  const pool = new pg.Pool({
    connectionString,
    Client,
    max: options.connections,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: options.name,
    types,
  });
  let closing = false;
  // Without a handler, a connection that dies while idle (a database restart) would end the process. One that is closed may still hear of the
  // database's own stop.
  const onLost = (err: Error) => {
    if (!closing) options.log.warn({ err }, 'database connection lost');
  };
  pool.on('error', onLost);
  pool.on('connect', (client) => client.on('error', onLost));
  const db: Db = new Kysely({ dialect: new PostgresDialect({ pool }) });
  return {
    db,
    pool,
    async close() {
      closing = true;
      // Kysely ends the pool only when a query went through it.
      await db.destroy();
      if (!pool.ended) await pool.end();
    },
  };
}

/** Its texts with the names under which connections keep them. */
const keptPlans = new Map<string, string>();

/** A connection that has the statements of `keepPlan` parsed and planned once, not each time. */
class Client extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of query, of which this is all.
  override query(statement: any, ...rest: any[]): any {
    const name = typeof statement === 'string' ? keptPlans.get(statement) : undefined;
    if (name === undefined) return super.query(statement, ...(rest as []));
    const [values, ...callback] = rest;
    return super.query({ name, text: statement, values }, ...(callback as []));
  }
}

export type Query<Row> = Pick<RawBuilder<Row>, 'execute'>;

/**
 * For a statement that runs for every report or event and whose text is always the same: where its plan takes as long as its work, each
 * connection keeps it under a name (a prepared statement). Not for one whose best plan depends on what is asked for.
 */
export function keepPlan<Row>(query: RawBuilder<Row>): Query<Row> {
  return {
    execute(db) {
      const compiled = query.compile(db);
      if (!keptPlans.has(compiled.sql)) keptPlans.set(compiled.sql, `chauffeur_${keptPlans.size}`);
      return db.getExecutor().executeQuery(compiled);
    },
  };
}

/** All rows of a query. */
export async function rows<Row>(db: Db, query: Query<Row>): Promise<Row[]> {
  return (await query.execute(db)).rows;
}

/** The first row of a query, or undefined. */
export async function row<Row>(db: Db, query: Query<Row>): Promise<Row | undefined> {
  return (await query.execute(db)).rows[0];
}

/** The only row of a query that always has one. */
export async function onlyRow<Row>(db: Db, query: Query<Row>): Promise<Row> {
  const found = await row(db, query);
  if (found === undefined) throw new Error('a query that always answers a row answered none');
  return found;
}

/** How many rows a statement changed. */
export async function changed(db: Db, statement: Query<unknown>): Promise<number> {
  return Number((await statement.execute(db)).numAffectedRows ?? 0n);
}

/** Runs `work` in one transaction: all of it happens, or nothing. */
export function transact<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction().execute(work);
}

/** Deadlocks and failed serializations: what PostgreSQL ends only because of others that ran at the same time. */
const CONFLICT = /^40(P01|001)$/;
const MOST_TRIES = 5;

/** Runs `work`, one statement or one transaction, again when it was in the way of another. */
export async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === MOST_TRIES || !CONFLICT.test((error as { code?: string }).code ?? '')) throw error;
    }
  }
}

/** Of class 53, a full disk is another matter: see no-room.ts. */
const CONNECTION_TROUBLE = /^(08|57P0|53(?!100))/;
const SOCKET_TROUBLE = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT']);

/** Whether `error` says that the database could not be reached, which passes, rather than that a query was wrong. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as { code?: string; syscall?: string };
  if (code !== undefined && (CONNECTION_TROUBLE.test(code) || (SOCKET_TROUBLE.has(code) && syscall !== 'open')))
    return true;
  return /Connection terminated|not currently accepting connections|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
    error.message,
  );
}

/** Whether `error` says that a row of the same key exists already. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && (error as { code?: string }).code === '23505';
}

/** Whether `error` says that a row refers to another that there is not, or no longer. */
export function isMissingReference(error: unknown): boolean {
  return error instanceof Error && (error as { code?: string }).code === '23503';
}
