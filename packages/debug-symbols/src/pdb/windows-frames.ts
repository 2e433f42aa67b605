// How to unwind 32-bit x86 code, from the two kinds of records that PDBs have for it.
import type { ByteSource } from '../byte-source.ts';
import type { SymbolSink } from '../symbol-sink.ts';
import type { AddressMap } from './address-map.ts';
import { u16, u32 } from './bytes.ts';
import type { CoveredRanges } from './covered-ranges.ts';
import type { StringTable } from './string-table.ts';

const FRAME_DATA_SIZE = 32;
const FPO_SIZE = 16;

/**
 * Writes records with programs: `FRAMEDATA` in Microsoft's `cvinfo.h`. The linker has turned their addresses into ones
 * relative to the image. The ranges of the records are added to `covered`.
 */
export function writeFrameData(
  stream: ByteSource,
  strings: StringTable,
  addresses: AddressMap,
  sink: SymbolSink,
  covered: CoveredRanges,
): void {
  visitRecords(stream, FRAME_DATA_SIZE, (bytes, at) => {
    const start = u32(bytes, at);
    const size = u32(bytes, at + 4);
    const prologue = u16(bytes, at + 24);
    const program = strings.string(u32(bytes, at + 20)).trim();
    if (program === '' || !isRange(start, size)) return;
    for (const range of addresses.imageRanges(start, size)) {
      covered.add(range.address, range.size);
      sink.windowsFrame({
        type: 4,
        address: range.address,
        size: range.size,
        prologueSize: remaining(prologue, range.linked - start, range.size),
        epilogueSize: 0,
        parameterSize: u32(bytes, at + 12),
        savedRegisterSize: u16(bytes, at + 26),
        localSize: u32(bytes, at + 8),
        maximumStackSize: u32(bytes, at + 16),
        program,
      });
    }
  });
}

/**
 * Writes records of functions without a frame pointer: `FPO_DATA` in `winnt.h`. Those that begin in a covered range are
 * left out: debuggers prefer the program that is there.
 */
export function writeFpo(stream: ByteSource, addresses: AddressMap, sink: SymbolSink, covered: CoveredRanges): void {
  visitRecords(stream, FPO_SIZE, (bytes, at) => {
    const start = u32(bytes, at);
    const size = u32(bytes, at + 4);
    const bits = u16(bytes, at + 14);
    if (!isRange(start, size)) return;
    for (const range of addresses.imageRanges(start, size)) {
      if (covered.has(range.address)) continue;
      sink.windowsFrame({
        type: 0,
        address: range.address,
        size: range.size,
        prologueSize: remaining(bits & 0xff, range.linked - start, range.size),
        epilogueSize: 0,
        parameterSize: u16(bytes, at + 12) * 4,
        savedRegisterSize: ((bits >>> 8) & 7) * 4,
        localSize: u32(bytes, at + 8) * 4,
        maximumStackSize: 0,
        // Mozilla's dump_syms reads the bit of the number of saved registers here, unlike Microsoft's own library.
        program: (bits & 0x1000) !== 0,
      });
    }
  });
}

/** What is left of a prologue in a part of a range that begins `skipped` bytes after the start. */
function remaining(prologue: number, skipped: number, size: number): number {
  return Math.min(Math.max(prologue - skipped, 0), size);
}

function isRange(start: number, size: number): boolean {
  return size > 0 && start + size <= 0xffffffff;
}

function visitRecords(stream: ByteSource, size: number, visit: (bytes: Uint8Array, at: number) => void): void {
  const chunk = size * 4096;
  for (let position = 0; position + size <= stream.size; position += chunk) {
    const bytes = stream.read(position, Math.min(chunk, stream.size - position));
    for (let at = 0; at + size <= bytes.length; at += size) visit(bytes, at);
  }
}
