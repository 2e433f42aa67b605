// Follows code that a tool moved after linking, such as Vulcan or Syzygy. The debug information keeps the old addresses.
//
// Two tables describe the move. One has, for the start of each block of the old program, its place in the image. The
// other has, for the start of each block of the image, its place in the old program. Blocks without one are padding.
// Where a tool made a block longer, for example because a jump needs more bytes, several blocks of the image in
// succession have the same place in the old program.
import { u32 } from './bytes.ts';

const ENTRY_SIZE = 8;

/** A part of a range: where it was linked, and where it is in the image. */
export interface MovedRange {
  readonly linked: number;
  readonly address: number;
  /** In the image, in bytes. */
  readonly size: number;
}

export class Omap {
  readonly #fromLinked: Table;
  readonly #fromImage: Table;

  /** Takes the contents of the two streams: from the old program to the image, and back. */
  constructor(fromLinked: Uint8Array, fromImage: Uint8Array) {
    this.#fromLinked = new Table(fromLinked);
    this.#fromImage = new Table(fromImage);
  }

  /** Returns where an address is in the image, or undefined if the code there was removed. */
  map(linked: number): number | undefined {
    const block = this.#fromLinked.find(linked);
    const to = this.#fromLinked.to(block);
    return to === 0 ? undefined : to + (linked - this.#fromLinked.from(block));
  }

  /**
   * Maps a range, which can come apart. Returns its parts by ascending linked address. Parts that follow each other in
   * the image, or have only padding between them, are joined.
   */
  mapRange(linked: number, size: number): MovedRange[] {
    const blocks = this.#fromLinked;
    const parts: MovedRange[] = [];
    const end = linked + size;
    for (let block = Math.max(blocks.find(linked), 0); block < blocks.count && blocks.from(block) < end; block++) {
      const to = blocks.to(block);
      const start = Math.max(linked, blocks.from(block));
      const stop = Math.min(end, blocks.end(block));
      if (to === 0 || stop <= start) continue;
      const address = to + (start - blocks.from(block));
      const imageEnd = this.#findImageEnd(block, stop);
      if (imageEnd > address) this.#append(parts, { linked: start, address, size: imageEnd - address });
    }
    return parts;
  }

  /** Where the code of a block up to `stop` ends in the image, with what was added at the end of the block. */
  #findImageEnd(block: number, stop: number): number {
    const from = this.#fromLinked.from(block);
    const to = this.#fromLinked.to(block);
    const image = this.#fromImage;
    let index = image.find(to);
    if (index < 0 || image.from(index) !== to) return to + (stop - from);
    while (index + 1 < image.count && image.to(index + 1) === image.to(index)) index++;
    const limit = image.end(index);
    return stop === this.#fromLinked.end(block) ? limit : Math.min(to + (stop - from), limit);
  }

  #append(parts: MovedRange[], part: MovedRange): void {
    const last = parts.at(-1);
    if (last === undefined || part.address < last.address || !this.#isPadding(last.address + last.size, part.address)) {
      parts.push(part);
      return;
    }
    parts[parts.length - 1] = { ...last, size: part.address + part.size - last.address };
  }

  #isPadding(start: number, end: number): boolean {
    const image = this.#fromImage;
    for (let index = image.find(start), at = start; at < end; at = image.end(index++)) {
      if (index < 0 || image.to(index) < PADDING) return false;
    }
    return start <= end;
  }
}

/** The place of padding in the old program is this or larger. */
const PADDING = 0x80000000;

/** Blocks by ascending address. A block ends where the next one begins. */
class Table {
  readonly count: number;
  readonly #from: Uint32Array;
  readonly #to: Uint32Array;

  constructor(bytes: Uint8Array) {
    this.count = Math.floor(bytes.length / ENTRY_SIZE);
    this.#from = new Uint32Array(this.count);
    this.#to = new Uint32Array(this.count);
    // Tools write tables in order. Sorting makes the search valid for damaged ones as well.
    const order = Uint32Array.from({ length: this.count }, (_, index) => index);
    order.sort((a, b) => u32(bytes, a * ENTRY_SIZE) - u32(bytes, b * ENTRY_SIZE));
    for (let index = 0; index < this.count; index++) {
      this.#from[index] = u32(bytes, order[index]! * ENTRY_SIZE);
      this.#to[index] = u32(bytes, order[index]! * ENTRY_SIZE + 4);
    }
  }

  /** The last block that begins at or before `address`; -1 if all begin after it. */
  find(address: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#from[middle]! <= address) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  from(block: number): number {
    return this.#from[block] ?? 0;
  }

  /** The place of the block in the other address space; 0 if it is not there. */
  to(block: number): number {
    return this.#to[block] ?? 0;
  }

  end(block: number): number {
    return this.#from[block + 1] ?? 2 ** 32;
  }
}
