// `migrate`: migrates the database to the newest schema without serving anything. With `--check`, it only says what
// would run.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { formatBytes, formatDuration } from '@chauffeur/contract/format';
import { VERSION } from '@chauffeur/contract/version';
import pg from 'pg';
import { type Config, readProcessConfig } from '../config.ts';
import { distributeAdded } from '../kernel/database/distribute.ts';
import { type Blocked, type CheckedMigration, checkMigrations, migrate } from '../kernel/database/migrate.ts';
import { migrateJobs } from '../kernel/jobs/jobs.ts';
import { createLog } from '../kernel/telemetry/log.ts';
import { DISTRIBUTED_TABLES } from '../registry.ts';
import { UsageError } from './fail.ts';
import { withDatabase } from './open-parts.ts';

export async function runMigrations({ check, json }: { check: boolean; json: boolean }): Promise<void> {
  if (check) return runCheck(json);
  const config = readProcessConfig();
  const log = createLog(config.logLevel);
  const applied = await withDatabase(config, { log, name: 'migrate' }, async (pool) => {
    const names = await migrate(pool, log);
    await distributeAdded(pool, DISTRIBUTED_TABLES, log);
    await migrateJobs(pool);
    return names;
  });
  process.stdout.write(json ? `${JSON.stringify({ applied })}\n` : 'The database is at the newest schema.\n');
}

async function runCheck(json: boolean): Promise<void> {
  const config = readProcessConfig();
  // Opening the embedded database would create it.
  if (config.databaseUrl === undefined && !(await exists(join(config.dataFolder, 'postgres'))))
    throw new UsageError(
      `there is no database to check: DATABASE_URL is not set, and ${config.dataFolder} has no embedded database. Set DATABASE_URL or CHAUFFEUR_DATA as for the server.`,
    );
  const database = nameDatabase(config);
  const { applied, pending } = await withDatabase(config, { log: createLog('warn'), name: 'migrate' }, checkMigrations);
  const current = applied.at(-1) ?? null;
  if (json) process.stdout.write(`${JSON.stringify({ version: VERSION, database, current, pending })}\n`);
  else process.stdout.write(`${describe(database, current, pending)}`);
}

/** Which database the settings name, for people, without user and password. */
function nameDatabase({ databaseUrl, dataFolder }: Config): string {
  if (databaseUrl === undefined) return `the embedded database in ${dataFolder}`;
  const { database, host, port } = new pg.Client({ connectionString: databaseUrl });
  return `${database} on ${host.startsWith('/') ? host : `${host}:${port}`}`;
}

function describe(database: string, current: string | null, pending: readonly CheckedMigration[]): string {
  const subject = `Checked ${database}.\n`;
  if (current === null)
    return `${subject}The database is empty. Version ${VERSION} creates its tables at the first start.\n`;
  if (pending.length === 0)
    return `${subject}The database is at ${current}. Version ${VERSION} has no other migrations.\n`;
  const blocks = pending.map(({ name, locks, seconds }) => {
    const lines = [
      `  ${name}`,
      `    takes    ${seconds < 2 ? 'a moment' : `at most about ${formatDuration(seconds)}`}`,
      ...describeLocks(locks),
    ];
    return lines.join('\n');
  });
  return `${subject}The database is at ${current}. Version ${VERSION} would run:\n\n${blocks.join('\n')}\n`;
}

function describeLocks(locks: CheckedMigration['locks']): string[] {
  if (locks.length === 0) return ['    blocks   nothing'];
  const kinds: readonly Blocked[] = ['reads and writes', 'writes'];
  return kinds.flatMap((kind) => {
    const tables = locks.filter(({ blocks }) => blocks === kind);
    if (tables.length === 0) return [];
    return [
      `    blocks   ${kind} of ${tables.map(({ table, bytes }) => `${table} (${formatBytes(bytes)})`).join(', ')}`,
    ];
  });
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
