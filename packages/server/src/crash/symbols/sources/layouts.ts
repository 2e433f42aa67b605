// Where symbol servers have the files of a module. The names and ids come from dumps, so a module whose name isn't a
// plain file name is nowhere.
import { baseName } from '@chauffeur/minidump/base-name';
import { identifyModule } from '@chauffeur/minidump/symbols/module-identity';
import type { ModuleId } from '@chauffeur/minidump/symbols/module-symbols';
import { isSafeName, symbolFileName } from '@chauffeur/minidump/symbols/symbol-path';

/** A module as it is looked up. */
export type LookupModule = {
  /** The name of the debug file, or of the code file if there is none. */
  readonly debugFile: string;
  /** The canonical form; '' if it identifies nothing. */
  readonly debugId: string;
  /** '' if it isn't a plain file name. */
  readonly codeFile: string;
  /** In lower case, with all digits, unlike the canonical form; '' if the module has none. */
  readonly codeId: string;
};

/** Null for a module that can't be looked up. */
export function lookupModuleOf(module: ModuleId): LookupModule | null {
  const { name: debugFile, debugId, codeId: identifyingCodeId } = identifyModule(module);
  if (!isSafeName(debugFile) || (debugId === '' && identifyingCodeId === '')) return null;
  const codeFile = baseName(module.codeFile);
  return {
    debugFile,
    debugId,
    codeFile: isSafeName(codeFile) ? codeFile : '',
    codeId: identifyingCodeId === '' ? '' : module.codeId.toLowerCase(),
  };
}

/** Parts of paths below the address of a source. They are not encoded. */
export type SourcePath = readonly string[];

/** Servers store files as they are or compressed; what they are is seen from their first bytes. */
const VARIANTS = ['', '.gz', '.zst'];

/** `libc.so.6/<debug id>/libc.so.6.sym`, which are tried in order. */
export function breakpadPaths({ debugFile, debugId, codeId }: LookupModule): SourcePath[] {
  const file = symbolFileName(debugFile);
  return isSafeName(file) ? VARIANTS.map((variant) => [debugFile, debugId || codeId, file + variant]) : [];
}

/** The paths of native files; null for one that the layout doesn't have. */
export type NativePaths = { readonly debug: SourcePath | null; readonly code: SourcePath | null };

/** Where a source with native files has those of a module; null if it can't have the module. */
export function nativePaths(kind: 'debuginfod' | 'microsoft', module: LookupModule): NativePaths | null {
  return kind === 'debuginfod' ? debuginfodPaths(module) : microsoftPaths(module);
}

/** The debug file has the names, and the program the unwind rules. */
function debuginfodPaths({ debugId, codeId }: LookupModule): NativePaths | null {
  if (codeId === '' || debugIdOfBuildId(codeId) !== debugId) return null;
  return { debug: ['buildid', codeId, 'debuginfo'], code: ['buildid', codeId, 'executable'] };
}

/**
 * The debug id of an ELF file with this build id: its first 16 bytes, read as a little-endian GUID, and the age 0. The
 * code ids of other kinds of files don't lead to their debug ids.
 */
function debugIdOfBuildId(buildId: string): string {
  const bytes = Buffer.alloc(16);
  bytes.write(buildId.slice(0, 32), 'hex');
  bytes.subarray(0, 4).reverse();
  bytes.subarray(4, 6).reverse();
  bytes.subarray(6, 8).reverse();
  return `${bytes.toString('hex').toUpperCase()}0`;
}

const GUID_DIGITS = 32;

/** The PDB has the names, and on x64 the program the unwind rules, which a program without a PDB has as well. */
function microsoftPaths({ debugFile, debugId, codeFile, codeId }: LookupModule): NativePaths | null {
  const hasDebug = /.\.pdb$/i.test(debugFile) && debugId.length > GUID_DIGITS;
  const hasCode = codeFile !== '' && /^[0-9a-f]{9,16}$/.test(codeId) && (hasDebug || debugId === '');
  if (!hasDebug && !hasCode) return null;
  return {
    debug: hasDebug ? [debugFile, debugId, debugFile] : null,
    // The timestamp has eight digits in upper case, and the size none that it doesn't need, in lower case.
    code: hasCode ? [codeFile, codeId.slice(0, 8).toUpperCase() + codeId.slice(8), codeFile] : null,
  };
}

/** Where a server of Microsoft's layout has the file in a cabinet instead: `game.pd_`. */
export function cabinetPathOf(path: SourcePath): SourcePath {
  return path.with(-1, `${path.at(-1)!.slice(0, -1)}_`);
}
