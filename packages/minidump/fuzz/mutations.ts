// Ways in which a transmission, a full disk or an attacker can damage a file, and the random numbers that choose them.

/** Returns a new array. `input` is not empty, and not a Buffer. */
export type Mutation = (input: Uint8Array<ArrayBuffer>, random: Random) => Uint8Array<ArrayBuffer>;

/** Returns a copy of `input` with one to eight random mutations. */
export function mutate(input: Uint8Array, random: Random, mutations: readonly Mutation[] = MUTATIONS): Uint8Array {
  // A slice of a Buffer shares its memory. The mutations need an array, of which a slice is a copy.
  let output = new Uint8Array(input);
  for (let left = 1 + random.below(8); left > 0 && output.length > 0; left -= 1)
    output = random.pick(mutations)(output, random);
  return output;
}

export const flipBits: Mutation = (input, random) => {
  const output = input.slice();
  for (let left = 1 + random.below(16); left > 0; left -= 1)
    output[random.below(output.length)]! ^= 1 << random.below(8);
  return output;
};

export const cutOff: Mutation = (input, random) => input.slice(0, random.below(input.length));

/** Writes a number that is difficult for parsers: a count or position that is huge, negative, or just past the end. */
const plantNumber: Mutation = (input, random) => {
  const output = input.slice();
  const at = random.below(Math.max(1, output.length - 3)) & ~3;
  if (at + 4 > output.length) return output;
  const view = new DataView(output.buffer, output.byteOffset);
  const { length } = output;
  const near = length + random.below(9) - 4;
  const value = random.pick([0, 1, 2, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff_fff0, near, random.below(length)]);
  view.setUint32(at, value, random.chance(0.9));
  return output;
};

/** Copies a part of the file to another position. */
export const splice: Mutation = (input, random) => {
  const output = input.slice();
  const from = random.below(input.length);
  const piece = input.subarray(from, from + 1 + random.below(256));
  const to = random.below(Math.max(1, input.length - piece.length));
  output.set(piece.subarray(0, output.length - to), to);
  return output;
};

const blank: Mutation = (input, random) => {
  const output = input.slice();
  const from = random.below(input.length);
  return output.fill(random.pick([0, 0xff]), from, from + 1 + random.below(256));
};

/** Removes bytes, which moves everything after them. */
export const remove: Mutation = (input, random) => {
  const from = random.below(input.length);
  return concatenate(input.subarray(0, from), input.subarray(from + 1 + random.below(16)));
};

/** Inserts bytes, which moves everything after them. */
export const insert: Mutation = (input, random) => {
  const at = random.below(input.length);
  return concatenate(input.subarray(0, at), random.bytes(1 + random.below(16)), input.subarray(at));
};

export const MUTATIONS: readonly Mutation[] = [
  flipBits,
  cutOff,
  plantNumber,
  plantNumber,
  splice,
  blank,
  remove,
  insert,
];

function concatenate(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts));
}

export class Random {
  #state: number;

  /** Only the lowest 32 bits of the seed are used. */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns an integer from 0 to `limit - 1`. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.below(256));
  }

  /** Returns a number from 0 to less than 1 (mulberry32): short, and random enough for fuzzing. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
