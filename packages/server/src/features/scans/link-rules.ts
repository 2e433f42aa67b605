// Decides whether the symbolic links of a zip stay inside of it.
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
  if (/^([/\\]|[a-z]:)/i.test(target)) return refuse(`leads to the absolute path ${showName(target)}`);
  if (target.includes('\\')) return refuse(`has a backslash in its target ${showName(target)}`);
  const steps = segmentsOf(target);
  const descent = steps.findIndex((step) => step !== '..');
  const climbs = descent < 0 ? steps.length : descent;
  if (climbs >= segmentsOf(path).length) return refuse(`leads out of the archive to ${showName(target)}`);
  if (steps.lastIndexOf('..') > climbs) return refuse(`has .. behind a folder in its target ${showName(target)}`);
  return null;
}

/**
 * Why `paths` are refused when those in `links` are symbolic links: an entry below a link would be written wherever that
 * leads. Names are compared as the file systems of Windows and macOS do, by which `Data` and `data` are one. Null when fine.
 */
export function judgeBelowLinks(paths: readonly string[], links: readonly string[]): string | null {
  if (links.length === 0) return null;
  // Sorted, those below a link stand together; to look up each folder of each path would take hours for hostile names.
  const places = paths.map(foldedPlace).sort();
  for (const link of links) {
    const folder = `${foldedPlace(link)}/`;
    if (places[firstFrom(places, folder)]?.startsWith(folder)) {
      return `The .zip has entries below the symbolic link ${showName(link)}; zip the folder that it leads to instead.`;
    }
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

function foldedPlace(path: string): string {
  return segmentsOf(path.normalize('NFC').toLowerCase()).join('/');
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '' && segment !== '.');
}
