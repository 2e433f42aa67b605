// The streams about memory: MemoryListStream and Memory64ListStream with its content, and MemoryInfoListStream with its
// protection.
import type { Bytes } from '../bytes.ts';
import type { StreamInput, StreamKind } from '../minidump.ts';
import { readEntries, readList, readLocation, readSizedList } from './structures.ts';

export type MemoryRegion = {
  /** Address of the first byte. */
  readonly start: bigint;
  readonly bytes: Bytes;
};

const REGION_SIZE = 16;

/** The regions. If the file is cut off, a region only has the available bytes. */
export const MEMORY_LIST: StreamKind<MemoryRegion[]> = {
  type: 5,
  name: 'MemoryListStream',
  read: (input) =>
    readList(input, REGION_SIZE, (entry) => ({
      start: entry.u64(),
      bytes: input.dump.availableAt(readLocation(entry)),
    })),
};

// Memory64ListStream: all memory of the process in a full dump, as consecutive regions at the end of the file.

const HEADER64_SIZE = 16;
const REGION64_SIZE = 16;

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
  return readEntries(input, { start: HEADER64_SIZE, entrySize: REGION64_SIZE, count }, (entry) => {
    const start = entry.u64();
    const size = Number(entry.u64());
    const bytes = input.dump.availableAt({ rva, size });
    rva += size;
    return { start, bytes };
  });
}

// MemoryInfoListStream: the regions of the address space and their protection.

type MemoryInfo = {
  readonly base: bigint;
  readonly allocationBase: bigint;
  /** `PAGE_*` when the region was allocated. */
  readonly allocationProtection: number;
  readonly size: bigint;
  /** `MEM_COMMIT` 0x1000, `MEM_RESERVE` 0x2000 or `MEM_FREE` 0x10000. */
  readonly state: number;
  /** `PAGE_*`. The low byte contains the read, write and execute rights. */
  readonly protection: number;
  /** `MEM_PRIVATE` 0x20000, `MEM_MAPPED` 0x40000 or `MEM_IMAGE` 0x1000000. */
  readonly type: number;
};

const MIN_INFO_SIZE = 48;

export const MEMORY_INFO: StreamKind<MemoryInfo[]> = {
  type: 16,
  name: 'MemoryInfoListStream',
  read: (input) =>
    readSizedList(input, { minEntrySize: MIN_INFO_SIZE, countSize: 8 }, (entry) => {
      const base = entry.u64();
      const allocationBase = entry.u64();
      const allocationProtection = entry.u32();
      entry.skip(4);
      const size = entry.u64();
      return {
        base,
        allocationBase,
        allocationProtection,
        size,
        state: entry.u32(),
        protection: entry.u32(),
        type: entry.u32(),
      };
    }),
};
