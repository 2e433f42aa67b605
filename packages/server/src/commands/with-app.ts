// Passes the parts of the service to a command, and closes them when the command ends, even if it fails.
import { type App, startApp } from '../app.ts';
import { readProcessConfig } from '../config.ts';
import { createLog } from '../kernel/telemetry/log.ts';
import { endOnUncaughtError } from './last-resort.ts';

/** `quiet` suppresses log lines below warnings, because standard output has only the command's result. */
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
