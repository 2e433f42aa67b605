// The stream that lists the modules of a program, and the streams with other facts about it.
// The layout is described in LLVM's documentation, "The PDB DBI (Debug Info) Stream".
import { DebugSymbolsError } from '../error.ts';
import { align4, readString, u16, u32 } from './bytes.ts';
import type { Msf } from './msf.ts';

const DBI_STREAM = 3;
const HEADER_SIZE = 64;
/** The version of Visual C++ 7, used ever since. */
const VERSION = 19_990_903;
const NO_STREAM = 0xffff;
/** Size of the fixed part of the description of a module. */
const MODULE_SIZE = 64;
const MAX_MODULES = 1_000_000;

/** An object file that was linked. */
export interface Module {
  /** The path of the object file, or a name such as `* Linker *`. */
  readonly name: string;
  /** The stream with its symbols and lines; undefined if it has none. */
  readonly stream: number | undefined;
  /** Size of the symbols at the start of that stream, in bytes. */
  readonly symbolsSize: number;
  /** Size of the lines in an older form, which follow the symbols. */
  readonly oldLinesSize: number;
  /** Size of the lines, which follow those in the older form. */
  readonly linesSize: number;
}

/** The numbers of optional streams; undefined if the file does not have the stream. */
export interface DebugStreams {
  /** Frame pointer omission records of old compilers. */
  readonly fpo: number | undefined;
  /** It maps addresses in the image to addresses before the program was rearranged. */
  readonly omapFromImage: number | undefined;
  /** It maps addresses before the program was rearranged to addresses in the image. */
  readonly omapFromLinked: number | undefined;
  readonly sectionHeaders: number | undefined;
  readonly frameData: number | undefined;
  /** Section headers of the program before it was rearranged. */
  readonly originalSectionHeaders: number | undefined;
}

export interface Dbi {
  readonly age: number;
  /** A machine type as in a PE file, such as 0x8664. */
  readonly machine: number;
  /** The stream with public symbols. */
  readonly symbolRecords: number | undefined;
  readonly streams: DebugStreams;
  readonly modules: readonly Module[];
}

/** Throws a DebugSymbolsError if there is no such stream, as in the PDB that a compiler writes. */
export function readDbi(msf: Msf): Dbi {
  const stream = msf.stream(DBI_STREAM);
  if (stream === undefined || stream.size < HEADER_SIZE) {
    throw new DebugSymbolsError(
      'unsupported',
      'the PDB is not of a program: it has only types, or symbols of an object',
    );
  }
  const header = stream.read(0, HEADER_SIZE);
  const version = u32(header, 4);
  if (u32(header, 0) !== 0xffffffff || version !== VERSION) {
    throw new DebugSymbolsError('unsupported', `the PDB has debug information of version ${version}`);
  }
  const sizes = [24, 28, 32, 36, 40, 52, 48].map((at) => u32(header, at));
  const optionalAt = sizes.slice(0, 6).reduce((sum, size) => sum + size, HEADER_SIZE);
  return {
    age: u32(header, 8),
    machine: u16(header, 58),
    symbolRecords: toStream(u16(header, 20)),
    modules: readModules(stream.read(HEADER_SIZE, sizes[0]!)),
    streams: readStreams(stream.read(optionalAt, sizes[6]!)),
  };
}

function readModules(bytes: Uint8Array): Module[] {
  const modules: Module[] = [];
  const streams = new Set<number>();
  for (let at = 0; at + MODULE_SIZE < bytes.length; ) {
    const name = readString(bytes, at + MODULE_SIZE, bytes.length);
    const objectAt = endOfString(bytes, at + MODULE_SIZE);
    const stream = u16(bytes, at + 34);
    if (modules.length >= MAX_MODULES) throw new DebugSymbolsError('too-large', 'the PDB has too many modules');
    modules.push({
      name,
      // Each module has its own stream. Reading one again for many modules would make a small file slow.
      stream: streams.has(stream) ? undefined : toStream(stream),
      symbolsSize: u32(bytes, at + 36),
      oldLinesSize: u32(bytes, at + 40),
      linesSize: u32(bytes, at + 44),
    });
    streams.add(stream);
    at = align4(endOfString(bytes, objectAt));
  }
  return modules;
}

function endOfString(bytes: Uint8Array, at: number): number {
  const zero = bytes.indexOf(0, at);
  return zero < 0 ? bytes.length : zero + 1;
}

function readStreams(bytes: Uint8Array): DebugStreams {
  const stream = (index: number) => (index * 2 + 2 <= bytes.length ? toStream(u16(bytes, index * 2)) : undefined);
  return {
    fpo: stream(0),
    omapFromImage: stream(3),
    omapFromLinked: stream(4),
    sectionHeaders: stream(5),
    frameData: stream(9),
    originalSectionHeaders: stream(10),
  };
}

function toStream(number: number): number | undefined {
  return number === NO_STREAM ? undefined : number;
}
