// Damages files in a reproducible way.

/** Returns copies of a file: cut off at some places, and with some bits flipped. */
export function* damage(bytes: Uint8Array, copies: number, seed: number): Generator<Uint8Array> {
  const random = createRandom(seed);
  for (let copy = 0; copy < copies; copy++) {
    if (copy % 4 === 0) yield Uint8Array.from(bytes.subarray(0, random(bytes.length)));
    const damaged = Uint8Array.from(bytes);
    // Most of the damage is in the first part, where headers are.
    const range = copy % 2 === 0 ? Math.min(1024, bytes.length) : bytes.length;
    for (let flips = 1 + random(copy % 3 === 0 ? 40 : 4); flips > 0; flips--) {
      const at = random(range);
      damaged[at] = copy % 5 === 0 ? 0xff : damaged[at]! ^ (1 << random(8));
    }
    yield damaged;
  }
}

/** Returns a function that gives numbers from 0 to below a limit: the same ones for the same seed (mulberry32). */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}
