// Gives a command the service's parts, and closes them when it is done, whatever came of it.
import { type App, startApp } from '../app.ts';
import { readProcessConfig } from '../config.ts';
import { createLog } from '../kernel/log.ts';
import { endOnUncaughtError } from './last-resort.ts';

/** `quiet`: nothing is logged below warnings, because standard output is the command's answer alone. */
export async function withApp<T>({ quiet }: { quiet: boolean }, work: (app: App) => Promise<T>): Promise<T> {
  const config = readProcessConfig();
  const log = createLog(quiet && config.logLevel === 'info' ? 'warn' : config.logLevel);
  const starting = startApp(config, 'admin', { log });
  endOnUncaughtError(starting, log);
  const app = await starting;
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}
