// `start`, `api` and `worker`: run the service until a signal, then let requests and jobs in progress end.

import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { type App, startApp } from '../app.ts';
import { type Config, readConfigWarnings, readProcessConfig } from '../config.ts';
import { IS_CHECKOUT, SCRIPTS_FOLDER, SERVER_COMMAND } from '../folders.ts';
import { createLog, type Log } from '../kernel/telemetry/log.ts';
import { terminalLines } from '../kernel/telemetry/terminal-lines.ts';
import { issueSetupLink } from '../operate/setup/setup.ts';
import type { Role } from '../roles.ts';
import { endOnUncaughtError, exitWithOpenResources } from './last-resort.ts';

export async function runService(role: Role): Promise<void> {
  const config = readProcessConfig();
  const log = process.stderr.isTTY
    ? createLog(
        config.logLevel,
        terminalLines((line) => process.stderr.write(line)),
      )
    : createLog(config.logLevel);
  logWarnings(log);
  for (const warning of readConfigWarnings()) log.warn(warning);
  const starting = startApp(config, role, { log });
  endOnUncaughtError(starting, log);
  stopOnSignal(starting, log);
  const app = await starting;
  log.info({ role, url: app.url }, 'started');
  const setupLink = app.url === undefined ? null : await issueSetupLink(app.ctx);
  process.stdout.write(greeting(role, app, config, setupLink));
  if (IS_CHECKOUT && app.url !== undefined && config.cliFolder === undefined) buildOwnProgram(log);
}

/**
 * A release has the command as a program for each platform. A checkout gets the one for this platform, once, in a process
 * that takes only what the server leaves of the processor.
 */
function buildOwnProgram(log: Log): void {
  const child = spawn(process.execPath, [join(SCRIPTS_FOLDER, 'build-own-program.ts')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.on('error', (err) => log.warn({ err }, 'the chauffeur command could not be built as a program'));
  child.on('close', (code) => {
    if (code) log.warn({ output }, 'the chauffeur command could not be built as a program; it is offered for npm');
  });
  // Neither keeps a server from stopping.
  child.unref();
  (child.stderr as Socket).unref();
  process.once('exit', () => child.kill());
}

/** Warnings of Node and of libraries become log lines. By default, Node prints them as text. */
function logWarnings(log: Log): void {
  process.removeAllListeners('warning');
  process.on('warning', (err) => log.warn({ err }, 'a library warns'));
}

function greeting(role: Role, app: App, config: Config, setupLink: string | null): string {
  if (app.url === undefined) return 'The worker is running. Press Ctrl-C to stop it.\n';
  const lines = [
    '',
    `  Chauffeur is running at ${app.ctx.publicUrl}`,
    '',
    `  data      ${config.databaseUrl === undefined ? config.dataFolder : 'in your PostgreSQL'}`,
    `  blobs     ${app.ctx.blobs.describe().location}`,
    `  scanner   ${config.clamd ?? 'none; files are offered unscanned. Set CHAUFFEUR_CLAMD to scan them.'}`,
    `  email     ${config.smtp === undefined ? `written to ${config.dataFolder}/outbox. Set CHAUFFEUR_SMTP to send them.` : 'sent by SMTP'}`,
    '',
    ...(setupLink === null
      ? [`  To ship builds, install the chauffeur command: ${app.ctx.publicUrl}/cli`]
      : firstSteps(setupLink)),
    ...(IS_CHECKOUT ? ['  Or watch a demo: npm run demo'] : []),
    '',
    role === 'api'
      ? '  This process runs no jobs, so start a worker too. Press Ctrl-C to stop.'
      : '  Press Ctrl-C to stop.',
    '',
  ];
  return `${lines.join('\n')}\n`;
}

function firstSteps(setupLink: string): string[] {
  return [
    '  Next: create the first account. Open this link, which works once:',
    `    ${setupLink}`,
    `  Or create it with a command: ${SERVER_COMMAND} admin user create --help`,
  ];
}

/**
 * The first signal shuts the service down cleanly, even while it is starting. A second signal stops it immediately;
 * interrupted work recovers at the next start. The exit code is 0 after a clean shutdown, 1 if a part failed or did not
 * stop in time, and 130 after a second signal.
 */
function stopOnSignal(starting: Promise<App>, log: Log): void {
  let stopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping) process.exit(130);
    stopping = true;
    log.info({ signal }, 'stopping after uploads and jobs in progress have ended; a second signal stops at once');
    try {
      await (await starting).close();
      log.info('stopped');
    } catch (err) {
      log.error({ err }, 'stopping failed');
      process.exitCode = 1;
    }
    exitWithOpenResources(log);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}
