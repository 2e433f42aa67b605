// Reads little-endian fields of records that are already in memory.

import { MAX_TEXT } from '../cursor.ts';

const UTF8 = new TextDecoder();

/** Returns the 16-bit number at `at`. Bytes past the end count as 0; the caller checks the size of its record. */
export function u16(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8);
}

/** Reads 32 bits. See `u16`. */
export function u32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}

/** Returns the text from `at` up to a zero byte or `end`, whichever comes first. Very long ones are cut off. */
export function readString(bytes: Uint8Array, at: number, end: number): string {
  const limit = Math.min(end, bytes.length, at + MAX_TEXT);
  let stop = at;
  let high = 0;
  while (stop < limit && bytes[stop] !== 0) high |= bytes[stop++]!;
  if (stop <= at) return '';
  // Short ASCII names are the common case, for which a decoder costs more than the characters do.
  if (high >= 0x80 || stop - at > 128) return UTF8.decode(bytes.subarray(at, stop));
  return String.fromCharCode.apply(null, bytes.subarray(at, stop) as unknown as number[]);
}

/** Rounds up to a multiple of four, the alignment of nearly all structures of the format. */
export function align4(at: number): number {
  return Math.ceil(at / 4) * 4;
}
