// Follows the symbolic links of a web build, which the zip stores as files with a path as their content.

/** The number that Linux follows in one path (path_resolution(7)), so circular links come to an end. */
const MAX_LINKS = 40;
/** A path has at most 4096 bytes. Long targets could otherwise lead through millions of folders. */
const MAX_STEPS = 4096;

/**
 * The path of the file or folder that `path` leads to, where a link may be the last name or a folder on the way.
 * `links` are targets by path. Null if there is no link on the way, if it leads out of the build, or if there are too
 * many.
 */
export function followLinks(path: string, links: ReadonlyMap<string, string>): string | null {
  if (links.size === 0 || path.split('/').some(isDots)) return null;
  const ahead = path.split('/').reverse();
  let place = '';
  let followed = 0;
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const name = ahead.pop();
    if (name === undefined) return followed > 0 ? place : null;
    if (name === '' || name === '.') continue;
    if (name === '..' && place === '') return null;
    if (name === '..') {
      place = parentOf(place);
      continue;
    }
    const next = place === '' ? name : `${place}/${name}`;
    const target = links.get(next);
    if (target === undefined) place = next;
    else if (++followed > MAX_LINKS) return null;
    else ahead.push(...target.split('/').reverse());
  }
  return null;
}

/** Only a link may contain them. A request for `a/../b` or `a//b` names no entry, whether or not there are links. */
function isDots(name: string): boolean {
  return name === '' || name === '.' || name === '..';
}

function parentOf(place: string): string {
  return place.slice(0, Math.max(0, place.lastIndexOf('/')));
}
