// The sorted indexes of a symbol cache, which map a key (an offset or an id) to the position of a record.
import { type PageReader, requireExact } from './page-reader.ts';
import type { PageWriter } from './page-writer.ts';
import { PAGE_DATA_SIZE } from './pages.ts';

/** The size of an entry, in bytes: key and position, both u64. */
const ENTRY_SIZE = 16;
/** The number of entries in a page. The samples, the first keys of all pages, stay in memory while a cache is open. */
const PAGE_ENTRIES = Math.floor(PAGE_DATA_SIZE / ENTRY_SIZE);

/** The position of an index, at the start of a page, and its number of entries. The samples follow the entries. */
export type IndexExtent = { readonly position: number; readonly count: number };

export type IndexEntry = { readonly key: number; readonly position: number };

/** Writes entries, which must be added in ascending order of keys. Of entries with the same key, the last is found. */
export class IndexWriter {
  readonly #pages: PageWriter;
  readonly #samples: number[] = [];
  readonly #scratch = new Uint8Array(ENTRY_SIZE);
  readonly #view = new DataView(this.#scratch.buffer);
  #position = 0;
  #count = 0;

  constructor(pages: PageWriter) {
    this.#pages = pages;
  }

  add(key: number, position: number): void {
    if (this.#count % PAGE_ENTRIES === 0) {
      this.#pages.startPage();
      this.#samples.push(key);
    }
    if (this.#count === 0) this.#position = this.#pages.position;
    this.#count++;
    this.#set(0, key);
    this.#set(8, position);
    this.#pages.append(this.#scratch);
  }

  finish(): IndexExtent {
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

/** Finds an entry by reading one page. The first lookup also reads the samples. */
export class IndexTable {
  readonly #pages: PageReader;
  readonly #extent: IndexExtent;
  #samples: Float64Array | undefined;

  constructor(pages: PageReader, extent: IndexExtent) {
    this.#pages = pages;
    this.#extent = extent;
  }

  /** Returns the last entry whose key is at most `key`. */
  floor(key: number): IndexEntry | undefined {
    this.#samples ??= this.#readSamples();
    const samples = this.#samples;
    const run = lastAtMost(samples.length, (index) => samples[index]!, key);
    if (run < 0) return undefined;
    const page = this.#pages.page(this.#extent.position / PAGE_DATA_SIZE + run);
    const entries = Math.min(PAGE_ENTRIES, this.#extent.count - run * PAGE_ENTRIES);
    // In a damaged cache, a page can start with a larger key than its sample.
    const entry = Math.max(
      0,
      lastAtMost(entries, (index) => u64(page, index * ENTRY_SIZE), key),
    );
    return {
      key: requireExact(u64(page, entry * ENTRY_SIZE)),
      position: requireExact(u64(page, entry * ENTRY_SIZE + 8)),
    };
  }

  /** Returns the entry with exactly this key. */
  exact(key: number): IndexEntry | undefined {
    const entry = this.floor(key);
    return entry?.key === key ? entry : undefined;
  }

  #readSamples(): Float64Array {
    const { count } = this.#extent;
    const samples = new Float64Array(Math.ceil(count / PAGE_ENTRIES));
    if (count === 0) return samples;
    const cursor = this.#pages.cursor(samplesPosition(this.#extent));
    for (let index = 0; index < samples.length; index++) samples[index] = cursor.u64();
    return samples;
  }
}

/** Whether an index starts at a page and is within `size` bytes of data. */
export function isInside(extent: IndexExtent, size: number): boolean {
  if (extent.position % PAGE_DATA_SIZE !== 0) return false;
  return extent.count === 0 || samplesPosition(extent) + Math.ceil(extent.count / PAGE_ENTRIES) * 8 <= size;
}

/** The position of the samples, right after the last entry. */
function samplesPosition({ position, count }: IndexExtent): number {
  const run = Math.floor((count - 1) / PAGE_ENTRIES);
  return position + run * PAGE_DATA_SIZE + (count - run * PAGE_ENTRIES) * ENTRY_SIZE;
}

/** Returns the index of the last of `count` ascending keys that is at most `key`; -1 if all are larger. */
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
