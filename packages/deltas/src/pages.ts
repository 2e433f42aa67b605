// Random access to bytes that don't fit into memory.

const PAGE_BITS = 18;
const PAGE_BYTES = 1 << PAGE_BITS;

/** Keeps the pages that were used last. */
export class Pages {
  readonly size: number;
  readonly #read: (address: number, target: Buffer) => void;
  readonly #limit: number;
  readonly #pages = new Map<number, Buffer>();
  #lastNumber = -1;
  #last: Buffer = Buffer.alloc(0);

  /** `read` fills `target` with the bytes from `address` on. */
  constructor(size: number, read: (address: number, target: Buffer) => void, maxBytes: number) {
    this.size = size;
    this.#read = read;
    this.#limit = Math.max(4, Math.floor(maxBytes / PAGE_BYTES));
  }

  /** The page with `address`. Its first byte is at a multiple of `PAGE_BYTES`. */
  pageOf(address: number): Buffer {
    const number = Math.floor(address / PAGE_BYTES);
    if (number === this.#lastNumber) return this.#last;
    const page = this.#pages.get(number) ?? this.#load(number);
    this.#pages.delete(number);
    this.#pages.set(number, page);
    this.#lastNumber = number;
    this.#last = page;
    return page;
  }

  byteAt(address: number): number {
    return this.pageOf(address)[address % PAGE_BYTES]!;
  }

  /** Copies bytes into a new buffer. */
  slice(address: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let done = 0; done < length; ) {
      const page = this.pageOf(address + done);
      const at = (address + done) % PAGE_BYTES;
      done += page.copy(bytes, done, at, Math.min(page.length, at + length - done));
    }
    return bytes;
  }

  /** How many bytes from `address` on equal those of `bytes` from `at` on, `max` at most. */
  countEqual(address: number, bytes: Uint8Array, at: number, max: number): number {
    let count = 0;
    while (count < max) {
      const page = this.pageOf(address + count);
      const from = (address + count) % PAGE_BYTES;
      const here = Math.min(max - count, page.length - from);
      const start = at + count;
      let equal = 0;
      while (equal < here && page[from + equal] === bytes[start + equal]) equal += 1;
      count += equal;
      if (equal < here) break;
    }
    return count;
  }

  /** How many bytes before both places are equal, `max` at most. */
  countEqualBefore(address: number, bytes: Uint8Array, at: number, max: number): number {
    let count = 0;
    while (count < max && this.byteAt(address - count - 1) === bytes[at - count - 1]) count += 1;
    return count;
  }

  #load(number: number): Buffer {
    const reused = this.#pages.size >= this.#limit ? this.#evict() : Buffer.allocUnsafeSlow(PAGE_BYTES);
    const page = reused.subarray(0, Math.min(PAGE_BYTES, this.size - number * PAGE_BYTES));
    this.#read(number * PAGE_BYTES, page);
    return page;
  }

  /** Returns the memory of the page that was unused for longest. The last one may be shorter and isn't reused. */
  #evict(): Buffer {
    const [number, page] = this.#pages.entries().next().value!;
    this.#pages.delete(number);
    if (number === this.#lastNumber) this.#lastNumber = -1;
    return page.length === PAGE_BYTES ? page : Buffer.allocUnsafeSlow(PAGE_BYTES);
  }
}
