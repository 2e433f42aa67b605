// ThreadListStream: the threads of the process, with their stacks and registers.
import type { Cursor } from '../bytes.ts';
import type { Location, StreamKind } from '../minidump.ts';
import { readList } from './list.ts';
import { readLocation } from './locations.ts';

export type Thread = {
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
