// Follows code that a tool moved after linking, such as Vulcan or Syzygy. The debug information keeps the old addresses.
//
// Two tables describe the move: for the start of each block of the old program, its place in the image; and for the
// start of each block of the image, its place in the old program, or a number that means padding. The second table
// is the complete one. It can have several blocks with the same place:
//
// - in succession, where an instruction was replaced by several, the last of which is followed by unchanged code;
// - elsewhere, for a jump that was added because the code after it was moved. The first table does not lead there.
import { DebugSymbolsError } from '../error.ts';
import { u32 } from './bytes.ts';

const ENTRY_SIZE = 8;
/** Places from here on are not of code. */
const PADDING = 0x80000000;
/** Bytes. Code is aligned to the lines of the cache at most. */
const MAX_PADDING = 64;
/** How often each block is visited at most, on average: for its function, lines, inlined calls and frame data. */
const MAX_VISITS = 16;
const MIN_VISITS = 1_000_000;

/** A part of a range: where it was linked, and where it is in the image. */
export interface MovedRange {
  readonly linked: number;
  readonly address: number;
  /** Bytes in the image. */
  readonly size: number;
}

export class Omap {
  readonly #image: Table;
  /** The blocks of the image that are not padding, by ascending place in the old program. */
  readonly #blocks: Uint32Array;
  /** How many bytes of the old program each of these blocks has. */
  readonly #covered: Uint32Array;
  #visits = 0;

  /** Takes the contents of the two streams: from the old program to the image, and back. */
  constructor(fromLinked: Uint8Array, fromImage: Uint8Array) {
    const linked = new Table(fromLinked);
    // Without the second table, the first one has to do.
    this.#image = fromImage.length > 0 ? new Table(fromImage) : linked.reverse();
    const image = this.#image;
    const code = Uint32Array.from({ length: image.count }, (_, block) => block).filter((block) => image.isCode(block));
    this.#blocks = code.sort((a, b) => image.to(a) - image.to(b) || a - b);
    this.#covered = this.#measure(linked);
  }

  /** Returns where an address is in the image, or undefined if the code there was removed. */
  map(linked: number): number | undefined {
    return this.mapRange(linked, 1)[0]?.address;
  }

  /**
   * Maps a range, which can come apart. Returns its parts by ascending address in the image. Parts that follow each
   * other there, or have only padding between them, are joined.
   */
  mapRange(linked: number, size: number): MovedRange[] {
    const parts: MovedRange[] = [];
    const end = linked + size;
    for (let index = this.#firstAt(linked); index < this.#blocks.length; index++) {
      this.#countVisit();
      const block = this.#blocks[index]!;
      const from = this.#image.to(block);
      if (from >= end) break;
      const covered = this.#covered[index]!;
      const start = Math.max(linked - from, 0);
      if (start >= covered) continue;
      // What was added at the end of a block belongs to its last byte.
      const stop = end - from >= covered ? this.#image.size(block) : end - from;
      parts.push({ linked: from + start, address: this.#image.from(block) + start, size: stop - start });
    }
    return this.#join(parts.sort((a, b) => a.address - b.address));
  }

  #measure(linked: Table): Uint32Array {
    const image = this.#image;
    const blocks = this.#blocks;
    const covered = new Uint32Array(blocks.length);
    const homes = this.#findHomes(linked);
    let next = 2 ** 32;
    for (let index = blocks.length - 1; index >= 0; index--) {
      const block = blocks[index]!;
      const from = image.to(block);
      const same = index + 1 < blocks.length && image.to(blocks[index + 1]!) === from;
      if (!same && index + 1 < blocks.length) next = image.to(blocks[index + 1]!);
      const continues = image.to(block + 1) === from && block + 1 < image.count;
      covered[index] = continues || homes[block] === 0 ? 1 : Math.min(image.size(block), next - from);
    }
    return covered;
  }

  /** For each block, 1 if the first table leads to it, or to an earlier one of successive blocks with its place. */
  #findHomes(linked: Table): Uint8Array {
    const image = this.#image;
    const homes = new Uint8Array(image.count);
    for (let block = 0; block < image.count; block++) {
      const from = image.to(block);
      const continued = block > 0 && homes[block - 1] === 1 && image.to(block - 1) === from;
      if (continued || image.from(block) === linked.to(linked.find(from))) homes[block] = 1;
    }
    return homes;
  }

  /** The index of the first block that could have something at or after an address of the old program. */
  #firstAt(linked: number): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#image.to(this.#blocks[middle]!) < linked) low = middle + 1;
      else high = middle;
    }
    // Blocks with different places do not overlap, so only those with the place before can reach so far.
    const before = low > 0 ? this.#image.to(this.#blocks[low - 1]!) : 0;
    for (; low > 0 && this.#image.to(this.#blocks[low - 1]!) === before; low--) this.#countVisit();
    return low;
  }

  #countVisit(): void {
    if (++this.#visits <= MIN_VISITS + this.#blocks.length * MAX_VISITS) return;
    throw new DebugSymbolsError('malformed', 'too many functions of the moved code overlap');
  }

  #join(parts: readonly MovedRange[]): MovedRange[] {
    const joined: MovedRange[] = [];
    for (const part of parts) {
      const last = joined.at(-1);
      if (last === undefined || !this.#isPadding(last.address + last.size, part.address)) {
        joined.push(part);
        continue;
      }
      const end = Math.max(last.address + last.size, part.address + part.size);
      joined[joined.length - 1] = { ...last, size: end - last.address };
    }
    return joined;
  }

  /** Whether two parts have nothing between them but what aligns the second one. */
  #isPadding(start: number, end: number): boolean {
    if (end - start > MAX_PADDING) return false;
    for (let at = start, block = this.#image.find(start); at < end; block++) {
      if (block < 0 || this.#image.isCode(block)) return false;
      at = this.#image.from(block + 1);
    }
    return true;
  }
}

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

  /** Where a block begins. The end of the last block is 4 GiB. */
  from(block: number): number {
    return this.#from[block] ?? 2 ** 32;
  }

  size(block: number): number {
    return this.from(block + 1) - this.from(block);
  }

  /** The place of the block in the other address space. */
  to(block: number): number {
    return this.#to[block] ?? 0;
  }

  isCode(block: number): boolean {
    return this.to(block) !== 0 && this.to(block) < PADDING;
  }

  /** The table in the other direction, without what is not code. */
  reverse(): Table {
    const bytes = new Uint8Array(this.count * ENTRY_SIZE);
    const view = new DataView(bytes.buffer);
    let count = 0;
    for (let block = 0; block < this.count; block++) {
      if (!this.isCode(block)) continue;
      view.setUint32(count * ENTRY_SIZE, this.to(block), true);
      view.setUint32(count * ENTRY_SIZE + 4, this.from(block), true);
      count++;
    }
    return new Table(bytes.subarray(0, count * ENTRY_SIZE));
  }
}
