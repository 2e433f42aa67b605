// Reads the section table of a PE file.
// cspell:ignore AAAAHQ
import type { ByteSource } from '../byte-source.ts';

export interface Section {
  name: string;
  /** Relative to the image base. */
  address: number;
  /** The size in bytes, when loaded. What the file does not have is zero. */
  size: number;
  /** Where the contents are in the file. */
  offset: number;
  /** How many bytes of them there are. */
  fileSize: number;
  isExecutable: boolean;
}

const ENTRY_SIZE = 40;
const EXECUTABLE = 0x2000_0000;
const SYMBOL_SIZE = 18;
/** Names are longer than 8 bytes only for sections such as `.debug_str_offsets`. */
const MAX_LONG_NAME = 256;

/** Throws a DebugSymbolsError `truncated` if the table is outside the file; contents outside the file are cut off. */
export function readSections(
  source: ByteSource,
  at: number,
  count: number,
  symbols: { offset: number; count: number },
): Section[] {
  const table = source.read(at, count * ENTRY_SIZE);
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  return Array.from({ length: count }, (_, index) => {
    const entry = index * ENTRY_SIZE;
    const fileSize = view.getUint32(entry + 16, true);
    const offset = view.getUint32(entry + 20, true);
    // Old linkers leave the loaded size 0 and mean the size in the file.
    const size = view.getUint32(entry + 8, true) || fileSize;
    return {
      name: readName(source, table.subarray(entry, entry + 8), symbols),
      address: view.getUint32(entry + 12, true),
      size,
      offset,
      fileSize: Math.max(0, Math.min(fileSize, size, source.size - offset)),
      isExecutable: (view.getUint32(entry + 36, true) & EXECUTABLE) !== 0,
    };
  });
}

/**
 * Returns the name of a section. A name of more than 8 bytes is in the string table behind the COFF symbols, and the
 * header has its offset there: `/29`, or `//AAAAHQ` in base 64 if it needs more than seven decimal digits.
 */
function readName(source: ByteSource, field: Uint8Array, symbols: { offset: number; count: number }): string {
  const short = decodeAscii(field);
  const offset = /^\/\d+$/.test(short) ? Number(short.slice(1)) : readBase64(short);
  if (offset === undefined || symbols.offset === 0) return short;
  const start = symbols.offset + symbols.count * SYMBOL_SIZE + offset;
  if (start >= source.size) return short;
  return decodeAscii(source.read(start, Math.min(MAX_LONG_NAME, source.size - start)));
}

const BASE_64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The digits start with the most significant one, unlike in base 64 for bytes. */
function readBase64(name: string): number | undefined {
  if (!/^\/\/[A-Za-z0-9+/]{1,6}$/.test(name)) return undefined;
  let value = 0;
  for (const digit of name.slice(2)) value = value * 64 + BASE_64.indexOf(digit);
  return value;
}

function decodeAscii(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return String.fromCharCode(...bytes.subarray(0, end < 0 ? bytes.length : end));
}
