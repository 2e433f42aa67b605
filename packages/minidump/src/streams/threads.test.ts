import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeDump } from '../../test/dump-writer/dump-writer.ts';
import { readDamaged, readWritten } from '../../test/dump-writer/read-written.ts';
import { Minidump } from '../minidump.ts';
import { THREAD_INFO, THREAD_NAMES, THREADS } from './threads.ts';

const stack = Uint8Array.of(1, 2, 3, 4, 5);
const context = Uint8Array.of(9, 8, 7);

for (const endian of ['little', 'big'] as const) {
  test(`reads the numbers, stack and context of threads in a ${endian}-endian dump`, () => {
    const thread = {
      id: 0xfffffff0,
      suspendCount: 2,
      priorityClass: 32,
      priority: 0xffff_fffe,
      teb: 0x7ff0_0000_0000n,
    };
    const file = writeDump({
      endian,
      threads: [{ id: 1 }, { ...thread, stack: { start: 0x7fff_ffff_0000n, bytes: stack }, context }],
    });
    const dump = new Minidump(file);
    const { stack: location, context: contextLocation, ...read } = dump.stream(THREADS)![1]!;
    assert.deepEqual(read, thread);
    assert.equal(location.start, 0x7fff_ffff_0000n);
    assert.deepEqual(dump.at(location.location).array, stack);
    assert.deepEqual(dump.at(contextLocation).array, context);
  });
}

test('reads a thread whose stack is not in the dump as size 0 at position 0', () => {
  const { stream } = readWritten(THREADS, { threads: [{ id: 1, stack: { start: 0x1000n } }] });
  assert.deepEqual(stream?.[0]?.stack, { start: 0x1000n, location: { rva: 0, size: 0 } });
});

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
