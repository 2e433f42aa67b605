// `start`, `api` and `worker`: run until told to stop, then end what is under way first.
import { type App, startApp } from '../app.ts';
import { type Config, readProcessConfig } from '../config.ts';
import { createLog, type Log } from '../kernel/log.ts';
import type { Role } from '../roles.ts';
import { endOnUncaughtError, exitWhateverIsOpen } from './last-resort.ts';

export async function runService(role: Role): Promise<void> {
  const config = readProcessConfig();
  const log = createLog(config.logLevel);
  const starting = startApp(config, role, { log });
  endOnUncaughtError(starting, log);
  stopOnSignal(starting, log);
  const app = await starting;
  log.info({ role, url: app.url }, 'started');
  process.stdout.write(greeting(role, app, config));
}

function greeting(role: Role, app: App, config: Config): string {
  if (app.url === undefined) return 'Chauffeur’s worker takes jobs. Ctrl-C stops it.\n';
  const lines = [
    '',
    `  Chauffeur listens on ${app.ctx.publicUrl}`,
    '',
    `  data      ${config.databaseUrl === undefined ? config.dataFolder : 'in your PostgreSQL'}${config.blobs === undefined ? '' : ', blobs on S3'}`,
    `  scanner   ${config.clamd ?? 'none: files are served as unscanned; set CHAUFFEUR_CLAMD'}`,
    `  mails     ${config.smtp === undefined ? `written to ${config.dataFolder}/outbox; set CHAUFFEUR_SMTP` : 'sent by SMTP'}`,
    '',
    '  Next: make an account and a game, and ship a build (each command from another terminal):',
    '    npx chauffeur-server admin user create --email you@example.com --password-stdin --verified',
    '    npx chauffeur-server admin game create --owner you@example.com --name "My game" --visibility public',
    '    npx chauffeur-server admin key issue --game <game uid>',
    '    npx chauffeur --help',
    '  or see it all happen: npm run demo',
    '',
    role === 'api' ? '  This process runs no jobs: start a worker beside it. Ctrl-C stops it.' : '  Ctrl-C stops it.',
    '',
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * The first signal stops in order, also while starting; the second at once: what is cut off then recovers at the next start.
 * Exit code 0 when everything ended in order, 1 when a part failed or was given up, 130 after a second signal.
 */
function stopOnSignal(starting: Promise<App>, log: Log): void {
  let stopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping) process.exit(130);
    stopping = true;
    log.info({ signal }, 'stopping: uploads and jobs under way are finished first; a second signal stops at once');
    try {
      await (await starting).close();
      log.info('stopped');
    } catch (err) {
      log.error({ err }, 'stopping failed');
      process.exitCode = 1;
    }
    exitWhateverIsOpen(log);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}
