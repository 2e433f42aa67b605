// Reads the data of a symbol cache page by page. Verifies the checksum of each page, and keeps recently used pages.
import { MinidumpError } from '../../error.ts';
import { PAGE_DATA_SIZE, PAGE_SIZE, pageChecksum } from './pages.ts';
import type { RangeReader } from './range-reader.ts';

/** How many pages of one cache are kept: 1 MiB. More are kept while memory is available, because a walk reuses them. */
const MAX_PAGES = 256;
/** No text is longer, because the compiler limits the length of a line. */
const MAX_TEXT = 1 << 20;

/** Positions count bytes of data, like those of PageWriter. Damage throws a MinidumpError `bad-cache`. */
export class PageReader {
  /** The number of bytes of data in all pages. */
  readonly size: number;
  readonly #reader: RangeReader;
  /** By page number, the most recently used page last. */
  readonly #pages = new Map<number, Buffer>();
  readonly #maxPages: number;
  /** Whether the pages are in frames from the pool, rather than in the memory of the range reader. */
  #ownsPages = false;

  constructor(reader: RangeReader, pageCount: number, maxPages = MAX_PAGES) {
    this.#reader = reader;
    this.size = pageCount * PAGE_DATA_SIZE;
    this.#maxPages = maxPages;
  }

  cursor(position: number): PageCursor {
    return new PageCursor(this, position);
  }

  /** Drops all pages and returns their memory to the pool. Cursors must not be used afterwards. */
  close(): void {
    if (this.#ownsPages) releaseFrames(this.#pages.values());
    this.#pages.clear();
  }

  /** Returns a page. Its data are the first PAGE_DATA_SIZE bytes. */
  page(number: number): Buffer {
    const cached = this.#pages.get(number);
    if (cached !== undefined) {
      this.#pages.delete(number);
      this.#pages.set(number, cached);
      return cached;
    }
    const read = this.#read(number);
    if (this.#pages.size >= this.#maxPages && !(this.#ownsPages && hasSpareMemory())) this.#dropOldest();
    this.#pages.set(number, read);
    return read;
  }

  #dropOldest(): void {
    this.#pages.delete(this.#pages.keys().next().value!);
    // A cursor may still use the page, so its memory cannot be reused.
    if (this.#ownsPages) abandonFrame();
  }

  #read(number: number): Buffer {
    if (number < 0 || number * PAGE_DATA_SIZE >= this.size) throw damaged(`page ${number} is outside the file`);
    const frame = allocateFrame();
    const bytes = this.#reader.read(number * PAGE_SIZE, PAGE_SIZE, frame);
    this.#ownsPages = bytes === frame;
    if (!this.#ownsPages) releaseFrames([frame]);
    const page = this.#ownsPages ? frame : Buffer.from(bytes.buffer, bytes.byteOffset, PAGE_SIZE);
    if (page.readUInt32LE(PAGE_DATA_SIZE) !== pageChecksum(page.subarray(0, PAGE_DATA_SIZE), number))
      throw damaged(`the checksum of page ${number} is wrong`);
    return page;
  }
}

/** Reads consecutive values, across page borders. */
export class PageCursor {
  readonly #pages: PageReader;
  #page: Buffer;
  #number: number;
  /** The position in the page. */
  #at: number;

  constructor(pages: PageReader, position: number) {
    this.#pages = pages;
    this.#number = Math.floor(position / PAGE_DATA_SIZE);
    this.#at = position - this.#number * PAGE_DATA_SIZE;
    this.#page = pages.page(this.#number);
  }

  get position(): number {
    return this.#number * PAGE_DATA_SIZE + this.#at;
  }

  u8(): number {
    if (this.#at === PAGE_DATA_SIZE) this.#nextPage();
    return this.#page[this.#at++]!;
  }

  u32(): number {
    return (this.u8() | (this.u8() << 8) | (this.u8() << 16) | (this.u8() << 24)) >>> 0;
  }

  /** Reads a u64 that is at most 2^53 - 1. */
  u64(): number {
    const low = this.u32();
    return requireExact(low + this.u32() * 0x1_0000_0000);
  }

  f64(): number {
    scratch.setUint32(0, this.u32(), true);
    scratch.setUint32(4, this.u32(), true);
    return scratch.getFloat64(0, true);
  }

  /** Reads an unsigned number of at most 2^53 - 1: seven bits per byte, lowest bits first. */
  varint(): number {
    const first = this.u8();
    if (first < 0x80) return first;
    let value = first & 0x7f;
    let scale = 0x80;
    for (;;) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return requireExact(value);
      scale *= 0x80;
      if (scale > 2 ** 53) throw damaged('a number is too long');
    }
  }

  /** Reads a signed number: the varints 0, 1, 2, 3, 4 mean 0, -1, 1, -2, 2. */
  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Reads a text after its length in bytes. Invalid UTF-8 becomes U+FFFD. */
  text(): string {
    const length = this.varint();
    if (length > MAX_TEXT) throw damaged(`a text of ${length} bytes`);
    if (this.#at + length <= PAGE_DATA_SIZE) {
      const start = this.#at;
      this.#at += length;
      return this.#page.toString('utf8', start, this.#at);
    }
    return this.#gather(length).toString('utf8');
  }

  moveTo(position: number): void {
    const number = Math.floor(position / PAGE_DATA_SIZE);
    if (number !== this.#number) this.#page = this.#pages.page(number);
    this.#number = number;
    this.#at = position - number * PAGE_DATA_SIZE;
  }

  #gather(length: number): Buffer {
    if (this.position + length > this.#pages.size) throw damaged('a text is cut off');
    const gathered = Buffer.alloc(length);
    let filled = 0;
    while (filled < length) {
      if (this.#at === PAGE_DATA_SIZE) this.#nextPage();
      const count = this.#page.copy(gathered, filled, this.#at, PAGE_DATA_SIZE);
      filled += count;
      this.#at += count;
    }
    return gathered;
  }

  #nextPage(): void {
    this.#number++;
    this.#at = 0;
    this.#page = this.#pages.page(this.#number);
  }
}

const scratch = new DataView(new ArrayBuffer(8));

/** Returns the number if it is an exact integer, and throws otherwise. */
export function requireExact(value: number): number {
  if (value > Number.MAX_SAFE_INTEGER) throw damaged('a number is too large');
  return value;
}

/** `problem` is what is wrong: `page 3 is outside the file`. */
export function damaged(problem: string): MinidumpError {
  return new MinidumpError('bad-cache', `The symbol cache is damaged: ${problem}.`);
}

// A pool of memory frames for cache pages: allocating new memory would cost more than reading the pages.

/** How many frames are allocated together: 256 KiB. */
const SLAB_FRAMES = 64;
/** How many free frames the pool keeps: 8 MiB. */
const MAX_FREE_FRAMES = 2048;

/** While fewer frames than this are in use, readers may keep more than their own maximum: 32 MiB for a thread's caches. */
const SOFT_LIMIT = 8192;

const free: Buffer[] = [];
let inUse = 0;

/** Whether a reader may keep another page without dropping one. */
function hasSpareMemory(): boolean {
  return inUse < SOFT_LIMIT;
}

/** Returns memory for one page, with undefined content. */
function allocateFrame(): Buffer {
  if (free.length === 0) {
    const slab = Buffer.allocUnsafeSlow(SLAB_FRAMES * PAGE_SIZE);
    for (let at = 0; at < slab.length; at += PAGE_SIZE) free.push(slab.subarray(at, at + PAGE_SIZE));
  }
  inUse += 1;
  return free.pop()!;
}

/** Returns frames to the pool. They must not be read any more. */
function releaseFrames(frames: Iterable<Buffer>): void {
  for (const frame of frames) {
    inUse -= 1;
    if (free.length < MAX_FREE_FRAMES) free.push(frame);
  }
}

/** Leaves a frame to the garbage collector, because it may still be read. */
function abandonFrame(): void {
  inUse -= 1;
}
