// GUIDs, by which modules and reports are known.
import type { Cursor } from '../bytes.ts';

export const GUID_SIZE = 16;

/** A GUID, whose first three fields are numbers in the dump’s byte order, as 32 upper-case hex digits. */
export function readGuid(cursor: Cursor): string {
  const numbers = hex(cursor.u32(), 8) + hex(cursor.u16(), 4) + hex(cursor.u16(), 4);
  return (numbers + cursor.window(8).array.toHex()).toUpperCase();
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
