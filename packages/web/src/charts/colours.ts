// Picks colours by ids: of builds, the same in every chart, and of games without a picture.

/** The number of series colours in Chart.module.css. */
export const COLOURS = 8;

/** The index of the grey for all other builds together, which follows the colours. */
export const OTHERS_COLOUR = COLOURS;

/** This many builds in a row have different colours: as many as a chart has series. */
const DISTINCT = 4;

/**
 * The colour index of each build, by id; pass the builds in the order of their registration. The id decides the colour,
 * unless one of the three builds before has the same: then it is the next free one.
 */
export function buildColours(buildIds: readonly string[]): ReadonlyMap<string, number> {
  const colours: number[] = [];
  for (const id of buildIds) {
    const taken = colours.slice(-(DISTINCT - 1));
    let colour = colourOfBuild(id);
    while (taken.includes(colour)) colour = (colour + 1) % COLOURS;
    colours.push(colour);
  }
  return new Map(buildIds.map((id, index) => [id, colours[index]!]));
}

/** The colour index of a build when no other builds are known. */
export function colourOfBuild(id: string): number {
  return hashText(id) % COLOURS;
}

/** A number for a text, which decides its colour: FNV-1a with 32 bits, which spreads ids with a common prefix. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
