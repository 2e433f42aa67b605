// Finding the calls that repeat in a stack that ran full.

/** Functions that call each other in a circle; longer ones look like any other stack. */
const MAX_CYCLE = 10;
/** A circle must be seen this often, so that two calls in a row are not one. */
const MIN_ROUNDS = 3;
/** Frames above the first full round: the leaf that happened to be called when the stack was full. */
const MAX_LEAF = 10;

/**
 * The labels that repeat, or undefined when nothing does. They begin with the alphabetically first, because the round in
 * which the stack ran full is chance: `odd even odd even` and `even odd even odd` are one fault.
 */
export function findRecursion(labels: readonly string[]): string[] | undefined {
  for (let leaf = 0; leaf <= MAX_LEAF; leaf++) {
    for (let length = 1; length <= MAX_CYCLE; length++) {
      if (repeats(labels, leaf, length)) return rotateToFirst(labels.slice(leaf, leaf + length));
    }
  }
  return undefined;
}

function repeats(labels: readonly string[], start: number, length: number): boolean {
  if (start + length * MIN_ROUNDS > labels.length) return false;
  for (let at = start; at < start + length * (MIN_ROUNDS - 1); at++) {
    if (labels[at] !== labels[at + length]) return false;
  }
  return true;
}

function rotateToFirst(cycle: readonly string[]): string[] {
  const rotations = cycle.map((_, at) => [...cycle.slice(at), ...cycle.slice(0, at)]);
  return rotations.reduce((first, other) => (other.join('\n') < first.join('\n') ? other : first));
}
