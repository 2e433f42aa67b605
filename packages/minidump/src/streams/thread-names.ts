// ThreadNamesStream: the names that the program gave its threads.
import type { StreamInput, StreamKind } from '../minidump.ts';
import { readList } from './list.ts';
import { readUtf16String } from './strings.ts';

const ENTRY_SIZE = 12;

/** Names by thread id. Unreadable names are missing; empty ones are not. */
export const THREAD_NAMES: StreamKind<ReadonlyMap<number, string>> = {
  type: 24,
  name: 'ThreadNamesStream',
  read: (input) =>
    new Map(
      readList(input, ENTRY_SIZE, (entry) => ({ id: entry.u32(), rva: Number(entry.u64()) })).flatMap(({ id, rva }) =>
        readName(input, id, rva),
      ),
    ),
};

function readName({ dump, warn }: StreamInput, id: number, rva: number): [number, string][] {
  const name = readUtf16String(dump, rva);
  if (name === undefined) warn(`the name of thread ${id} cannot be read`);
  return name === undefined ? [] : [[id, name]];
}
