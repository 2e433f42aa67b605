// Paths of source files, as the compilers of any system write them.

const ABSOLUTE = /^(?:[\\/]|[A-Za-z]:[\\/])/;

/** Appends a path to a folder, unless it is absolute. */
export function joinPath(folder: string, path: string): string {
  if (folder === '' || ABSOLUTE.test(path)) return path;
  const separator = folder.includes('\\') && !folder.includes('/') ? '\\' : '/';
  return /[\\/]$/.test(folder) ? folder + path : folder + separator + path;
}

const HAS_DOTS = /(?:^|[\\/])\.\.?(?:[\\/]|$)|[\\/]{2}/;

/** Removes `.` and `..` where that is possible. */
export function cleanPath(path: string): string {
  if (!HAS_DOTS.test(path)) return path;
  const separator = path.includes('\\') && !path.includes('/') ? '\\' : '/';
  const root = /^(?:[A-Za-z]:)?[\\/]{0,2}/.exec(path)?.[0] ?? '';
  const kept: string[] = [];
  for (const part of path.slice(root.length).split(/[\\/]+/)) {
    if (part === '.' || part === '') continue;
    if (part === '..' && kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (part !== '..' || root === '') kept.push(part);
  }
  return root + kept.join(separator);
}

/** The name at the end of a path of any system. */
export function lastPart(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
