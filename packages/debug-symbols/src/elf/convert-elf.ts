// Converts ELF programs and libraries, with their debug information in the same file or next to it.
import { basename } from 'node:path';
import { readExidx } from '../arm-exidx/arm-exidx.ts';
import { addCallFrames, addFunctions, addPublicSymbols, onlyMissingFrames } from '../convert-dwarf.ts';
import { DwarfFile } from '../dwarf/dwarf-file.ts';
import type { CodeMap, SplitSearch } from '../dwarf-parts.ts';
import { DebugSymbolsError } from '../error.ts';
import { debugIdOf, hexOf, type ModuleIdentity } from '../identity.ts';
import type { SymbolWriter } from '../symbols/symbol-writer.ts';
import { Errand } from '../threads/errand.ts';
import type { Steps } from '../threads/work.ts';
import { type Elf, SECTION } from './elf.ts';
import { readMiniDebugInfo } from './mini-debug-info.ts';
import { readFunctionSymbols } from './symbols.ts';

export type ElfInput = {
  /** The program or library, or only its debug file. */
  readonly main: Elf;
  /** The path of `main`. */
  readonly path: string;
  /** Its debug file. */
  readonly debug: Elf | undefined;
  /** What dwz moved out of it. */
  readonly supplementary: Elf | undefined;
  readonly split: SplitSearch;
};

/** Sends everything to the writer, and returns the identity. Throws `mismatch` if the files have different build ids. */
export function* convertElf(input: ElfInput, writer: SymbolWriter): Steps<ModuleIdentity> {
  const { main, debug } = input;
  requireSameBuild(main, debug);
  // With a debug file, the small one in the program adds nothing.
  const mini = debug === undefined ? readMiniDebugInfo(main) : undefined;
  const files = [main, debug, mini].filter((elf) => elf !== undefined);
  const map: CodeMap = {
    base: main.loadAddress,
    code: files.flatMap((elf) => elf.executableRanges()),
    cleansPaths: true,
    symbols: (['symbols', 'dynamicSymbols'] as const).flatMap((type) =>
      files.map((elf) => readFunctionSymbols(elf, type)),
    ),
  };
  const frames = new Errand(() => {
    for (const elf of files) addCallFrames(framesOf(elf), map, writer);
  });
  const withDwarf = files.find((elf) => elf.contents('.debug_info') !== undefined);
  if (withDwarf !== undefined) {
    const dwarf = dwarfOf(withDwarf);
    if (input.supplementary !== undefined) dwarf.supplementary = dwarfOf(input.supplementary);
    yield* addFunctions({ dwarf, map, split: input.split }, writer, frames.start);
  }
  addPublicSymbols(map, writer);
  frames.finish();
  if (main.cpu === 'arm') addExidx(main, map.base, writer);
  return identityOf(input);
}

function dwarfOf(elf: Elf): DwarfFile {
  return new DwarfFile((name) => elf.contents(`.debug_${name}`), elf.littleEndian);
}

function requireSameBuild(main: Elf, debug: Elf | undefined): void {
  const [one, other] = [main.buildId(), debug?.buildId()];
  if (one === undefined || other === undefined || hexOf(one) === hexOf(other)) return;
  throw new DebugSymbolsError('mismatch', `the build ids differ: ${hexOf(one)} and ${hexOf(other)}`);
}

/** Programs without DWARF frames have the tables of the ARM exception handling. */
function addExidx(main: Elf, base: number, writer: SymbolWriter): void {
  const exidx = main.section('.ARM.exidx');
  if (exidx === undefined) return;
  const parts = main.sections
    .filter(({ type, size }) => type !== SECTION.empty && size > 0)
    .map((section) => ({ ...section, contents: main.part(section) }));
  const readMemory = (address: number, length: number) => {
    const at = address + base;
    const found = parts.find((part) => at >= part.address && at + length <= part.address + part.size);
    return found?.contents.read(at - found.address, length);
  };
  const code = main.executableRanges().map(([start, end]) => ({ address: start - base, size: end - start }));
  readExidx(main.part(exidx), exidx.address - base, readMemory, code, onlyMissingFrames(writer));
}

function framesOf(elf: Elf) {
  const ehFrame = elf.contents('.eh_frame');
  const debugFrame = elf.contents('.debug_frame');
  const { cpu, is64, littleEndian } = elf;
  return {
    ...{ cpu, is64, littleEndian, isMacOs: false },
    ehFrame: ehFrame && { source: ehFrame, address: elf.section('.eh_frame')?.address ?? 0 },
    debugFrame: debugFrame && { source: debugFrame },
  };
}

function identityOf({ main, debug, path }: ElfInput): ModuleIdentity {
  const id = main.buildId() ?? debug?.buildId();
  return {
    os: 'Linux',
    cpu: main.cpu,
    debugId: debugIdOf(id ?? hashOfText(main)),
    codeId: id && hexOf(id),
    name: main.soname() ?? basename(path),
  };
}

const PAGE = 4096;

/**
 * Takes the place of a build id: the first page of the code, folded into 16 bytes by exclusive or, as Breakpad's client does
 * in the game.
 */
function hashOfText(elf: Elf): Uint8Array {
  const section = elf.section('.text');
  const hash = new Uint8Array(16);
  if (section === undefined) return hash;
  const bytes = elf.contentsOf(section).read(0, Math.min(section.size, PAGE));
  for (const [index, byte] of bytes.entries()) hash[index % 16] = hash[index % 16]! ^ byte;
  return hash;
}
