// The units of a file with DWARF, as work for one or several threads.
import { type ByteSource, openShared, type SharedSource } from './byte-source.ts';
import { demangle, withoutPart } from './demangle.ts';
import { DwarfFile, type DwarfSection, SECTIONS } from './dwarf/dwarf-file.ts';
import { FunctionNames } from './dwarf/names.ts';
import { readUnits, type SplitFinder } from './dwarf/read-dwarf.ts';
import { OpenFiles } from './open-files.ts';
import { cleanPath } from './paths.ts';
import { type SplitPlaces, splitFinder } from './split-finder.ts';
import { type SharedTable, SymbolTable } from './symbol-table.ts';
import { type FunctionSink, RecordPacker } from './symbols/record-packer.ts';
import type { SymbolWriter } from './symbols/symbol-writer.ts';
import type { Parts, Work } from './threads/work.ts';

/** Where the code of a module is, and what its symbol tables have. Addresses are as in the file. */
export type CodeMap = {
  /** What is subtracted from addresses. */
  readonly base: number;
  /** Where code is; see rangeTest. */
  readonly code: readonly (readonly [start: number, end: number])[];
  /** Whether `.` and `..` are removed from the paths of source files. */
  readonly cleansPaths: boolean;
  /** The best table first. */
  readonly symbols: readonly SymbolTable[];
};

/** Where split units are looked for, with what the finder has opened. */
export type SplitSearch = { readonly places: SplitPlaces; readonly find: SplitFinder };

export type DwarfInput = { readonly dwarf: DwarfFile; readonly map: CodeMap; readonly split: SplitSearch | undefined };

type SharedDwarf = {
  readonly sections: ReadonlyMap<DwarfSection, SharedSource>;
  readonly littleEndian: boolean;
  readonly supplementary: SharedDwarf | undefined;
};

export type SharedDwarfParts = {
  readonly kind: 'dwarf';
  readonly dwarf: SharedDwarf;
  readonly map: Omit<CodeMap, 'symbols'> & { readonly symbols: readonly SharedTable[] };
  readonly places: SplitPlaces | undefined;
};

class DwarfParts implements Parts {
  readonly #input: DwarfInput;

  constructor(input: DwarfInput) {
    this.#input = input;
  }

  /** Names that were read before are forgotten first, because damaged references lead elsewhere from another side. */
  read(start: number, end: number, sink: FunctionSink): void {
    const { dwarf, map, split } = this.#input;
    const { base, symbols, cleansPaths } = map;
    const module = {
      ...{ names: new FunctionNames(demangle), sink, base, isCode: rangeTest(map.code) },
      formatPath: cleansPaths ? cleanPath : (path: string) => path,
      symbolAt: (address: number) => nameIn(symbols, address),
    };
    readUnits(dwarf, { start, end }, module, split?.find ?? (() => undefined));
  }

  pack(start: number, end: number) {
    const packer = new RecordPacker();
    this.read(start, end, packer);
    return { functions: packer.finish() };
  }
}

function nameIn(tables: readonly SymbolTable[], address: number): string | undefined {
  for (const table of tables) {
    const name = table.nameAt(address);
    if (name !== undefined) return demangle(withoutPart(name));
  }
  return undefined;
}

export function dwarfWork(input: DwarfInput, writer: SymbolWriter, meanwhile: (() => void) | undefined): Work {
  const parts = new DwarfParts(input);
  return {
    sizes: input.dwarf.units.map(({ offset, end }) => end - offset),
    run: (start, end) => parts.read(start, end, writer),
    pack: (start, end) => parts.pack(start, end),
    add: ({ functions }) => writer.packedFunctions(functions),
    share: () => shareParts(input),
    ...(meanwhile !== undefined && { meanwhile }),
  };
}

function shareParts({ dwarf, map, split }: DwarfInput): SharedDwarfParts | undefined {
  const shared = shareDwarf(dwarf);
  const symbols = map.symbols.map((table) => table.share());
  if (shared === undefined || symbols.includes(undefined)) return undefined;
  return {
    ...{ kind: 'dwarf', dwarf: shared, map: { ...map, symbols: symbols.filter((table) => table !== undefined) } },
    places: split?.places,
  };
}

function shareDwarf(dwarf: DwarfFile): SharedDwarf | undefined {
  const sections = new Map<DwarfSection, SharedSource>();
  for (const name of SECTIONS) {
    const source = dwarf.source(name);
    const shared = source?.share?.();
    if (source !== undefined && shared === undefined) return undefined;
    if (shared !== undefined) sections.set(name, shared);
  }
  const supplementary = dwarf.supplementary && shareDwarf(dwarf.supplementary);
  if (dwarf.supplementary !== undefined && supplementary === undefined) return undefined;
  return { sections, littleEndian: dwarf.littleEndian, supplementary };
}

/** Files that are opened here stay open until the thread ends. */
export function openDwarfParts({ dwarf, map, places }: SharedDwarfParts): Parts {
  return new DwarfParts({
    dwarf: openDwarf(dwarf),
    map: { ...map, symbols: map.symbols.map((table) => SymbolTable.openShared(table)) },
    split: places && { places, find: splitFinder(places, new OpenFiles()) },
  });
}

function openDwarf({ sections, littleEndian, supplementary }: SharedDwarf): DwarfFile {
  const sources = new Map<DwarfSection, ByteSource>();
  for (const [name, shared] of sections) sources.set(name, openShared(shared));
  const file = new DwarfFile((name) => sources.get(name), littleEndian);
  file.supplementary = supplementary && openDwarf(supplementary);
  return file;
}

/** Tests addresses against ranges. In a file without sections, code can be anywhere but at 0. */
export function rangeTest(ranges: readonly (readonly [start: number, end: number])[]): (address: number) => boolean {
  if (ranges.length === 0) return (address) => address > 0;
  const joined: [start: number, end: number][] = [];
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else joined.push([start, end]);
  }
  if (joined.length === 1) {
    const [start, end] = joined[0]!;
    return (address) => address >= start && address < end;
  }
  return (address) => {
    for (const [start, end] of joined) if (address >= start && address < end) return true;
    return false;
  };
}
