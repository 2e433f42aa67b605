// The two ways in which streams hold lists: a count and entries, and a header that says how large it and its entries are.
import type { Cursor } from '../bytes.ts';
import { MinidumpError } from '../error.ts';
import type { StreamInput } from '../minidump.ts';

/**
 * Reads a count and the entries after it; fewer than it claims when they are not there.
 *
 * Writers whose compiler aligned the 64-bit fields of the first entry leave 4 bytes between the count and it, as Breakpad did on
 * 64-bit systems. A module list with 2 modules of 108 bytes then has 224 bytes instead of 220. The size that the directory gives is
 * the only sign of it.
 */
export function readList<T>(input: StreamInput, entrySize: number, readEntry: (entry: Cursor) => T): T[] {
  const count = input.bytes.u32(0);
  const padding = input.claimedSize === 8 + count * entrySize ? 4 : 0;
  return readEntries(input, { start: 4 + padding, entrySize, count }, readEntry);
}

/**
 * Reads a list whose header gives the size of the header, the size of an entry, and the count.
 * Newer writers have longer entries: what `readEntry` does not know of an entry’s end is passed over.
 */
export function readSizedList<T>(
  input: StreamInput,
  { minEntrySize, countSize = 4 }: { minEntrySize: number; countSize?: 4 | 8 },
  readEntry: (entry: Cursor) => T,
): T[] {
  const header = input.bytes.cursor();
  const start = header.u32();
  const entrySize = header.u32();
  const count = countSize === 8 ? Number(header.u64()) : header.u32();
  if (start < header.at || entrySize < minEntrySize)
    throw new MinidumpError(
      'malformed',
      `a header of ${start} bytes and entries of ${entrySize} are less than the format has (${header.at} and ${minEntrySize})`,
    );
  return readEntries(input, { start, entrySize, count }, readEntry);
}

export type EntryLayout = {
  /** Where the first entry begins, in the stream. */
  readonly start: number;
  readonly entrySize: number;
  /** What the dump claims; may be any number. */
  readonly count: number;
};

/** Reads as many of the claimed entries as lie in the stream; warns when some do not. */
export function readEntries<T>(
  { bytes, warn }: StreamInput,
  { start, entrySize, count }: EntryLayout,
  readEntry: (entry: Cursor) => T,
): T[] {
  const fitting = Math.floor(Math.max(0, bytes.size - start) / entrySize);
  const used = Math.min(count, fitting);
  if (used < count) warn(`claims ${count} entries; ${used} of them are there`);
  return Array.from({ length: used }, (_, index) => readEntry(bytes.cursor(start + index * entrySize)));
}
