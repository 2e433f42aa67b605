// `migrate`: migrates the database to the newest schema without serving anything.
import { withApp } from './with-app.ts';

export async function runMigrations(): Promise<void> {
  await withApp({ quiet: false }, async () => undefined);
  process.stdout.write('The database is at the newest schema.\n');
}
