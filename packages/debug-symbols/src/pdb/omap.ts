// Follows code that a tool moved after linking, such as Vulcan or Syzygy. The debug information keeps the old addresses.
import { u32 } from './bytes.ts';

const ENTRY_SIZE = 8;

/** The table from addresses before the move to those after it. */
export class Omap {
  /** Where parts of the old program begin, ascending. A part ends where the next one begins. */
  readonly #from: Uint32Array;
  /** Where each part is now; 0 for parts that were removed. */
  readonly #to: Uint32Array;

  constructor(bytes: Uint8Array) {
    const count = Math.floor(bytes.length / ENTRY_SIZE);
    const entries = Array.from({ length: count }, (_, index) => index);
    const from = Uint32Array.from(entries, (index) => u32(bytes, index * ENTRY_SIZE));
    // Tables are written in order; sorting makes the search valid for damaged ones as well.
    entries.sort((a, b) => from[a]! - from[b]!);
    this.#from = Uint32Array.from(entries, (index) => from[index]!);
    this.#to = Uint32Array.from(entries, (index) => u32(bytes, index * ENTRY_SIZE + 4));
  }

  /** Returns the address after the move, or undefined if the code at this address was removed. */
  map(address: number): number | undefined {
    const part = this.#find(address);
    const to = this.#to[part];
    return to === undefined || to === 0 ? undefined : to + (address - this.#from[part]!);
  }

  /**
   * Maps a range, which can come apart: calls `visit` with the start of each piece before the move, its start after it,
   * and its size, by ascending address before the move. Pieces that are still next to each other are joined.
   */
  mapRange(start: number, size: number, visit: (from: number, to: number, size: number) => void): void {
    let piece: { from: number; to: number; size: number } | undefined;
    for (let at = start, part = this.#find(start); at < start + size; part++) {
      const end = Math.min(this.#from[part + 1] ?? Number.POSITIVE_INFINITY, start + size);
      const to = this.#to[part] ?? 0;
      if (to !== 0 && end > at) {
        const moved = to + (at - this.#from[part]!);
        if (piece !== undefined && piece.to + piece.size === moved && piece.from + piece.size === at) {
          piece.size += end - at;
        } else {
          if (piece !== undefined) visit(piece.from, piece.to, piece.size);
          piece = { from: at, to: moved, size: end - at };
        }
      }
      at = Math.max(at, end);
    }
    if (piece !== undefined) visit(piece.from, piece.to, piece.size);
  }

  /** The last part that begins at or before `address`; -1 if all begin after it. */
  #find(address: number): number {
    let low = 0;
    let high = this.#from.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#from[middle]! <= address) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
