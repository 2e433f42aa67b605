// Runs the server and the website for development. When a file changes, the server restarts and the pages reload.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** Vite serves the pages here with hot reload, and forwards requests to the API to the server. */
const SITE = 'http://localhost:5173';

/**
 * The process gets a separate session. Otherwise Ctrl-C would signal the server twice, and it would exit without
 * stopping its database.
 */
function start(args: readonly string[], folder: string, env: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, args, {
    cwd: join(ROOT, folder),
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  });
}

const service = start(['--watch', '--watch-preserve-output', 'packages/server/src/main.ts', 'start'], '.', {
  CHAUFFEUR_PUBLIC_URL: process.env.CHAUFFEUR_PUBLIC_URL ?? SITE,
});
const website = start([join(ROOT, 'node_modules/vite/bin/vite.js'), '--strictPort'], 'packages/web');
const children = [service, website];
let isStopping = false;
function stop(): void {
  isStopping = true;
  for (const child of children) child.kill();
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
// When one of them exits by itself, the other is stopped.
await Promise.race(children.map((child) => once(child, 'exit')));
if (!isStopping) stop();
