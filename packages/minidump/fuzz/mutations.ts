// Ways to damage a file: what transmission, a full disk or an attacker does to it.
import type { Random } from './random.ts';

/** Makes a new array; `input` is not empty, and no Buffer. */
export type Mutation = (input: Uint8Array<ArrayBuffer>, random: Random) => Uint8Array<ArrayBuffer>;

/** Damages `input`, which stays as it is, in one to eight random ways. */
export function mutate(input: Uint8Array, random: Random, mutations: readonly Mutation[] = MUTATIONS): Uint8Array {
  // A Buffer’s slice shares its memory; of a plain array it is a copy, as the mutations need it.
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

/** Numbers on which parsers stumble: counts and positions that are huge, negative, or just beyond the end. */
export const plantNumber: Mutation = (input, random) => {
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

/** Puts a piece of the file somewhere else in it. */
export const splice: Mutation = (input, random) => {
  const output = input.slice();
  const from = random.below(input.length);
  const piece = input.subarray(from, from + 1 + random.below(256));
  const to = random.below(Math.max(1, input.length - piece.length));
  output.set(piece.subarray(0, output.length - to), to);
  return output;
};

export const blank: Mutation = (input, random) => {
  const output = input.slice();
  const from = random.below(input.length);
  return output.fill(random.pick([0, 0xff]), from, from + 1 + random.below(256));
};

/** Takes bytes out, so that all that follows moves. */
export const remove: Mutation = (input, random) => {
  const from = random.below(input.length);
  return concatenate(input.subarray(0, from), input.subarray(from + 1 + random.below(16)));
};

/** Puts bytes in, so that all that follows moves. */
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
