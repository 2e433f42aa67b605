// Decides with which of its pages a web build begins.

/**
 * The path of the page: `index.html` that lies highest, for a zip of a folder as well as of what is in it; else the only page at the top,
 * which some engines name like the game. Null when there is none, or nothing to tell one of several from the others.
 */
export function findStartPage(paths: Iterable<string>): string | null {
  const pages = [...paths].filter((path) => /\.html?$/i.test(path));
  const starts = pages.filter((path) => /(^|\/)index\.html?$/i.test(path));
  return onlyHighest(starts) ?? onlyOf(pages.filter((path) => depthOf(path) === 0));
}

function onlyHighest(paths: readonly string[]): string | null {
  const least = Math.min(...paths.map(depthOf));
  return onlyOf(paths.filter((path) => depthOf(path) === least));
}

function onlyOf(paths: readonly string[]): string | null {
  return paths.length === 1 ? paths[0]! : null;
}

function depthOf(path: string): number {
  return path.split('/').length - 1;
}
