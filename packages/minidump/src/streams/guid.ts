// Reads GUIDs, which identify modules and reports.
import type { Cursor } from '../bytes.ts';

export const GUID_SIZE = 16;

/** Returns a GUID as 32 upper-case hex digits. Its first three fields are numbers in the byte order of the dump. */
export function readGuid(cursor: Cursor): string {
  const numbers = hex(cursor.u32(), 8) + hex(cursor.u16(), 4) + hex(cursor.u16(), 4);
  return (numbers + cursor.window(8).array.toHex()).toUpperCase();
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
