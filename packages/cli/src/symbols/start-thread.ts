// Starts a thread that converts files. A bundle has its code inside of this module (scripts/release/bundle-command.ts).
import { Worker } from 'node:worker_threads';

export function startThread(): Worker {
  return new Worker(new URL('./convert.thread.ts', import.meta.url));
}
