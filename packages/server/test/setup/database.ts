// Creates a database for one test, as a copy of the migrated template.
import pg from 'pg';
import { newId } from '../../src/kernel/secrets/ids.ts';
import { CITUS_URL, copyCitusDatabase, dropCitusDatabase, readCitusCluster } from './citus.ts';
import { urlOfDatabase } from './database-url.ts';

/** The environment variable in which the global setup stores the URL of the PostgreSQL server. */
export const TEST_POSTGRES = 'CHAUFFEUR_TEST_POSTGRES';
/** The environment variable with the name of the migrated database, which no other run of the tests uses. */
export const TEST_TEMPLATE = 'CHAUFFEUR_TEST_TEMPLATE';

export type TestDatabase = { url: string; drop(): Promise<void> };

/** Creates the database; with `empty`, without tables. On a Citus cluster, the others are distributed. */
export async function createTestDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const base = process.env[TEST_POSTGRES];
  const template = process.env[TEST_TEMPLATE];
  if (base === undefined || template === undefined)
    throw new Error('run the tests with npm test, which starts PostgreSQL for them');
  const name = `test_${newId().replaceAll('-', '')}`;
  const url = urlOfDatabase(base, name);
  const coordinator = process.env[CITUS_URL];
  if (coordinator !== undefined && !empty) {
    const cluster = await readCitusCluster(coordinator);
    await copyCitusDatabase(cluster, template, name);
    return { url, drop: () => dropCitusDatabase(cluster, name) };
  }
  await command(base, `create database ${name} ${empty ? '' : `template ${template}`}`);
  return { url, drop: () => command(base, `drop database if exists ${name} with (force)`) };
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
