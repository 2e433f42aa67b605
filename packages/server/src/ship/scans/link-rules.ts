// Decides whether the symbolic links of a zip stay inside it and lead somewhere, and whether a file or link is also
// used as a folder.
import { foldPath } from '@chauffeur/contract/file-names';
import type { Os } from '@chauffeur/contract/identity';
import { findLinkLoop, type Link } from '@chauffeur/contract/link-loops';
import { hasHiddenCharacter } from '@chauffeur/contract/text';
import { formatEntryName } from './entry-name.ts';

/**
 * Why the link at `path` is refused; null if it leads to a place inside the archive. The target may contain `..` only
 * at its start and must not go above the root of the archive: `../../lib/a.so` in `bin/x/link` is fine. After a folder
 * name, `..` is refused, because that name may be a link itself: with `d/up → ..`, the target `d/up/..` is outside the
 * archive.
 */
export function judgeLink(path: string, target: string): string | null {
  const link = `The .zip's symbolic link ${formatEntryName(path)}`;
  const to = formatEntryName(target);
  const remedy = 'Use a relative path to a file in the archive.';
  if (target === '' || /[\0\uFFFD]/.test(target)) return `${link} has no readable target. ${remedy}`;
  if (hasHiddenCharacter(target)) return `${link} has a control character in its target ${to}. ${remedy}`;
  if (/^([/\\]|[a-z]:)/i.test(target)) return `${link} leads to the absolute path ${to}. ${remedy}`;
  if (target.includes('\\')) return `${link} has a backslash in its target ${to}. ${remedy}`;
  const steps = segmentsOf(target);
  const descent = steps.findIndex((step) => step !== '..');
  const climbs = descent < 0 ? steps.length : descent;
  if (climbs >= segmentsOf(path).length) return `${link} leads out of the archive to ${to}. ${remedy}`;
  if (steps.lastIndexOf('..') > climbs) return `${link} has .. after a folder in its target ${to}. ${remedy}`;
  return null;
}

/**
 * Why links that `judgeLink` accepted one by one are refused together: one of them is circular. Null if all are fine.
 */
export function judgeLinkLoops(links: readonly Link[], os?: Os): string | null {
  const bad = findLinkLoop(links, os);
  return bad === null
    ? null
    : `The .zip's symbolic link ${formatEntryName(bad.path)} ${bad.problem}. Remove it or change its target.`;
}

/** Why `paths` are refused if one of `files` is also used as a folder, which no OS supports. Null if none is. */
export function judgeBelowFiles(paths: readonly string[], files: readonly string[], os?: Os): string | null {
  const below = findBelow(paths, files, (path) => foldPath(path, os));
  return below === null
    ? null
    : `The .zip entry ${formatEntryName(below)} is a file and a folder with entries. Rename one of them.`;
}

/**
 * Why `paths` are refused if one of them is below one of the symbolic `links`: it would be written wherever the link
 * leads. Names are compared like on Windows and macOS, where `Data` and `data` are the same. Null if none is below a
 * link.
 */
export function judgeBelowLinks(paths: readonly string[], links: readonly string[]): string | null {
  const below = findBelow(paths, links, (path) => path.normalize('NFC').toLowerCase());
  if (below === null) return null;
  return `The .zip has entries below the symbolic link ${formatEntryName(below)}. Zip the folder that it leads to instead.`;
}

/** The first of `parents` that contains one of `paths`, comparing folded names. */
function findBelow(
  paths: readonly string[],
  parents: readonly string[],
  fold: (path: string) => string,
): string | null {
  if (parents.length === 0) return null;
  const placeOf = (path: string) => segmentsOf(fold(path)).join('/');
  // Sorting puts the entries of a folder next to each other. Looking up every folder of every path would take hours for
  // hostile names.
  const places = paths.map(placeOf).sort();
  for (const parent of parents) {
    const folder = `${placeOf(parent)}/`;
    if (places[firstFrom(places, folder)]?.startsWith(folder)) return parent;
  }
  return null;
}

/** The index of the first of the sorted `places` that is not less than `place`. */
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
