// Sections that the linker or objcopy has compressed: SHF_COMPRESSED with zlib or zstd, and the older `.zdebug_*`.
import { type ByteSource, PartSource } from '../byte-source.ts';
import { Cursor } from '../cursor.ts';
import { DebugSymbolsError } from '../error.ts';
import { type Scratch, ScratchFullError } from '../temporary-file.ts';
import { keepUnpacked } from '../unpacked.ts';
import { inflate } from './inflate.ts';

export type CompressionHeader =
  | { readonly kind: 'gnu' }
  | { readonly kind: 'elf'; readonly is64: boolean; readonly littleEndian: boolean };

const FORMATS: Readonly<Record<number, 'zlib' | 'zstd'>> = { 1: 'zlib', 2: 'zstd' };
/** What one section may have after decompression, in bytes: what DWARF's offsets of 32 bits reach. */
const MAX_SIZE = 2 ** 32;
/**
 * Debug information becomes ten to twenty times smaller, though a single section of equal parts can become a thousand
 * times smaller. A section that claims much more than the size of the whole file is made to fill a disk.
 */
const MAX_RATIO = 64;
const ANY_RATIO_SIZE = 64 * 1024 * 1024;

/**
 * Decompresses a whole section, into a temporary file of `scratch` if it is large. Throws `malformed`, `unsupported` and
 * `too-large`.
 */
export function inflateSection(
  part: ByteSource,
  header: CompressionHeader,
  { fileSize, scratch }: { readonly fileSize: number; readonly scratch: Scratch | undefined },
): ByteSource {
  const { format, size, at } = readHeader(part, header);
  if (size > MAX_SIZE || size > Math.max(ANY_RATIO_SIZE, fileSize * MAX_RATIO))
    throw new DebugSymbolsError('too-large', `a compressed section claims to have ${size} bytes`);
  try {
    const packed = new PartSource(part, at, part.size - at);
    const source = keepUnpacked(inflate(packed, format, size), size, scratch);
    if (source.size !== size) throw new Error(`${source.size} instead of ${size} bytes`);
    return source;
  } catch (cause) {
    if (cause instanceof ScratchFullError || (cause instanceof Error && 'syscall' in cause)) throw cause;
    throw new DebugSymbolsError('malformed', 'a compressed section is damaged', { cause });
  }
}

function readHeader(
  part: ByteSource,
  header: CompressionHeader,
): { format: 'zlib' | 'zstd'; size: number; at: number } {
  if (header.kind === 'gnu') {
    const start = part.read(0, 12);
    if (Buffer.from(start.subarray(0, 4)).toString('latin1') !== 'ZLIB')
      throw new DebugSymbolsError('malformed', 'a compressed section does not begin with its mark');
    return { format: 'zlib', size: new Cursor(start, false, 4).u64(), at: 12 };
  }
  const at = header.is64 ? 24 : 12;
  const cursor = new Cursor(part.read(0, at), header.littleEndian);
  const number = cursor.u32();
  const format = FORMATS[number];
  if (format === undefined)
    throw new DebugSymbolsError('unsupported', `sections with compression ${number} are not supported`);
  if (header.is64) cursor.skip(4);
  return { format, size: cursor.word(header.is64), at };
}
