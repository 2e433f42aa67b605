// Reads the data of a symbol cache page by page: each is checked when it is read, and the latest are kept.
import { MinidumpError } from '../../error.ts';
import { forgetFrame, giveBackFrames, hasRoom, takeFrame } from './frame-pool.ts';
import { PAGE_DATA_SIZE, PAGE_SIZE, pageChecksum } from './pages.ts';
import type { RangeReader } from './range-reader.ts';

/** Pages kept of one cache in any case: a megabyte. With memory to spare it keeps more: a walk returns to the same ones. */
const KEPT_PAGES = 256;
/** No text is longer: lines that hold them are bounded when they are compiled. */
const MAX_TEXT = 1 << 20;

/** Positions count bytes of data, as those of the writer do. What is damaged throws a MinidumpError `bad-cache`. */
export class PageReader {
  /** Bytes of data in all pages. */
  readonly size: number;
  readonly #reader: RangeReader;
  /** Latest use last. */
  readonly #pages = new Map<number, Buffer>();
  readonly #kept: number;
  /** Whether pages lie in frames of the pool, not in the reader’s own memory. */
  #ownsPages = false;

  constructor(reader: RangeReader, pageCount: number, kept = KEPT_PAGES) {
    this.#reader = reader;
    this.size = pageCount * PAGE_DATA_SIZE;
    this.#kept = kept;
  }

  cursor(position: number): PageCursor {
    return new PageCursor(this, position);
  }

  /** Forgets all pages, and gives their memory to the next reader. No cursor may be used after that. */
  close(): void {
    if (this.#ownsPages) giveBackFrames(this.#pages.values());
    this.#pages.clear();
  }

  /** A page; its data are the first PAGE_DATA_SIZE bytes. */
  page(number: number): Buffer {
    const kept = this.#pages.get(number);
    if (kept !== undefined) {
      this.#pages.delete(number);
      this.#pages.set(number, kept);
      return kept;
    }
    const read = this.#read(number);
    if (this.#pages.size >= this.#kept && !(this.#ownsPages && hasRoom())) this.#forgetOldest();
    this.#pages.set(number, read);
    return read;
  }

  #forgetOldest(): void {
    this.#pages.delete(this.#pages.keys().next().value!);
    // Its memory is not given to another page: a cursor may still stand in it.
    if (this.#ownsPages) forgetFrame();
  }

  #read(number: number): Buffer {
    if (number < 0 || number * PAGE_DATA_SIZE >= this.size) throw damaged(`page ${number} is outside`);
    const frame = takeFrame();
    const bytes = this.#reader.read(number * PAGE_SIZE, PAGE_SIZE, frame);
    this.#ownsPages = bytes === frame;
    if (!this.#ownsPages) giveBackFrames([frame]);
    const page = this.#ownsPages ? frame : Buffer.from(bytes.buffer, bytes.byteOffset, PAGE_SIZE);
    if (page.readUInt32LE(PAGE_DATA_SIZE) !== pageChecksum(page.subarray(0, PAGE_DATA_SIZE), number))
      throw damaged(`the checksum of page ${number} is wrong`);
    return page;
  }
}

/** Reads one value after the other, across the borders of pages. */
export class PageCursor {
  readonly #pages: PageReader;
  #page: Buffer;
  #number: number;
  /** In the page. */
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

  /** A u64 that is at most 2^53 - 1. */
  u64(): number {
    const low = this.u32();
    return safe(low + this.u32() * 0x1_0000_0000);
  }

  f64(): number {
    scratch.setUint32(0, this.u32(), true);
    scratch.setUint32(4, this.u32(), true);
    return scratch.getFloat64(0, true);
  }

  /** An unsigned number, seven bits a byte, the lowest first; at most 2^53 - 1. */
  varint(): number {
    const first = this.u8();
    if (first < 0x80) return first;
    let value = first & 0x7f;
    let scale = 0x80;
    for (;;) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return safe(value);
      scale *= 0x80;
      if (scale > 2 ** 53) throw damaged('a number is too long');
    }
  }

  /** A signed number: 0, -1, 1, -2, 2 are written as the varints 0, 1, 2, 3, 4. */
  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Text after its length in bytes. What is not UTF-8 in it becomes U+FFFD. */
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
    if (this.position + length > this.#pages.size) throw damaged('a text ends early');
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

/** The number itself, if it is exact. */
export function safe(value: number): number {
  if (value > Number.MAX_SAFE_INTEGER) throw damaged('a number is too large');
  return value;
}

export function damaged(what: string): MinidumpError {
  return new MinidumpError('bad-cache', `The symbol cache is damaged: ${what}.`);
}
