// Numbers for texts, such as the names of inlined functions, of which a large program has millions.
import { grow } from '../grow.ts';
import type { TextStore } from './text-store.ts';

/** A record is one line. */
export const BREAKS = /[\r\n]+/g;
/** Latest texts, which are found without their hash. */
const MAX_LATEST = 10_000;
/** Characters of them. */
const MAX_LATEST_LENGTH = 16 * 1024 * 1024;

/**
 * Gives each text a number, in the order in which they come. Texts are equal if 64 bits of a hash are, into which their
 * length goes, so that they need not be in memory: most are in a file by then, and to compare each with it would take
 * longer than the conversion. Of a million texts, two are mixed up in one of ten million programs. A file that was made
 * for it can mix up two of its own names, which it could have exchanged as well: texts of other files are not here.
 */
export class NumberedTexts {
  readonly #texts: TextStore;
  readonly #prefix: string;
  readonly #latest = new Map<string, number>();
  #latestLength = 0;
  #places = new Float64Array(256);
  #lengths = new Uint32Array(256);
  #hashes = new Uint32Array(512);
  /** A hash table of numbers; 0 is free, and 1 the number 0. */
  #slots = new Uint32Array(1024);
  #count = 0;

  /** Texts are stored as lines: the prefix, a space, the number, a space, and the text. */
  constructor(texts: TextStore, prefix: string) {
    this.#texts = texts;
    this.#prefix = prefix;
  }

  number(text: string): number {
    let number = this.#latest.get(text);
    if (number !== undefined) return number;
    number = this.#find(text);
    if (this.#latest.size >= MAX_LATEST || this.#latestLength >= MAX_LATEST_LENGTH) {
      this.#latest.clear();
      this.#latestLength = 0;
    }
    this.#latest.set(text, number);
    this.#latestLength += text.length;
    return number;
  }

  *lines(): Generator<Uint8Array> {
    for (let number = 0; number < this.#count; number += 1)
      yield this.#texts.read(this.#places[number]!, this.#lengths[number]!);
  }

  #find(text: string): number {
    const [one, other] = hashesOf(text);
    const mask = this.#slots.length - 1;
    for (let slot = one & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot]! - 1;
      if (number < 0) return this.#add(text, one, other, slot);
      if (this.#hashes[number * 2] === one && this.#hashes[number * 2 + 1] === other) return number;
    }
  }

  #add(text: string, one: number, other: number, slot: number): number {
    const number = this.#count;
    if (number === this.#places.length) {
      this.#places = grow(this.#places);
      this.#lengths = grow(this.#lengths);
      this.#hashes = grow(this.#hashes);
    }
    this.#places[number] = this.#texts.append(`${this.#prefix} ${number} ${text.replace(BREAKS, ' ')}\n`);
    this.#lengths[number] = this.#texts.length;
    this.#hashes[number * 2] = one;
    this.#hashes[number * 2 + 1] = other;
    this.#slots[slot] = number + 1;
    this.#count += 1;
    if (this.#count * 2 > this.#slots.length) this.#rehash();
    return number;
  }

  #rehash(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#count; number += 1) {
      let slot = this.#hashes[number * 2]! & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}

/** Two hashes of 32 bits that don't depend on each other, also with the length. */
function hashesOf(text: string): [one: number, other: number] {
  let one = 0xdeadbeef ^ text.length;
  let other = 0x41c6ce57 ^ text.length;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 2654435761);
    other = Math.imul(other ^ code, 1597334677);
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909);
  other = Math.imul(other ^ (other >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909);
  return [one >>> 0, other >>> 0];
}
