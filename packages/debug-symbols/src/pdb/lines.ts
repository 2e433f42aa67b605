// The table from the code of a module to its source lines.
// The layout is that of `CV_DebugSLinesHeader_t` and what follows it, in Microsoft's `cvinfo.h`.
import { DebugSymbolsError } from '../error.ts';
import type { AddressMap } from './address-map.ts';
import { u16, u32 } from './bytes.ts';
import type { LineSections } from './module-stream.ts';

const HEADER_SIZE = 12;
const FILE_HEADER_SIZE = 12;
const LINE_SIZE = 8;
const COLUMN_SIZE = 4;
/** The lines that a compiler gives to code that a debugger should not stop in. */
const HIDDEN_LINES = [0xfeefee, 0xf00f00];
/** How often each line is visited at most, on average. Functions can overlap, but few do. */
const MAX_VISITS = 32;

/** Lines by ascending linked address. A line extends to the next address; line 0 ends one without another. */
export class ModuleLines {
  readonly #bytes: Uint8Array;
  readonly #addresses: Uint32Array;
  readonly #lines: Uint32Array;
  readonly #files: Uint32Array;
  #count = 0;
  #visits = 0;

  constructor({ bytes, places }: LineSections, addresses: AddressMap) {
    this.#bytes = bytes;
    const starts = findStarts(bytes, places, addresses);
    let capacity = 0;
    for (let index = 0; index < starts.length; index++) {
      if (starts[index]! >= 0) capacity += countLines(bytes, places[index * 2]!, places[index * 2 + 1]!) + 1;
    }
    this.#addresses = new Uint32Array(capacity);
    this.#lines = new Uint32Array(capacity);
    this.#files = new Uint32Array(capacity);
    const order = Uint32Array.from(starts, (_, index) => index).sort((a, b) => starts[a]! - starts[b]! || a - b);
    let covered = 0;
    for (const index of order) {
      const at = places[index * 2]!;
      const start = starts[index]!;
      const end = Math.min(start + u32(bytes, at + 8), 0xffffffff);
      // When the linker folds equal functions, each keeps its lines. The first ones are used, as with the functions.
      if (start < 0 || end <= covered) continue;
      const first = this.#count;
      this.#read(at, places[index * 2 + 1]!, start, Math.max(start, covered), end);
      this.#sort(first);
      this.#add(end, 0, 0);
      covered = end;
    }
  }

  /** Calls `visit` for the lines that begin in a range, with the linked addresses of their start and end. */
  visit(start: number, end: number, visit: (start: number, end: number, line: number, file: number) => void): void {
    for (let index = this.#firstAt(start); index < this.#count; index++) {
      const address = this.#addresses[index]!;
      if (address >= end) return;
      if (++this.#visits > this.#count * MAX_VISITS) {
        throw new DebugSymbolsError('malformed', 'too many functions of a module overlap');
      }
      const next = index + 1 < this.#count ? Math.min(this.#addresses[index + 1]!, end) : end;
      if (next > address && this.#lines[index] !== 0) visit(address, next, this.#lines[index]!, this.#files[index]!);
    }
  }

  /** Reads the blocks of one subsection, one for each file. Lines outside of the addresses are left out. */
  #read(place: number, end: number, base: number, low: number, high: number): void {
    const bytes = this.#bytes;
    const lineSize = readLineSize(bytes, place);
    for (let at = place + HEADER_SIZE; at + FILE_HEADER_SIZE <= end; at += blockSize(bytes, at)) {
      const file = u32(bytes, at);
      const count = countBlockLines(bytes, at, end, lineSize);
      for (let line = at + FILE_HEADER_SIZE, index = 0; index < count; index++, line += LINE_SIZE) {
        const address = base + u32(bytes, line);
        const number = u32(bytes, line + 4) & 0xffffff;
        if (address >= low && address < high && !HIDDEN_LINES.includes(number)) this.#add(address, number, file);
      }
    }
  }

  #add(address: number, line: number, file: number): void {
    this.#addresses[this.#count] = address;
    this.#lines[this.#count] = line;
    this.#files[this.#count] = file;
    this.#count++;
  }

  /** The lines of a function in several files are grouped by file, so they have to be put in order. */
  #sort(first: number): void {
    let sorted = true;
    for (let index = first + 1; index < this.#count && sorted; index++) {
      sorted = this.#addresses[index - 1]! <= this.#addresses[index]!;
    }
    if (sorted) return;
    const order = Array.from({ length: this.#count - first }, (_, index) => first + index);
    order.sort((a, b) => this.#addresses[a]! - this.#addresses[b]!);
    for (const values of [this.#lines, this.#files, this.#addresses]) {
      values.set(
        order.map((index) => values[index]!),
        first,
      );
    }
  }

  #firstAt(address: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#addresses[middle]! < address) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The linked address of the code of each subsection; -1 for those with an impossible one. */
function findStarts(bytes: Uint8Array, places: readonly number[], addresses: AddressMap): Float64Array {
  const starts = new Float64Array(places.length / 2);
  for (let index = 0; index < starts.length; index++) {
    const at = places[index * 2]!;
    const fits = at + HEADER_SIZE <= places[index * 2 + 1]!;
    starts[index] = fits ? addresses.linkedAddress(u16(bytes, at + 4), u32(bytes, at)) : -1;
  }
  return starts;
}

function countLines(bytes: Uint8Array, place: number, end: number): number {
  const lineSize = readLineSize(bytes, place);
  let count = 0;
  for (let at = place + HEADER_SIZE; at + FILE_HEADER_SIZE <= end; at += blockSize(bytes, at)) {
    count += countBlockLines(bytes, at, end, lineSize);
  }
  return count;
}

/** The size of a line, with its columns if the subsection has them. They follow the lines of a block. */
function readLineSize(bytes: Uint8Array, place: number): number {
  return u16(bytes, place + 6) & 1 ? LINE_SIZE + COLUMN_SIZE : LINE_SIZE;
}

/** The lines of a block that are really there, whatever its header says. */
function countBlockLines(bytes: Uint8Array, at: number, end: number, lineSize: number): number {
  const available = Math.min(blockSize(bytes, at), end - at) - FILE_HEADER_SIZE;
  return Math.min(u32(bytes, at + 4), Math.floor(available / lineSize));
}

function blockSize(bytes: Uint8Array, at: number): number {
  return Math.max(u32(bytes, at + 8), FILE_HEADER_SIZE);
}
