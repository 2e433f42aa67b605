// `migrate`: migrates the database to the newest schema without serving anything. With `--check`, it only says what
// would run.
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { formatBytes, formatDuration } from '@chauffeur/contract/format';
import { VERSION } from '@chauffeur/contract/version';
import { readProcessConfig } from '../config.ts';
import { DISTRIBUTED_TABLES } from '../features.ts';
import { distributeAdded } from '../kernel/database/distribute.ts';
import { migrate } from '../kernel/database/migrate.ts';
import { type CheckedMigration, checkMigrations } from '../kernel/database/migration-check.ts';
import type { Blocked } from '../kernel/database/migrations.ts';
import { migrateJobs } from '../kernel/jobs/jobs.ts';
import { createLog } from '../kernel/telemetry/log.ts';
import { withDatabase } from './with-database.ts';

export async function runMigrations({ check, json }: { check: boolean; json: boolean }): Promise<void> {
  if (check) return runCheck(json);
  const config = readProcessConfig();
  const log = createLog(config.logLevel);
  await mkdir(config.dataFolder, { recursive: true });
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
  const isNew = config.databaseUrl === undefined && !(await exists(join(config.dataFolder, 'postgres')));
  const result = isNew
    ? { applied: [], pending: [] }
    : await withDatabase(config, { log: createLog('warn'), name: 'migrate' }, checkMigrations);
  const current = result.applied.at(-1) ?? null;
  if (json) process.stdout.write(`${JSON.stringify({ version: VERSION, current, pending: result.pending })}\n`);
  else process.stdout.write(describe(current, result.pending));
}

function describe(current: string | null, pending: readonly CheckedMigration[]): string {
  if (current === null) return `The database is empty. Version ${VERSION} creates its tables at the first start.\n`;
  if (pending.length === 0) return `The database is at ${current}. Version ${VERSION} has no other migrations.\n`;
  const blocks = pending.map(({ name, locks, seconds }) => {
    const lines = [
      `  ${name}`,
      `    takes    ${seconds < 2 ? 'a moment' : `at most about ${formatDuration(seconds)}`}`,
      ...describeLocks(locks),
    ];
    return lines.join('\n');
  });
  return `The database is at ${current}. Version ${VERSION} would run:\n\n${blocks.join('\n')}\n`;
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
