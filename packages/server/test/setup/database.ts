// Creates a database for one test, as a copy of the migrated template.
import pg from 'pg';
import { newId } from '../../src/kernel/secrets/ids.ts';

/** The environment variable in which the global setup stores the URL of the PostgreSQL server. */
export const TEST_POSTGRES = 'CHAUFFEUR_TEST_POSTGRES';
export const TEMPLATE = 'chauffeur_template';

export type TestDatabase = { url: string; drop(): Promise<void> };

export function urlOfDatabase(base: string, name: string): string {
  return base.replace(/\/[^/?]*(\?|$)/, (_, end: string) => `/${name}${end}`);
}

/** Creates the database; with `empty`, without tables. */
export async function createTestDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const base = process.env[TEST_POSTGRES];
  if (base === undefined) throw new Error('run the tests with npm test, which starts PostgreSQL for them');
  const name = `test_${newId().replaceAll('-', '')}`;
  await command(base, `create database ${name} ${empty ? '' : `template ${TEMPLATE}`}`);
  return { url: urlOfDatabase(base, name), drop: () => command(base, `drop database if exists ${name} with (force)`) };
}

async function command(base: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: base });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
