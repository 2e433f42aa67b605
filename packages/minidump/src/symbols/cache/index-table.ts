// The sorted indexes of a symbol cache: from a key (an offset, an id) to the position of a record.
import { type PageReader, safe } from './page-reader.ts';
import type { PageWriter } from './page-writer.ts';
import { PAGE_DATA_SIZE } from './pages.ts';

/** Bytes of an entry: key and position, both u64. */
const ENTRY = 16;
/** A page holds a run of entries. The samples, the first key of each run, stay in memory while a cache is open. */
const RUN = Math.floor(PAGE_DATA_SIZE / ENTRY);

/** Where an index lies: from the start of a page on, its samples behind its entries. */
export type IndexPlace = { readonly position: number; readonly count: number };

export type IndexEntry = { readonly key: number; readonly position: number };

/** Writes entries, which come in the order of their keys; of equal ones the last is found. */
export class IndexWriter {
  readonly #pages: PageWriter;
  readonly #samples: number[] = [];
  readonly #scratch = new Uint8Array(ENTRY);
  readonly #view = new DataView(this.#scratch.buffer);
  #position = 0;
  #count = 0;

  constructor(pages: PageWriter) {
    this.#pages = pages;
  }

  add(key: number, position: number): void {
    if (this.#count % RUN === 0) {
      this.#pages.startPage();
      this.#samples.push(key);
    }
    if (this.#count === 0) this.#position = this.#pages.position;
    this.#count++;
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

/** Finds an entry by reading one page, but for the first time, which reads the samples. */
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
    const page = this.#pages.page(this.#place.position / PAGE_DATA_SIZE + run);
    const entries = Math.min(RUN, this.#place.count - run * RUN);
    // A page that is not what its sample says begins with a greater key.
    const entry = Math.max(
      0,
      lastAtMost(entries, (index) => u64(page, index * ENTRY), key),
    );
    return { key: safe(u64(page, entry * ENTRY)), position: safe(u64(page, entry * ENTRY + 8)) };
  }

  /** The entry of exactly that key. */
  exact(key: number): IndexEntry | undefined {
    const found = this.floor(key);
    return found?.key === key ? found : undefined;
  }

  #readSamples(): Float64Array {
    const { count } = this.#place;
    const samples = new Float64Array(Math.ceil(count / RUN));
    if (count === 0) return samples;
    const cursor = this.#pages.cursor(samplesPosition(this.#place));
    for (let index = 0; index < samples.length; index++) samples[index] = cursor.u64();
    return samples;
  }
}

/** Whether an index lies within `size` bytes of data, from the start of a page on. */
export function isInside(place: IndexPlace, size: number): boolean {
  if (place.position % PAGE_DATA_SIZE !== 0) return false;
  return place.count === 0 || samplesPosition(place) + Math.ceil(place.count / RUN) * 8 <= size;
}

/** Samples stand right behind the last entry. */
function samplesPosition({ position, count }: IndexPlace): number {
  const run = Math.floor((count - 1) / RUN);
  return position + run * PAGE_DATA_SIZE + (count - run * RUN) * ENTRY;
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

function u64(page: Buffer, at: number): number {
  return page.readUInt32LE(at) + page.readUInt32LE(at + 4) * 0x1_0000_0000;
}
