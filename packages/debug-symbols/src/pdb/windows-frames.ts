// How to unwind 32-bit x86 code, from the two kinds of records that PDBs have for it.
import type { ByteSource } from '../byte-source.ts';
import type { SymbolSink } from '../symbol-sink.ts';
import type { AddressMap } from './address-map.ts';
import { u16, u32 } from './bytes.ts';
import type { CoveredRanges } from './covered-ranges.ts';
import type { StringTable } from './string-table.ts';

const FRAME_DATA_SIZE = 32;
const FPO_SIZE = 16;

/** A part of the image with one frame layout. */
interface FrameRange {
  readonly address: number;
  readonly size: number;
  readonly prologueSize: number;
}

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
    const program = strings.string(u32(bytes, at + 20)).trim();
    if (program === '') return;
    for (const range of findRanges(u32(bytes, at), u32(bytes, at + 4), u16(bytes, at + 24), addresses)) {
      covered.add(range.address, range.size);
      sink.windowsFrame({
        type: 4,
        ...range,
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
 * Writes records of functions without a frame pointer: `FPO_DATA` in `winnt.h`. Records in a covered range are
 * left out: debuggers prefer the program that is there.
 */
export function writeFpo(stream: ByteSource, addresses: AddressMap, sink: SymbolSink, covered: CoveredRanges): void {
  visitRecords(stream, FPO_SIZE, (bytes, at) => {
    const bits = u16(bytes, at + 14);
    for (const range of findRanges(u32(bytes, at), u32(bytes, at + 4), bits & 0xff, addresses)) {
      if (covered.has(range.address)) continue;
      sink.windowsFrame({
        type: 0,
        ...range,
        epilogueSize: 0,
        parameterSize: u16(bytes, at + 12) * 4,
        savedRegisterSize: ((bits >>> 8) & 7) * 4,
        localSize: u32(bytes, at + 8) * 4,
        maximumStackSize: 0,
        // Mozilla's dump_syms takes a bit of the number of saved registers for this, unlike Microsoft's own library.
        program: (bits & 0x1000) !== 0,
      });
    }
  });
}

/** Finds where code is in the image. If it came apart, its prologue gets a separate record. */
function findRanges(start: number, size: number, prologue: number, addresses: AddressMap): FrameRange[] {
  if (size === 0 || start + size > 0xffffffff) return [];
  if (!addresses.rearranged) return [{ address: start, size, prologueSize: prologue }];
  const whole = addresses.imageRanges(start, size);
  const first = addresses.imageRanges(start, Math.min(prologue, size));
  if (whole.length === 1) {
    return whole.map((range) => ({ address: range.address, size: range.size, prologueSize: first[0]?.size ?? 0 }));
  }
  const rest = prologue < size ? addresses.imageRanges(start + prologue, size - prologue) : [];
  return [
    ...first.map((range) => ({ address: range.address, size: range.size, prologueSize: range.size })),
    ...rest.map((range) => ({ address: range.address, size: range.size, prologueSize: 0 })),
  ];
}

/** Calls `visit` for each record, with the bytes that it is in and its place there. Reads the stream in chunks. */
function visitRecords(stream: ByteSource, size: number, visit: (bytes: Uint8Array, at: number) => void): void {
  const chunk = size * 4096;
  for (let position = 0; position + size <= stream.size; position += chunk) {
    const bytes = stream.read(position, Math.min(chunk, stream.size - position));
    for (let at = 0; at + size <= bytes.length; at += size) visit(bytes, at);
  }
}
