// The first line of a symbol file, which says what module the symbols are of.
import { MinidumpError } from '../error.ts';

/** `MODULE <os> <cpu> <debug id> <name>`, each as it is written: `Linux`, `x86_64`, 33 hex digits or more, `libfoo.so`. */
export type ModuleLine = {
  readonly os: string;
  readonly cpu: string;
  readonly debugId: string;
  /** The debug file’s name; may hold spaces. */
  readonly name: string;
};

/** A longer first line is not a MODULE line: no file system takes such a name. */
const MAX_LENGTH = 4096;
const MODULE = /^MODULE[ \t]+([^ \t]+)[ \t]+([^ \t]+)[ \t]+([0-9A-Fa-f]{1,64})[ \t]+(.*[^ \t])[ \t]*$/s;

/**
 * Reads it from the first bytes of a symbol file, of which it needs the whole first line or 4096 bytes. Throws a
 * MinidumpError `bad-symbols` when they do not begin with a MODULE line: then this is no symbol file.
 */
export function readModuleLine(firstBytes: Uint8Array): ModuleLine {
  const head = Buffer.from(firstBytes.buffer, firstBytes.byteOffset, Math.min(firstBytes.byteLength, MAX_LENGTH));
  const lineFeed = head.indexOf(0x0a);
  const complete = lineFeed >= 0 || firstBytes.byteLength < MAX_LENGTH;
  const line = head.toString('utf8', 0, lineFeed < 0 ? head.length : lineFeed).replace(/\r+$/, '');
  const found = complete ? MODULE.exec(line) : null;
  if (found === null) throw new MinidumpError('bad-symbols', 'Line 1: a symbol file begins with a MODULE line.');
  const [, os, cpu, debugId, name] = found as unknown as [string, string, string, string, string];
  return { os, cpu, debugId, name };
}
