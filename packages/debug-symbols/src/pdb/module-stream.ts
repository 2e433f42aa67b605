// Splits the stream of a module into its symbols and the subsections with its lines.
// The layout is described in LLVM's documentation, "The Module Information Stream".
import { DebugSymbolsError } from '../error.ts';
import { align4, u32 } from './bytes.ts';
import type { Module } from './dbi.ts';
import type { Msf } from './msf.ts';

const DEBUG_S_LINES = 0xf2;
export const DEBUG_S_FILECHKSMS = 0xf4;
export const DEBUG_S_INLINEELINES = 0xf6;
export const DEBUG_S_CROSSSCOPEIMPORTS = 0xf7;
export const DEBUG_S_CROSSSCOPEEXPORTS = 0xf8;

const SIGNATURE_SIZE = 4;
/** Bytes. Modules are read one at a time, and even those of link-time code generation are far smaller. */
const MAX_MODULE_SIZE = 1 << 28;
/** Subsections other than lines, of which a module has a handful. */
const MAX_SUBSECTIONS = 10_000;

/** A part of what a module says about lines, such as the names of its files. */
export interface Subsection {
  readonly kind: number;
  readonly bytes: Uint8Array;
}

/** The subsections with lines: large modules have hundreds of thousands, so their places are numbers. */
export interface LineSections {
  readonly bytes: Uint8Array;
  /** Pairs of the start and the end of each. */
  readonly places: readonly number[];
}

export interface ModuleStream {
  /** The symbol records, each with its size. */
  readonly symbols: Uint8Array;
  readonly lines: LineSections;
  /** The subsections without lines. */
  readonly subsections: readonly Subsection[];
}

/** Returns undefined for a module without a stream. Throws a DebugSymbolsError if it is too large. */
export function readModuleStream(msf: Msf, module: Module): ModuleStream | undefined {
  const stream = module.stream === undefined ? undefined : msf.stream(module.stream);
  if (stream === undefined) return undefined;
  const size = module.symbolsSize + module.oldLinesSize + module.linesSize;
  if (size > stream.size) {
    throw new DebugSymbolsError('truncated', `the stream of module ${module.name} should have ${size} bytes`);
  }
  if (size > MAX_MODULE_SIZE) {
    throw new DebugSymbolsError('too-large', `module ${module.name} has ${size} bytes of symbols`);
  }
  const bytes = stream.read(0, size);
  const sections = splitSubsections(bytes.subarray(module.symbolsSize + module.oldLinesSize));
  return { symbols: bytes.subarray(SIGNATURE_SIZE, module.symbolsSize), ...sections };
}

/** Reads only the subsections, for what other modules refer to. */
export function readSubsections(msf: Msf, module: Module): Subsection[] {
  const stream = module.stream === undefined ? undefined : msf.stream(module.stream);
  const start = module.symbolsSize + module.oldLinesSize;
  if (stream === undefined || start + module.linesSize > stream.size || module.linesSize > MAX_MODULE_SIZE) return [];
  return splitSubsections(stream.read(start, module.linesSize)).subsections;
}

function splitSubsections(bytes: Uint8Array): { lines: LineSections; subsections: Subsection[] } {
  const subsections: Subsection[] = [];
  const places: number[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const kind = u32(bytes, at);
    const end = at + 8 + u32(bytes, at + 4);
    if (kind === DEBUG_S_LINES) places.push(at + 8, Math.min(end, bytes.length));
    else if (subsections.length < MAX_SUBSECTIONS) subsections.push({ kind, bytes: bytes.subarray(at + 8, end) });
    at = align4(end);
  }
  return { lines: { bytes, places }, subsections };
}
