// Rules for names and link targets in an archive, and the order of its entries.
import { posix } from 'node:path';
import { findWindowsProblem, foldPath, ignoresCase } from '@chauffeur/contract/file-names';
import type { Os } from '@chauffeur/contract/identity';
import { hasHiddenCharacter } from '@chauffeur/contract/text';

/**
 * Why `path` cannot be the name of an entry, or null. `os` is the OS of the build. Names keep the Unicode normalization they have on disk:
 * another one could differ from the name that the game opens, or make two names equal.
 */
export function findNameProblem(path: string, os?: Os): string | null {
  if (!path.isWellFormed() || path.includes('\uFFFD')) return 'its name is not UTF-8';
  if (hasHiddenCharacter(path))
    return 'its name contains a line break, another control character or a character that reverses text';
  if (path.includes('\\')) return 'its name contains a backslash, which is a path separator on Windows';
  if (/^[a-zA-Z]:/.test(path)) return 'its name starts with a Windows drive';
  if (Buffer.byteLength(path) > 0xffff) return 'its path is longer than 65,535 bytes';
  const problem = os === 'windows' ? findWindowsProblem(path) : null;
  return problem === null ? null : `Windows cannot create it: ${problem}`;
}

/** Two paths that are the same file on `os`, which ignores case; null if there are none. */
export function findSameButForCase(paths: readonly string[], os: Os | undefined): [string, string] | null {
  if (!ignoresCase(os)) return null;
  const seen = new Map<string, string>();
  for (const path of paths) {
    const place = foldPath(path.replace(/\/$/, ''), os);
    const other = seen.get(place);
    // Two folders with the same name are merged without a loss.
    if (other !== undefined && !(other.endsWith('/') && path.endsWith('/'))) return [other, path];
    seen.set(place, path);
  }
  return null;
}

/**
 * Why a symlink at `path` cannot point to `target`, or null. The service has the same rule. `..` is only allowed at the front: after a
 * folder that is itself a symlink, it leads somewhere else.
 */
export function findTargetProblem(path: string, target: string): string | null {
  if (target === '') return 'it is a symlink to nowhere';
  if (!target.isWellFormed() || /[\\\uFFFD]/.test(target) || hasHiddenCharacter(target))
    return 'the path in the symlink cannot be unpacked everywhere';
  if (/^(\/|[a-zA-Z]:)/.test(target)) return 'it is a symlink to an absolute path';
  const steps = target.split('/').filter((step) => step !== '' && step !== '.');
  const descent = steps.findIndex((step) => step !== '..');
  const climbs = descent < 0 ? steps.length : descent;
  if (climbs >= path.split('/').length) return 'it is a symlink that leaves the folder';
  return steps.lastIndexOf('..') > climbs ? 'it is a symlink with .. after a folder' : null;
}

/** Orders by the bytes of the names, independent of locale and OS; a folder comes before its contents. */
export function byBytes(a: { name: Buffer }, b: { name: Buffer }): number {
  return Buffer.compare(a.name, b.name);
}

/**
 * Whether a glob matches `path`. As in .gitignore, a glob without a slash matches a name at any depth, and a glob with a slash matches
 * the path from the root. Unlike there, dotfiles need a pattern that starts with a dot.
 */
export function matchesGlob(path: string, glob: string): boolean {
  const slashed = process.platform === 'win32' ? glob.replaceAll('\\', '/') : glob;
  const pattern = slashed.replace(/^\.?\//, '').replace(/\/$/, '');
  const anchored = pattern.includes('/') || /^\.?\//.test(slashed);
  return posix.matchesGlob(anchored ? path : posix.basename(path), pattern);
}

/** Whether the first bytes of a file are those of a program: ELF, Mach-O (thin or universal) or a script with `#!`. */
export function startsLikeProgram(head: Buffer): boolean {
  if (head.length < 4) return false;
  if (head.toString('latin1', 0, 2) === '#!') return true;
  return [0x7f454c46, 0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe, 0xcafebabe].includes(head.readUInt32BE(0));
}

/** The permissions of a file. Windows has no executable bit, so the first bytes decide there. */
export function permissionsOf({ executable }: { executable: boolean | undefined }, head: Buffer): number {
  return (executable ?? startsLikeProgram(head)) ? 0o755 : 0o644;
}
