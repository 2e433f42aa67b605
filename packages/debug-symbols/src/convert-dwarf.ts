// What ELF, Mach-O and PE files with DWARF have in common: functions, symbols and call frames go to the writer.
import type { ByteSource } from './byte-source.ts';
import { demangle, withoutPart } from './demangle.ts';
import { readCallFrames } from './dwarf/call-frames.ts';
import type { DwarfFile } from './dwarf/dwarf-file.ts';
import { FunctionNames } from './dwarf/names.ts';
import { readDwarf, type SplitFinder } from './dwarf/read-dwarf.ts';
import { registerNames } from './dwarf/registers.ts';
import type { SymbolSink } from './symbol-sink.ts';
import type { SymbolTable } from './symbol-table.ts';
import type { SymbolWriter } from './symbols/symbol-writer.ts';

/** Functions of the files together. Addresses are as in the files. */
export type CodeMap = {
  /** What is subtracted from addresses. */
  readonly base: number;
  readonly isCode: (address: number) => boolean;
  readonly formatPath: (path: string) => string;
  /** The best table first. */
  readonly symbols: readonly SymbolTable[];
};

export type FrameFile = {
  readonly cpu: string;
  readonly is64: boolean;
  readonly littleEndian: boolean;
  readonly isMacOs: boolean;
  /** The contents and the address of .eh_frame and .debug_frame. */
  readonly ehFrame: { readonly source: ByteSource; readonly address: number } | undefined;
  readonly debugFrame: { readonly source: ByteSource } | undefined;
};

/** Sends functions with lines and inlined calls. */
export function addFunctions(dwarf: DwarfFile, map: CodeMap, writer: SymbolWriter, findSplit: SplitFinder): void {
  const { base, isCode, symbols, formatPath } = map;
  const symbolAt = (address: number): string | undefined => {
    for (const table of symbols) {
      const name = table.nameAt(address);
      if (name !== undefined) return demangle(withoutPart(name));
    }
    return undefined;
  };
  const module = { names: new FunctionNames(demangle), sink: writer, base, isCode, formatPath, symbolAt };
  readDwarf(dwarf, module, findSplit);
}

/** Sends the functions that have no debug information. Call it after all others. */
export function addPublicSymbols({ base, isCode, symbols }: CodeMap, writer: SymbolWriter): void {
  const isFunction = writer.functionTest();
  for (const table of symbols)
    table.each((address, name) => {
      if (!isCode(address) || isFunction(address - base)) return;
      writer.publicSymbol({ address: address - base, parameterSize: 0, name: demangle(name()) });
    });
}

/** Passes on the rules of functions that have none yet, for sources that are less exact than what came before. */
export function onlyMissingFrames(writer: SymbolWriter): Pick<SymbolSink, 'callFrames'> {
  const hasFrame = writer.frameTest();
  return { callFrames: (record) => void (hasFrame(record.address) || writer.callFrames(record)) };
}

export function addCallFrames(file: FrameFile, { base, isCode }: CodeMap, writer: SymbolWriter): void {
  const family = cpuFamily(file.cpu);
  const registers = registerNames(family, file.isMacOs);
  if (registers === undefined) return;
  const module = {
    ...{ sink: writer, base, isCode, registers },
    littleEndian: file.littleEndian,
    addressSize: file.is64 ? 8 : 4,
    linkRegister: LINK_REGISTERS[family],
  };
  if (file.ehFrame !== undefined) readCallFrames({ ...file.ehFrame, isEhFrame: true }, module);
  // The numbers of .debug_frame are the standard ones on macOS as well.
  const standard = { ...module, registers: registerNames(family)! };
  if (file.debugFrame !== undefined) readCallFrames({ ...file.debugFrame, address: 0, isEhFrame: false }, standard);
}

const LINK_REGISTERS: Readonly<Record<string, number>> = { arm: 14, arm64: 30 };

function cpuFamily(cpu: string): string {
  if (cpu.startsWith('arm64')) return 'arm64';
  if (cpu.startsWith('arm')) return 'arm';
  return cpu === 'x86_64h' ? 'x86_64' : cpu;
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
