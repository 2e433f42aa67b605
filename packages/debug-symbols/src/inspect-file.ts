// Says what is in a native file, without converting it: for which module it is, and what of it the file has.
import type { ByteSource } from './byte-source.ts';
import { readDebugLink } from './elf/debug-link.ts';
import { Elf } from './elf/elf.ts';
import { detectFormat, type FileFormat } from './file-format.ts';
import { debugIdOf, hexOf } from './identity.ts';
import { readSlices } from './macho/macho.ts';
import { OpenFiles } from './open-files.ts';
import { Msf } from './pdb/msf.ts';
import { openPdb } from './pdb/pdb.ts';
import { readCodeView } from './pe/code-view.ts';
import { readDebugLink as readPeDebugLink } from './pe/debug-link.ts';
import { openPe, type Pe } from './pe/pe.ts';
import { Wasm } from './wasm/wasm.ts';

/** A module in a file. A universal binary has one for each CPU. */
export type FilePart = {
  readonly format: FileFormat;
  readonly cpu: string;
  /** Whether the code is in the file, only its debug information, or units of split DWARF. */
  readonly kind: 'program' | 'debug' | 'split';
  /** The debug id without the age, which a program and its debug file have in common. Undefined without one. */
  readonly id: string | undefined;
  readonly hasDebugInfo: boolean;
  /** The name of the debug file, if the program says it. */
  readonly debugName: string | undefined;
};

const ID_DIGITS = 32;
const DEBUG_INFORMATION_STREAM = 3;
const RUNTIME_HEADER = 14;
const ONLY_INTERMEDIATE_CODE = 1;

/**
 * The modules in a file: none if it is of no native format, or of a kind that isn't a module, such as an object file.
 * Throws a DebugSymbolsError if it is damaged or not supported, and the error of the system if it can't be read.
 */
export function inspectFile(path: string): FilePart[] {
  const files = new OpenFiles();
  try {
    const source = files.open(path);
    const format = detectFormat(source);
    return format === undefined ? [] : INSPECTORS[format](source);
  } finally {
    files.close();
  }
}

const INSPECTORS: Readonly<Record<FileFormat, (source: ByteSource) => FilePart[]>> = {
  elf(source) {
    const elf = new Elf(source);
    const isSplit =
      elf.sections.some(({ name }) => name === '.debug_info.dwo') && (elf.isRelocatable || !elf.hasCode());
    const hasDebugInfo = ['.debug_info', '.zdebug_info'].some((name) => elf.section(name) !== undefined);
    const hasSymbols = hasDebugInfo || elf.section('.symtab') !== undefined;
    if (!isSplit && (elf.isRelocatable || !(elf.hasCode() || hasSymbols))) return [];
    const id = elf.buildId();
    return [
      {
        format: 'elf',
        cpu: elf.cpu,
        kind: isSplit ? 'split' : elf.hasCode() ? 'program' : 'debug',
        id: id && debugIdOf(id).slice(0, ID_DIGITS),
        hasDebugInfo,
        debugName: readDebugLink(elf),
      },
    ];
  },
  macho(source) {
    return readSlices(source)
      .filter(({ isRelocatable }) => !isRelocatable)
      .map((file) => ({
        format: 'macho',
        cpu: file.cpu,
        kind: file.contents('__text') === undefined ? 'debug' : 'program',
        id: file.uuid && hexOf(file.uuid),
        hasDebugInfo: file.contents('__debug_info') !== undefined,
        debugName: undefined,
      }));
  },
  pe(source) {
    const pe = openPe(source);
    if (!pe.headers.sections.some(({ isExecutable }) => isExecutable) || isManaged(pe)) return [];
    const linked = readCodeView(pe);
    const hasDebugInfo = pe.section('.debug_info') !== undefined;
    return [
      {
        format: 'pe',
        cpu: pe.cpu,
        kind: pe.isDebugFile() ? 'debug' : 'program',
        id: linked?.debugId.slice(0, ID_DIGITS),
        hasDebugInfo,
        debugName: linked?.name || readPeDebugLink(pe)?.name,
      },
    ];
  },
  pdb(source) {
    // Compilers write PDBs too, which have only types.
    if ((new Msf(source).stream(DEBUG_INFORMATION_STREAM)?.size ?? 0) === 0) return [];
    const { cpu, debugId } = openPdb(source);
    const id = debugId.slice(0, ID_DIGITS);
    return [{ format: 'pdb', cpu, kind: 'debug', id, hasDebugInfo: true, debugName: undefined }];
  },
  wasm(source) {
    const wasm = new Wasm(source);
    // Browsers know the names in other modules themselves.
    if (wasm.code === undefined || wasm.custom('.debug_info') === undefined) return [];
    const id = debugIdOf(wasm.buildId() ?? wasm.hashOfCode()).slice(0, ID_DIGITS);
    return [{ format: 'wasm', cpu: 'wasm32', kind: 'program', id, hasDebugInfo: true, debugName: undefined }];
  },
};

/** Whether a program has only code for .NET, which is compiled when it runs. */
function isManaged(pe: Pe): boolean {
  const header = pe.directory(RUNTIME_HEADER);
  return header !== undefined && header.size >= 20 && ((header.read(16, 1)[0] ?? 0) & ONLY_INTERMEDIATE_CODE) !== 0;
}
