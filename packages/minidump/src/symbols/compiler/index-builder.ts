// Collects the entries of one index while a symbol file is compiled, and writes them in order at the end.
import { MinidumpError } from '../../error.ts';
import { type IndexExtent, IndexWriter } from '../cache/index-table.ts';
import type { PageWriter } from '../cache/page-writer.ts';
import { NO_RECORD } from '../cache/pages.ts';

/** The largest browsers have two million functions. An entry needs 24 bytes of memory, and at least ten bytes of text. */
const MAX_ENTRIES = 1 << 23;

export class IndexBuilder {
  #keys = new Float64Array(1024);
  #sizes = new Float64Array(1024);
  #positions = new Float64Array(1024);
  #count = 0;
  #inOrder = true;

  /** Adds an entry. `size` is the size of its range, or 0. Throws a MinidumpError `too-large` if there are too many. */
  add(key: number, size: number, position: number): void {
    const index = this.#count;
    if (index === this.#keys.length) this.#grow();
    if (index > 0 && key < this.#keys[index - 1]!) this.#inOrder = false;
    this.#keys[index] = key;
    this.#sizes[index] = size;
    this.#positions[index] = position;
    this.#count++;
  }

  /** Writes the entries. Only the first entry with a key is used. */
  writeUnique(pages: PageWriter): IndexExtent {
    const writer = new IndexWriter(pages);
    let last = -1;
    this.#visit((index) => {
      const key = this.#keys[index]!;
      if (key !== last) writer.add(key, this.#positions[index]!);
      last = key;
    });
    return writer.finish();
  }

  /**
   * Writes the entries. Overlapping ranges are resolved by start, then by the order in which they were added: the first
   * one is used.
   */
  writeDisjoint(pages: PageWriter): IndexExtent {
    const writer = new IndexWriter(pages);
    let end = 0;
    this.#visit((index) => {
      const key = this.#keys[index]!;
      if (key < end) return;
      writer.add(key, this.#positions[index]!);
      end = key + this.#sizes[index]!;
    });
    return writer.finish();
  }

  /**
   * Writes overlapping ranges as disjoint pieces. At each offset, the range that starts last is used; of ranges with the
   * same start, the shortest; of equal ranges, the first to be added. An entry with NO_RECORD ends a piece if no
   * other piece follows.
   */
  writeNested(pages: PageWriter): IndexExtent {
    const [keys, sizes] = [this.#keys, this.#sizes];
    const writer = new PieceWriter(new IndexWriter(pages));
    let last = -1;
    for (const index of this.#order((a, b) => keys[a]! - keys[b]! || sizes[b]! - sizes[a]! || a - b)) {
      const same = last >= 0 && keys[last] === keys[index] && sizes[last] === sizes[index];
      if (!same) writer.add(keys[index]!, keys[index]! + sizes[index]!, this.#positions[index]!);
      last = index;
    }
    return writer.finish();
  }

  /** Calls `use` for each entry, sorted by key, then by the order in which they were added. */
  #visit(use: (index: number) => void): void {
    if (this.#inOrder) {
      for (let index = 0; index < this.#count; index++) use(index);
      return;
    }
    const keys = this.#keys;
    for (const index of this.#order((a, b) => keys[a]! - keys[b]! || a - b)) use(index);
  }

  #order(compare: (a: number, b: number) => number): Uint32Array {
    const order = new Uint32Array(this.#count);
    for (let index = 0; index < order.length; index++) order[index] = index;
    return order.sort(compare);
  }

  #grow(): void {
    if (this.#count >= MAX_ENTRIES)
      throw new MinidumpError('too-large', `The symbol file has more than ${MAX_ENTRIES} records of one kind.`);
    this.#keys = doubled(this.#keys);
    this.#sizes = doubled(this.#sizes);
    this.#positions = doubled(this.#positions);
  }
}

/** Writes the pieces of nested ranges, which must be added in the order of their starts. */
class PieceWriter {
  readonly #writer: IndexWriter;
  /** The ranges that contain the current offset. The last one is used. */
  readonly #open: { readonly end: number; readonly position: number }[] = [];

  constructor(writer: IndexWriter) {
    this.#writer = writer;
  }

  add(start: number, end: number, position: number): void {
    this.#closeUntil(start);
    this.#writer.add(start, position);
    this.#open.push({ end, position });
  }

  finish(): IndexExtent {
    this.#closeUntil(Number.POSITIVE_INFINITY);
    return this.#writer.finish();
  }

  /** Ends the ranges up to `limit`. After each, the enclosing range that has not ended continues. */
  #closeUntil(limit: number): void {
    let top = this.#open.at(-1);
    while (top !== undefined && top.end <= limit) {
      const { end } = top;
      while (top !== undefined && top.end <= end) {
        this.#open.pop();
        top = this.#open.at(-1);
      }
      if (end < limit) this.#writer.add(end, top?.position ?? NO_RECORD);
    }
  }
}

function doubled(from: Float64Array): Float64Array<ArrayBuffer> {
  const to = new Float64Array(from.length * 2);
  to.set(from);
  return to;
}
