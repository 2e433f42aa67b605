// ThreadInfoListStream: where each thread of a Windows process began, and its times.
import type { StreamKind } from '../minidump.ts';
import { readSizedList } from './list.ts';

export type ThreadInfo = {
  readonly threadId: number;
  /** `MINIDUMP_THREAD_INFO_*`: 0x4 for a thread that had ended, 0x2 for the one that wrote the dump. */
  readonly dumpFlags: number;
  /** An HRESULT when the thread could not be dumped, else 0. */
  readonly dumpError: number;
  /** 259 while it runs. */
  readonly exitStatus: number;
  /** Units of 100 ns since 1601 (UTC). */
  readonly createTime: bigint;
  /** Units of 100 ns since 1601 (UTC); 0 while it runs. */
  readonly exitTime: bigint;
  /** Units of 100 ns. */
  readonly kernelTime: bigint;
  /** Units of 100 ns. */
  readonly userTime: bigint;
  readonly startAddress: bigint;
  /** A bit for each processor that it may run on. */
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
