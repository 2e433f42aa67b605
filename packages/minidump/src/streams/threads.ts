// ThreadListStream: the threads of the process, each with its stack and its registers.
import type { Cursor } from '../bytes.ts';
import type { Location, StreamKind } from '../minidump.ts';
import { readList } from './list.ts';
import { readLocation } from './locations.ts';

export type Thread = {
  /** The operating system’s number for it. */
  readonly id: number;
  readonly suspendCount: number;
  readonly priorityClass: number;
  readonly priority: number;
  /** Address of the thread environment block; 0 where there is none. */
  readonly teb: bigint;
  /** Lowest address of its stack; with where the bytes lie in the file, which may be nowhere (size 0). */
  readonly stack: { readonly start: bigint; readonly location: Location };
  /** Where its CPU context lies in the file. */
  readonly context: Location;
};

const ENTRY_SIZE = 48;

export const THREADS: StreamKind<Thread[]> = {
  type: 3,
  name: 'ThreadListStream',
  read: (input) => readList(input, ENTRY_SIZE, readThread),
};

function readThread(entry: Cursor): Thread {
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
