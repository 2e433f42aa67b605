// Where things lie in the file, as the format’s structures give it.
import type { Cursor } from '../bytes.ts';
import type { Location } from '../minidump.ts';

/** `MINIDUMP_LOCATION_DESCRIPTOR`. */
export function readLocation(cursor: Cursor): Location {
  return { size: cursor.u32(), rva: cursor.u32() };
}
