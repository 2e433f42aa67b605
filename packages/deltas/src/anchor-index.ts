// Finds where bytes of new content occur in the content that a client has.
import { free } from './memory.ts';
import type { Pages } from './pages.ts';

/** Bytes of one sample. */
export const SAMPLE_BYTES = 16;
/** Samples start at multiples of this. */
export const SAMPLE_STEP = 8;
const MIN_BITS = 12;
const MAX_BITS = 23;

const FACTORS = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f].map((factor) => factor | 0) as Four;
type Four = [number, number, number, number];

/** Samples of the content by their hash: where each of them starts. It holds one place for each slot. */
export class AnchorIndex {
  /** The number of the step at which the sample starts, plus one; 0 for none. */
  readonly #slots: Uint32Array;
  /** Other bits of the hash, which avoid most comparisons of different bytes. */
  readonly #tags: Uint8Array;
  readonly #shift: number;

  /** `samples` is about how many samples it will hold. */
  constructor(samples: number) {
    const bits = Math.min(MAX_BITS, Math.max(MIN_BITS, Math.ceil(Math.log2(1.5 * samples + 1))));
    this.#slots = new Uint32Array(2 ** bits);
    this.#tags = new Uint8Array(2 ** bits);
    this.#shift = 32 - bits;
  }

  /** Adds a sample at each multiple of `step` between two addresses, unless its slot is taken. */
  add(pages: Pages, address: number, length: number, step: number): void {
    const pieceBytes = 1 << 16;
    const end = address + length - SAMPLE_BYTES;
    for (let from = Math.ceil(address / step) * step; from <= end; from += pieceBytes) {
      const until = Math.min(end, from + pieceBytes - 1);
      const bytes = pages.slice(from, until - from + SAMPLE_BYTES);
      this.#addPiece(bytes, from, step);
      free(bytes);
    }
  }

  #addPiece(bytes: Buffer, from: number, step: number): void {
    for (let at = 0; at + SAMPLE_BYTES <= bytes.length; at += step) {
      const [a, b] = [bytes.readInt32LE(at), bytes.readInt32LE(at + 4)];
      const [c, d] = [bytes.readInt32LE(at + 8), bytes.readInt32LE(at + 12)];
      // Padding would fill the slots of its neighbours and fits everywhere.
      if (a === b && b === c && c === d) continue;
      const hash = hashOf(a, b, c, d);
      const slot = hash >>> this.#shift;
      if (this.#slots[slot] !== 0) continue;
      this.#slots[slot] = (from + at) / SAMPLE_STEP + 1;
      this.#tags[slot] = hash & 0xff;
    }
  }

  /** The address of a sample with these four words, or -1. Its bytes may differ. */
  find(a: number, b: number, c: number, d: number): number {
    const hash = hashOf(a, b, c, d);
    const slot = hash >>> this.#shift;
    const step = this.#slots[slot]!;
    return step === 0 || this.#tags[slot] !== (hash & 0xff) ? -1 : (step - 1) * SAMPLE_STEP;
  }
}

function hashOf(a: number, b: number, c: number, d: number): number {
  const sum =
    Math.imul(a, FACTORS[0]) +
    Math.imul(b ^ (a >>> 15), FACTORS[1]) +
    Math.imul(c, FACTORS[2]) +
    Math.imul(d, FACTORS[3]);
  return Math.imul(sum ^ (sum >>> 15), FACTORS[1]) >>> 0;
}
