// Converts Mach-O programs and libraries together with their dSYM.
import { basename } from 'node:path';
import { readCompactUnwind } from '../compact-unwind/compact-unwind.ts';
import { addCallFrames, addFunctions, addPublicSymbols, onlyMissingFrames } from '../convert-dwarf.ts';
import { DwarfFile } from '../dwarf/dwarf-file.ts';
import type { CodeMap } from '../dwarf-parts.ts';
import { DebugSymbolsError } from '../error.ts';
import { hexOf, type ModuleIdentity } from '../identity.ts';
import type { SymbolWriter } from '../symbols/symbol-writer.ts';
import { Errand } from '../threads/errand.ts';
import type { Steps } from '../threads/work.ts';
import type { Macho } from './macho.ts';

export type MachoInput = {
  /** The program, or only the file in its dSYM. */
  readonly main: Macho;
  /** The path of `main`. */
  readonly path: string;
  readonly dsym: Macho | undefined;
};

/** Sends everything to the writer, and returns the identity. Throws `mismatch` if the files have different UUIDs. */
export function* convertMacho({ main, path, dsym }: MachoInput, writer: SymbolWriter): Steps<ModuleIdentity> {
  requireSameBuild(main, dsym);
  const files = dsym === undefined ? [main] : [main, dsym];
  const map: CodeMap = {
    base: main.loadAddress,
    code: files.flatMap((file) => file.executableRanges()),
    // Paths stay as Xcode wrote them, as in symbol files of other tools for macOS.
    cleansPaths: false,
    symbols: files.map((file) => file.functionSymbols()),
  };
  const frames = new Errand(() => {
    for (const file of files) addCallFrames(framesOf(file), map, writer);
  });
  const withDwarf = files.findLast((file) => file.contents('__debug_info') !== undefined);
  if (withDwarf !== undefined) {
    const dwarf = new DwarfFile((name) => withDwarf.contents(`__debug_${name}`), true);
    yield* addFunctions({ dwarf, map, split: undefined }, writer, frames.start);
  }
  addPublicSymbols(map, writer);
  frames.finish();
  addCompactUnwind(main, map.base, writer);
  const id = hexOf(main.uuid ?? dsym?.uuid ?? new Uint8Array(16));
  return {
    os: 'Mac',
    cpu: main.cpu,
    debugId: `${id}0`,
    codeId: main.uuid && id,
    name: basename(main.installName ?? path),
  };
}

function requireSameBuild(main: Macho, dsym: Macho | undefined): void {
  if (main.uuid === undefined || dsym?.uuid === undefined || hexOf(main.uuid) === hexOf(dsym.uuid)) return;
  throw new DebugSymbolsError('mismatch', `the UUIDs differ: ${hexOf(main.uuid)} and ${hexOf(dsym.uuid)}`);
}

/** The rules of DWARF are more exact, because they describe prologues as well. */
function addCompactUnwind(main: Macho, base: number, writer: SymbolWriter): void {
  const table = main.contents('__unwind_info');
  if (table === undefined) return;
  const text = main.section('__text');
  const code = main.contents('__text');
  const readCode = (address: number, length: number) => {
    const at = address + base - (text?.address ?? 0);
    return code === undefined || at < 0 || at + length > code.size ? undefined : code.read(at, length);
  };
  readCompactUnwind(table, main.cpu, { readCode }, onlyMissingFrames(writer));
}

function framesOf(file: Macho) {
  const ehFrame = file.contents('__eh_frame');
  const debugFrame = file.contents('__debug_frame');
  return {
    ...{ cpu: file.cpu, is64: file.is64, littleEndian: true, isMacOs: true },
    ehFrame: ehFrame && { source: ehFrame, address: file.section('__eh_frame')?.address ?? 0 },
    debugFrame: debugFrame && { source: debugFrame },
  };
}
