// Decides whether the symbolic links of a zip stay inside of it and lead somewhere, and whether a file or a link is a folder as well.
import { foldPath, hasUnsafeCharacter } from '@chauffeur/contract/file-names';
import type { Os } from '@chauffeur/contract/identity';
import { findLinkLoop, type Link } from '@chauffeur/contract/link-loops';
import { showName } from './entry-name.ts';

/**
 * Why the link at `path` is refused; null when it leads to a place inside the archive. The target may climb with `..` at its
 * front only, at most to the archive’s root: `../../lib/a.so` in `bin/x/link`. Behind a folder name `..` is refused, since that
 * name may itself be a link, and then `x/..` is not where it seems: with `d/up → ..`, the target `d/up/..` is outside.
 */
export function judgeLink(path: string, target: string): string | null {
  const refuse = (how: string) =>
    `The .zip’s symbolic link ${showName(path)} ${how}; let it lead to a file of the archive by a relative path.`;
  if (target === '' || /[\0\uFFFD]/.test(target)) return refuse('has no readable target');
  if (hasUnsafeCharacter(target)) return refuse(`has a control character in its target ${showName(target)}`);
  if (/^([/\\]|[a-z]:)/i.test(target)) return refuse(`leads to the absolute path ${showName(target)}`);
  if (target.includes('\\')) return refuse(`has a backslash in its target ${showName(target)}`);
  const steps = segmentsOf(target);
  const descent = steps.findIndex((step) => step !== '..');
  const climbs = descent < 0 ? steps.length : descent;
  if (climbs >= segmentsOf(path).length) return refuse(`leads out of the archive to ${showName(target)}`);
  if (steps.lastIndexOf('..') > climbs) return refuse(`has .. behind a folder in its target ${showName(target)}`);
  return null;
}

/** Why links that `judgeLink` took one by one are refused together: one of them cannot be followed to an end. Null when fine. */
export function judgeLinkLoops(links: readonly Link[], os?: Os): string | null {
  const bad = findLinkLoop(links, os);
  return bad === null
    ? null
    : `The .zip’s symbolic link ${showName(bad.path)} ${bad.problem}; leave it out, or point it elsewhere.`;
}

/** Why `paths` are refused when those in `files` are files: no system has a file that is a folder as well. Null when fine. */
export function judgeBelowFiles(paths: readonly string[], files: readonly string[], os?: Os): string | null {
  const below = findBelow(paths, files, (path) => foldPath(path, os));
  return below === null
    ? null
    : `The .zip’s entry ${showName(below)} is a file and a folder with entries; rename one of them.`;
}

/**
 * Why `paths` are refused when those in `links` are symbolic links: an entry below a link would be written wherever that
 * leads. Names are compared as the file systems of Windows and macOS do, by which `Data` and `data` are one. Null when fine.
 */
export function judgeBelowLinks(paths: readonly string[], links: readonly string[]): string | null {
  const below = findBelow(paths, links, (path) => path.normalize('NFC').toLowerCase());
  if (below === null) return null;
  return `The .zip has entries below the symbolic link ${showName(below)}; zip the folder that it leads to instead.`;
}

/** The first of `parents` that one of `paths` is below, by the names that `fold` makes of both. */
function findBelow(
  paths: readonly string[],
  parents: readonly string[],
  fold: (path: string) => string,
): string | null {
  if (parents.length === 0) return null;
  const placeOf = (path: string) => segmentsOf(fold(path)).join('/');
  // Sorted, those below a parent stand together; to look up each folder of each path would take hours for hostile names.
  const places = paths.map(placeOf).sort();
  for (const parent of parents) {
    const folder = `${placeOf(parent)}/`;
    if (places[firstFrom(places, folder)]?.startsWith(folder)) return parent;
  }
  return null;
}

/** The index of the first of the sorted `places` that is not before `place`. */
function firstFrom(places: readonly string[], place: string): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (places[middle]! < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '' && segment !== '.');
}
