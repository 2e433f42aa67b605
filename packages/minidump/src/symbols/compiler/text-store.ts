// Writes texts into a symbol cache, storing repeated texts only once.
import { ByteSink } from '../cache/byte-sink.ts';
import type { PageWriter } from '../cache/page-writer.ts';

/** How many texts are remembered; a power of two. A file has a few thousand different unwind rules. */
const SLOTS = 1 << 14;
/** Longer texts are not remembered. */
const SLOT_BYTES = 248;

/** Remembers recent texts in a fixed 4 MiB of memory, with one slot for each hash value. */
export class TextStore {
  readonly #pages: PageWriter;
  readonly #positions = new Float64Array(SLOTS);
  readonly #lengths = new Uint8Array(SLOTS);
  readonly #texts = new Uint8Array(SLOTS * SLOT_BYTES);
  readonly #sink = new ByteSink();

  constructor(pages: PageWriter) {
    this.#pages = pages;
  }

  /** Writes the text `bytes[from, to)`. Returns its position. */
  write(bytes: Uint8Array, from: number, to: number): number {
    this.#sink.clear();
    this.#sink.text(bytes, from, to);
    return this.#pages.append(this.#sink.bytes, 0, this.#sink.length);
  }

  /** Writes a text that is likely to be repeated, unless it was written before. Returns its position. */
  share(bytes: Uint8Array, from: number, to: number): number {
    const length = to - from;
    if (length > SLOT_BYTES || length === 0) return this.write(bytes, from, to);
    const slot = hash(bytes, from, to) & (SLOTS - 1);
    if (!this.#holds(slot, bytes, from, length)) {
      this.#positions[slot] = this.write(bytes, from, to);
      this.#lengths[slot] = length;
      for (let index = 0; index < length; index++) this.#texts[slot * SLOT_BYTES + index] = bytes[from + index]!;
    }
    return this.#positions[slot]!;
  }

  #holds(slot: number, bytes: Uint8Array, from: number, length: number): boolean {
    if (this.#lengths[slot] !== length) return false;
    const start = slot * SLOT_BYTES;
    for (let index = 0; index < length; index++) if (this.#texts[start + index] !== bytes[from + index]) return false;
    return true;
  }
}

/** FNV-1a, with its high bits folded in. */
function hash(bytes: Uint8Array, from: number, to: number): number {
  let value = 0x811c9dc5;
  for (let index = from; index < to; index++) value = Math.imul(value ^ bytes[index]!, 0x01000193);
  return value ^ (value >>> 15);
}
