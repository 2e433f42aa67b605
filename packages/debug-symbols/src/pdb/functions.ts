// Turns the functions of a module into records with their lines and inlined calls.
import type { FunctionRecord, InlineRecord, LineRecord } from '../symbol-sink.ts';
import type { FunctionSink } from '../symbols/record-packer.ts';
import type { AddressMap } from './address-map.ts';
import { AddressSet } from './address-set.ts';
import { CoveredRanges } from './covered-ranges.ts';
import { findInnermostLines, type LineLayer } from './function-lines.ts';
import { InlineeLines, type LineRange, readAnnotations } from './inlinees.ts';
import { ModuleLines } from './lines.ts';
import type { ModuleStream } from './module-stream.ts';
import { type CodeRange, type InlineSite, type Procedure, readProcedures } from './procedures.ts';
import { SourceFiles } from './source-files.ts';
import type { StringTable } from './string-table.ts';

/** A line that nothing is known about: files are given by the offset of a checksum, which is never negative. */
const UNKNOWN_LINE = { line: 0, file: -1 };

/** Thunks that are kept until the public symbols are known. Programs have about one for each imported function. */
const MAX_THUNKS = 1_000_000;
/** Ranges of the inlined calls of one function. Further calls are left out. */
const MAX_CALL_RANGES = 2_000_000;

/** Names functions by what the symbols of one module say about them. */
export interface ProcedureNames {
  procedure(procedure: Procedure): string;
  /** The number of an inlined function in the sink, by the number that the module has for it. */
  origin(inlinee: number): number;
}

/** A function that only jumps to another one. */
export interface Thunk {
  readonly code: CodeRange;
  readonly name: string;
}

/** An inlined call and where its code is in the image. */
interface InlinedCall {
  readonly site: InlineSite;
  readonly ranges: readonly LineRange[];
  readonly callLine: number;
  /** The offset of its checksum; -1 if it is unknown. */
  readonly callFile: number;
}

/** A part of the image. */
interface ImageRange {
  readonly address: number;
  readonly size: number;
}

/** Writes the functions of modules to a sink. When functions share an address, the first one is written. */
export class FunctionWriter {
  readonly #addresses: AddressMap;
  readonly #strings: StringTable;
  readonly #sink: FunctionSink;
  readonly #starts = new AddressSet();
  /** The code of the functions that were written, in the image. */
  readonly covered = new CoveredRanges();
  readonly #thunks: Thunk[] = [];

  constructor(addresses: AddressMap, strings: StringTable, sink: FunctionSink) {
    this.#addresses = addresses;
    this.#strings = strings;
    this.#sink = sink;
  }

  writeModule({ symbols, lines: lineSections, subsections }: ModuleStream, names: ProcedureNames): void {
    const files = new SourceFiles(subsections, this.#strings, this.#sink);
    const lines = new ModuleLines(lineSections, this.#addresses);
    const inlinees = new InlineeLines(subsections);
    readProcedures(symbols, (procedure) => {
      if (procedure.thunk) {
        this.#addThunk({ code: procedure.code, name: procedure.name });
        return;
      }
      const ranges = this.#findRanges([procedure.code, ...procedure.separated]);
      if (ranges.length === 0) return;
      const name = names.procedure(procedure);
      const layers = [{ depth: 0, ranges: this.#collectLines(lines, procedure) }];
      const calls = this.#readCalls(procedure, layers, inlinees);
      const innermost = this.#toImage(findInnermostLines(layers));
      for (const range of ranges) {
        this.#sink.function(this.#toRecord(range, name, innermost, calls, names, files));
      }
    });
  }

  get thunks(): readonly Thunk[] {
    return this.#thunks;
  }

  /** Takes a function that was collected elsewhere. Returns false if it is not to be written. */
  takes(address: number, size: number): boolean {
    if (!this.#starts.add(address)) return false;
    this.covered.add(address, size);
    return true;
  }

  addThunks(thunks: readonly Thunk[]): void {
    for (const thunk of thunks) this.#addThunk(thunk);
  }

  #addThunk(thunk: Thunk): void {
    if (this.#thunks.length < MAX_THUNKS) this.#thunks.push(thunk);
  }

  /**
   * Writes the thunks at whose address there is neither a function nor a public symbol. Most have a public symbol, which
   * has the size of their parameters as well.
   */
  writeThunks(hasPublic: (address: number) => boolean): void {
    for (const { code, name } of this.#thunks) {
      for (const { address, size } of this.#findRanges([code])) {
        if (hasPublic(address)) continue;
        this.#sink.function({ address, size, name, parameterSize: 0, lines: [], inlines: [] });
      }
    }
  }

  /** Where code is in the image, without what belongs to a function already written. */
  #findRanges(code: readonly CodeRange[]): ImageRange[] {
    const found: ImageRange[] = [];
    for (const { section, offset, size } of code) {
      const linked = this.#addresses.linkedAddress(section, offset);
      if (linked < 0 || size === 0 || linked + size > 0xffffffff) continue;
      for (const range of this.#addresses.imageRanges(linked, size)) {
        if (range.address + range.size > 0xffffffff || !this.takes(range.address, range.size)) continue;
        found.push(range);
      }
    }
    return found;
  }

  #collectLines(lines: ModuleLines, { code, separated }: Procedure): LineRange[] {
    const ranges: LineRange[] = [];
    for (const { section, offset, size } of [code, ...separated]) {
      const linked = this.#addresses.linkedAddress(section, offset);
      if (linked < 0) continue;
      lines.visit(linked, linked + size, (start, end, line, file) => ranges.push({ start, end, line, file }));
    }
    return separated.length > 0 ? ranges.sort((a, b) => a.start - b.start) : ranges;
  }

  /**
   * Reads the inlined calls of a function, and adds their lines to its layers. Functions that the compiler made, such as
   * deleting destructors, have no lines, so their calls have an unknown place. Without these calls, those
   * inside of them would have no caller.
   */
  #readCalls({ code, separated, sites }: Procedure, layers: LineLayer[], inlinees: InlineeLines): InlinedCall[] {
    if (sites.length === 0) return [];
    const chunks = [code, ...separated].map(({ section, offset }) => this.#addresses.linkedAddress(section, offset));
    const linked: LineRange[][] = [];
    const calls: InlinedCall[] = [];
    let count = 0;
    for (const site of sites) {
      const first = inlinees.find(site.inlinee);
      const ranges = readAnnotations(site.annotations, chunks, first ?? UNKNOWN_LINE, chunks[0]! + code.size);
      ranges.sort((a, b) => a.start - b.start);
      linked.push(ranges);
      count += ranges.length;
      if (count > MAX_CALL_RANGES) break;
      const caller = site.parent < 0 ? layers[0]!.ranges : linked[site.parent]!;
      const call = ranges.length === 0 ? undefined : findLine(caller, ranges[0]!.start);
      if (first !== undefined && ranges.length > 0) layers.push({ depth: site.depth + 1, ranges });
      const { line, file } = call ?? UNKNOWN_LINE;
      calls.push({ site, ranges: this.#toImage(ranges), callLine: line, callFile: file });
    }
    return calls;
  }

  /** Turns ranges of linked addresses into those of the image, in order. */
  #toImage(ranges: readonly LineRange[]): readonly LineRange[] {
    if (!this.#addresses.rearranged) return ranges;
    const moved: LineRange[] = [];
    for (const { start, end, line, file } of ranges) {
      for (const { address, size } of this.#addresses.imageRanges(start, end - start)) {
        moved.push({ start: address, end: address + size, line, file });
      }
    }
    return moved.sort((a, b) => a.start - b.start);
  }

  #toRecord(
    range: ImageRange,
    name: string,
    innermost: readonly LineRange[],
    calls: readonly InlinedCall[],
    names: ProcedureNames,
    files: SourceFiles,
  ): FunctionRecord {
    const lines: LineRecord[] = [];
    visitInside(innermost, range, (address, size, { line, file }) => {
      lines.push({ address, size, line, file: files.number(file) });
    });
    const inlines: InlineRecord[] = [];
    for (const { site, ranges, callLine, callFile } of calls) {
      const inside = joinRanges(ranges, range);
      if (inside.length === 0) continue;
      const origin = names.origin(site.inlinee);
      inlines.push({ depth: site.depth, callLine, callFile: files.number(callFile), origin, ranges: inside });
    }
    return { address: range.address, size: range.size, name, parameterSize: 0, lines, inlines };
  }
}

/** The line at an address, or the last one before it. */
function findLine(ranges: readonly LineRange[], address: number): LineRange | undefined {
  return ranges[Math.max(findLast(ranges, address), 0)];
}

/** The index of the last range that begins at or before an address; -1 if all begin after it. */
function findLast(ranges: readonly LineRange[], address: number): number {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[middle]!.start <= address) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Visits what is inside of a function. */
function visitInside(
  ranges: readonly LineRange[],
  { address, size }: ImageRange,
  visit: (address: number, size: number, range: LineRange) => void,
): void {
  for (let index = Math.max(findLast(ranges, address), 0); index < ranges.length; index++) {
    const range = ranges[index]!;
    if (range.start >= address + size) return;
    const start = Math.max(range.start, address);
    const end = Math.min(range.end, address + size);
    if (end > start) visit(start, end - start, range);
  }
}

/** Joins neighbouring ranges, whatever their lines are. */
function joinRanges(ranges: readonly LineRange[], inside: ImageRange): number[] {
  const joined: number[] = [];
  let end = -1;
  visitInside(ranges, inside, (address, size) => {
    if (address <= end) {
      const grown = Math.max(address + size, end);
      joined[joined.length - 1] = joined.at(-1)! + grown - end;
      end = grown;
    } else {
      joined.push(address, size);
      end = address + size;
    }
  });
  return joined;
}
