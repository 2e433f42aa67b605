// MemoryListStream: regions of the process's memory.
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

/** The regions. If the file is cut off, a region only has the available bytes. */
export const MEMORY_LIST: StreamKind<MemoryRegion[]> = {
  type: 5,
  name: 'MemoryListStream',
  read: (input) =>
    readList(input, ENTRY_SIZE, (entry) => ({
      start: entry.u64(),
      bytes: input.dump.availableAt(readLocation(entry)),
    })),
};
