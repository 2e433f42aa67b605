// The sorted indexes of a symbol cache: from a key (an offset, an id) to the position of a record.
import type { PageReader } from './page-reader.ts';
import type { PageWriter } from './page-writer.ts';

/** Bytes of an entry: key and position, both u64. */
const ENTRY = 16;
/** Entries between two samples; the samples, the keys of every so many entries, stay in memory while a cache is open. */
const SAMPLE_EVERY = 256;

/** Where an index lies. Its samples follow its entries. */
export type IndexPlace = { readonly position: number; readonly count: number };

export type IndexEntry = { readonly key: number; readonly position: number };

/** Writes entries, which come in the order of their keys. */
export class IndexWriter {
  readonly #pages: PageWriter;
  readonly #position: number;
  readonly #samples: number[] = [];
  readonly #scratch = new Uint8Array(ENTRY);
  readonly #view = new DataView(this.#scratch.buffer);
  #count = 0;

  constructor(pages: PageWriter) {
    this.#pages = pages;
    this.#position = pages.position;
  }

  add(key: number, position: number): void {
    if (this.#count++ % SAMPLE_EVERY === 0) this.#samples.push(key);
    this.#set(0, key);
    this.#set(8, position);
    this.#pages.append(this.#scratch);
  }

  finish(): IndexPlace {
    for (const key of this.#samples) {
      this.#set(0, key);
      this.#pages.append(this.#scratch, 0, 8);
    }
    return { position: this.#position, count: this.#count };
  }

  #set(at: number, value: number): void {
    this.#view.setUint32(at, value % 0x1_0000_0000, true);
    this.#view.setUint32(at + 4, Math.floor(value / 0x1_0000_0000), true);
  }
}

/** Finds entries in few reads: the samples say which run of entries to search, and that run lies in one or two pages. */
export class IndexTable {
  readonly #pages: PageReader;
  readonly #place: IndexPlace;
  #samples: Float64Array | undefined;

  constructor(pages: PageReader, place: IndexPlace) {
    this.#pages = pages;
    this.#place = place;
  }

  /** The last entry whose key is at most `key`. */
  floor(key: number): IndexEntry | undefined {
    this.#samples ??= this.#readSamples();
    const samples = this.#samples;
    const run = lastAtMost(samples.length, (index) => samples[index]!, key);
    if (run < 0) return undefined;
    const first = run * SAMPLE_EVERY;
    const rows = Math.min(SAMPLE_EVERY, this.#place.count - first);
    const index = first + lastAtMost(rows, (row) => this.#cursor(first + row).u64(), key);
    // A damaged run may begin with another key than its sample says.
    return index < first ? undefined : this.#entry(index);
  }

  /** The entry of exactly that key. */
  exact(key: number): IndexEntry | undefined {
    const found = this.floor(key);
    return found?.key === key ? found : undefined;
  }

  #readSamples(): Float64Array {
    const { position, count } = this.#place;
    const samples = new Float64Array(Math.ceil(count / SAMPLE_EVERY));
    if (count === 0) return samples;
    const cursor = this.#pages.cursor(position + count * ENTRY);
    for (let index = 0; index < samples.length; index++) samples[index] = cursor.u64();
    return samples;
  }

  #entry(index: number): IndexEntry {
    const cursor = this.#cursor(index);
    return { key: cursor.u64(), position: cursor.u64() };
  }

  #cursor(index: number) {
    return this.#pages.cursor(this.#place.position + index * ENTRY);
  }
}

/** Index of the last of `count` ascending keys that is at most `key`; -1 when all are greater. */
function lastAtMost(count: number, keyAt: (index: number) => number, key: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keyAt(middle) <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Bytes that an index of so many entries takes, its samples included. */
export function indexSize(count: number): number {
  return count * ENTRY + Math.ceil(count / SAMPLE_EVERY) * 8;
}
