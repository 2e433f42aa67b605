// `migrate`: brings the database to the newest schema without serving anything.
import { startApp } from '../app.ts';
import { readProcessConfig } from '../config.ts';
import { createLog } from '../kernel/log.ts';

export async function runMigrations(): Promise<void> {
  const config = readProcessConfig();
  const app = await startApp(config, 'admin', { log: createLog(config.logLevel) });
  await app.close();
  process.stdout.write('The database is at the newest schema.\n');
}
