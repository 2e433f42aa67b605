// Names the functions of a PE file whose PDB is missing, as far as the file itself has names.

import type { SymbolSink } from '../symbol-sink.ts';
import { readArm64FunctionRanges } from '../windows-unwind/arm64-table.ts';
import { readFunctionEntries } from '../windows-unwind/x64-table.ts';
import { readCodeView } from './code-view.ts';
import { readCoffSymbols } from './coff-symbols.ts';
import { readExports } from './exports.ts';
import type { Pe } from './pe.ts';

/**
 * Writes functions and public symbols of a PE file without its PDB. `name` is that of the PE file. Functions come from
 * the unwind tables, which have all but the simplest functions of x86_64 and arm64; names come from exports and from the
 * COFF symbols of MinGW. Functions without a name are called `<unknown in NAME>`, so that their code is not taken for that
 * of the last function before them that has one. Throws a DebugSymbolsError if a table is damaged.
 */
export function readPe(pe: Pe, name: string, sink: SymbolSink, demangle: (name: string) => string): void {
  const names = new Map<number, string>();
  addExports(pe, names);
  // Exports are only a part of the functions, so nothing is known about what follows one. COFF symbols are all functions.
  const sizeOfLast = addCoffSymbols(pe, names) ? (address: number) => sizeOfRest(pe, address) : () => 1;
  let end = 0;
  let previous = -1;
  for (const { address, size } of readFunctionRanges(pe)) {
    if (address === previous) continue;
    const symbol = names.get(address);
    names.delete(address);
    sink.function({
      address,
      size,
      name: symbol === undefined ? `<unknown in ${name}>` : demangle(symbol),
      parameterSize: 0,
      lines: [],
      inlines: [],
    });
    previous = address;
    end = Math.max(end, address + size);
  }
  for (const [address, symbol] of [...names].sort(([a], [b]) => a - b)) {
    const { name: plain, parameterSize } = pe.cpu === 'x86' ? undecorate(symbol) : { name: symbol, parameterSize: 0 };
    sink.publicSymbol({ address, name: demangle(plain), parameterSize });
    end = Math.max(end, address + sizeOfLast(address));
  }
  // Without it, the last symbol would seem to go on to the end of the address space.
  if (end > 0) sink.publicSymbol({ address: end, name: describeUnknown(pe, name), parameterSize: 0 });
}

function* readFunctionRanges(pe: Pe): Generator<{ address: number; size: number }> {
  if (pe.cpu === 'x86_64') yield* readFunctionEntries(pe);
  else if (pe.cpu === 'arm64') yield* readArm64FunctionRanges(pe);
}

function addExports(pe: Pe, names: Map<number, string>): void {
  for (const { address, name } of readExports(pe)) {
    // Exported variables would only get in the way.
    if (pe.sectionAt(address)?.isExecutable && !names.has(address)) names.set(address, name);
  }
}

/** Adds names at addresses that have none yet. Returns whether there are COFF symbols. */
function addCoffSymbols(pe: Pe, names: Map<number, string>): boolean {
  let hasSymbols = false;
  for (const { address, name, isFunction } of readCoffSymbols(pe)) {
    if (!isFunction) continue;
    hasSymbols = true;
    if (!names.has(address)) names.set(address, pe.cpu === 'x86' ? withoutUnderscore(name) : name);
  }
  return hasSymbols;
}

/** 32-bit C names begin with an underscore. It belongs to the decoration of functions that remove their parameters. */
function withoutUnderscore(name: string): string {
  return DECORATED.test(name) ? name : name.replace(/^_/, '');
}

/** Returns how many bytes the section has from an address on. */
function sizeOfRest(pe: Pe, address: number): number {
  const section = pe.sectionAt(address);
  return section === undefined ? 1 : section.address + section.size - address;
}

/** 32-bit C functions that remove their parameters, such as `_send@16`, have the number of bytes in their name. */
const DECORATED = /^[_@]?([^?@]+)@(\d{1,4})$/;

function undecorate(symbol: string): { name: string; parameterSize: number } {
  const [, name = symbol, size = '0'] = DECORATED.exec(symbol) ?? [];
  return { name, parameterSize: Number(size) };
}

function describeUnknown(pe: Pe, name: string): string {
  const module = readCodeView(pe)?.name ?? name;
  return module === '' ? '<unknown>' : `<unknown in ${module}>`;
}
