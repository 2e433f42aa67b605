import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Lanes } from './part-scans.ts';

it('runs all tasks, and at maxRunning one per lane at a time', async () => {
  const lanes = new Lanes(3);
  let running = 0;
  let maxRunning = 0;
  let done = 0;
  for (let count = 0; count < 20; count++) {
    await lanes.add(async () => {
      maxRunning = Math.max(maxRunning, ++running);
      await new Promise(setImmediate);
      running--;
      done++;
    });
  }
  await lanes.drain();
  assert.deepEqual([maxRunning, done], [3, 20]);
});

it('reports a failure from the next `add` that finds no free lane, or from `drain`', async () => {
  const fail = async () => {
    throw new Error('broken');
  };
  const narrow = new Lanes(1);
  await narrow.add(fail);
  await assert.rejects(
    narrow.add(async () => {}),
    /broken/,
  );
  const wide = new Lanes(9);
  await wide.add(fail);
  await wide.add(async () => {});
  await assert.rejects(wide.drain(), /broken/);
});
