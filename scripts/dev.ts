// Runs the server and the website for development. When a file changes, the server restarts and the pages reload.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** Vite serves the pages here with hot reload, and forwards all other requests to the server. */
const SITE = 'http://localhost:5173';

function start(args: readonly string[], folder: string, env: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, args, { cwd: join(ROOT, folder), stdio: 'inherit', env: { ...process.env, ...env } });
}

const service = start(['--watch', '--watch-preserve-output', 'packages/server/src/main.ts', 'start'], '.', {
  CHAUFFEUR_PUBLIC_URL: process.env.CHAUFFEUR_PUBLIC_URL ?? SITE,
});
const website = start([join(ROOT, 'node_modules/vite/bin/vite.js'), '--strictPort'], 'packages/web');
const children = [service, website];
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    for (const child of children) child.kill(signal);
  });
}
// When one of them exits, the other is stopped.
await Promise.race(children.map((child) => once(child, 'exit')));
for (const child of children) child.kill();
