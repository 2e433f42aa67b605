// MemoryInfoListStream: the regions of the address space and their protection.
import type { StreamKind } from '../minidump.ts';
import { readSizedList } from './list.ts';

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

const MIN_ENTRY_SIZE = 48;

export const MEMORY_INFO: StreamKind<MemoryInfo[]> = {
  type: 16,
  name: 'MemoryInfoListStream',
  read: (input) =>
    readSizedList(input, { minEntrySize: MIN_ENTRY_SIZE, countSize: 8 }, (entry) => {
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
