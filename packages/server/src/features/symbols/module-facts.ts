// Decides from the first line of a symbol file whether it is accepted, and reads its module from it.
import type { Os } from '@chauffeur/contract/identity';
import { baseName } from '@chauffeur/minidump/base-name';
import { MinidumpError } from '@chauffeur/minidump/error';
import { readModuleLine } from '@chauffeur/minidump/symbols/module-line';
import { isSafeName, symbolFileName } from '@chauffeur/minidump/symbols/symbol-path';

export type ModuleFacts = {
  readonly debugFile: string;
  /** In the form of `canonicalDebugId`. */
  readonly debugId: string;
  readonly os: Os;
  readonly cpu: string;
};

/** Keyed by the names in symbol files, in lower case. The symbols of Android libraries usually have `Linux`. */
const OSES: ReadonlyMap<string, Os> = new Map([
  ['linux', 'linux'],
  ['android', 'android'],
  ['mac', 'macos'],
  ['macos', 'macos'],
  ['ios', 'ios'],
  ['windows', 'windows'],
]);
const MAX_CPU_LENGTH = 32;

/** The bytes that `readModuleFacts` needs, unless the file is shorter. */
export const MODULE_LINE_BYTES = 4096;

/** Reads the module from the first bytes of a symbol file; `refused` is a clause with the reason. */
export function readModuleFacts(firstBytes: Uint8Array): ModuleFacts | { refused: string } {
  const line = readLine(firstBytes);
  if (line === null) return { refused: 'its first line is not a MODULE line' };
  const os = OSES.get(line.os.toLowerCase());
  if (os === undefined) return { refused: 'its operating system is not supported' };
  // On Windows, the name is often a full path.
  const debugFile = baseName(line.name);
  if (!isSafeName(debugFile) || !isSafeName(symbolFileName(debugFile)) || line.cpu.length > MAX_CPU_LENGTH) {
    return { refused: 'its module name is not a valid file name' };
  }
  return { debugFile, debugId: canonicalDebugId(line.debugId), os, cpu: line.cpu };
}

function readLine(firstBytes: Uint8Array) {
  try {
    return readModuleLine(firstBytes);
  } catch (error) {
    if (error instanceof MinidumpError) return null;
    throw error;
  }
}

const GUID_DIGITS = 32;
/** Files from before 2000 (PDB 2.0) have a timestamp of eight digits instead of a GUID. */
const TIME_DIGITS = 8;

/**
 * Normalizes a debug id to the form that other stackwalkers request: GUID in upper case, age in lower case. Tools
 * differ in the case, so `…b7ff1A` in a dump and `…B7FF1a` in its symbols are the same id.
 */
export function canonicalDebugId(debugId: string): string {
  const digits = debugId.length > GUID_DIGITS ? GUID_DIGITS : TIME_DIGITS;
  return debugId.slice(0, digits).toUpperCase() + debugId.slice(digits).toLowerCase();
}
