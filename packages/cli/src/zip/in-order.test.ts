import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapInOrder } from './in-order.ts';

test('results have the order of the items, and a limited number is computed ahead', async () => {
  const finish: (() => void)[] = [];
  let started = 0;
  const results = mapInOrder([0, 1, 2, 3, 4], 3, async (item) => {
    started = Math.max(started, item + 1);
    await new Promise<void>((resolve) => finish.push(resolve));
    return item * 10;
  });
  const first = results.next();
  await Promise.resolve();
  assert.equal(started, 3);
  // The items finish out of order.
  finish[2]?.();
  finish[0]?.();
  assert.equal((await first).value, 0);
  const rest = Array.fromAsync(results);
  for (let i = 1; i < 5; i++) {
    while (finish[i] === undefined) await new Promise(setImmediate);
    finish[i]?.();
  }
  assert.deepEqual(await rest, [10, 20, 30, 40]);
});

test('a failure is thrown in the order of the items, once all started items have ended', async () => {
  const results: number[] = [];
  let settled = 0;
  const run = async () => {
    const step = async (item: number) => {
      await new Promise(setImmediate);
      settled += 1;
      if (item > 0) throw new Error(`item ${item}`);
      return item;
    };
    for await (const value of mapInOrder([0, 1, 2], 3, step)) results.push(value);
  };
  await assert.rejects(run, /item 1/);
  assert.deepEqual([results, settled], [[0], 3]);
});
