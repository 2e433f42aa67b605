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

test('reads the type, name, access rights and counts of handles', () => {
  for (const endian of ['little', 'big'] as const)
    assert.deepEqual(readWritten(HANDLE_DATA, { endian, handles: [handle, handle] }), {
      stream: [handle, handle],
      warnings: [],
    });
});

test('reads a handle without type and name, without a warning', () => {
  const { stream, warnings } = readWritten(HANDLE_DATA, { handles: [{ handle: 4n }] });
  assert.deepEqual([stream?.[0]?.typeName, stream?.[0]?.objectName, warnings], ['', '', []]);
});

// Entries of the first version have 32 bytes. The writer's entries have 40 bytes, and start with the same fields.
test('reads the shorter entries of the first version', () => {
  const description = { handles: [handle] };
  assert.deepEqual(readDamaged(HANDLE_DATA, description, { at: 4, value: 32 }).stream, [handle]);
});
