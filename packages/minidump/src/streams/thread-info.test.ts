import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWritten } from '../../test/dump-writer/read-written.ts';
import { THREAD_INFO } from './thread-info.ts';

test('reads the start address, state and times of a thread', () => {
  const thread = { threadId: 7, dumpFlags: 4, exitStatus: 259, createTime: 1n << 60n, startAddress: 0x7ff9_0000_1000n };
  for (const endian of ['little', 'big'] as const)
    assert.deepEqual(readWritten(THREAD_INFO, { endian, threadInfo: [{ threadId: 6 }, thread] }).stream?.[1], {
      ...thread,
      dumpError: 0,
      exitTime: 0n,
      kernelTime: 0n,
      userTime: 0n,
      affinity: 1n,
    });
});
