// Makes a test's database unavailable for a while, like a restart of PostgreSQL: sessions end, and new ones are
// refused.
import pg from 'pg';
import { TEST_POSTGRES, type TestDatabase } from './database.ts';

export type Outage = { begin(): Promise<void>; end(): Promise<void> };

export function outageOf({ url }: TestDatabase): Outage {
  const name = /\/([^/?]+)(\?|$)/.exec(url)?.[1];
  const allow = (allowed: boolean) => `alter database ${name} allow_connections ${allowed}`;
  return {
    begin: () =>
      command([allow(false), `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`]),
    end: () => command([allow(true)]),
  };
}

async function command(statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: process.env[TEST_POSTGRES] });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
