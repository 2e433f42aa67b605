// What happens to an error that nothing caught: it is logged, and the process ends in order (docs/adr/0009).
import type { App } from '../app.ts';
import type { Log } from '../kernel/log.ts';

/** For requests and jobs under way. Not `shutdownSeconds`: one of them is broken, and may never end. */
const PATIENCE_SECONDS = 5;
const EXIT_MS = 1000;

/**
 * Ends the process with exit code 1 when an error, or a rejected promise, reaches nobody: `starting` is closed as by a signal, so that the
 * embedded PostgreSQL is stopped and not orphaned. Errors on the way are logged as well and change nothing.
 */
export function endOnUncaughtError(starting: Promise<App>, log: Log): void {
  let ending = false;
  process.on('uncaughtException', (err, origin) => {
    log.fatal({ err, origin }, 'an error was caught by nothing; the process ends');
    process.exitCode = 1;
    if (ending) return;
    ending = true;
    starting
      .then((app) => app.close(PATIENCE_SECONDS))
      .catch((reason) => log.error({ err: reason }, 'stopping failed'))
      .finally(() => exitWhateverIsOpen(log));
  });
}

/** A process ends by itself when nothing is open any more; what was given up, or forgotten, may not keep it from that. */
export function exitWhateverIsOpen(log: Log): void {
  const timer = setTimeout(() => {
    log.warn({ open: process.getActiveResourcesInfo() }, 'something is open still; ending all the same');
    process.exit();
  }, EXIT_MS);
  timer.unref();
}
