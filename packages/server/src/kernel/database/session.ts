// One connection for work that needs a separate session: temporary tables, locks, and copying whole tables.
import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import type { Db } from './db.ts';

export type Session = {
  /** Runs every query on the connection. */
  readonly db: Db;
  readonly client: pg.PoolClient;
};

/** Runs `work` with a connection, which is closed afterwards. With it end its temporary tables and its locks. */
export async function withSession<T>(pool: pg.Pool, work: (session: Session) => Promise<T>): Promise<T> {
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
