// Decides from the first line of a symbol file whether it is accepted, and reads its module from it.
import { recognizeForeignFile } from '@chauffeur/contract/foreign-symbol-file';
import type { Os } from '@chauffeur/contract/identity';
import { MinidumpError } from '@chauffeur/minidump/error';
import { canonicalDebugId, identifyModule } from '@chauffeur/minidump/symbols/module-identity';
import { readSymbolFileHead } from '@chauffeur/minidump/symbols/module-line';
import { isSafeName, symbolFileName } from '@chauffeur/minidump/symbols/symbol-path';

export type ModuleFacts = {
  readonly debugFile: string;
  /** The id in canonical form; the code id for a module whose debug id identifies nothing. */
  readonly debugId: string;
  /** The id in canonical form; '' if unknown. */
  readonly codeId: string;
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

/** Why a file is refused, as a clause, and what to do, as a sentence. */
export type Refusal = { readonly refused: string; readonly remedy: string };

/** Reads the module from the first bytes of a symbol file. */
export function readModuleFacts(firstBytes: Uint8Array): ModuleFacts | Refusal {
  const foreign = recognizeForeignFile(firstBytes);
  if (foreign !== null) return { refused: foreign.what, remedy: foreign.remedy };
  const head = readHead(firstBytes);
  if (head === null) return refuse('its first line is not a MODULE line');
  const os = OSES.get(head.os.toLowerCase());
  if (os === undefined) return refuse('its operating system is not supported');
  // The debug file of a program of MinGW has no name. On Windows, the name is often a full path.
  const { name: debugFile, debugId, codeId } = identifyModule({ ...head, debugFile: head.name });
  if (debugFile === '' && head.name === '')
    return refuse('neither its MODULE line nor an INFO CODE_ID record has the name of the module');
  if (!isSafeName(debugFile) || !isSafeName(symbolFileName(debugFile)) || head.cpu.length > MAX_CPU_LENGTH) {
    return refuse('its module name is not a valid file name');
  }
  return { debugFile, debugId: debugId || codeId || canonicalDebugId(head.debugId), codeId, os, cpu: head.cpu };
}

function refuse(refused: string): Refusal {
  return { refused, remedy: 'Create it with dump_syms.' };
}

function readHead(firstBytes: Uint8Array) {
  try {
    return readSymbolFileHead(firstBytes);
  } catch (error) {
    if (error instanceof MinidumpError) return null;
    throw error;
  }
}
