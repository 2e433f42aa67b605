import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Order } from '../../../test/setup/serve.thread.ts';
import { createThreadPool } from './thread-pool.ts';
import { ThreadCrashError, ThreadTimeoutError } from './threads.ts';

const THREAD = new URL('../../../test/setup/serve.thread.ts', import.meta.url);

function openPool({ size = 1, timeoutMs = 20_000, idleMs = 60_000 } = {}) {
  const pool = createThreadPool<Order, unknown, unknown, unknown>(THREAD, { size, timeoutMs, idleMs, maxHeapMb: 64 });
  return (order: Order, answer: (question: unknown) => Promise<unknown> = async () => undefined) =>
    pool.run(order, answer);
}

describe('a thread pool', () => {
  it('runs one task after the other in the same thread', async () => {
    const run = openPool();
    assert.deepEqual(await run({ do: 'echo', value: [Uint8Array.of(1)] }), [Uint8Array.of(1)]);
    assert.equal(await run({ do: 'count' }), 2);
    assert.deepEqual(await Promise.all([run({ do: 'count' }), run({ do: 'count' })]), [3, 4]);
  });

  it('answers what a task asks', async () => {
    const run = openPool();
    assert.deepEqual(await run({ do: 'ask', value: 'first' }, async (question) => `${question}!`), ['first!', 'more!']);
  });

  it('keeps the thread of a task that failed, and says what it said', async () => {
    const run = openPool();
    await assert.rejects(run({ do: 'fail' }), /serve\.thread\.ts: out of range/);
    assert.equal(await run({ do: 'count' }), 2);
  });

  it('rejects with what the answer rejected with, and goes on with a new thread', async () => {
    const run = openPool();
    const gone = new TypeError('no answer');
    await assert.rejects(
      run({ do: 'ask' }, () => Promise.reject(gone)),
      (error) => error === gone,
    );
    assert.equal(await run({ do: 'count' }), 1);
  });

  it('ends a thread that takes too long, and goes on with a new one', async () => {
    const run = openPool({ timeoutMs: 300 });
    await assert.rejects(run({ do: 'spin' }), ThreadTimeoutError);
    assert.equal(await run({ do: 'count' }), 1);
  });

  it('does not count the time in which a task waits for an answer', async () => {
    const run = openPool({ timeoutMs: 300 });
    const { promise: late, resolve } = Promise.withResolvers<string>();
    setTimeout(() => resolve('late'), 500);
    assert.deepEqual(await run({ do: 'ask' }, () => late), ['late', 'late']);
  });

  it('tells full memory from an exit, and goes on with a new thread', async () => {
    const run = openPool();
    for (const [order, reason] of [
      ['hoard', 'memory'],
      ['exit', 'exit'],
    ] as const) {
      await assert.rejects(run({ do: order }), (error) => error instanceof ThreadCrashError && error.reason === reason);
      assert.equal(await run({ do: 'count' }), 1);
      await assert.rejects(run({ do: 'exit' }));
    }
  });

  it('gives no task to a thread that ended without one', async () => {
    const run = openPool({ timeoutMs: 5000 });
    await run({ do: 'exit later' });
    // It may get one just before it ends; but it never takes the time of one.
    for (let count: unknown; count !== 1; ) {
      count = await run({ do: 'count' }).catch((error) => assert.ok(error instanceof ThreadCrashError));
    }
  });

  it('ends a thread that has had no task for a while', async () => {
    const run = openPool({ idleMs: 1 });
    for (let tasks = 1, count: unknown; count !== 1 || tasks === 2; tasks++) {
      count = await run({ do: 'count' });
      // Leaves it longer than it is kept.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });

  it('listens no more often to a thread the more tasks it has had', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const run = openPool();
    for (let task = 0; task < 30; task++) await run({ do: 'echo' });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    assert.deepEqual(warnings, []);
  });
});
