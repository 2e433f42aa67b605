// Connections to PostgreSQL, and everything that a statement and a transaction pass through.
//
// A statement goes from Kysely, which only joins its text, to a connection of the pool, which is a `Client`:
//
// - It sets how values are written as text when it connects, because a database or a role can set that differently.
// - It prepares the statements that `keepPlan` marks, once for each connection.
// - It adds statements to the trace of the request, never with their text or values.
//
// A transaction is one span of the trace, in which its statements don't appear. Just before its commit, `transact` calls
// the hook of the work that the transaction is part of, if there is one. The audit log is written by such a hook: it is
// kept exactly if the change is. The hook returns a function, which is called after the commit.
//
// Nothing is repeated on its own. `retryConflicts` repeats a statement or a transaction that PostgreSQL refused because
// of another one. The functions at the end tell such errors from those of a database that is away and of values that it
// doesn't accept. Work that needs its own connection, for locks or temporary tables, runs in `withSession`, outside of
// all this.

import { AsyncLocalStorage } from 'node:async_hooks';
import { Socket } from 'node:net';
import { Kysely, PostgresDialect, type RawBuilder, type Transaction } from 'kysely';
import pg from 'pg';
import type { Log } from '../telemetry/log.ts';
import { currentSpan, inSpan, type Span } from '../telemetry/tracing.ts';

/** A pool or a transaction; every query function takes one. Rows are typed per query, not by a schema object. */
// biome-ignore lint/complexity/noBannedTypes: the empty schema says that queries are written in SQL.
export type Db = Kysely<{}>;
// biome-ignore lint/complexity/noBannedTypes: as above.
export type Tx = Transaction<{}>;

export type Database = {
  readonly db: Db;
  readonly pool: pg.Pool;
  /**
   * Cuts all connections, so that whatever waits for them fails as when the database is away. For connections that are
   * known to be dead.
   */
  cut(): void;
  close(): Promise<void>;
};

/**
 * How values are written as text and read from it, which a database or a role can set differently. Not as a parameter
 * of the connection, which poolers refuse.
 */
const SESSION_SETTINGS = `set datestyle = 'ISO, MDY'; set intervalstyle = 'postgres'; set timezone = 'UTC';
  set bytea_output = 'hex'; set extra_float_digits = 1; set standard_conforming_strings = on`;

const INT8 = 20;

/** Returns int8 as a number: none of our counts and sizes exceeds 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : (pg.types.getTypeParser(oid, format as 'text') as (value: string) => unknown),
};

export function openDatabase(
  connectionString: string,
  options: { connections: number; log: Log; name: string; connectMs?: number },
): Database {
  const sockets = new Set<Socket>();
  const pool = new pg.Pool({
    connectionString,
    Client,
    stream: () => {
      const socket = new Socket();
      sockets.add(socket);
      return socket.on('close', () => sockets.delete(socket));
    },
    max: options.connections,
    connectionTimeoutMillis: options.connectMs ?? 10_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: options.name,
    types,
  });
  let closing = false;
  // Without a listener, an idle connection that dies (a database restart) would end the process. A closed pool may
  // still see the database stop.
  const onLost = (err: Error) => {
    if (!closing) options.log.warn({ err }, 'database connection lost');
  };
  pool.on('error', onLost);
  pool.on('connect', (client) => client.on('error', onLost));
  const db: Db = new Kysely({ dialect: new PostgresDialect({ pool }) });
  return {
    db,
    pool,
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      closing = true;
      // Kysely ends the pool only if a query used it.
      await db.destroy();
      if (!pool.ended) await pool.end();
    },
  };
}

/**
 * The names of prepared statements, by their text. Texts are constants of the code, so all pools of the process share
 * them.
 */
const keptPlans = new Map<string, string>();

/**
 * A connection that writes and reads values in one way, prepares the statements of `keepPlan` once, and adds statements
 * to traces.
 */
class Client extends pg.Client {
  override connect(): Promise<this>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<this> | undefined {
    const connected = (async () => {
      // The pool listens for errors only once it has the connection. One that breaks before must not end the process.
      this.on('error', () => undefined);
      await super.connect();
      try {
        await super.query(SESSION_SETTINGS);
      } catch (error) {
        this.connection.stream.destroy();
        throw error;
      }
      return this;
    })();
    if (callback === undefined) return connected;
    connected.then(() => callback(null as unknown as Error), callback);
    return undefined;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of query, of which this is all.
  override query(statement: any, ...rest: any[]): any {
    return traceStatement(statement, () => this.#query(statement, rest));
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above.
  #query(statement: any, rest: any[]): any {
    const name = typeof statement === 'string' ? keptPlans.get(statement) : undefined;
    if (name === undefined) return super.query(statement, ...(rest as []));
    const [values, ...callback] = rest;
    return super.query({ name, text: statement, values }, ...(callback as []));
  }
}

const SPAN_OPTIONS = { kind: 'client', attributes: { 'db.system.name': 'postgresql' } } as const;

/** Spans of transactions, which stand for all their statements. */
const transactions = new WeakSet<Span>();

/** Runs a transaction. */
function traceTransaction<T>(run: () => Promise<T>): Promise<T> {
  if (currentSpan() === undefined) return run();
  return inSpan('transaction', SPAN_OPTIONS, () => {
    transactions.add(currentSpan()!);
    return run();
  });
}

/** Sends a statement; `send` returns a promise, or whatever pg returns for streams. */
function traceStatement<T>(statement: unknown, send: () => T): T {
  const parent = currentSpan();
  if (parent === undefined || transactions.has(parent)) return send();
  const span = parent.startChild(summaryOf(statement), SPAN_OPTIONS);
  const result = send();
  endWith(span, result);
  return result;
}

/** The first word and the first table of a statement, such as `select files`. */
function summaryOf(statement: unknown): string {
  const text = typeof statement === 'string' ? statement : String((statement as { text?: unknown } | null)?.text ?? '');
  const verb = /^\s*([a-z]+)/i.exec(text)?.[1]?.toLowerCase() ?? 'query';
  const table = /\b(?:from|into|update)\s+([a-z_][a-z0-9_.]*)/i.exec(text)?.[1];
  return table === undefined ? verb : `${verb} ${table}`;
}

/** The caller handles the error of `result`. */
function endWith(span: Span, result: unknown): void {
  if (result instanceof Promise)
    result.then(
      () => span.end(),
      (error: unknown) => {
        span.fail(error);
        span.end();
      },
    );
  else span.end();
}

type Query<Row> = Pick<RawBuilder<Row>, 'execute'>;

/**
 * Marks a statement as worth preparing: one that runs for every report or event, always has the same text, and takes as
 * long to plan as to execute. Not for statements whose best plan depends on their parameters.
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

/** Returns all rows. */
export async function rows<Row>(db: Db, query: Query<Row>): Promise<Row[]> {
  return (await query.execute(db)).rows;
}

/** Returns the first row, or undefined. */
export async function row<Row>(db: Db, query: Query<Row>): Promise<Row | undefined> {
  return (await query.execute(db)).rows[0];
}

/** Returns the row of a query that always has exactly one. */
export async function onlyRow<Row>(db: Db, query: Query<Row>): Promise<Row> {
  const first = await row(db, query);
  if (first === undefined) throw new Error('a query that always returns a row returned none');
  return first;
}

/** Returns the number of rows that a statement changed. */
export async function changed(db: Db, statement: Query<unknown>): Promise<number> {
  return Number((await statement.execute(db)).numAffectedRows ?? 0n);
}

/** Called in a transaction before its commit. The returned function is called after the commit. */
type CommitHook = (tx: Transaction<Record<never, never>>) => Promise<() => void>;

const hooks = new AsyncLocalStorage<CommitHook>();

/** Calls `hook` for every transaction that `work` begins. */
export function withCommitHook<T>(hook: CommitHook, work: () => T): T {
  return hooks.run(hook, work);
}

/** Runs `work` in a transaction, and the hook of the work that it is part of before the commit. */
export function transact<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const hook = hooks.getStore();
  return traceTransaction(() =>
    hook === undefined ? db.transaction().execute(work) : transactWithHook(db, work, hook),
  );
}

async function transactWithHook<T>(db: Db, work: (tx: Tx) => Promise<T>, hook: CommitHook): Promise<T> {
  const { result, onCommitted } = await db.transaction().execute(async (tx) => {
    const result = await work(tx);
    return { result, onCommitted: await hook(tx) };
  });
  onCommitted();
  return result;
}

/** Runs `work`, which only reads, in a transaction that sees one state of the database. */
export function readSnapshot<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return traceTransaction(() =>
    db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work),
  );
}

export type DatabaseSession = {
  /** Runs every query on the connection. */
  readonly db: Db;
  readonly client: pg.PoolClient;
};

/**
 * Runs `work` with its own connection, for temporary tables, locks, or copying whole tables. The connection is closed
 * afterwards, which ends its temporary tables and its locks.
 */
export async function withSession<T>(pool: pg.Pool, work: (session: DatabaseSession) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // Transactions must not return the connection to the pool.
  const connection = { query: client.query.bind(client), release: () => undefined } as unknown as pg.PoolClient;
  const single = { connect: async () => connection, end: async () => undefined, options: {} };
  try {
    return await work({ db: new Kysely({ dialect: new PostgresDialect({ pool: single }) }), client });
  } finally {
    client.release(true);
  }
}

const CONFLICT = /^40(P01|001)$/;

/**
 * Whether the error is a deadlock or a serialization failure, which PostgreSQL causes only because of concurrent
 * transactions.
 */
export function isConflict(error: unknown): boolean {
  return error instanceof Error && CONFLICT.test((error as { code?: string }).code ?? '');
}

const MAX_TRIES = 5;

/** Runs `work`, a statement or a transaction, again if it conflicts with another one. */
export async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === MAX_TRIES || !isConflict(error)) throw error;
    }
  }
}

/** Class 53 without a full disk, which storage-full.ts covers. */
const CONNECTION_TROUBLE = /^(08|57P0|53(?!100))/;
const SOCKET_TROUBLE = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT']);
/**
 * Messages of errors without a useful code. The last two are what Citus reports if it loses a worker during a
 * transaction.
 */
const AWAY_MESSAGE =
  /Connection terminated|not currently accepting connections|timeout exceeded when trying to connect|Client has encountered a connection error|could not commit transaction for shard|failure on connection marked as essential/;

/**
 * Whether the error means that the database could not be reached, which is temporary, and not that a query was wrong.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as { code?: string; syscall?: string };
  if (code !== undefined && (CONNECTION_TROUBLE.test(code) || (SOCKET_TROUBLE.has(code) && syscall !== 'open')))
    return true;
  return AWAY_MESSAGE.test(error.message);
}

/** Whether the error means that the coordinator of a Citus cluster could not reach one of the workers. */
export function isWorkerAway(error: unknown): boolean {
  return (
    isDatabaseAway(error) &&
    /connection to the remote node|failure on connection marked as essential/.test((error as Error).message)
  );
}

/** Whether the error means that a statement was cancelled, such as after its time limit. */
export function isCancelled(error: unknown): boolean {
  return error instanceof Error && (error as { code?: string }).code === '57014';
}

/** Whether the error means that a row with the same key already exists. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && (error as { code?: string }).code === '23505';
}

/** Whether the error means that a referenced row does not exist. */
export function isMissingReference(error: unknown): boolean {
  return error instanceof Error && (error as { code?: string }).code === '23503';
}

/** Whether `error` says that PostgreSQL rejected a value (class 22) or that a row violates a constraint (class 23). */
export function isDataError(error: unknown): boolean {
  return /^2[23]/.test((error as { code?: string }).code ?? '');
}
