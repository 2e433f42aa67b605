// Decides from the first line of a symbol file whether it is taken, and how its module is known here.
import type { Os } from '@chauffeur/contract/identity';
import { MinidumpError } from '@chauffeur/minidump/error';
import { readModuleLine } from '@chauffeur/minidump/symbols/module-line';
import { isSafeName, symbolFileName } from '@chauffeur/minidump/symbols/symbol-path';

export type ModuleFacts = {
  readonly debugFile: string;
  /** As `canonicalDebugId` writes it. */
  readonly debugId: string;
  readonly os: Os;
  readonly cpu: string;
};

/** By how the makers of symbol files write them, in lower case. Those of Android’s libraries mostly say Linux. */
const OSES: ReadonlyMap<string, Os> = new Map([
  ['linux', 'linux'],
  ['android', 'android'],
  ['mac', 'macos'],
  ['macos', 'macos'],
  ['ios', 'ios'],
  ['windows', 'windows'],
]);
const LONGEST_CPU = 32;

/** Bytes that `readModuleFacts` wants, unless the file has fewer. */
export const MODULE_LINE_BYTES = 4096;

/** The module of a symbol file by its first bytes, or why the file is refused: the end of a sentence about it. */
export function readModuleFacts(firstBytes: Uint8Array): ModuleFacts | { refused: string } {
  const line = readLine(firstBytes);
  if (line === null) return { refused: 'is not a Breakpad symbol file: its first line is not a MODULE line' };
  const os = OSES.get(line.os.toLowerCase());
  if (os === undefined) return { refused: 'is of an operating system that is not supported' };
  const debugFile = lastPart(line.name);
  if (!isSafeName(debugFile) || !isSafeName(symbolFileName(debugFile)) || line.cpu.length > LONGEST_CPU) {
    return { refused: 'names a module that no file can be called' };
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

/** Debug files of Windows are often named by whole paths, of which the last part counts. */
export function lastPart(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

const GUID_DIGITS = 32;
/** Files of before 2000 (PDB 2.0) are known by a time of eight digits in place of a GUID. */
const TIME_DIGITS = 8;

/**
 * The one way in which a debug id is kept and compared: GUID upper-case, age lower-case, as other stackwalkers ask for it. Situation:
 * the tools do not agree on the case, so `…b7ff1A` of a dump and `…B7FF1a` of its symbols are one.
 */
export function canonicalDebugId(debugId: string): string {
  const digits = debugId.length > GUID_DIGITS ? GUID_DIGITS : TIME_DIGITS;
  return debugId.slice(0, digits).toUpperCase() + debugId.slice(digits).toLowerCase();
}
