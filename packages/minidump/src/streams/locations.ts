// Reads locations in the file.
import type { Cursor } from '../bytes.ts';
import type { Location } from '../minidump.ts';

/** Reads a `MINIDUMP_LOCATION_DESCRIPTOR`. */
export function readLocation(cursor: Cursor): Location {
  return { size: cursor.u32(), rva: cursor.u32() };
}
