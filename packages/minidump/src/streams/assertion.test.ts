import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWritten } from '../../test/dump-writer/read-written.ts';
import { ASSERTION } from './assertion.ts';

const assertion = { expression: 'health >= 0', function: 'Player::hurt', file: 'player.cpp', line: 42 };

test('An assertion has its texts, line and kind.', () => {
  for (const endian of ['little', 'big'] as const)
    assert.deepEqual(readWritten(ASSERTION, { endian, assertion: { ...assertion, type: 1 } }), {
      stream: { ...assertion, kind: 'invalid parameter' },
      warnings: [],
    });
});

test('A release build passes no texts on, and the kind is left: a pure virtual call.', () => {
  const { stream } = readWritten(ASSERTION, { assertion: { type: 2 } });
  assert.deepEqual(stream, { expression: '', function: '', file: '', line: 0, kind: 'pure virtual call' });
});

test('A text that fills its field to the last unit ends there.', () => {
  const { stream } = readWritten(ASSERTION, { assertion: { expression: 'x'.repeat(200), function: 'f' } });
  assert.deepEqual([stream?.expression, stream?.function], ['x'.repeat(128), 'f']);
});

test('One of zeros is none, and nothing is wrong with it.', () => {
  assert.deepEqual(readWritten(ASSERTION, { assertion: {} }), { stream: undefined, warnings: [] });
});
