// Converts WebAssembly modules with DWARF in them, or in a file next to them. Addresses are offsets in the file, as in
// the stacks of browsers: `wasm-function[3]:0x1a2b`.
import { basename } from 'node:path';
import { addFunctions, addPublicSymbols } from '../convert-dwarf.ts';
import { DwarfFile } from '../dwarf/dwarf-file.ts';
import type { CodeMap } from '../dwarf-parts.ts';
import { DebugSymbolsError } from '../error.ts';
import { debugIdOf, hexOf, type ModuleIdentity } from '../identity.ts';
import { SymbolTable } from '../symbol-table.ts';
import type { SymbolWriter } from '../symbols/symbol-writer.ts';
import type { Steps } from '../threads/work.ts';
import type { Wasm } from './wasm.ts';

export type WasmInput = {
  /** The module as players have it, or only its debug file. */
  readonly main: Wasm;
  /** The path of `main`. */
  readonly path: string;
  /** The file with its debug information, which has the same code. */
  readonly debug: Wasm | undefined;
};

/** Sends everything to the writer, and returns the identity. Throws `mismatch` if the files have different code. */
export function* convertWasm({ main, path, debug }: WasmInput, writer: SymbolWriter): Steps<ModuleIdentity> {
  if (debug !== undefined && !isSameBuild(main, debug))
    throw new DebugSymbolsError('mismatch', 'the two files have different code');
  const { code } = main;
  if (code === undefined) throw new DebugSymbolsError('unsupported', 'the WebAssembly module has no code');
  const files = debug === undefined ? [main] : [main, debug];
  const map: CodeMap = {
    base: -code.offset,
    // What the linker has removed has the address 0.
    code: [[1, code.size]],
    cleansPaths: true,
    symbols: files.map((file) => SymbolTable.of(file.functions())),
  };
  const withDwarf = files.find((file) => file.custom('.debug_info') !== undefined);
  if (withDwarf !== undefined) {
    const dwarf = new DwarfFile((name) => withDwarf.custom(`.debug_${name}`), true);
    yield* addFunctions({ dwarf, map, split: undefined }, writer);
  }
  addPublicSymbols(map, writer);
  const id = main.buildId() ?? debug?.buildId();
  return {
    os: 'Web',
    cpu: 'wasm32',
    debugId: debugIdOf(id ?? main.hashOfCode()),
    codeId: id && hexOf(id),
    name: basename(path),
  };
}

export function isSameBuild(main: Wasm, debug: Wasm): boolean {
  return Buffer.compare(main.hashOfCode(), debug.hashOfCode()) === 0;
}
