// Finds the repeating calls in the stack of an overflow.

/** How many functions a cycle can have. Longer cycles look like any other stack. */
const MAX_CYCLE = 10;
/** How often a cycle must repeat, so that two equal calls in a row do not count. */
const MIN_ROUNDS = 3;
/** Frames above the first full round: calls that were active when the stack overflowed. */
const MAX_LEAF = 10;

/**
 * Returns the labels of the cycle, or undefined if no calls repeat. The cycle starts with the label that makes its text
 * alphabetically first, because the stack can overflow at any point of the cycle: `odd even odd even` and
 * `even odd even odd` are the same fault.
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
