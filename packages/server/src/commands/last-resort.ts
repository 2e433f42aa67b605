// Handles errors that nothing caught: logs them and shuts the process down cleanly (docs/adr/0009).
import type { App } from '../app.ts';
import type { Log } from '../kernel/telemetry/log.ts';

/**
 * The time limit for requests and jobs in progress. It is shorter than `shutdownSeconds`, because one of them is broken
 * and may never end.
 */
const GRACE_SECONDS = 5;
const EXIT_MS = 1000;

/**
 * Ends the process with exit code 1 after an uncaught error or unhandled rejection. The service is closed as after a
 * signal, so that the embedded PostgreSQL is stopped instead of orphaned. Further errors are only logged.
 */
export function endOnUncaughtError(starting: Promise<App>, log: Log): void {
  let ending = false;
  process.on('uncaughtException', (err, origin) => {
    log.fatal({ err, origin }, 'uncaught error; the process exits');
    process.exitCode = 1;
    if (ending) return;
    ending = true;
    starting
      .then((app) => app.close(GRACE_SECONDS))
      .catch((reason) => log.error({ err: reason }, 'stopping failed'))
      .finally(() => exitWithOpenResources(log));
  });
}

/** Exits even if resources are still open. Otherwise, a part that did not stop could keep the process alive. */
export function exitWithOpenResources(log: Log): void {
  const timer = setTimeout(() => {
    log.warn({ open: process.getActiveResourcesInfo() }, 'exiting with open resources');
    process.exit();
  }, EXIT_MS);
  timer.unref();
}
