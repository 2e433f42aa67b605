// A worker thread for the tests of `runInThread`; its input selects the behaviour.
import { BlobMissingError } from '../../src/kernel/blobs/store.ts';
import { answerTask } from '../../src/kernel/threads/threads.ts';

export type Behaviour = 'echo' | 'known' | 'unknown' | 'spin' | 'wait' | 'hoard' | 'buffers' | 'exit' | 'throw';

await answerTask(async ({ behaviour, value }: { behaviour: Behaviour; value?: unknown }): Promise<unknown> => {
  if (behaviour === 'known') throw new BlobMissingError('gone');
  if (behaviour === 'unknown') throw new RangeError('out of range');
  if (behaviour === 'exit') process.exit(3);
  if (behaviour === 'throw') {
    setImmediate(() => {
      throw new Error('outside the task');
    });
  }
  if (behaviour === 'spin') for (;;);
  if (behaviour === 'hoard') for (const hoard: unknown[] = []; ; ) hoard.push({ next: [hoard.length] });
  if (behaviour === 'buffers') for (const hoard: Uint8Array[] = []; ; ) hoard.push(new Uint8Array(1024 * 1024).fill(1));
  return behaviour === 'wait' || behaviour === 'throw' ? new Promise((resolve) => setTimeout(resolve, 60_000)) : value;
});
