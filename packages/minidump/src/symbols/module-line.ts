// Reads the first line of a symbol file, which identifies the module.
import { MinidumpError } from '../error.ts';

/** The fields of `MODULE <os> <cpu> <debug id> <name>`, unchanged: `Linux`, `x86_64`, 33 or more hex digits, `libfoo.so`. */
export type ModuleLine = {
  readonly os: string;
  readonly cpu: string;
  readonly debugId: string;
  /** The name of the debug file, which can contain spaces. */
  readonly name: string;
};

/** A longer first line is not a MODULE line: no file system allows such a name. */
const MAX_LENGTH = 4096;
const MODULE = /^MODULE[ \t]+([^ \t]+)[ \t]+([^ \t]+)[ \t]+([0-9A-Fa-f]{1,64})[ \t]+(.*[^ \t])[ \t]*$/s;

/**
 * Reads the MODULE line from the first bytes of a symbol file, which must contain the whole first line or 4096 bytes.
 * Throws a MinidumpError `bad-symbols` if they do not begin with a MODULE line, so this is not a symbol file.
 */
export function readModuleLine(firstBytes: Uint8Array): ModuleLine {
  const head = Buffer.from(firstBytes.buffer, firstBytes.byteOffset, Math.min(firstBytes.byteLength, MAX_LENGTH));
  const lineFeed = head.indexOf(0x0a);
  const isComplete = lineFeed >= 0 || firstBytes.byteLength < MAX_LENGTH;
  const line = head.toString('utf8', 0, lineFeed < 0 ? head.length : lineFeed).replace(/\r+$/, '');
  const match = isComplete ? MODULE.exec(line) : null;
  if (match === null) throw new MinidumpError('bad-symbols', 'Line 1: a symbol file begins with a MODULE line.');
  const [, os, cpu, debugId, name] = match as unknown as [string, string, string, string, string];
  return { os, cpu, debugId, name };
}
