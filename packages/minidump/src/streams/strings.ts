// The texts that streams point to: UTF-16 and UTF-8 with their length before them, and fields of a fixed size.
import type { Bytes } from '../bytes.ts';
import type { Minidump, StreamInput } from '../minidump.ts';

/** Bytes of the count before a string. */
const LENGTH_SIZE = 4;

// A byte order mark would be a character of the name like any other: its byte order is the dump’s.
const UTF_8 = new TextDecoder('utf-8', { ignoreBOM: true });
const UTF_16_LITTLE = new TextDecoder('utf-16le', { ignoreBOM: true });
const UTF_16_BIG = new TextDecoder('utf-16be', { ignoreBOM: true });

/** `MINIDUMP_STRING`: a count of bytes, and UTF-16. Half a surrogate pair becomes U+FFFD. Undefined when it cannot be read. */
export function readUtf16String(dump: Minidump, rva: number): string | undefined {
  const bytes = findText(dump, rva);
  return bytes && decodeUtf16(bytes);
}

/** Crashpad’s `MinidumpUTF8String`: a count of bytes, and UTF-8. Bytes that are not become U+FFFD. Undefined when it cannot be read. */
export function readUtf8String(dump: Minidump, rva: number): string | undefined {
  const bytes = findText(dump, rva);
  return bytes && decodeUtf8(bytes);
}

/** The string at `rva`, '' for a place of 0. When it cannot be read '' too, and a warning says of what it was: `what`. */
export function readUtf16StringOrWarn({ dump, warn }: StreamInput, rva: number, what: string): string {
  if (rva === 0) return '';
  const text = readUtf16String(dump, rva);
  if (text === undefined) warn(`${what} cannot be read`);
  return text ?? '';
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

/** The bytes after a count of them. */
function findText(dump: Minidump, rva: number): Bytes | undefined {
  if (rva + LENGTH_SIZE > dump.bytes.size) return undefined;
  return dump.copyable({ rva: rva + LENGTH_SIZE, size: dump.bytes.u32(rva) });
}
