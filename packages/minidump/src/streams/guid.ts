// GUIDs, by which modules and reports are known.
import type { Cursor } from '../bytes.ts';

export const GUID_SIZE = 16;

/** A GUID, whose first three fields are numbers in the dump’s byte order, as 32 upper-case hex digits. */
export function readGuid(cursor: Cursor): string {
  const fields = [hex(cursor.u32(), 8), hex(cursor.u16(), 4), hex(cursor.u16(), 4)];
  for (let index = 0; index < 8; index += 1) fields.push(hex(cursor.u8(), 2));
  return fields.join('').toUpperCase();
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
