// A thread that reads parts of debug information for another one.
import { parentPort, workerData } from 'node:worker_threads';
import { buffersOf } from '../symbols/record-packer.ts';
import type { HelperReply, HelperTask } from './helper.ts';
import { openParts } from './open-parts.ts';
import type { PackedBatch, Parts } from './work.ts';

let parts: Parts | undefined;

parentPort?.on('message', ({ number, start, end }: HelperTask) => {
  const batch = tryPack(start, end);
  const reply: HelperReply = { number, batch };
  parentPort?.postMessage(reply, batch === undefined ? [] : buffersOf(batch.functions));
});

/** Undefined if it fails. The thread that asked then tries it alone, and reports the error. */
function tryPack(start: number, end: number): PackedBatch | undefined {
  try {
    parts ??= openParts(workerData.parts);
    return parts.pack(start, end);
  } catch {
    return undefined;
  }
}
