// What ELF, Mach-O and PE files with DWARF have in common: functions, symbols and call frames go to the writer.
import type { ByteSource } from './byte-source.ts';
import { demangle } from './demangle.ts';
import { readCallFrames } from './dwarf/call-frames.ts';
import { registerNames } from './dwarf/registers.ts';
import { type CodeMap, type DwarfInput, dwarfWork, rangeTest } from './dwarf-parts.ts';
import type { SymbolSink } from './symbol-sink.ts';
import type { SymbolWriter } from './symbols/symbol-writer.ts';
import type { Steps } from './threads/work.ts';

export type FrameFile = {
  readonly cpu: string;
  readonly is64: boolean;
  readonly littleEndian: boolean;
  readonly isMacOs: boolean;
  /** The contents and the address of .eh_frame and .debug_frame. */
  readonly ehFrame: { readonly source: ByteSource; readonly address: number } | undefined;
  readonly debugFrame: { readonly source: ByteSource } | undefined;
};

/** Sends functions with lines and inlined calls. `meanwhile` is done if other threads do the work. */
export function* addFunctions(input: DwarfInput, writer: SymbolWriter, meanwhile?: () => void): Steps<void> {
  yield dwarfWork(input, writer, meanwhile);
}

/** Sends the functions that have no debug information. Call it after all others. */
export function addPublicSymbols({ base, code, symbols }: CodeMap, writer: SymbolWriter): void {
  const isCode = rangeTest(code);
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

export function addCallFrames(file: FrameFile, { base, code }: CodeMap, writer: SymbolWriter): void {
  const isCode = rangeTest(code);
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
