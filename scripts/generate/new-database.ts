// A new, empty database in its own embedded PostgreSQL.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { openDatabase } from '../../packages/server/src/kernel/database/db.ts';
import { startEmbeddedPostgres } from '../../packages/server/src/kernel/postgres/embedded-postgres.ts';
import { createLog } from '../../packages/server/src/kernel/telemetry/log.ts';

export async function withNewDatabase<T>(work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const log = createLog('warn');
  const folder = await mkdtemp(join(tmpdir(), 'chauffeur-schema-'));
  // If this runs as root, PostgreSQL runs under another account, which needs access to the folder.
  await chmod(folder, 0o755);
  try {
    const postgres = await startEmbeddedPostgres(folder, log);
    const database = openDatabase(postgres.url, { connections: 2, log, name: 'schema' });
    try {
      return await work(database.pool);
    } finally {
      await database.close();
      await postgres.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
