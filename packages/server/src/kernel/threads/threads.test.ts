import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Behaviour } from '../../../test/setup/behave.thread.ts';
import { BlobMissingError } from '../blobs/store.ts';
import { runInThread, ThreadCrashError, ThreadTimeoutError } from './threads.ts';

const THREAD = new URL('../../../test/setup/behave.thread.ts', import.meta.url);

function run(behaviour: Behaviour, { value, timeoutMs = 20_000 }: { value?: unknown; timeoutMs?: number } = {}) {
  return runInThread<unknown>(THREAD, { behaviour, value }, { timeoutMs, maxHeapMb: 64 }, [BlobMissingError]);
}

describe('runInThread', () => {
  it('returns the result of the task', async () => {
    const value = { bytes: Uint8Array.of(1, 2), list: [null, 'a'] };
    assert.deepEqual(await run('echo', { value }), value);
  });

  it('rejects with a class that the caller passes', async () => {
    await assert.rejects(run('known'), (error) => error instanceof BlobMissingError && error.message === 'gone');
  });

  it('rejects with a plain error, whose cause has the stack of the thread, for any other class', async () => {
    await assert.rejects(run('unknown'), (error) => {
      assert.ok(error instanceof Error && !(error instanceof ThreadCrashError));
      assert.match(error.message, /out of range/);
      assert.match((error.cause as Error).stack ?? '', /behave\.thread\.ts/);
      return true;
    });
  });

  it('ends a thread that computes or waits for too long', async () => {
    for (const behaviour of ['spin', 'wait'] as const) {
      await assert.rejects(run(behaviour, { timeoutMs: 500 }), ThreadTimeoutError);
    }
  });

  it('distinguishes full memory, an exit, and an error outside of the task', async () => {
    const reasons = { hoard: 'memory', exit: 'exit', throw: 'error' } as const;
    for (const [behaviour, reason] of Object.entries(reasons)) {
      await assert.rejects(
        run(behaviour as Behaviour),
        (error) => error instanceof ThreadCrashError && error.reason === reason,
      );
    }
  });

  it('ends a thread whose buffers, which are not in the heap, become too large while it computes', async () => {
    const order = { behaviour: 'buffers' satisfies Behaviour };
    const limits = { timeoutMs: 20_000, maxHeapMb: 64, maxBufferMb: 100 };
    await assert.rejects(
      runInThread(THREAD, order, limits),
      (error) => error instanceof ThreadCrashError && error.reason === 'memory',
    );
    assert.equal(await runInThread(THREAD, { behaviour: 'echo', value: 1 }, limits), 1);
  });

  it('rejects if the file does not exist', async () => {
    const missing = new URL('./nowhere.thread.ts', import.meta.url);
    await assert.rejects(runInThread(missing, null, { timeoutMs: 20_000, maxHeapMb: 64 }), ThreadCrashError);
  });
});
