// Reads the first line of a symbol file, which identifies the module.
import { MinidumpError } from '../error.ts';

/**
 * The fields of `MODULE <os> <cpu> <debug id> <name>`, unchanged: `Linux`, `x86_64`, 33 or more hex digits,
 * `libfoo.so`.
 */
export type ModuleLine = {
  readonly os: string;
  readonly cpu: string;
  readonly debugId: string;
  /** The name of the debug file, which can contain spaces. '' for programs of MinGW, whose debug files have no name. */
  readonly name: string;
};

/** The start of a symbol file: the MODULE line, and the INFO CODE_ID record, whose fields are '' if there is none. */
export type SymbolFileHead = ModuleLine & { readonly codeId: string; readonly codeFile: string };

/** A longer first line is not a MODULE line: no file system allows such a name. */
const MAX_LENGTH = 4096;
const MODULE = /^MODULE[ \t]+([^ \t]+)[ \t]+([^ \t]+)[ \t]+([0-9A-Fa-f]{1,64})(?:[ \t]+(.*))?$/s;
const CODE_ID = /^INFO[ \t]+CODE_ID[ \t]+([^ \t]+)(?:[ \t]+(.*))?$/s;

/**
 * Reads the MODULE line from the first bytes of a symbol file, which must contain the whole first line or 4096 bytes.
 * Throws a MinidumpError `bad-symbols` if they do not begin with a MODULE line, so this is not a symbol file.
 */
export function readModuleLine(firstBytes: Uint8Array): ModuleLine {
  const head = asBuffer(firstBytes);
  const lineFeed = head.indexOf(0x0a);
  const isComplete = lineFeed >= 0 || firstBytes.byteLength < MAX_LENGTH;
  const line = head.toString('utf8', 0, lineFeed < 0 ? head.length : lineFeed);
  const match = isComplete ? MODULE.exec(withoutTrailingBlanks(line)) : null;
  if (match === null) throw new MinidumpError('bad-symbols', 'Line 1: a symbol file begins with a MODULE line.');
  const [, os, cpu, debugId, name] = match as unknown as [string, string, string, string, string | undefined];
  return { os, cpu, debugId, name: name ?? '' };
}

/**
 * Does the same as `readModuleLine` with the INFO CODE_ID record, which tools write right after it. `firstBytes` has
 * the lines that are searched, or 4096 bytes.
 */
export function readSymbolFileHead(firstBytes: Uint8Array): SymbolFileHead {
  const module = readModuleLine(firstBytes);
  for (const line of asBuffer(firstBytes).toString('utf8').split('\n').slice(1)) {
    if (!line.startsWith('INFO')) break;
    const [, codeId, codeFile] = CODE_ID.exec(withoutTrailingBlanks(line)) ?? [];
    if (codeId !== undefined) return { ...module, codeId, codeFile: codeFile ?? '' };
  }
  return { ...module, codeId: '', codeFile: '' };
}

function asBuffer(firstBytes: Uint8Array): Buffer {
  return Buffer.from(firstBytes.buffer, firstBytes.byteOffset, Math.min(firstBytes.byteLength, MAX_LENGTH));
}

/** Removes the carriage return as well. */
function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (' \t\r'.includes(line.charAt(end - 1)) && end > 0) end--;
  return line.slice(0, end);
}
