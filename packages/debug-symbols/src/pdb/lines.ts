// The table from the code of a module to its source lines.
// The layout is that of `CV_DebugSLinesHeader_t` and what follows it, in Microsoft's `cvinfo.h`.
import type { AddressMap } from './address-map.ts';
import { u16, u32 } from './bytes.ts';
import { DEBUG_S_LINES, type Subsection } from './module-stream.ts';

const HEADER_SIZE = 12;
const FILE_HEADER_SIZE = 12;
const LINE_SIZE = 8;
/** The lines that a compiler gives to code that a debugger should not stop in. */
const HIDDEN_LINES = [0xfeefee, 0xf00f00];

/** A stretch of code with lines, mostly one function. */
interface Contribution {
  readonly start: number;
  readonly end: number;
  readonly bytes: Uint8Array;
}

/** Lines by ascending linked address. A line extends to the next address; line 0 ends one without another. */
export class ModuleLines {
  readonly #addresses: Uint32Array;
  readonly #lines: Uint32Array;
  readonly #files: Uint32Array;
  #count = 0;

  constructor(subsections: readonly Subsection[], addresses: AddressMap) {
    const contributions = readContributions(subsections, addresses);
    const capacity = contributions.reduce((sum, { bytes }) => sum + countLines(bytes) + 1, 0);
    this.#addresses = new Uint32Array(capacity);
    this.#lines = new Uint32Array(capacity);
    this.#files = new Uint32Array(capacity);
    let covered = 0;
    for (const contribution of contributions) {
      // When the linker folds equal functions, each keeps its lines. The first ones are used, as with the functions.
      if (contribution.end <= covered) continue;
      const first = this.#count;
      this.#read(contribution, covered);
      this.#sort(first);
      this.#add(contribution.end, 0, 0);
      covered = contribution.end;
    }
  }

  /** Calls `visit` for the lines that begin in a range, with the linked addresses of their start and end. */
  visit(start: number, end: number, visit: (start: number, end: number, line: number, file: number) => void): void {
    for (let index = this.#firstAt(start); index < this.#count; index++) {
      const address = this.#addresses[index]!;
      if (address >= end) return;
      const next = index + 1 < this.#count ? Math.min(this.#addresses[index + 1]!, end) : end;
      if (next > address && this.#lines[index] !== 0) visit(address, next, this.#lines[index]!, this.#files[index]!);
    }
  }

  #read({ start, end, bytes }: Contribution, covered: number): void {
    const lineSize = u16(bytes, 6) & 1 ? LINE_SIZE + 4 : LINE_SIZE;
    for (let at = HEADER_SIZE; at + FILE_HEADER_SIZE <= bytes.length; ) {
      const file = u32(bytes, at);
      const count = countBlockLines(bytes, at, lineSize);
      for (let index = 0; index < count; index++) {
        const place = at + FILE_HEADER_SIZE + index * LINE_SIZE;
        const address = start + u32(bytes, place);
        const line = u32(bytes, place + 4) & 0xffffff;
        if (address < covered || address >= end || HIDDEN_LINES.includes(line)) continue;
        this.#add(address, line, file);
      }
      at += blockSize(bytes, at);
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

function readContributions(subsections: readonly Subsection[], addresses: AddressMap): Contribution[] {
  const contributions: Contribution[] = [];
  for (const { kind, bytes } of subsections) {
    if (kind !== DEBUG_S_LINES || bytes.length < HEADER_SIZE) continue;
    const start = addresses.linkedAddress(u16(bytes, 4), u32(bytes, 0));
    if (start >= 0) contributions.push({ start, end: Math.min(start + u32(bytes, 8), 0xffffffff), bytes });
  }
  return contributions.sort((a, b) => a.start - b.start);
}

function countLines(bytes: Uint8Array): number {
  const lineSize = u16(bytes, 6) & 1 ? LINE_SIZE + 4 : LINE_SIZE;
  let count = 0;
  for (let at = HEADER_SIZE; at + FILE_HEADER_SIZE <= bytes.length; at += blockSize(bytes, at)) {
    count += countBlockLines(bytes, at, lineSize);
  }
  return count;
}

/** The lines of a block that are really there, whatever its header says. */
function countBlockLines(bytes: Uint8Array, at: number, lineSize: number): number {
  const available = Math.min(blockSize(bytes, at), bytes.length - at) - FILE_HEADER_SIZE;
  return Math.min(u32(bytes, at + 4), Math.floor(available / lineSize));
}

function blockSize(bytes: Uint8Array, at: number): number {
  return Math.max(u32(bytes, at + 8), FILE_HEADER_SIZE);
}
