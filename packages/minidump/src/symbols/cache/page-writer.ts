// Writes the data of a symbol cache in pages, one after the other, and keeps only a few of them in memory.
import { ByteSink } from './byte-sink.ts';
import { PAGE_DATA_SIZE, PAGE_SIZE, pageChecksum } from './pages.ts';

/** Where a cache goes. `write` must be done with the bytes when it returns: they are used again. */
export type CacheOutput = { write(bytes: Uint8Array): void };

/** Pages that go out together. */
const BATCH = 64;

/** Positions count bytes of data, as if there were no checksums between them. */
export class PageWriter {
  readonly #output: CacheOutput;
  readonly #batch = new Uint8Array(BATCH * PAGE_SIZE);
  readonly #view = new DataView(this.#batch.buffer);
  readonly #record = new ByteSink();
  #pagesOut = 0;
  /** Page of the batch that is being filled, and the bytes of data in it. */
  #page = 0;
  #filled = 0;

  constructor(output: CacheOutput) {
    this.#output = output;
  }

  /** Where the next byte goes. */
  get position(): number {
    return (this.#pagesOut + this.#page) * PAGE_DATA_SIZE + this.#filled;
  }

  /** Writes `bytes[from, to)`. Returns the position of the first. */
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

  /** Writes numbers as varints. Returns the position of the first. */
  appendRecord(values: readonly number[]): number {
    this.#record.clear();
    for (const value of values) this.#record.varint(value);
    return this.append(this.#record.bytes, 0, this.#record.length);
  }

  /** Goes on at the start of a page: at the present one’s if nothing is in it yet. */
  startPage(): void {
    if (this.#filled > 0) this.#endPage();
  }

  /** Fills the last page with zeros and writes out what is left. Returns the number of pages. */
  finish(): number {
    this.startPage();
    this.#writeOut();
    return this.#pagesOut;
  }

  #copy(bytes: Uint8Array, from: number, count: number): void {
    const to = this.#page * PAGE_SIZE + this.#filled;
    // Most pieces are a few bytes long, for which a view costs more than the copy.
    if (count > 32) this.#batch.set(bytes.subarray(from, from + count), to);
    else for (let index = 0; index < count; index++) this.#batch[to + index] = bytes[from + index]!;
  }

  #endPage(): void {
    const start = this.#page * PAGE_SIZE;
    const checksumAt = start + PAGE_DATA_SIZE;
    this.#batch.fill(0, start + this.#filled, checksumAt);
    const data = this.#batch.subarray(start, checksumAt);
    this.#view.setUint32(checksumAt, pageChecksum(data, this.#pagesOut + this.#page), true);
    this.#page++;
    this.#filled = 0;
    if (this.#page === BATCH) this.#writeOut();
  }

  #writeOut(): void {
    if (this.#page > 0) this.#output.write(this.#batch.subarray(0, this.#page * PAGE_SIZE));
    this.#pagesOut += this.#page;
    this.#page = 0;
  }
}
