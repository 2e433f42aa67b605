// Collects what belongs to one FUNC (its lines, its inlined calls) and writes it as one record of the cache.
import { ByteSink } from '../cache/byte-sink.ts';
import type { PageWriter } from '../cache/page-writer.ts';
import { MAX_ROWS, RangeRows } from '../cache/range-rows.ts';
import { INLINE_COLUMNS, LINE_COLUMNS, MAX_DEPTH } from '../cache/record-layout.ts';
import type { IndexBuilder } from './index-builder.ts';

/** Inlined calls whose memory is kept for the next function. */
const KEPT_CALLS = 1 << 14;

/** A call that the compiler put into the function instead of making it. `file` is undefined in files of before 2021. */
export type InlineCall = {
  readonly depth: number;
  readonly line: number;
  readonly file: number | undefined;
  readonly origin: number;
};

export class FunctionBuilder {
  /** Columns: line number, file id. */
  readonly lines = new RangeRows(LINE_COLUMNS, 1024);
  /** By depth. */
  readonly #inlines: RangeRows[] = [];
  #depths = 0;
  /** Ranges of inlined calls, at all depths. */
  #calls = 0;
  readonly #pages: PageWriter;
  readonly #index: IndexBuilder;
  readonly #record = new ByteSink();
  readonly #body = new ByteSink();
  #start = 0;
  #size = 0;
  #parameterSize = 0;
  #namePosition = 0;
  /** Whether lines that come now belong to a function. */
  isOpen = false;

  constructor(pages: PageWriter, index: IndexBuilder) {
    this.#pages = pages;
    this.#index = index;
  }

  /** Begins a function, whose name is written already. */
  open(start: number, size: number, parameterSize: number, namePosition: number): void {
    this.#start = start;
    this.#size = size;
    this.#parameterSize = parameterSize;
    this.#namePosition = namePosition;
    this.isOpen = true;
  }

  /** Adds a line’s range; one of no bytes covers nothing. False when there are too many. */
  addLine(start: number, size: number, line: number, file: number): boolean {
    if (size === 0) return true;
    if (this.lines.count === MAX_ROWS) return false;
    const row = this.lines.add(start, size);
    this.lines.columns[0]![row] = line;
    this.lines.columns[1]![row] = file;
    return true;
  }

  /** Adds a range of an inlined call. False when there are too many, or when they nest too deep. */
  addInline({ depth, line, file, origin }: InlineCall, start: number, size: number): boolean {
    if (depth >= MAX_DEPTH || this.#calls === MAX_ROWS) return false;
    while (this.#inlines.length <= depth) this.#inlines.push(new RangeRows(INLINE_COLUMNS, 16));
    const rows = this.#inlines[depth]!;
    this.#calls++;
    this.#depths = Math.max(this.#depths, depth + 1);
    const row = rows.add(start, size);
    rows.columns[0]![row] = line;
    rows.columns[1]![row] = file === undefined ? 0 : file + 1;
    rows.columns[2]![row] = origin;
    return true;
  }

  /** Writes the function that is open, if any. */
  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    // A function of no bytes is found by no address.
    if (this.#size > 0) this.#write();
    this.lines.clear();
    for (let depth = 0; depth < this.#depths; depth++) this.#inlines[depth]!.clear();
    // Memory that one function needed stays for the next, but not 256 times what the largest could need.
    if (this.#calls > KEPT_CALLS) this.#inlines.length = 0;
    this.#depths = 0;
    this.#calls = 0;
  }

  #write(): void {
    const record = this.#record;
    const { position } = this.#pages;
    record.clear();
    record.varint(this.#size);
    record.varint(this.#parameterSize);
    record.varint(position - this.#namePosition);
    this.lines.encode(record, this.#start, this.#body);
    record.varint(this.#depths);
    for (let depth = 0; depth < this.#depths; depth++) this.#inlines[depth]!.encode(record, this.#start, this.#body);
    this.#pages.append(record.bytes, 0, record.length);
    this.#index.add(this.#start, this.#size, position);
  }
}
