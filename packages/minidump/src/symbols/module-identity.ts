// Decides which symbols belong to a module: the ids do, names only break ties. A name says little: a library in an APK is
// loaded as `split_config.arm64_v8a.apk`, a deleted file is listed as `game (deleted)`, and executables are renamed.
import { baseName } from '../base-name.ts';
import type { ModuleId } from './module-symbols.ts';

/** A module without an id that identifies it has no symbols, whatever its name is. */
export type ModuleIdentity = {
  /** The name to show, and to choose by if several files have the same id: that of the debug file, if there is one. */
  readonly name: string;
  /** The debug id in canonical form; '' if it identifies nothing. */
  readonly debugId: string;
  /** The code id in canonical form; '' if it identifies nothing. Decides if no symbols have the debug id. */
  readonly codeId: string;
};

const GUID_DIGITS = 32;
/** Files from before 2000 (PDB 2.0) have a timestamp of eight digits instead of a GUID. */
const TIME_DIGITS = 8;
/** Build ids usually have 40 digits, and can have any number. */
const MAX_CODE_ID_DIGITS = 128;

/** Returns the name and ids of a module in a dump, or of the module of a symbol file. */
export function identifyModule({ debugFile, debugId, codeFile, codeId }: ModuleId): ModuleIdentity {
  return {
    name: baseName(debugFile) || baseName(codeFile),
    debugId: identifyingDebugId(debugId),
    codeId: identifyingCodeId(codeId),
  };
}

/**
 * Normalizes a debug id to the form that other stackwalkers request: GUID in upper case, age in lower case. Tools
 * differ in the case, so `…b7ff1A` in a dump and `…B7FF1a` in its symbols are the same id.
 */
export function canonicalDebugId(debugId: string): string {
  const digits = digitsBeforeAge(debugId);
  return debugId.slice(0, digits).toUpperCase() + debugId.slice(digits).toLowerCase();
}

/**
 * Returns the canonical form; '' if the id identifies nothing. Crash reporters and dump_syms write zeros if a file has no
 * id, such as those of MinGW, so modules with nothing in common have this id.
 */
export function identifyingDebugId(debugId: string): string {
  const isHex = /^[0-9a-f]{1,64}$/i.test(debugId);
  return isHex && !/^0*$/.test(debugId.slice(0, digitsBeforeAge(debugId))) ? canonicalDebugId(debugId) : '';
}

/**
 * Normalizes a code id: lower case, without zeros at its start, because some tools write the timestamp of a Windows file
 * without them. Returns '' for an id that identifies nothing: one with the timestamp 0, which some linkers write, has only
 * the size of the file.
 */
export function identifyingCodeId(codeId: string): string {
  if (codeId.length > MAX_CODE_ID_DIGITS || !/^[0-9a-f]+$/i.test(codeId) || /^0{8}/.test(codeId)) return '';
  const digits = codeId.toLowerCase().replace(/^0+/, '');
  return digits.length < TIME_DIGITS ? '' : digits;
}

function digitsBeforeAge(debugId: string): number {
  return debugId.length > GUID_DIGITS ? GUID_DIGITS : TIME_DIGITS;
}
