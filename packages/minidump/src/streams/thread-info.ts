// ThreadInfoListStream: the start address and the times of each thread of a Windows process.
import type { StreamKind } from '../minidump.ts';
import { readSizedList } from './list.ts';

type ThreadInfo = {
  readonly threadId: number;
  /** `MINIDUMP_THREAD_INFO_*`: 0x4 if the thread had exited, 0x2 if it wrote the dump. */
  readonly dumpFlags: number;
  /** An HRESULT if the thread could not be dumped, otherwise 0. */
  readonly dumpError: number;
  /** 259 (`STILL_ACTIVE`) while the thread is running. */
  readonly exitStatus: number;
  /** The unit is 100 ns since 1601 (UTC). */
  readonly createTime: bigint;
  /** The unit is 100 ns since 1601 (UTC); 0 while the thread is running. */
  readonly exitTime: bigint;
  /** The unit is 100 ns. */
  readonly kernelTime: bigint;
  /** The unit is 100 ns. */
  readonly userTime: bigint;
  readonly startAddress: bigint;
  /** One bit for each processor on which the thread may run. */
  readonly affinity: bigint;
};

const MIN_ENTRY_SIZE = 64;

export const THREAD_INFO: StreamKind<ThreadInfo[]> = {
  type: 17,
  name: 'ThreadInfoListStream',
  read: (input) =>
    readSizedList(input, { minEntrySize: MIN_ENTRY_SIZE }, (entry) => ({
      threadId: entry.u32(),
      dumpFlags: entry.u32(),
      dumpError: entry.u32(),
      exitStatus: entry.u32(),
      createTime: entry.u64(),
      exitTime: entry.u64(),
      kernelTime: entry.u64(),
      userTime: entry.u64(),
      startAddress: entry.u64(),
      affinity: entry.u64(),
    })),
};
