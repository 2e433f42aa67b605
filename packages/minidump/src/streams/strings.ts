// The texts that streams point to: UTF-16 and UTF-8 with their length before them, and fields of a fixed size.
import type { Bytes } from '../bytes.ts';
import { MinidumpError } from '../error.ts';
import type { Location, Minidump, StreamInput } from '../minidump.ts';

const UTF_8 = new TextDecoder('utf-8');
const UTF_16_LITTLE = new TextDecoder('utf-16le');
const UTF_16_BIG = new TextDecoder('utf-16be');

/** `MINIDUMP_STRING`: a count of bytes, and UTF-16. Half a surrogate pair becomes U+FFFD. Throws when it is not all there. */
export function readUtf16String(dump: Minidump, rva: number): string {
  return decodeUtf16(dump.copyable(afterLength(dump, rva)));
}

/** Crashpad’s `MinidumpUTF8String`: a count of bytes, and UTF-8. Bytes that are not become U+FFFD. Throws when it is not all there. */
export function readUtf8String(dump: Minidump, rva: number): string {
  return decodeUtf8(dump.copyable(afterLength(dump, rva)));
}

/** The string at `rva`, '' for a place of 0. When it cannot be read '' too, and a warning says of what it was: `what`. */
export function readUtf16StringOrWarn({ dump, warn }: StreamInput, rva: number, what: string): string {
  if (rva === 0) return '';
  try {
    return readUtf16String(dump, rva);
  } catch (error) {
    if (!(error instanceof MinidumpError)) throw error;
    warn(`${what} cannot be read: ${error.message}`);
    return '';
  }
}

/** UTF-16 in a field, up to a NUL or its end. */
export function decodeUtf16(bytes: Bytes): string {
  const text = (bytes.littleEndian ? UTF_16_LITTLE : UTF_16_BIG).decode(bytes.array.subarray(0, bytes.size & ~1));
  return untilNul(text);
}

/** UTF-8 (or ASCII) in a field, up to a NUL or its end. */
export function decodeUtf8(bytes: Bytes): string {
  return untilNul(UTF_8.decode(bytes.array));
}

function untilNul(text: string): string {
  const end = text.indexOf('\0');
  return end === -1 ? text : text.slice(0, end);
}

function afterLength(dump: Minidump, rva: number): Location {
  return { rva: rva + 4, size: dump.bytes.u32(rva) };
}
