// The streams about threads: ThreadListStream with their stacks and registers, ThreadNamesStream, and
// ThreadInfoListStream with their times.
import type { Cursor } from '../bytes.ts';
import type { Location, StreamInput, StreamKind } from '../minidump.ts';
import { readUtf16String } from './strings.ts';
import { readList, readLocation, readSizedList } from './structures.ts';

export type DumpThread = {
  /** The thread id of the operating system. */
  readonly id: number;
  readonly suspendCount: number;
  readonly priorityClass: number;
  readonly priority: number;
  /** The address of the thread environment block; 0 if there is none. */
  readonly teb: bigint;
  /** The lowest address of the stack, and the location of its bytes. The size is 0 if the dump does not contain them. */
  readonly stack: { readonly start: bigint; readonly location: Location };
  /** The location of the CPU context. */
  readonly context: Location;
};

const THREAD_SIZE = 48;

export const THREADS: StreamKind<DumpThread[]> = {
  type: 3,
  name: 'ThreadListStream',
  read: (input) => readList(input, THREAD_SIZE, readThread),
};

function readThread(entry: Cursor): DumpThread {
  return {
    id: entry.u32(),
    suspendCount: entry.u32(),
    priorityClass: entry.u32(),
    priority: entry.u32(),
    teb: entry.u64(),
    stack: { start: entry.u64(), location: readLocation(entry) },
    context: readLocation(entry),
  };
}

// ThreadNamesStream: the names that the program gave its threads.

const NAME_SIZE = 12;

/** Names by thread id. Unreadable names are missing; empty ones are not. */
export const THREAD_NAMES: StreamKind<ReadonlyMap<number, string>> = {
  type: 24,
  name: 'ThreadNamesStream',
  read: (input) =>
    new Map(
      readList(input, NAME_SIZE, (entry) => ({ id: entry.u32(), rva: Number(entry.u64()) })).flatMap(({ id, rva }) =>
        readName(input, id, rva),
      ),
    ),
};

function readName({ dump, warn }: StreamInput, id: number, rva: number): [number, string][] {
  const name = readUtf16String(dump, rva);
  if (name === undefined) warn(`the name of thread ${id} cannot be read`);
  return name === undefined ? [] : [[id, name]];
}

// ThreadInfoListStream: the start address and the times of each thread of a Windows process.

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

const MIN_INFO_SIZE = 64;

export const THREAD_INFO: StreamKind<ThreadInfo[]> = {
  type: 17,
  name: 'ThreadInfoListStream',
  read: (input) =>
    readSizedList(input, { minEntrySize: MIN_INFO_SIZE }, (entry) => ({
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
