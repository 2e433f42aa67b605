// Sections that the linker or objcopy has compressed: SHF_COMPRESSED with zlib or zstd, and the older `.zdebug_*`.
import { inflateSync, zstdDecompressSync } from 'node:zlib';
import { type ByteSource, MemorySource } from '../byte-source.ts';
import { Cursor } from '../cursor.ts';
import { DebugSymbolsError } from '../error.ts';

type Header =
  | { readonly kind: 'gnu' }
  | { readonly kind: 'elf'; readonly is64: boolean; readonly littleEndian: boolean };

const ZLIB = 1;
const ZSTD = 2;
/** What one section may have after decompression, in bytes. */
const MAX_SIZE = 2 ** 31 - 1;
/** Debug information becomes ten to twenty times smaller. A large section that claims much more is made to fill memory. */
const MAX_RATIO = 64;
const ANY_RATIO_SIZE = 64 * 1024 * 1024;

/** Decompresses a whole section into memory. Throws `malformed`, `unsupported` and `too-large`. */
export function inflateSection(part: ByteSource, header: Header): ByteSource {
  const { format, size, at } = readHeader(part, header);
  if (size > MAX_SIZE || size > Math.max(ANY_RATIO_SIZE, part.size * MAX_RATIO))
    throw new DebugSymbolsError('too-large', `a compressed section claims to have ${size} bytes`);
  const packed = part.read(at, part.size - at);
  try {
    const bytes = (format === ZLIB ? inflateSync : zstdDecompressSync)(packed, { maxOutputLength: Math.max(size, 1) });
    if (bytes.length !== size) throw new Error(`${bytes.length} instead of ${size} bytes`);
    return new MemorySource(bytes);
  } catch (cause) {
    throw new DebugSymbolsError('malformed', 'a compressed section is damaged', { cause });
  }
}

function readHeader(part: ByteSource, header: Header): { format: number; size: number; at: number } {
  if (header.kind === 'gnu') {
    const start = part.read(0, 12);
    if (Buffer.from(start.subarray(0, 4)).toString('latin1') !== 'ZLIB')
      throw new DebugSymbolsError('malformed', 'a compressed section does not begin with its mark');
    return { format: ZLIB, size: new Cursor(start, false, 4).u64(), at: 12 };
  }
  const at = header.is64 ? 24 : 12;
  const cursor = new Cursor(part.read(0, at), header.littleEndian);
  const format = cursor.u32();
  if (format !== ZLIB && format !== ZSTD)
    throw new DebugSymbolsError('unsupported', `sections with compression ${format} are not supported`);
  if (header.is64) cursor.skip(4);
  return { format, size: cursor.word(header.is64), at };
}
