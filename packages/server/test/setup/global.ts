// Runs once around all tests. Starts one PostgreSQL with a migrated template database, of which each server gets a
// copy, and sets up one compile cache.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openDatabase } from '../../src/kernel/database/db.ts';
import { migrate } from '../../src/kernel/database/migrate.ts';
import { migrateJobs } from '../../src/kernel/jobs/jobs.ts';
import { startEmbeddedPostgres } from '../../src/kernel/postgres/embedded-postgres.ts';
import { newId } from '../../src/kernel/secrets/ids.ts';
import { createLog } from '../../src/kernel/telemetry/log.ts';
import {
  CITUS_URL,
  closeCitusDatabase,
  createCitusDatabase,
  distributeDatabase,
  dropCitusDatabase,
  readCitusCluster,
} from './citus.ts';
import { TEST_POSTGRES, TEST_TEMPLATE } from './database.ts';
import { urlOfDatabase } from './database-url.ts';

let teardown: () => Promise<void> = async () => undefined;

export async function globalSetup(): Promise<void> {
  // Test processes share their compiled code.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../../../node_modules/.cache/tests', import.meta.url));
  try {
    await prepareDatabases();
  } catch (error) {
    await teardown();
    throw error;
  }
}

async function prepareDatabases(): Promise<void> {
  const log = createLog('warn');
  const coordinator = process.env[CITUS_URL];
  const base = coordinator ?? process.env.CHAUFFEUR_TEST_DATABASE_URL ?? (await startOwn(log));
  process.env[TEST_POSTGRES] = base;
  const cluster = coordinator === undefined ? null : await readCitusCluster(coordinator);
  // Several checkouts can run their tests on the same server at once.
  const name = `template_${newId().replaceAll('-', '')}`;
  process.env[TEST_TEMPLATE] = name;
  const stopServer = teardown;
  teardown = async () => {
    if (cluster === null) await run(base, `drop database if exists ${name}`);
    else await dropCitusDatabase(cluster, name);
    await stopServer();
  };
  if (cluster === null) await run(base, `create database ${name}`);
  else await createCitusDatabase(cluster, name);
  const template = openDatabase(urlOfDatabase(base, name), { connections: 4, log, name: 'template' });
  await migrate(template.pool, log);
  await migrateJobs(template.pool);
  await template.close();
  if (cluster === null) return;
  await distributeDatabase(urlOfDatabase(base, name), log);
  await closeCitusDatabase(cluster, name);
}

async function startOwn(log: ReturnType<typeof createLog>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chauffeur-test-postgres-'));
  // As root, PostgreSQL runs under another account, which needs access.
  await chmod(folder, 0o755);
  const postgres = await startEmbeddedPostgres(folder, log);
  teardown = async () => {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
  // The tests' data need not survive a crash of the machine. Commits are much faster without fsync, and the other two
  // settings save a fifth of their processor time.
  const settings = ['fsync', 'full_page_writes', 'synchronous_commit'].map((name) => `alter system set ${name} = off`);
  await run(postgres.url, ...settings, 'select pg_reload_conf()');
  return postgres.url;
}

async function run(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

export function globalTeardown(): Promise<void> {
  return teardown();
}
