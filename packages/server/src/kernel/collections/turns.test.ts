import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTurns } from './turns.ts';

describe('turns', () => {
  it('come in the order in which they were asked for, one per round of the event loop', async () => {
    const turn = createTurns();
    const order: (number | string)[] = [];
    // A timer of 0 ms and an immediate are due once per round, too.
    const tick = () => {
      order.push('other');
      if (order.length < 12) setImmediate(tick);
    };
    setImmediate(tick);
    await Promise.all([1, 2, 3].map((no) => turn().then(() => order.push(no))));
    const turns = order.filter((each) => typeof each === 'number');
    assert.deepEqual(turns, [1, 2, 3]);
    for (const no of [1, 2]) {
      const between = order.slice(order.indexOf(no) + 1, order.indexOf(no + 1));
      assert.ok(between.includes('other'), order.join(' '));
    }
  });
});
