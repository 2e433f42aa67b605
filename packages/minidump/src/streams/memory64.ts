// Memory64ListStream: all memory of the process in a full dump, as consecutive regions at the end of the file.
import type { StreamInput, StreamKind } from '../minidump.ts';
import { readEntries } from './list.ts';
import type { MemoryRegion } from './memory.ts';

const HEADER_SIZE = 16;
const ENTRY_SIZE = 16;

/** The regions. If the file is cut off, a region only has the available bytes. */
export const MEMORY64_LIST: StreamKind<MemoryRegion[]> = {
  type: 9,
  name: 'Memory64ListStream',
  read: readMemory64,
};

function readMemory64(input: StreamInput): MemoryRegion[] {
  const header = input.bytes.cursor();
  const count = Number(header.u64());
  // Sums of 64-bit sizes above 2^53 are not exact, but these are past the end of any file.
  let rva = Number(header.u64());
  return readEntries(input, { start: HEADER_SIZE, entrySize: ENTRY_SIZE, count }, (entry) => {
    const start = entry.u64();
    const size = Number(entry.u64());
    const bytes = input.dump.availableAt({ rva, size });
    rva += size;
    return { start, bytes };
  });
}
