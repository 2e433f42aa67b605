import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDamaged, readWritten } from '../../test/dump-writer/read-written.ts';
import { THREAD_NAMES } from './thread-names.ts';

const threadNames = [
  { id: 5, name: 'render thread' },
  { id: 6, name: '' },
  { id: 7, name: 'Ünïcode 🎮' },
];

test('returns names by thread id, even empty ones', () => {
  for (const endian of ['little', 'big'] as const) {
    assert.deepEqual(readWritten(THREAD_NAMES, { endian, threadNames }), {
      stream: new Map([
        [5, 'render thread'],
        [6, ''],
        [7, 'Ünïcode 🎮'],
      ]),
      warnings: [],
    });
  }
});

test('omits an unreadable name, and reads the others', () => {
  const { stream, warnings } = readDamaged(THREAD_NAMES, { threadNames }, { at: 4 + 4, value: 0xffff_ff00 });
  assert.deepEqual([...(stream?.keys() ?? [])], [6, 7]);
  assert.match(warnings.join(), /^ThreadNamesStream: the name of thread 5 cannot be read/);
});

// Positions in this list have 64 bits.
test('omits a name at a position above 4 GB', () => {
  const { stream } = readDamaged(THREAD_NAMES, { threadNames }, { at: 4 + 8, value: 0xffff_ffff });
  assert.equal(stream?.has(5), false);
});
