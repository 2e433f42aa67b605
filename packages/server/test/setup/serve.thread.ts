// A worker thread for the tests of `createThreadPool`; its input selects the behaviour.
import { serveTasks } from '../../src/kernel/threads/thread-pool.ts';

export type Order = {
  do: 'echo' | 'count' | 'ask' | 'fail' | 'spin' | 'hoard' | 'exit' | 'exit later';
  value?: unknown;
};

let count = 0;

serveTasks(async ({ do: order, value }: Order, ask: (question: unknown) => Promise<unknown>): Promise<unknown> => {
  count += 1;
  if (order === 'ask') return [await ask(value), await ask('more')];
  if (order === 'fail') throw Object.assign(new RangeError('out of range'), { code: 'ERANGE' });
  if (order === 'spin') for (;;);
  if (order === 'hoard') for (const hoard: unknown[] = []; ; ) hoard.push({ next: [hoard.length] });
  if (order === 'exit') process.exit(3);
  if (order === 'exit later') setImmediate(() => process.exit(3));
  return order === 'count' ? count : value;
});
