// Memory64ListStream: all memory of the process, as full dumps have it, one region after the other at the end of the file.
import type { StreamInput, StreamKind } from '../minidump.ts';
import { readEntries } from './list.ts';
import type { MemoryRegion } from './memory.ts';

const HEADER_SIZE = 16;
const ENTRY_SIZE = 16;

/** Of a region that the end of the file cuts off, what is there. */
export const MEMORY64_LIST: StreamKind<MemoryRegion[]> = {
  type: 9,
  name: 'Memory64ListStream',
  read: readMemory64,
};

function readMemory64(input: StreamInput): MemoryRegion[] {
  const header = input.bytes.cursor();
  const count = Number(header.u64());
  // Sizes are 64 bits wide and add up. Beyond 2^53 they are not exact any more, and beyond the end of every file.
  let rva = Number(header.u64());
  return readEntries(input, { start: HEADER_SIZE, entrySize: ENTRY_SIZE, count }, (entry) => {
    const start = entry.u64();
    const size = Number(entry.u64());
    const bytes = input.dump.atMost({ rva, size });
    rva += size;
    return { start, bytes };
  });
}
