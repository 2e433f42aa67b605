// Writes the data of a symbol cache page by page, keeping only a few pages in memory.
import { ByteSink } from './byte-sink.ts';
import { PAGE_DATA_SIZE, PAGE_SIZE, pageChecksum } from './pages.ts';

/** The output of the compiler. `write` must not use the bytes after it returns, because they are overwritten. */
export type CacheOutput = { write(bytes: Uint8Array): void };

/** How many pages are written together. */
const BATCH_PAGES = 64;

/** Positions count bytes of data, ignoring the checksums between them. */
export class PageWriter {
  readonly #output: CacheOutput;
  readonly #batch = new Uint8Array(BATCH_PAGES * PAGE_SIZE);
  readonly #view = new DataView(this.#batch.buffer);
  readonly #record = new ByteSink();
  #pagesWritten = 0;
  /** The current page of the batch, and the number of bytes of data in it. */
  #page = 0;
  #filled = 0;

  constructor(output: CacheOutput) {
    this.#output = output;
  }

  /** The position of the next byte. */
  get position(): number {
    return (this.#pagesWritten + this.#page) * PAGE_DATA_SIZE + this.#filled;
  }

  /** Writes `bytes[from, to)`. Returns the position of the first byte. */
  append(bytes: Uint8Array, from = 0, to = bytes.byteLength): number {
    const { position } = this;
    let at = from;
    while (at < to) {
      const count = Math.min(to - at, PAGE_DATA_SIZE - this.#filled);
      this.#copy(bytes, at, count);
      at += count;
      this.#filled += count;
      if (this.#filled === PAGE_DATA_SIZE) this.#endPage();
    }
    return position;
  }

  /** Writes numbers as varints. Returns the position of the first one. */
  appendRecord(values: readonly number[]): number {
    this.#record.clear();
    for (const value of values) this.#record.varint(value);
    return this.append(this.#record.bytes, 0, this.#record.length);
  }

  /** Starts a new page unless the current one is empty. */
  startPage(): void {
    if (this.#filled > 0) this.#endPage();
  }

  /** Fills the last page with zeros and writes the remaining pages. Returns the number of all pages. */
  finish(): number {
    this.startPage();
    this.#writeOut();
    return this.#pagesWritten;
  }

  #copy(bytes: Uint8Array, from: number, count: number): void {
    const to = this.#page * PAGE_SIZE + this.#filled;
    // Most pieces have a few bytes, for which creating a view would cost more than copying them one by one.
    if (count > 32) this.#batch.set(bytes.subarray(from, from + count), to);
    else for (let index = 0; index < count; index++) this.#batch[to + index] = bytes[from + index]!;
  }

  #endPage(): void {
    const start = this.#page * PAGE_SIZE;
    const checksumAt = start + PAGE_DATA_SIZE;
    this.#batch.fill(0, start + this.#filled, checksumAt);
    const data = this.#batch.subarray(start, checksumAt);
    this.#view.setUint32(checksumAt, pageChecksum(data, this.#pagesWritten + this.#page), true);
    this.#page++;
    this.#filled = 0;
    if (this.#page === BATCH_PAGES) this.#writeOut();
  }

  #writeOut(): void {
    if (this.#page > 0) this.#output.write(this.#batch.subarray(0, this.#page * PAGE_SIZE));
    this.#pagesWritten += this.#page;
    this.#page = 0;
  }
}
