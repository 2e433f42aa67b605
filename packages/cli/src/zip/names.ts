// Decides which names and link targets an archive may carry, and in which order its entries stand.
import { posix } from 'node:path';
import { findWindowsProblem, foldPath, hasUnsafeCharacter, ignoresCase } from '@chauffeur/contract/file-names';
import type { Os } from '@chauffeur/contract/identity';

/**
 * Why `path` cannot be an entry's name, or null. Names stay as they are on disk, in UTF-8: another Unicode
 * normalisation could differ from the name that the game itself opens, and could make two names equal. `os` is that of the build.
 */
export function findNameProblem(path: string, os?: Os): string | null {
  if (!path.isWellFormed() || path.includes('\uFFFD')) return 'its name is not UTF-8';
  if (hasUnsafeCharacter(path))
    return 'its name holds a line break, another control character or one that turns the text around';
  if (path.includes('\\')) return 'its name holds a backslash, which Windows takes for a folder';
  if (/^[a-zA-Z]:/.test(path)) return 'its name starts like a Windows drive';
  if (Buffer.byteLength(path) > 0xffff) return 'its path is longer than 65,535 bytes';
  const problem = os === 'windows' ? findWindowsProblem(path) : null;
  return problem === null ? null : `Windows cannot create it: ${problem} there`;
}

/** Two of the paths that are one file to `os`, where case does not count; null when there are none. */
export function findSameButForCase(paths: readonly string[], os: Os | undefined): [string, string] | null {
  if (!ignoresCase(os)) return null;
  const seen = new Map<string, string>();
  for (const path of paths) {
    const place = foldPath(path.replace(/\/$/, ''), os);
    const other = seen.get(place);
    // Two folders become one, and lose nothing.
    if (other !== undefined && !(other.endsWith('/') && path.endsWith('/'))) return [other, path];
    seen.set(place, path);
  }
  return null;
}

/**
 * Why a symlink at `path` may not point to `target`, or null; the service judges by the same rule. `..` may only stand in
 * front: behind a folder's name it is not where it seems when that folder is a symlink itself.
 */
export function findTargetProblem(path: string, target: string): string | null {
  if (target === '') return 'it is a symlink to nowhere';
  if (!target.isWellFormed() || /[\\\uFFFD]/.test(target) || hasUnsafeCharacter(target))
    return 'the path in the symlink cannot be unpacked everywhere';
  if (/^(\/|[a-zA-Z]:)/.test(target)) return 'it is a symlink to an absolute path';
  const steps = target.split('/').filter((step) => step !== '' && step !== '.');
  const descent = steps.findIndex((step) => step !== '..');
  const climbs = descent < 0 ? steps.length : descent;
  if (climbs >= path.split('/').length) return 'it is a symlink that leaves the folder';
  return steps.lastIndexOf('..') > climbs ? 'it is a symlink with .. behind a folder' : null;
}

/** Orders by the bytes of the names, which no locale or operating system changes; a folder stands before its contents. */
export function byBytes(a: { name: Buffer }, b: { name: Buffer }): number {
  return Buffer.compare(a.name, b.name);
}

/**
 * Whether the globs leave `path` out. As in .gitignore, one without a slash matches a name at any depth and one with a
 * slash the path from the top; unlike there, dotfiles need a pattern that starts with a dot.
 */
export function isIgnored(path: string, globs: readonly string[]): boolean {
  return globs.some((glob) => {
    const pattern = glob.replace(/^\.?\//, '').replace(/\/$/, '');
    const anchored = pattern.includes('/') || /^\.?\//.test(glob);
    return posix.matchesGlob(anchored ? path : posix.basename(path), pattern);
  });
}

/** Whether a file's first bytes are those of a program: ELF, Mach-O (thin or universal) or a script with `#!`. */
export function startsLikeProgram(head: Buffer): boolean {
  if (head.length < 4) return false;
  if (head.toString('latin1', 0, 2) === '#!') return true;
  return [0x7f454c46, 0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe, 0xcafebabe].includes(head.readUInt32BE(0));
}
