// What the first line of a symbol file says about its module, which decides whether the file is accepted, and which of
// two files of a module a build keeps: the richer one, whichever was uploaded first.
import { recognizeForeignFile } from '@chauffeur/contract/foreign-symbol-file';
import type { Os } from '@chauffeur/contract/identity';
import { MinidumpError } from '@chauffeur/minidump/error';
import { canonicalDebugId, identifyModule } from '@chauffeur/minidump/symbols/module-identity';
import { readSymbolFileHead } from '@chauffeur/minidump/symbols/module-line';
import { DETAILS } from '@chauffeur/minidump/symbols/symbol-contents';
import { isSafeName, symbolFileName } from '@chauffeur/minidump/symbols/symbol-path';
import type { TextFacts } from './symbol-rows.ts';
import type { ModuleText } from './symbols.sql.ts';

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
  ['web', 'web'],
]);
const MAX_CPU_LENGTH = 32;

/** The bytes that `readModuleFacts` needs, unless the file is shorter. */
export const MODULE_LINE_BYTES = 4096;

/** Why a file is refused, as a clause, and what to do, as a sentence. */
type Refusal = { readonly refused: string; readonly remedy: string };

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
  return {
    refused,
    remedy: 'Create it again from the program and its debug file, or send these with chauffeur symbols.',
  };
}

function readHead(firstBytes: Uint8Array) {
  try {
    return readSymbolFileHead(firstBytes);
  } catch (error) {
    if (error instanceof MinidumpError) return null;
    throw error;
  }
}

/**
 * Whether a new file replaces the existing one. Files that are equally rich replace each other, so that symbols can be
 * created again. Nothing is known about a text of an earlier release until it was read again; until then, every file
 * with functions replaces it, as before.
 */
export function replaces(
  { functions, detail, records }: TextFacts,
  existing: Pick<ModuleText, 'state' | 'detail' | 'records'>,
): boolean {
  if (existing.state === 'unreadable') return true;
  if (existing.detail === null || existing.records === null) return functions > 0;
  return detail === existing.detail ? records >= existing.records : detail > existing.detail;
}

/** Whether a file describes more code for walking stacks. Files of earlier releases count as if they had none. */
export function hasMoreUnwind(
  text: Pick<ModuleText, 'state' | 'unwind'> | TextFacts | undefined,
  other: Pick<ModuleText, 'unwind'> | TextFacts,
): boolean {
  if (text === undefined || ('state' in text && text.state === 'unreadable')) return false;
  return (text.unwind ?? 0) > (other.unwind ?? 0);
}

const UNWIND_SUFFIX = ' (unwind rules)';

/** The name under which a build lists a file that is only used for its unwind rules, as well as a richer one. */
export function unwindNameOf(debugFile: string): string {
  return debugFile.endsWith(UNWIND_SUFFIX) ? debugFile : debugFile + UNWIND_SUFFIX;
}

/** Says in a sentence what the existing file has that the new one has not. */
export function formatPoorer(facts: TextFacts, existing: Pick<ModuleText, keyof TextFacts>): string {
  return `The build already has a richer file of this module, with ${describeFacts(existing)}; this one has ${describeFacts(facts)}, so it is not used. To use it, delete the other one first.`;
}

type Shortcoming = {
  os: string;
  debug_id: string;
  code_id: string;
  detail: TextFacts['detail'] | null;
  unwind: number | null;
  native_checksum: string | null;
  best_detail: TextFacts['detail'] | null;
  best_unwind: number | null;
};

/**
 * Says what is wrong with a file that can be read but is of little use; null for a file with functions, and for one
 * with unwind rules of a module whose functions are in another file.
 */
export function describeShortcoming(file: Shortcoming): string | null {
  const { debug_id: debugId, code_id: codeId, detail, unwind } = file;
  const problems = [];
  if (codeId === '' && /^0*$/.test(debugId))
    problems.push('It has neither a debug id nor a code id, so no crash report can use it.');
  const isHelpful = (unwind ?? 0) > 0 && (file.best_detail ?? 0) >= DETAILS.functions;
  if (detail === DETAILS.names && !isHelpful)
    problems.push(
      file.native_checksum === null
        ? 'It has no functions, only public names or unwind rules. Create it from the unstripped program or its debug file.'
        : 'It has no functions, only public names or unwind rules. Upload the unstripped program or its debug file as well.',
    );
  if (detail === DETAILS.nothing)
    problems.push('It has no functions. Create it from the unstripped program or its debug file.');
  // Browsers walk the stacks of WebAssembly.
  const isUnwound = file.os === 'web' || file.best_unwind !== 0;
  if (file.native_checksum !== null && !isUnwound && (detail ?? 0) >= DETAILS.functions)
    problems.push('It has no unwind rules, so stacks are guessed. Upload the program itself as well.');
  return problems.length === 0 ? null : problems.join(' ');
}

function describeFacts({ functions, detail, records }: { [Fact in keyof TextFacts]: number | null }): string {
  if (functions === null || records === null) return 'contents that were not counted yet';
  const [count, total] = [functions, records].map((number) => number.toLocaleString('en'));
  if (detail === DETAILS.lines) return `${count} functions and their lines (${total} records)`;
  if (detail === DETAILS.functions) return `${count} functions without lines (${total} records)`;
  return detail === DETAILS.names ? 'no functions' : 'nothing';
}
