// Reads the table of functions in a section `__unwind_info`, the compact unwind information of macOS and iOS. Its layout is
// that of Apple's header mach-o/compact_unwind_encoding.h.
import type { ByteSource } from '../byte-source.ts';
import { DebugSymbolsError } from '../error.ts';
import { viewOf } from '../pe/headers.ts';

export interface CompactEntry {
  /** Relative to the start of the module. */
  address: number;
  /** The size in bytes. */
  size: number;
  /** What the function does with its frame, in 32 bits. 0 if nothing is known about it. */
  encoding: number;
}

const HEADER_SIZE = 28;
const INDEX_ENTRY_SIZE = 12;
const REGULAR_PAGE = 2;
const COMPRESSED_PAGE = 3;

/**
 * Returns the functions by ascending address. Throws a DebugSymbolsError: `unsupported` for an unknown version,
 * `truncated` if a part is outside the section, `malformed` if parts overlap.
 */
export function* readCompactTable(section: ByteSource): Generator<CompactEntry> {
  const header = viewOf(section.read(0, HEADER_SIZE));
  const version = header.getUint32(0, true);
  if (version !== 1) throw new DebugSymbolsError('unsupported', `__unwind_info has the unknown version ${version}`);
  const common = readWords(section, header.getUint32(4, true), header.getUint32(8, true));
  const indexAt = header.getUint32(20, true);
  const count = header.getUint32(24, true);
  const index = viewOf(section.read(indexAt, count * INDEX_ENTRY_SIZE));
  // An entry takes 4 bytes or more. Pages that share bytes could describe far more functions than fit in the section.
  let budget = section.size / 4;
  // The last index entry has only the end of the last function.
  for (let number = 0; number + 1 < count; number++) {
    const at = number * INDEX_ENTRY_SIZE;
    const page = index.getUint32(at + 4, true);
    const end = index.getUint32(at + INDEX_ENTRY_SIZE, true);
    if (page === 0) continue;
    const entries = readPage(section, page, index.getUint32(at, true), common);
    budget -= entries.addresses.length;
    if (budget < 0) throw new DebugSymbolsError('malformed', 'pages of __unwind_info overlap');
    yield* listPage(entries, end);
  }
}

interface Page {
  addresses: Uint32Array;
  encodings: Uint32Array;
}

function* listPage({ addresses, encodings }: Page, end: number): Generator<CompactEntry> {
  for (const [index, address] of addresses.entries()) {
    const next = addresses[index + 1] ?? end;
    if (next > address) yield { address, size: next - address, encoding: encodings[index]! };
  }
}

function readPage(section: ByteSource, page: number, base: number, common: Uint32Array): Page {
  const header = viewOf(section.read(page, 8));
  const kind = header.getUint32(0, true);
  const entriesAt = page + header.getUint16(4, true);
  const count = header.getUint16(6, true);
  if (kind === REGULAR_PAGE) {
    const words = readWords(section, entriesAt, count * 2);
    return {
      addresses: words.filter((_, index) => index % 2 === 0),
      encodings: words.filter((_, index) => index % 2 === 1),
    };
  }
  if (kind !== COMPRESSED_PAGE) {
    throw new DebugSymbolsError('malformed', `a page of __unwind_info has the unknown kind ${kind}`);
  }
  const words = readWords(section, entriesAt, count);
  const more = viewOf(section.read(page + 8, 4));
  const encodings = readWords(section, page + more.getUint16(0, true), more.getUint16(2, true));
  return {
    // The lower 24 bits are the offset from the first function of the page, the upper 8 the number of the encoding.
    addresses: words.map((word) => base + (word & 0xff_ffff)),
    encodings: words.map((word) => {
      const number = word >>> 24;
      return common[number] ?? encodings[number - common.length] ?? 0;
    }),
  };
}

function readWords(section: ByteSource, at: number, count: number): Uint32Array {
  const view = viewOf(section.read(at, count * 4));
  return Uint32Array.from({ length: count }, (_, index) => view.getUint32(index * 4, true));
}
