import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWritten } from '../../test/dump-writer/read-written.ts';
import { BREAKPAD_INFO } from './breakpad-info.ts';

test('returns a thread id only if the stream marks it as valid', () => {
  const read = (breakpad: { dumpThreadId?: number; requestingThreadId?: number }) =>
    readWritten(BREAKPAD_INFO, { breakpad }).stream;
  assert.deepEqual(read({ dumpThreadId: 5, requestingThreadId: 6 }), { dumpThreadId: 5, requestingThreadId: 6 });
  assert.deepEqual(read({ dumpThreadId: 5 }), { dumpThreadId: 5, requestingThreadId: undefined });
  assert.deepEqual(read({ requestingThreadId: 6 }), { dumpThreadId: undefined, requestingThreadId: 6 });
  assert.deepEqual(read({}), { dumpThreadId: undefined, requestingThreadId: undefined });
});
