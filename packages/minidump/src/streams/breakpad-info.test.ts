import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWritten } from '../../test/dump-writer/read-written.ts';
import { ASSERTION, BREAKPAD_INFO } from './breakpad-info.ts';

test('returns a thread id only if the stream marks it as valid', () => {
  const read = (breakpad: { dumpThreadId?: number; requestingThreadId?: number }) =>
    readWritten(BREAKPAD_INFO, { breakpad }).stream;
  assert.deepEqual(read({ dumpThreadId: 5, requestingThreadId: 6 }), { dumpThreadId: 5, requestingThreadId: 6 });
  assert.deepEqual(read({ dumpThreadId: 5 }), { dumpThreadId: 5, requestingThreadId: undefined });
  assert.deepEqual(read({ requestingThreadId: 6 }), { dumpThreadId: undefined, requestingThreadId: 6 });
  assert.deepEqual(read({}), { dumpThreadId: undefined, requestingThreadId: undefined });
});

const assertion = { expression: 'health >= 0', function: 'Player::hurt', file: 'player.cpp', line: 42 };

test('reads the texts, line and kind of an assertion', () => {
  for (const endian of ['little', 'big'] as const)
    assert.deepEqual(readWritten(ASSERTION, { endian, assertion: { ...assertion, type: 1 } }), {
      stream: { ...assertion, kind: 'invalid parameter' },
      warnings: [],
    });
});

test('reads the kind of an assertion from a release build, which has no texts', () => {
  const { stream } = readWritten(ASSERTION, { assertion: { type: 2 } });
  assert.deepEqual(stream, { expression: '', function: '', file: '', line: 0, kind: 'pure virtual call' });
});

test('reads a text that fills its field completely', () => {
  const { stream } = readWritten(ASSERTION, { assertion: { expression: 'x'.repeat(200), function: 'f' } });
  assert.deepEqual([stream?.expression, stream?.function], ['x'.repeat(128), 'f']);
});

test('returns undefined for an assertion of zeros, without a warning', () => {
  assert.deepEqual(readWritten(ASSERTION, { assertion: {} }), { stream: undefined, warnings: [] });
});
