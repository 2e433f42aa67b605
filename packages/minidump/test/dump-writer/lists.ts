// Writes the two kinds of lists in streams.
import type { DumpDescription } from './description.ts';
import type { Output, Place } from './output.ts';

/** Writes a count and the entries, with 4 bytes of padding between them if `paddedLists` is set. */
export function writeList<T>(
  output: Output,
  { paddedLists = false }: DumpDescription,
  items: readonly T[],
  writeItem: (item: T) => unknown,
): Place {
  return output.put(() => {
    output.u32(items.length);
    if (paddedLists) output.u32(0xdeadbeef);
    for (const item of items) writeItem(item);
  });
}

/** Writes the sizes of the header and an entry, the count, reserved bytes, and the entries. */
export function writeSizedList<T>(
  output: Output,
  {
    entrySize,
    countSize,
    reserved,
  }: { readonly entrySize: number; readonly countSize: 4 | 8; readonly reserved: 0 | 4 },
  items: readonly T[],
  writeItem: (item: T) => unknown,
): Place {
  return output.put(() => {
    output.u32(8 + countSize + reserved, entrySize);
    if (countSize === 8) output.u64(items.length);
    else output.u32(items.length);
    output.zeros(reserved);
    for (const item of items) writeItem(item);
  });
}
