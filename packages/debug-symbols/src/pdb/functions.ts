// Turns the functions of a module into records with their lines and inlined calls.
import type { FunctionRecord, InlineRecord, LineRecord, SymbolSink } from '../symbol-sink.ts';
import type { AddressMap, Piece } from './address-map.ts';
import { AddressSet } from './address-set.ts';
import { CoveredRanges } from './covered-ranges.ts';
import { findInnermostLines, type LineLayer } from './function-lines.ts';
import { InlineeLines, type LineRange, readAnnotations } from './inlinees.ts';
import { ModuleLines } from './lines.ts';
import type { ModuleStream } from './module-stream.ts';
import { type CodeRange, type InlineSite, type Procedure, readProcedures } from './procedures.ts';
import { SourceFiles } from './source-files.ts';
import type { StringTable } from './string-table.ts';

/** Names functions by what the symbols of one module say about them. */
export interface ProcedureNames {
  procedure(procedure: Procedure): string;
  /** The name of an inlined function by the number of its record. */
  inlinee(id: number): string;
}

/** An inlined call and where its code is, in linked addresses. */
interface InlinedCall {
  readonly site: InlineSite;
  readonly ranges: readonly LineRange[];
  readonly callLine: number;
  /** By the offset of its checksum; -1 if it is unknown. */
  readonly callFile: number;
}

/** Writes the functions of modules to a sink. When functions share an address, the first one is written. */
export class FunctionWriter {
  readonly #addresses: AddressMap;
  readonly #strings: StringTable;
  readonly #sink: SymbolSink;
  readonly #starts = new AddressSet();
  /** The code of the functions that were written, in the image. */
  readonly covered = new CoveredRanges();
  readonly #thunks: { code: CodeRange; name: string }[] = [];

  constructor(addresses: AddressMap, strings: StringTable, sink: SymbolSink) {
    this.#addresses = addresses;
    this.#strings = strings;
    this.#sink = sink;
  }

  writeModule({ symbols, subsections }: ModuleStream, names: ProcedureNames): void {
    const files = new SourceFiles(subsections, this.#strings, this.#sink);
    const lines = new ModuleLines(subsections, this.#addresses);
    const inlinees = new InlineeLines(subsections);
    readProcedures(symbols, (procedure) => {
      if (procedure.thunk) {
        this.#thunks.push({ code: procedure.code, name: procedure.name });
        return;
      }
      const pieces = this.#findPieces([procedure.code, ...procedure.separated]);
      if (pieces.length === 0) return;
      const name = names.procedure(procedure);
      const layers = [{ depth: 0, ranges: collectLines(lines, procedure, this.#addresses) }];
      const calls = readCalls(procedure, layers, inlinees, this.#addresses);
      const innermost = findInnermostLines(layers);
      for (const piece of pieces) {
        this.#sink.function(this.#toRecord(piece, name, innermost, calls, names, files));
      }
    });
  }

  /**
   * Writes the thunks at whose address there is neither a function nor a public symbol. Most have a public symbol, which
   * has the size of their parameters as well.
   */
  writeThunks(hasPublic: (address: number) => boolean): void {
    for (const { code, name } of this.#thunks) {
      for (const { address, size } of this.#findPieces([code])) {
        if (hasPublic(address)) continue;
        this.#sink.function({ address, size, name, parameterSize: 0, lines: [], inlines: [] });
      }
    }
  }

  /** Where code is in the image, without what belongs to a function already written. */
  #findPieces(ranges: readonly CodeRange[]): Piece[] {
    const pieces: Piece[] = [];
    for (const { section, offset, size } of ranges) {
      const linked = this.#addresses.linkedAddress(section, offset);
      if (linked < 0 || size === 0 || linked + size > 0xffffffff) continue;
      for (const piece of this.#addresses.pieces(linked, size)) {
        if (!this.#starts.add(piece.address)) continue;
        this.covered.add(piece.address, piece.size);
        pieces.push(piece);
      }
    }
    return pieces;
  }

  #toRecord(
    piece: Piece,
    name: string,
    innermost: readonly LineRange[],
    calls: readonly InlinedCall[],
    names: ProcedureNames,
    files: SourceFiles,
  ): FunctionRecord {
    const lines: LineRecord[] = [];
    visitInside(innermost, piece, (address, size, { line, file }) => {
      lines.push({ address, size, line, file: files.number(file) });
    });
    const inlines: InlineRecord[] = [];
    for (const { site, ranges, callLine, callFile } of calls) {
      const inside = collectRanges(ranges, piece);
      if (inside.length === 0) continue;
      const origin = this.#sink.origin(names.inlinee(site.inlinee));
      inlines.push({ depth: site.depth, callLine, callFile: files.number(callFile), origin, ranges: inside });
    }
    return { address: piece.address, size: piece.size, name, parameterSize: 0, lines, inlines };
  }
}

function collectLines(lines: ModuleLines, { code, separated }: Procedure, addresses: AddressMap): LineRange[] {
  const ranges: LineRange[] = [];
  for (const { section, offset, size } of [code, ...separated]) {
    const linked = addresses.linkedAddress(section, offset);
    if (linked < 0) continue;
    lines.visit(linked, linked + size, (start, end, line, file) => ranges.push({ start, end, line, file }));
  }
  return separated.length > 0 ? ranges.sort((a, b) => a.start - b.start) : ranges;
}

/** Reads the inlined calls of a function, and adds their lines to its layers. */
function readCalls(
  procedure: Procedure,
  layers: LineLayer[],
  inlinees: InlineeLines,
  addresses: AddressMap,
): InlinedCall[] {
  const { code, separated, sites } = procedure;
  if (sites.length === 0) return [];
  const chunks = [code, ...separated].map(({ section, offset }) => addresses.linkedAddress(section, offset));
  const calls: InlinedCall[] = [];
  for (const site of sites) {
    const first = inlinees.find(site.inlinee);
    const known = first ?? { line: 0, file: -1 };
    const ranges = readAnnotations(site.annotations, chunks, known, chunks[0]! + code.size);
    ranges.sort((a, b) => a.start - b.start);
    const callerRanges = site.parent < 0 ? layers[0]!.ranges : calls[site.parent]!.ranges;
    const call = ranges.length === 0 ? undefined : findLine(callerRanges, ranges[0]!.start);
    calls.push({ site, ranges, callLine: call?.line ?? 0, callFile: call?.file ?? -1 });
    if (first !== undefined && ranges.length > 0) layers.push({ depth: site.depth + 1, ranges });
  }
  return calls;
}

/** The line at an address, or the last one before it. */
function findLine(ranges: readonly LineRange[], address: number): LineRange | undefined {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[middle]!.start <= address) low = middle + 1;
    else high = middle;
  }
  return ranges[Math.max(low - 1, 0)];
}

/** Visits the ranges that overlap a piece, with their addresses in the image. */
function visitInside(
  ranges: readonly LineRange[],
  { linked, address, size }: Piece,
  visit: (address: number, size: number, range: LineRange) => void,
): void {
  for (const range of ranges) {
    const start = Math.max(range.start, linked);
    const end = Math.min(range.end, linked + size);
    if (end > start) visit(address + (start - linked), end - start, range);
  }
}

/** Joins neighbouring ranges, whatever their lines are. */
function collectRanges(ranges: readonly LineRange[], piece: Piece): number[] {
  const joined: number[] = [];
  let end = -1;
  visitInside(ranges, piece, (address, size) => {
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
