// MemoryListStream: pieces of the process’s memory.
import type { Bytes } from '../bytes.ts';
import type { StreamKind } from '../minidump.ts';
import { readList } from './list.ts';
import { readLocation } from './locations.ts';

export type MemoryRegion = {
  /** Address of the first byte. */
  readonly start: bigint;
  readonly bytes: Bytes;
};

const ENTRY_SIZE = 16;

/** Of a region that the end of the file cuts off, what is there. */
export const MEMORY_LIST: StreamKind<MemoryRegion[]> = {
  type: 5,
  name: 'MemoryListStream',
  read: (input) =>
    readList(input, ENTRY_SIZE, (entry) => ({
      start: entry.u64(),
      bytes: input.dump.atMost(readLocation(entry)),
    })),
};
