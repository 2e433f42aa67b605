// Reads the texts of streams: UTF-16 and UTF-8 strings after their length, and fields of a fixed size.
import type { Bytes } from '../bytes.ts';
import type { Minidump, StreamInput } from '../minidump.ts';

/** The size of the length before a string, in bytes. */
const LENGTH_SIZE = 4;

// A byte order mark is an ordinary character of a name, because the dump determines the byte order.
const UTF_8 = new TextDecoder('utf-8', { ignoreBOM: true });
const UTF_16_LITTLE = new TextDecoder('utf-16le', { ignoreBOM: true });
const UTF_16_BIG = new TextDecoder('utf-16be', { ignoreBOM: true });

/** Reads a `MINIDUMP_STRING` (length in bytes and UTF-16). Lone surrogates become U+FFFD. Undefined if it is unreadable. */
export function readUtf16String(dump: Minidump, rva: number): string | undefined {
  const bytes = findText(dump, rva);
  return bytes && decodeUtf16(bytes);
}

/**
 * Reads Crashpad's `MinidumpUTF8String` (length in bytes and UTF-8). Invalid bytes become U+FFFD. Undefined if it is
 * unreadable.
 */
export function readUtf8String(dump: Minidump, rva: number): string | undefined {
  const bytes = findText(dump, rva);
  return bytes && decodeUtf8(bytes);
}

/** Reads the string at `rva`. Returns '' if `rva` is 0 or if the string is unreadable; the latter warns with `label`. */
export function readUtf16StringOrWarn({ dump, warn }: StreamInput, rva: number, label: string): string {
  if (rva === 0) return '';
  const text = readUtf16String(dump, rva);
  if (text === undefined) warn(`${label} cannot be read`);
  return text ?? '';
}

/** Decodes UTF-16 up to a NUL or the end. */
export function decodeUtf16(bytes: Bytes): string {
  const text = (bytes.littleEndian ? UTF_16_LITTLE : UTF_16_BIG).decode(bytes.array.subarray(0, bytes.size & ~1));
  return untilNul(text);
}

/** Decodes UTF-8 or ASCII up to a NUL or the end. */
export function decodeUtf8(bytes: Bytes): string {
  return untilNul(UTF_8.decode(bytes.array));
}

function untilNul(text: string): string {
  const end = text.indexOf('\0');
  return end === -1 ? text : text.slice(0, end);
}

/** Returns the bytes of a string at `rva`, after its length. */
function findText(dump: Minidump, rva: number): Bytes | undefined {
  if (rva + LENGTH_SIZE > dump.bytes.size) return undefined;
  return dump.copyable({ rva: rva + LENGTH_SIZE, size: dump.bytes.u32(rva) });
}
