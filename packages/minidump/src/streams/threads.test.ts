import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeDump } from '../../test/dump-writer/dump-writer.ts';
import { readWritten } from '../../test/dump-writer/read-written.ts';
import { Minidump } from '../minidump.ts';
import { THREADS } from './threads.ts';

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
