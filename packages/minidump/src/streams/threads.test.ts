import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeDump } from '../../test/dump-writer/dump-writer.ts';
import { readWritten } from '../../test/dump-writer/read-written.ts';
import { Minidump } from '../minidump.ts';
import { THREADS } from './threads.ts';

const stack = Uint8Array.of(1, 2, 3, 4, 5);
const context = Uint8Array.of(9, 8, 7);

for (const endian of ['little', 'big'] as const) {
  test(`Threads of a ${endian}-endian dump have their numbers, stack and context.`, () => {
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
    const { stack: place, context: contextPlace, ...read } = dump.stream(THREADS)![1]!;
    assert.deepEqual(read, thread);
    assert.equal(place.start, 0x7fff_ffff_0000n);
    assert.deepEqual(dump.at(place.location).array, stack);
    assert.deepEqual(dump.at(contextPlace).array, context);
  });
}

test('A thread whose memory is nowhere has a stack of size 0 at position 0.', () => {
  const { stream } = readWritten(THREADS, { threads: [{ id: 1, stack: { start: 0x1000n } }] });
  assert.deepEqual(stream?.[0]?.stack, { start: 0x1000n, location: { rva: 0, size: 0 } });
});
