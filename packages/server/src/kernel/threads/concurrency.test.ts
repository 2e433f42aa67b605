import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitConcurrency } from './concurrency.ts';

test('limits how many run at once, keeps the order, and continues after a failure', async () => {
  const inTurn = limitConcurrency(2);
  const started: number[] = [];
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<number>());
  const results = ends.map(({ promise }, index) =>
    inTurn(() => {
      started.push(index);
      return promise;
    }),
  );
  const settled = Promise.allSettled(results);
  assert.deepEqual(started, [0, 1]);
  ends[1]?.reject(new Error('broken'));
  await assert.rejects(results[1]!, /broken/);
  assert.deepEqual(started, [0, 1, 2]);
  ends[0]?.resolve(0);
  ends[2]?.resolve(2);
  await results[2];
  assert.deepEqual(started, [0, 1, 2, 3, 4]);
  ends[3]?.resolve(3);
  ends[4]?.resolve(4);
  assert.deepEqual(
    (await settled).map((result) => (result.status === 'fulfilled' ? result.value : 'failed')),
    [0, 'failed', 2, 3, 4],
  );
});
