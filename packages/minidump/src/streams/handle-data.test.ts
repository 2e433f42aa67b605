import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDamaged, readWritten } from '../../test/dump-writer/read-written.ts';
import { HANDLE_DATA } from './handle-data.ts';

const handle = {
  handle: 0x1234n,
  typeName: 'Event',
  objectName: '\\BaseNamedObjects\\Quit',
  attributes: 1,
  grantedAccess: 0x1f0003,
  handleCount: 2,
  pointerCount: 65535,
};

test('Handles have their type, name, rights and counts.', () => {
  for (const endian of ['little', 'big'] as const)
    assert.deepEqual(readWritten(HANDLE_DATA, { endian, handles: [handle, handle] }), {
      stream: [handle, handle],
      warnings: [],
    });
});

test('A handle without type and name has empty ones, and nothing is wrong.', () => {
  const { stream, warnings } = readWritten(HANDLE_DATA, { handles: [{ handle: 4n }] });
  assert.deepEqual([stream?.[0]?.typeName, stream?.[0]?.objectName, warnings], ['', '', []]);
});

// The first version’s entry ends after the counts, at 32 bytes; the writer’s 40 hold the same fields first.
test('The shorter entries of the first version are read alike.', () => {
  const one = { handles: [handle] };
  assert.deepEqual(readDamaged(HANDLE_DATA, one, { at: 4, value: 32 }).stream, [handle]);
});
