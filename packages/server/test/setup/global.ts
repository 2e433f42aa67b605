// Runs once around all tests: one PostgreSQL with a migrated template database, from which each server gets its own copy; one compile cache.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openDatabase } from '../../src/kernel/db.ts';
import { startEmbeddedPostgres } from '../../src/kernel/embedded-postgres.ts';
import { migrateJobs } from '../../src/kernel/jobs.ts';
import { createLog } from '../../src/kernel/log.ts';
import { migrate } from '../../src/kernel/migrate.ts';
import { TEMPLATE, TEST_POSTGRES, urlOfDatabase } from './database.ts';

let teardown: () => Promise<void> = async () => undefined;

export async function globalSetup(): Promise<void> {
  // Each test file is a process of its own: what one has compiled, the others need not.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../../../node_modules/.cache/tests', import.meta.url));
  const log = createLog('warn');
  const given = process.env.CHAUFFEUR_TEST_DATABASE_URL;
  const base = given ?? (await startOwn(log));
  process.env[TEST_POSTGRES] = base;
  const client = new pg.Client({ connectionString: base });
  await client.connect();
  await client.query(`drop database if exists ${TEMPLATE}`);
  await client.query(`create database ${TEMPLATE}`);
  await client.end();
  const template = openDatabase(urlOfDatabase(base, TEMPLATE), { connections: 4, log, name: 'template' });
  await migrate(template.pool, log);
  await migrateJobs(template.pool);
  await template.close();
}

async function startOwn(log: ReturnType<typeof createLog>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chauffeur-test-postgres-'));
  // As root, PostgreSQL runs under another account, which must be able to enter.
  await chmod(folder, 0o755);
  const postgres = await startEmbeddedPostgres(folder, log);
  teardown = async () => {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return postgres.url;
}

export function globalTeardown(): Promise<void> {
  return teardown();
}
