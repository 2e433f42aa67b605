// Cuts the content of a file into blocks at places that its bytes decide, so that equal content is cut equally wherever it is.
import { createHash } from 'node:crypto';

/**
 * Lengths of blocks in bytes. `average` is where the rule of the cuts changes, which makes it the most common length.
 * Blocks are shorter than `min` only at the end of a file, and never longer than `max`.
 */
export type CutterSizes = {
  /** Files up to this length are one block. */
  readonly uncut: number;
  readonly min: number;
  readonly average: number;
  readonly max: number;
};

const KIB = 1024;

/** Small blocks of packed files make a zip larger, those of stored files only its manifest. */
export type Sizes = { readonly stored: CutterSizes; readonly packed: CutterSizes };

/** Sizes for new zips. bench/deltas.ts has the measurements behind them. */
export const DEFAULT_SIZES: Sizes = {
  stored: { uncut: 64 * KIB, min: 32 * KIB, average: 64 * KIB, max: 256 * KIB },
  packed: { uncut: 512 * KIB, min: 112 * KIB, average: 224 * KIB, max: 896 * KIB },
};

/** Bytes that the hash depends on: each is shifted out of its 32 bits after 32 more. */
const WINDOW = 32;
/** A cut is this much rarer before the average length than the length asks for, and this much more frequent after it. */
const NORMALISATION = 4;

/** One number of 32 bits for each byte value: the beginning of a SHA-256, so that other programs can compute it. */
const GEAR = Int32Array.from({ length: 256 }, (_, byte) =>
  createHash('sha256').update(`chauffeur cutter ${byte}`).digest().readInt32BE(0),
);

/** Finds the cuts of one file that is longer than `uncut`. It is passed in pieces of any length. */
export class Cutter {
  readonly #min: number;
  readonly #average: number;
  readonly #max: number;
  readonly #rare: number;
  readonly #frequent: number;
  /** The length of the current block so far. */
  #length = 0;
  #hash = 0;

  constructor(sizes: CutterSizes) {
    this.#min = sizes.min;
    this.#average = sizes.average;
    this.#max = sizes.max;
    this.#rare = thresholdOf(sizes.average * NORMALISATION);
    this.#frequent = thresholdOf(sizes.average / NORMALISATION);
  }

  /** Returns the lengths of the blocks that end in `piece`, which follows the pieces before it. */
  push(piece: Uint8Array): number[] {
    const ended: number[] = [];
    for (let at = 0; at < piece.length; ) {
      const length = this.#length;
      const next = this.#scan(piece, at);
      this.#length = length + next.end - at;
      at = next.end;
      if (!next.isCut) continue;
      ended.push(this.#length);
      this.#length = 0;
      this.#hash = 0;
    }
    return ended;
  }

  /** Returns the length of the last block, 0 if the file is empty or ends at a cut, and begins the next file. */
  finish(): number {
    const length = this.#length;
    this.#length = 0;
    this.#hash = 0;
    return length;
  }

  /** Reads from `from` to the next cut or to the end of the piece. */
  #scan(piece: Uint8Array, from: number): { end: number; isCut: boolean } {
    // Position in the piece of the current block's start; negative if it began in an earlier piece.
    const start = from - this.#length;
    // Bytes more than a window before the shortest block's end don't influence any cut.
    const first = Math.max(from, start + this.#min - WINDOW);
    const limit = Math.min(piece.length, start + this.#max);
    const rareFrom = Math.min(limit, Math.max(first, start + this.#min - 1));
    const frequentFrom = Math.min(limit, Math.max(rareFrom, start + this.#average));
    let hash = this.#hash;
    let at = first;
    for (; at < rareFrom; at += 1) hash = ((hash << 1) + GEAR[piece[at]!]!) | 0;
    const [rare, frequent] = [this.#rare, this.#frequent];
    for (; at < frequentFrom; at += 1) {
      hash = ((hash << 1) + GEAR[piece[at]!]!) | 0;
      if (hash < rare) return { end: at + 1, isCut: true };
    }
    for (; at < limit; at += 1) {
      hash = ((hash << 1) + GEAR[piece[at]!]!) | 0;
      if (hash < frequent) return { end: at + 1, isCut: true };
    }
    this.#hash = hash;
    const end = Math.max(from, limit);
    return { end, isCut: end - start === this.#max };
  }
}

/** The lengths of all blocks of `content`. */
export function cut(content: Uint8Array, sizes: CutterSizes): number[] {
  if (content.length <= sizes.uncut) return content.length === 0 ? [] : [content.length];
  const cutter = new Cutter(sizes);
  const lengths = cutter.push(content);
  const last = cutter.finish();
  if (last > 0) lengths.push(last);
  return lengths;
}

/** A hash as a signed number is below the result once in `bytes` positions. */
function thresholdOf(bytes: number): number {
  return -(2 ** 31) + Math.floor(2 ** 32 / bytes);
}
