// Gives each build of a game its colour, the same one wherever it is drawn.

/** Colours of series, as Chart.module.css has them. */
export const COLOURS = 8;

/** The grey after them, of what is all others together. */
export const OTHERS_COLOUR = COLOURS;

/** As many neighbours differ as a chart has series. */
const APART = 4;

/**
 * A number below COLOURS for each build, by id; the builds come in the order of their registration. A build has the colour that its id
 * leads to, whatever else there is, unless one of the three builds before it has that: then the next one that is free.
 */
export function buildColours(buildIds: readonly string[]): ReadonlyMap<string, number> {
  const colours: number[] = [];
  for (const id of buildIds) {
    const taken = colours.slice(-(APART - 1));
    let colour = colourOfBuild(id);
    while (taken.includes(colour)) colour = (colour + 1) % COLOURS;
    colours.push(colour);
  }
  return new Map(buildIds.map((id, index) => [id, colours[index]!]));
}

/** Where no other build is known. */
export function colourOfBuild(id: string): number {
  return hashOf(id) % COLOURS;
}

/** FNV-1a, 32 bits: spreads ids that begin alike. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
