// Reads the structures that streams share: locations in the file, GUIDs, and the two kinds of lists, which are a count
// with entries, and a header that contains the size of the entries.
import type { Cursor } from '../bytes.ts';
import { MinidumpError } from '../error.ts';
import type { Location, StreamInput } from '../minidump.ts';

/**
 * Reads a count and the entries after it, or only the available entries.
 *
 * Some writers, such as Breakpad on 64-bit systems, leave 4 bytes of padding after the count, because their compiler
 * aligned the 64-bit fields of the first entry. A list of 2 modules with 108 bytes each then has 224 bytes instead of 220.
 * Only the size in the directory reveals this.
 */
export function readList<T>(input: StreamInput, entrySize: number, readEntry: (entry: Cursor) => T): T[] {
  const count = input.bytes.u32(0);
  const padding = input.claimedSize === 8 + count * entrySize ? 4 : 0;
  return readEntries(input, { start: 4 + padding, entrySize, count }, readEntry);
}

/**
 * Reads a list whose header contains its own size, the size of an entry, and the count. Newer writers use longer entries;
 * fields at the end that `readEntry` does not read are skipped.
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
      `the header (${start} bytes, minimum ${header.at}) or the entries (${entrySize} bytes, minimum ${minEntrySize}) are too small`,
    );
  return readEntries(input, { start, entrySize, count }, readEntry);
}

type EntryLayout = {
  /** The position of the first entry in the stream. */
  readonly start: number;
  readonly entrySize: number;
  /** The number of entries according to the dump, which can be wrong. */
  readonly count: number;
};

/** Reads the entries that are in the stream, with a warning if some are missing. */
export function readEntries<T>(
  { bytes, warn }: StreamInput,
  { start, entrySize, count }: EntryLayout,
  readEntry: (entry: Cursor) => T,
): T[] {
  const fitting = Math.floor(Math.max(0, bytes.size - start) / entrySize);
  const used = Math.min(count, fitting);
  if (used < count) warn(`claims ${count} entries, but only ${used} are available`);
  return Array.from({ length: used }, (_, index) => readEntry(bytes.cursor(start + index * entrySize)));
}

/** Reads a `MINIDUMP_LOCATION_DESCRIPTOR`. */
export function readLocation(cursor: Cursor): Location {
  return { size: cursor.u32(), rva: cursor.u32() };
}

export const GUID_SIZE = 16;

/** Returns a GUID as 32 upper-case hex digits. Its first three fields are numbers in the byte order of the dump. */
export function readGuid(cursor: Cursor): string {
  const numbers = hex(cursor.u32(), 8) + hex(cursor.u16(), 4) + hex(cursor.u16(), 4);
  return (numbers + cursor.window(8).array.toHex()).toUpperCase();
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
