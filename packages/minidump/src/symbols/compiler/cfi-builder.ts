// Collects a STACK CFI INIT record and the STACK CFI records that follow it, and writes them as one cache record.
import { ByteSink } from '../cache/byte-sink.ts';
import type { PageWriter } from '../cache/page-writer.ts';
import { MAX_CFI_ROWS } from '../cache/record-layout.ts';
import type { IndexBuilder } from './index-builder.ts';

type Row = { readonly offset: number; readonly rules: number };

export class CfiBuilder {
  readonly #pages: PageWriter;
  readonly #index: IndexBuilder;
  readonly #record = new ByteSink();
  readonly #rows: Row[] = [];
  #inOrder = true;
  #start = 0;
  #size = 0;
  #rules = 0;
  isOpen = false;

  constructor(pages: PageWriter, index: IndexBuilder) {
    this.#pages = pages;
    this.#index = index;
  }

  /** The offset at which the rules of INIT start to apply. */
  get start(): number {
    return this.#start;
  }

  /** Starts a record with its INIT. `rules` is the position of the text of its rules. */
  open(start: number, size: number, rules: number): void {
    this.#start = start;
    this.#size = size;
    this.#rules = rules;
    this.isOpen = true;
  }

  /** Adds rules that apply from `offset`. Returns false if there are too many. */
  add(offset: number, rules: number): boolean {
    const last = this.#rows.at(-1);
    if (this.#rows.length === MAX_CFI_ROWS) return false;
    if (last !== undefined && offset < last.offset) this.#inOrder = false;
    this.#rows.push({ offset, rules });
    return true;
  }

  /** Writes the open record, if any. */
  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    if (this.#size > 0) this.#write();
    this.#rows.length = 0;
    this.#inOrder = true;
  }

  #write(): void {
    const record = this.#record;
    const { position } = this.#pages;
    if (!this.#inOrder) this.#rows.sort((a, b) => a.offset - b.offset);
    record.clear();
    record.varint(this.#size);
    record.varint(position - this.#rules);
    record.varint(this.#rows.length);
    let offset = this.#start;
    for (const row of this.#rows) {
      record.varint(row.offset - offset);
      record.varint(position - row.rules);
      offset = row.offset;
    }
    this.#pages.append(record.bytes, 0, record.length);
    this.#index.add(this.#start, this.#size, position);
  }
}
