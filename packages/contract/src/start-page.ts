// Finds the start page of a web build. The server plays by this rule, and the CLI checks folders by it.

/**
 * Returns the `index.html` with the fewest parent folders, so that zips with and without a top-level folder work;
 * otherwise the only page at the top level, which some engines name after the game. Null if there is none, or several
 * candidates of equal rank.
 */
export function findStartPage(paths: Iterable<string>): string | null {
  const pages = [...paths].filter((path) => /\.html?$/i.test(path));
  const starts = pages.filter((path) => /(^|\/)index\.html?$/i.test(path));
  return onlyHighest(starts) ?? onlyOf(pages.filter((path) => depthOf(path) === 0));
}

function onlyHighest(paths: readonly string[]): string | null {
  const minDepth = paths.reduce((min, path) => Math.min(min, depthOf(path)), Number.POSITIVE_INFINITY);
  return onlyOf(paths.filter((path) => depthOf(path) === minDepth));
}

function onlyOf(paths: readonly string[]): string | null {
  return paths.length === 1 ? paths[0]! : null;
}

function depthOf(path: string): number {
  return path.split('/').length - 1;
}
