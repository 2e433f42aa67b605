// Converts a file to a Breakpad symbol file, together with the files that belong to it: a second one that is given, and
// what is found next to them.

import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ByteSource } from './byte-source.ts';
import type { SplitSearch } from './dwarf-parts.ts';
import { convertElf } from './elf/convert-elf.ts';
import { readDebugLink, readSupplementaryLink } from './elf/debug-link.ts';
import { Elf } from './elf/elf.ts';
import { DebugSymbolsError } from './error.ts';
import { detectFormat, type FileFormat } from './file-format.ts';
import type { ModuleIdentity } from './identity.ts';
import { convertMacho } from './macho/convert-macho.ts';
import { type Macho, readSlices } from './macho/macho.ts';
import { OpenFiles } from './open-files.ts';
import { lastPart } from './paths.ts';
import { openPdb, type Pdb } from './pdb/pdb.ts';
import { readCodeView } from './pe/code-view.ts';
import { convertWindows } from './pe/convert-pe.ts';
import { isDebugFileOf as isDebugFileOfPe, readDebugLink as readPeDebugLink } from './pe/debug-link.ts';
import { openPe, type Pe } from './pe/pe.ts';
import { splitFinder } from './split-finder.ts';
import { SymbolWriter } from './symbols/symbol-writer.ts';
import { Scratch, ScratchFullError } from './temporary-file.ts';
import { runSteps, type SpreadOptions, spreadSteps } from './threads/run-steps.ts';
import type { Steps } from './threads/work.ts';
import { convertWasm, isSameBuild } from './wasm/convert-wasm.ts';
import { Wasm } from './wasm/wasm.ts';

export type Conversion = {
  readonly identity: ModuleIdentity;
  readonly writer: SymbolWriter;
  /** The path of the file with the debug information, if it isn't the first one. */
  readonly counterpart: string | undefined;
};

export type ConversionOptions = {
  /** The debug file of a program, or the program of a debug file. */
  readonly counterpart?: string;
  /** The CPU to take from a universal binary; the first by default. */
  readonly cpu?: string;
  /** Whether files next to the first one are looked for; true by default. */
  readonly findsCounterparts?: boolean;
  /** The file into which dwz has moved what several debug files share; by default, it is looked for. */
  readonly supplementary?: string;
  /** `.dwp` and `.dwo` files anywhere, which are searched for split units before those next to the first file. */
  readonly splitFiles?: readonly string[];
  /** Where temporary files of large conversions are; by default, in the folder of the system for them. */
  readonly temporaryFolder?: string;
  /** What they may have together; by default, 16 GiB. */
  readonly maxTemporaryBytes?: number;
};

type Input = { readonly path: string; readonly source: ByteSource; readonly format: FileFormat };

/**
 * Throws a DebugSymbolsError for an invalid file and for files that don't belong together, and the error of the system
 * for one that can't be read.
 */
export function convertFile(path: string, options: ConversionOptions = {}): Conversion {
  const files = openFilesFor(options);
  try {
    const { steps, finish } = startConversion(path, options, files);
    return finish(runSteps(steps));
  } catch (error) {
    throw abandon(files, error);
  } finally {
    files.close();
  }
}

/** Does the same in several threads, if the file is large. */
export async function convertFileInThreads(
  path: string,
  options: ConversionOptions & SpreadOptions,
): Promise<Conversion> {
  const files = openFilesFor(options);
  try {
    const { steps, finish } = startConversion(path, options, files);
    return finish(await spreadSteps(steps, options));
  } catch (error) {
    throw abandon(files, error);
  } finally {
    files.close();
  }
}

function openFilesFor({ temporaryFolder, maxTemporaryBytes }: ConversionOptions): OpenFiles {
  return new OpenFiles(new Scratch(temporaryFolder, maxTemporaryBytes));
}

/** Removes the temporary files, and returns the error for the caller. */
function abandon({ scratch }: OpenFiles, error: unknown): unknown {
  scratch.closeAll();
  if (!(error instanceof ScratchFullError)) return error;
  return new DebugSymbolsError('too-large', error.message, { cause: error });
}

/** A conversion before its first step. Its files are closed after the last one. */
export function startConversion(path: string, options: ConversionOptions, files: OpenFiles) {
  const main = openInput(path, files);
  const other = options.counterpart === undefined ? undefined : openInput(options.counterpart, files);
  const writer = new SymbolWriter(files.scratch);
  const counterpart = { path: other?.path };
  const steps = new Converter(files, options, writer).convert(main, other, counterpart);
  const finish = (identity: ModuleIdentity): Conversion => ({ identity, writer, counterpart: counterpart.path });
  return { steps, finish };
}

function openInput(path: string, files: OpenFiles): Input {
  const file = insideBundle(path);
  const source = files.open(file);
  const format = detectFormat(source);
  if (format === undefined)
    throw new DebugSymbolsError(
      'unknown-format',
      `${basename(path)} is not an ELF, Mach-O, PE, PDB or WebAssembly file`,
    );
  return { path: file, source, format };
}

/** The file in a dSYM bundle; otherwise the path as it is. */
function insideBundle(path: string): string {
  if (!statSync(path).isDirectory()) return path;
  const folder = join(path, 'Contents/Resources/DWARF');
  const [name] = listFolder(folder);
  if (name === undefined) throw new DebugSymbolsError('unknown-format', `${basename(path)} is a folder, and no dSYM`);
  return join(folder, name);
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith('.'));
  } catch {
    return [];
  }
}

class Converter {
  readonly #files: OpenFiles;
  readonly #options: ConversionOptions;
  readonly #writer: SymbolWriter;

  constructor(files: OpenFiles, options: ConversionOptions, writer: SymbolWriter) {
    this.#files = files;
    this.#options = options;
    this.#writer = writer;
  }

  convert(main: Input, other: Input | undefined, counterpart: { path: string | undefined }): Steps<ModuleIdentity> {
    switch (main.format) {
      case 'elf':
        return this.#convertElf(main, other, counterpart);
      case 'macho':
        return this.#convertMacho(main, other, counterpart);
      case 'wasm':
        return this.#convertWasm(main, other, counterpart);
      default:
        return this.#convertWindows(main, other, counterpart);
    }
  }

  #convertElf(main: Input, other: Input | undefined, counterpart: { path: string | undefined }): Steps<ModuleIdentity> {
    requireFormat(other, ['elf']);
    let elf = new Elf(main.source, this.#files.scratch);
    let debug = other === undefined ? undefined : new Elf(other.source, this.#files.scratch);
    let { path } = main;
    // The program has the code, whichever of the two is named first.
    if (debug !== undefined && !elf.hasCode() && debug.hasCode()) {
      [elf, debug, path] = [debug, elf, other!.path];
    }
    if (debug === undefined && elf.contents('.debug_info') === undefined) {
      const found = this.#findNear(path, debugFileNames(elf, path), (source) => isDebugFileOf(source, elf));
      debug = found && new Elf(found.source, this.#files.scratch);
      counterpart.path = found?.path;
    }
    const supplementary = this.#supplementaryOf(debug ?? elf, path);
    return convertElf(
      {
        ...{ main: elf, debug, path },
        supplementary,
        split: this.#splitSearch([path, other?.path ?? path], elf.littleEndian),
      },
      this.#writer,
    );
  }

  #supplementaryOf(elf: Elf, path: string): Elf | undefined {
    const given = this.#options.supplementary;
    if (given !== undefined) return new Elf(this.#files.open(given), this.#files.scratch);
    const link = readSupplementaryLink(elf);
    const found = link && this.#findNear(path, [link], (source) => detectFormat(source) === 'elf');
    return found ? new Elf(found.source, this.#files.scratch) : undefined;
  }

  #splitSearch(paths: readonly string[], littleEndian: boolean): SplitSearch {
    const { splitFiles = [], findsCounterparts = true } = this.#options;
    const places = { paths, splitFiles, findsCounterparts, littleEndian };
    return { places, find: splitFinder(places, this.#files) };
  }

  #convertMacho(
    main: Input,
    other: Input | undefined,
    counterpart: { path: string | undefined },
  ): Steps<ModuleIdentity> {
    requireFormat(other, ['macho']);
    let file = this.#sliceOf(main.source);
    let dsym = other && this.#sliceOf(other.source, file.cpu);
    let { path } = main;
    if (dsym !== undefined && file.contents('__text') === undefined && dsym.contents('__text') !== undefined) {
      [file, dsym, path] = [dsym, file, other!.path];
    }
    if (dsym === undefined && file.contents('__debug_info') === undefined) {
      const folder = join(dirname(path), `${basename(path)}.dSYM/Contents/Resources/DWARF`);
      const names = listFolder(folder).map((name) => join(folder, name));
      const found = this.#findNear(path, names, (source) => detectFormat(source) === 'macho');
      dsym = found && this.#sliceOf(found.source, file.cpu);
      counterpart.path = found?.path;
    }
    return convertMacho({ main: file, path, dsym }, this.#writer);
  }

  #sliceOf(source: ByteSource, cpu = this.#options.cpu): Macho {
    const slices = readSlices(source);
    const found = cpu === undefined ? slices[0] : slices.find((slice) => slice.cpu === cpu);
    if (found !== undefined) return found;
    const cpus = slices.map((slice) => slice.cpu).join(', ');
    throw new DebugSymbolsError('mismatch', `the file has code for ${cpus}, and not for ${cpu}`);
  }

  #convertWasm(
    main: Input,
    other: Input | undefined,
    counterpart: { path: string | undefined },
  ): Steps<ModuleIdentity> {
    requireFormat(other, ['wasm']);
    let file = new Wasm(main.source);
    let debug = other && new Wasm(other.source);
    let { path } = main;
    const hasDwarf = (wasm: Wasm) => wasm.custom('.debug_info') !== undefined;
    // Offsets are those of the module as players have it, whichever of the two is named first.
    if (debug !== undefined && hasDwarf(file) && !hasDwarf(debug)) [file, debug, path] = [debug, file, other!.path];
    if (debug === undefined && !hasDwarf(file)) {
      const isDebugFile = (source: ByteSource) =>
        detectFormat(source) === 'wasm' && isSameBuild(file, new Wasm(source));
      const found = this.#findNear(path, wasmDebugNames(file, path), isDebugFile);
      debug = found && new Wasm(found.source);
      counterpart.path = found?.path;
    }
    return convertWasm({ main: file, path, debug }, this.#writer);
  }

  #convertWindows(
    main: Input,
    other: Input | undefined,
    counterpart: { path: string | undefined },
  ): Steps<ModuleIdentity> {
    requireFormat(other, main.format === 'pe' ? ['pdb', 'pe'] : ['pe']);
    if (main.format === 'pe' && other?.format === 'pe') return this.#convertSplitPe(main, other);
    const inputs = other === undefined ? [main] : [main, other];
    let pe = inputs.find(({ format }) => format === 'pe');
    let pdb = inputs.find(({ format }) => format === 'pdb');
    const peFile = pe && openPe(pe.source);
    const pdbFile = pdb && openPdb(pdb.source);
    if (pdb === undefined)
      pdb = this.#findNearInput(pe!.path, pdbNames(peFile!, pe!.path), (source) => isPdbOf(source, peFile!));
    else if (pe === undefined)
      pe = this.#findNearInput(pdb.path, peNames(pdb.path), (source) => isPeOf(source, pdbFile!));
    const debug = pdb === undefined ? this.#debugFileOf(peFile!, pe!.path) : undefined;
    if (other === undefined) counterpart.path = main === pe ? (pdb ?? debug)?.path : pe?.path;
    return convertWindows(
      {
        debug: debug && openPe(debug.source),
        pe: pe && { file: peFile ?? openPe(pe.source), path: pe.path },
        pdb: pdb && { file: pdbFile ?? openPdb(pdb.source), path: pdb.path },
      },
      this.#writer,
    );
  }

  /** The program has the code, whichever of the two is named first. */
  #convertSplitPe(main: Input, other: Input): Steps<ModuleIdentity> {
    const files = [main, other].map(({ path, source }) => ({ file: openPe(source), path }));
    const [pe, debug] = files[0]!.file.isDebugFile() ? files.reverse() : files;
    if (!isDebugFileOfPe(debug!.file, pe!.file))
      throw new DebugSymbolsError('mismatch', 'the program and the debug file are not of the same build');
    return convertWindows({ pe, debug: debug!.file, pdb: undefined }, this.#writer);
  }

  #debugFileOf(pe: Pe, path: string): { path: string; source: ByteSource } | undefined {
    const link = pe.section('.debug_info') === undefined ? readPeDebugLink(pe) : undefined;
    if (link === undefined) return undefined;
    const fits = (source: ByteSource) => detectFormat(source) === 'pe' && isDebugFileOfPe(openPe(source), pe);
    return this.#findNear(path, [lastPart(link.name)], fits);
  }

  #findNearInput(path: string, names: readonly string[], fits: (source: ByteSource) => boolean): Input | undefined {
    const found = this.#findNear(path, names, fits);
    return found && { ...found, format: detectFormat(found.source)! };
  }

  /** The first of the files, which are named from the folder of `path`, that is there and fits. */
  #findNear(path: string, names: readonly string[], fits: (source: ByteSource) => boolean) {
    if (this.#options.findsCounterparts === false) return undefined;
    for (const name of names) {
      const candidate = name.startsWith('/') ? name : join(dirname(path), name);
      const source = this.#files.tryOpen(candidate);
      if (source === undefined) continue;
      try {
        if (fits(source)) return { path: candidate, source };
      } catch (error) {
        if (!(error instanceof DebugSymbolsError)) throw error;
      }
    }
    return undefined;
  }
}

function requireFormat(other: Input | undefined, formats: readonly FileFormat[]): void {
  if (other === undefined || formats.includes(other.format)) return;
  throw new DebugSymbolsError('mismatch', `${basename(other.path)} is of another format than its counterpart`);
}

function debugFileNames(elf: Elf, path: string): string[] {
  const name = basename(path);
  const stem = name.replace(/\.[^.]*$/, '');
  const linked = readDebugLink(elf);
  const names = [name, stem].flatMap((each) => [`${each}.debug`, `${each}.dbg`]);
  const all = new Set(linked === undefined ? names : [linked, ...names]);
  return [...all].flatMap((each) => [each, `.debug/${each}`]);
}

function isDebugFileOf(source: ByteSource, elf: Elf): boolean {
  if (detectFormat(source) !== 'elf') return false;
  const debug = new Elf(source);
  const [one, other] = [elf.buildId(), debug.buildId()];
  return one !== undefined && other !== undefined && Buffer.compare(one, other) === 0;
}

function wasmDebugNames(file: Wasm, path: string): string[] {
  const linked = file.externalDebugInfo();
  const own = `${basename(path).replace(/\.wasm$/i, '')}.debug.wasm`;
  return linked === undefined ? [own] : [lastPart(linked), own];
}

function pdbNames(pe: Pe, path: string): string[] {
  const linked = readCodeView(pe)?.name;
  const own = `${basename(path).replace(/\.[^.]*$/, '')}.pdb`;
  return linked === undefined || linked === '' ? [own] : [linked, own];
}

function isPdbOf(source: ByteSource, pe: Pe): boolean {
  const linked = readCodeView(pe);
  if (detectFormat(source) !== 'pdb' || linked === undefined) return false;
  return openPdb(source).debugId.slice(0, 32) === linked.debugId.slice(0, 32);
}

function peNames(path: string): string[] {
  const stem = basename(path).replace(/\.pdb$/i, '');
  return ['.exe', '.dll', '.sys', ''].map((ending) => stem + ending);
}

function isPeOf(source: ByteSource, pdb: Pdb): boolean {
  return (
    detectFormat(source) === 'pe' && readCodeView(openPe(source))?.debugId.slice(0, 32) === pdb.debugId.slice(0, 32)
  );
}
