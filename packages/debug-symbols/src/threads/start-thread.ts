// Starts a thread that reads parts. A bundle has another module here (scripts/release/bundle-package.ts and
// bundle-command.ts).
import { Worker } from 'node:worker_threads';

export function startThread(parts: object): Worker {
  return new Worker(new URL('./parts.thread.ts', import.meta.url), { workerData: { parts } });
}
