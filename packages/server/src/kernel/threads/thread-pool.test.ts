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
  it('runs tasks one after another in the same thread', async () => {
    const run = openPool();
    assert.deepEqual(await run({ do: 'echo', value: [Uint8Array.of(1)] }), [Uint8Array.of(1)]);
    assert.equal(await run({ do: 'count' }), 2);
    assert.deepEqual(await Promise.all([run({ do: 'count' }), run({ do: 'count' })]), [3, 4]);
  });

  it('answers the questions of a task', async () => {
    const run = openPool();
    assert.deepEqual(await run({ do: 'ask', value: 'first' }, async (question) => `${question}!`), ['first!', 'more!']);
  });

  it('keeps the thread of a failed task, and rejects with its message and code', async () => {
    const run = openPool();
    await assert.rejects(run({ do: 'fail' }), { message: 'serve.thread.ts: out of range', code: 'ERANGE' });
    assert.equal(await run({ do: 'count' }), 2);
  });

  it('rejects with the error of the answer, and continues with a new thread', async () => {
    const run = openPool();
    const gone = new TypeError('no answer');
    await assert.rejects(
      run({ do: 'ask' }, () => Promise.reject(gone)),
      (error) => error === gone,
    );
    assert.equal(await run({ do: 'count' }), 1);
  });

  it('ends a thread that takes too long, and continues with a new one', async () => {
    const run = openPool({ timeoutMs: 1000 });
    await assert.rejects(run({ do: 'spin' }), ThreadTimeoutError);
    assert.equal(await run({ do: 'count' }), 1);
  });

  it('does not count the time that a task waits for an answer', async () => {
    const run = openPool({ timeoutMs: 1000 });
    const { promise: late, resolve } = Promise.withResolvers<string>();
    // Longer than the time that a task may take.
    setTimeout(() => resolve('late'), 1200);
    assert.deepEqual(await run({ do: 'ask' }, () => late), ['late', 'late']);
  });

  it('distinguishes full memory from an exit, and continues with a new thread', async () => {
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

  it('does not give tasks to a thread that ended while idle', async () => {
    const run = openPool({ timeoutMs: 5000 });
    await run({ do: 'exit later' });
    // It can get a task just before it ends, but then the task fails immediately instead of at its timeout.
    for (let count: unknown; count !== 1; ) {
      count = await run({ do: 'count' }).catch((error) => assert.ok(error instanceof ThreadCrashError));
    }
  });

  it('ends a thread that is idle for too long', async () => {
    const run = openPool({ idleMs: 1 });
    const counts: unknown[] = [await run({ do: 'count' })];
    while (counts.length === 1 || (counts.at(-1) !== 1 && counts.length < 1000)) {
      counts.push(await run({ do: 'count' }));
      // Longer than an idle thread is kept.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.deepEqual([counts[0], counts.at(-1)], [1, 1]);
  });

  it('does not add listeners to a thread with each task', async () => {
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
