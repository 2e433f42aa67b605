// Runs the service and the website for work on them: the service restarts and the pages reload when a file changes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** Where the pages are served with hot reload; Vite passes everything else on to the service. */
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
// When one ends, so does the other.
await Promise.race(children.map((child) => once(child, 'exit')));
for (const child of children) child.kill();
