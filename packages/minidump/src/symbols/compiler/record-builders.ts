// Collects the records of a symbol file that belong together, and writes them as one record of the cache: a FUNC with its
// lines and inlined calls, and a STACK CFI INIT with its STACK CFI.
import { ByteSink } from '../cache/byte-sink.ts';
import type { PageWriter } from '../cache/page-writer.ts';
import { INLINE_COLUMNS, LINE_COLUMNS, MAX_CFI_ROWS, MAX_INLINE_DEPTH } from '../cache/pages.ts';
import { MAX_ROWS, RangeRows } from '../cache/range-rows.ts';
import type { IndexBuilder } from './index-builder.ts';

/** If a function has more inlined calls, their memory is released instead of being reused for the next function. */
const MAX_REUSED_CALLS = 1 << 14;

/** An inlined call. `file` is the call's file, which is undefined in symbol files from before 2021. */
type InlineCall = {
  readonly depth: number;
  readonly line: number;
  readonly file: number | undefined;
  readonly origin: number;
};

/** Collects the lines and inlined calls of one FUNC. */
export class FunctionBuilder {
  /** The lines, with the columns line number and file id. */
  readonly lines = new RangeRows(LINE_COLUMNS, 1024);
  /** The inlined calls by depth. */
  readonly #inlines: RangeRows[] = [];
  #depths = 0;
  /** The number of ranges of inlined calls, at all depths. */
  #calls = 0;
  readonly #pages: PageWriter;
  readonly #index: IndexBuilder;
  readonly #record = new ByteSink();
  readonly #body = new ByteSink();
  #start = 0;
  #size = 0;
  #parameterSize = 0;
  #namePosition = 0;
  /** Whether the following lines belong to a function. */
  isOpen = false;

  constructor(pages: PageWriter, index: IndexBuilder) {
    this.#pages = pages;
    this.#index = index;
  }

  /** Starts a function. Its name was already written, at `namePosition`. */
  open(start: number, size: number, parameterSize: number, namePosition: number): void {
    this.#start = start;
    this.#size = size;
    this.#parameterSize = parameterSize;
    this.#namePosition = namePosition;
    this.isOpen = true;
  }

  /** Adds the range of a line; an empty range is ignored. Returns false if there are too many. */
  addLine(start: number, size: number, line: number, file: number): boolean {
    if (size === 0) return true;
    if (this.lines.count === MAX_ROWS) return false;
    const row = this.lines.add(start, size);
    this.lines.columns[0]![row] = line;
    this.lines.columns[1]![row] = file;
    return true;
  }

  /** Adds a range of an inlined call. Returns false if there are too many, or if they are nested too deep. */
  addInline({ depth, line, file, origin }: InlineCall, start: number, size: number): boolean {
    if (depth >= MAX_INLINE_DEPTH || this.#calls === MAX_ROWS) return false;
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

  /** Writes the open function, if any. */
  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    // No address is in an empty function.
    if (this.#size > 0) this.#write();
    this.lines.clear();
    for (let depth = 0; depth < this.#depths; depth++) this.#inlines[depth]!.clear();
    // Memory is reused for the next function, unless it is very large: 256 depths could each keep the maximum.
    if (this.#calls > MAX_REUSED_CALLS) this.#inlines.length = 0;
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

type Row = { readonly offset: number; readonly rules: number };

/** Collects a STACK CFI INIT record and the STACK CFI records that follow it. */
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
