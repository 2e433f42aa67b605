// Decodes LZMA: a range coder whose probabilities adapt, and copies of what came before (LZMA specification, 7-Zip).
import { DebugSymbolsError } from '../error.ts';
import { damaged } from './damaged.ts';
import type { Window } from './window.ts';

const STATES = 12;
const POSITION_STATES = 16;
/** States below this one come after a literal. */
const LITERAL_STATES = 7;
const HALF = 1024;
const MIN_MATCH = 2;
/** Distances below it have separate probabilities; from it on, only their last four bits have. */
const FULL_DISTANCES = 128;

/** The lengths of matches: 8 short ones and 8 middle ones for each position, and 256 long ones. */
class Lengths {
  readonly choices = new Uint16Array(2);
  readonly short = new Uint16Array(POSITION_STATES * 8);
  readonly middle = new Uint16Array(POSITION_STATES * 8);
  readonly long = new Uint16Array(256);

  reset(): void {
    for (const table of [this.choices, this.short, this.middle, this.long]) table.fill(HALF);
  }
}

export class LzmaDecoder {
  readonly #window: Window;
  // The numbers of the range coder are kept as signed ones, which are not stored as separate objects.
  #range = 0;
  #code = 0;
  #input: Uint8Array = new Uint8Array();
  #inputAt = 0;
  #state = 0;
  /** The last four distances, the newest first. */
  #distances: [number, number, number, number] = [0, 0, 0, 0];
  #literalBits = 0;
  #literalMask = 0;
  #positionMask = 0;
  #literals = new Uint16Array();
  readonly #isMatch = new Uint16Array(STATES * POSITION_STATES);
  readonly #isRepeat = new Uint16Array(STATES);
  readonly #isOther = [new Uint16Array(STATES), new Uint16Array(STATES), new Uint16Array(STATES)] as const;
  readonly #isLong = new Uint16Array(STATES * POSITION_STATES);
  readonly #slots = new Uint16Array(4 * 64);
  readonly #special = new Uint16Array(FULL_DISTANCES);
  readonly #align = new Uint16Array(16);
  readonly #matchLengths = new Lengths();
  readonly #repeatLengths = new Lengths();

  constructor(window: Window) {
    this.#window = window;
  }

  /** Sets the parameters, as the format stores them in one byte, and resets the state. Throws `malformed`. */
  setProperties(byte: number): void {
    const [literalBits, rest] = [byte % 9, Math.floor(byte / 9)];
    const [literalPositionBits, positionBits] = [rest % 5, Math.floor(rest / 5)];
    if (positionBits > 4 || literalBits + literalPositionBits > 4)
      throw new DebugSymbolsError('malformed', 'compressed data has unknown parameters');
    this.#literalBits = literalBits;
    this.#literalMask = (1 << literalPositionBits) - 1;
    this.#positionMask = (1 << positionBits) - 1;
    this.#literals = new Uint16Array(0x300 << (literalBits + literalPositionBits));
    this.resetState();
  }

  resetState(): void {
    this.#state = 0;
    this.#distances = [0, 0, 0, 0];
    const tables = [this.#literals, this.#isMatch, this.#isRepeat, ...this.#isOther, this.#isLong];
    for (const table of [...tables, this.#slots, this.#special, this.#align]) table.fill(HALF);
    this.#matchLengths.reset();
    this.#repeatLengths.reset();
  }

  /** Writes `size` bytes to the window, which has room for them. Throws `malformed`, also if input is left over. */
  decode(input: Uint8Array, size: number): void {
    if (input.length < 5 || input[0] !== 0) throw damaged();
    this.#input = input;
    this.#code = (input[1]! << 24) | (input[2]! << 16) | (input[3]! << 8) | input[4]!;
    this.#range = -1;
    this.#inputAt = 5;
    const window = this.#window;
    for (let left = size; left > 0; ) {
      const position = window.total & this.#positionMask;
      if (this.#bit(this.#isMatch, (this.#state << 4) + position) === 0) {
        this.#literal();
        left -= 1;
        continue;
      }
      const length = this.#match(position);
      if (length > left) throw damaged();
      window.copy(this.#distances[0] + 1, length);
      left -= length;
    }
    if (this.#inputAt !== input.length || this.#code !== 0) throw damaged();
  }

  #literal(): void {
    const window = this.#window;
    const before = window.total === 0 ? 0 : window.byteBefore(1);
    const group = ((window.total & this.#literalMask) << this.#literalBits) + (before >> (8 - this.#literalBits));
    const base = 0x300 * group;
    let symbol = 1;
    if (this.#state >= LITERAL_STATES) {
      // After a match, the byte at its distance is known to be another one.
      let matched = window.byteBefore(this.#distances[0] + 1);
      while (symbol < 0x100) {
        const expected = (matched >> 7) & 1;
        matched <<= 1;
        const bit = this.#bit(this.#literals, base + ((1 + expected) << 8) + symbol);
        symbol = (symbol << 1) | bit;
        if (bit !== expected) break;
      }
    }
    while (symbol < 0x100) symbol = (symbol << 1) | this.#bit(this.#literals, base + symbol);
    window.put(symbol & 0xff);
    const state = this.#state;
    this.#state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
  }

  /** Sets the distance of a match, and returns its length. */
  #match(position: number): number {
    const state = this.#state;
    const isAfterLiteral = state < LITERAL_STATES;
    if (this.#bit(this.#isRepeat, state) === 0) {
      const length = this.#length(this.#matchLengths, position);
      const distance = this.#distance(length);
      const [first, second, third] = this.#distances;
      this.#distances = [distance, first, second, third];
      this.#state = isAfterLiteral ? 7 : 10;
      return length + MIN_MATCH;
    }
    if (this.#bit(this.#isOther[0], state) === 0) {
      if (this.#bit(this.#isLong, (state << 4) + position) === 0) {
        this.#state = isAfterLiteral ? 9 : 11;
        return 1;
      }
    } else this.#useOlderDistance(state);
    this.#state = isAfterLiteral ? 8 : 11;
    return this.#length(this.#repeatLengths, position) + MIN_MATCH;
  }

  #useOlderDistance(state: number): void {
    const [first, second, third, fourth] = this.#distances;
    if (this.#bit(this.#isOther[1], state) === 0) this.#distances = [second, first, third, fourth];
    else if (this.#bit(this.#isOther[2], state) === 0) this.#distances = [third, first, second, fourth];
    else this.#distances = [fourth, first, second, third];
  }

  #length(lengths: Lengths, position: number): number {
    if (this.#bit(lengths.choices, 0) === 0) return this.#tree(lengths.short, position * 8, 3);
    if (this.#bit(lengths.choices, 1) === 0) return 8 + this.#tree(lengths.middle, position * 8, 3);
    return 16 + this.#tree(lengths.long, 0, 8);
  }

  #distance(length: number): number {
    const slot = this.#tree(this.#slots, Math.min(length, 3) * 64, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const base = ((2 | (slot & 1)) << bits) >>> 0;
    if (slot < 14) return base + this.#reverseTree(this.#special, base - slot, bits);
    const distance = base + this.#direct(bits - 4) * 16 + this.#reverseTree(this.#align, 0, 4);
    // The mark of an end, which sized data doesn't have.
    if (distance === 0xffff_ffff) throw damaged();
    return distance;
  }

  #tree(table: Uint16Array, base: number, bits: number): number {
    let symbol = 1;
    for (let bit = 0; bit < bits; bit += 1) symbol = (symbol << 1) | this.#bit(table, base + symbol);
    return symbol - (1 << bits);
  }

  #reverseTree(table: Uint16Array, base: number, bits: number): number {
    let [node, symbol] = [1, 0];
    for (let at = 0; at < bits; at += 1) {
      const bit = this.#bit(table, base + node);
      node = (node << 1) | bit;
      symbol |= bit << at;
    }
    return symbol;
  }

  /** Bits that are equally likely. */
  #direct(count: number): number {
    let value = 0;
    for (let left = count; left > 0; left -= 1) {
      this.#range >>>= 1;
      const isOne = this.#code >>> 0 >= this.#range;
      if (isOne) this.#code = (this.#code - this.#range) | 0;
      value = value * 2 + (isOne ? 1 : 0);
      this.#normalise();
    }
    return value;
  }

  #bit(table: Uint16Array, at: number): 0 | 1 {
    const probability = table[at]!;
    const bound = Math.imul(this.#range >>> 11, probability);
    let bit: 0 | 1 = 0;
    if (this.#code >>> 0 < bound >>> 0) {
      this.#range = bound;
      table[at] = probability + ((2048 - probability) >> 5);
    } else {
      this.#range = (this.#range - bound) | 0;
      this.#code = (this.#code - bound) | 0;
      table[at] = probability - (probability >> 5);
      bit = 1;
    }
    if (this.#range >>> 24 === 0) this.#normalise();
    return bit;
  }

  #normalise(): void {
    if (this.#range >>> 24 !== 0) return;
    if (this.#inputAt >= this.#input.length) throw damaged();
    this.#range <<= 8;
    this.#code = (this.#code << 8) | this.#input[this.#inputAt++]!;
  }
}
