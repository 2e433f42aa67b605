// Looks up a module's symbols in a symbol cache, reading only a few pages.
import type { ModuleLine } from '../module-line.ts';
import {
  type CfiRules,
  type CodePlace,
  MAX_INLINES,
  type ModuleSymbols,
  type SourcePlace,
  type StackWin,
} from '../module-symbols.ts';
import { isPlaceholder } from '../symbol-contents.ts';
import { type Footer, readFooter } from './footer.ts';
import { type IndexEntry, IndexTable } from './index-table.ts';
import { damaged, type PageCursor, PageReader } from './page-reader.ts';
import { INLINE_COLUMNS, LINE_COLUMNS, MAX_CFI_ROWS, MAX_INLINE_DEPTH, NO_NAME, NO_RECORD } from './pages.ts';
import type { RangeReader } from './range-reader.ts';
import { findRow } from './range-rows.ts';
import { TextMemo } from './text-memo.ts';

/**
 * Opens a cache written by the compiler. Only reads the footer. Everything else is read and checked on demand, and a
 * lookup throws a MinidumpError `bad-cache` if it finds damage. Closes the reader if it throws.
 */
export function openSymbolCache(reader: RangeReader): SymbolCache {
  try {
    return new SymbolCache(reader);
  } catch (error) {
    reader.close();
    throw error;
  }
}

type FunctionRecord = {
  readonly start: number;
  readonly parameterSize: number;
  readonly name: string;
  /** A cursor at the start of the lines. */
  readonly rest: PageCursor;
};

/** A row of an inlined call. `file` is the file's id plus 1, or 0 if it is unknown. */
type InlinedCall = { readonly line: number; readonly file: number; readonly origin: number };

/**
 * A PUBLIC has no size, so it may name code that another function without a name contains. It is too far away from code
 * at this distance: of 340,000 functions in Node.js and LLVM, one in 700 is larger. In a library that exports a single
 * function, everything else would otherwise be in `UnityMain`.
 */
const MAX_PUBLIC_DISTANCE = 0x4000;

/** An open cache. See docs/symbol-cache.md for the format, and for which record is used if several match. */
export class SymbolCache implements ModuleSymbols {
  readonly module: ModuleLine;
  /** The size of the source text, in bytes. */
  readonly sourceSize: number;
  /** When the source text was last changed, in microseconds since 1970; 0 if unknown. */
  readonly sourceTime: number;
  readonly #reader: RangeReader;
  readonly #pages: PageReader;
  readonly #texts = new TextMemo();
  readonly #indexes: Readonly<Record<keyof Footer['indexes'], IndexTable>>;

  constructor(reader: RangeReader) {
    const { footer, pageCount } = readFooter(reader);
    this.#reader = reader;
    this.module = footer.module;
    this.sourceSize = footer.sourceSize;
    this.sourceTime = footer.sourceTime;
    const pages = new PageReader(reader, pageCount);
    this.#pages = pages;
    const tables = Object.entries(footer.indexes).map(([name, extent]) => [name, new IndexTable(pages, extent)]);
    this.#indexes = Object.fromEntries(tables);
  }

  placeAt(offset: number): CodePlace | undefined {
    const entry = this.#indexes.functions.floor(offset);
    const record = entry === undefined ? undefined : this.#readFunction(entry, offset);
    return record === undefined ? this.#publicAt(offset, entry?.key ?? -1) : this.#place(record, offset);
  }

  cfiAt(offset: number): CfiRules | undefined {
    const entry = this.#indexes.cfi.floor(offset);
    if (entry === undefined) return undefined;
    const cursor = this.#pages.cursor(entry.position);
    if (offset >= entry.key + cursor.varint()) return undefined;
    const rules = [this.#text(entry.position - cursor.varint())];
    const rows = cursor.varint();
    if (rows > MAX_CFI_ROWS) throw damaged(`${rows} unwind rules`);
    let from = entry.key;
    for (let row = 0; row < rows; row++) {
      from += cursor.varint();
      if (from > offset) break;
      rules.push(this.#text(entry.position - cursor.varint()));
    }
    return rules;
  }

  stackWinAt(offset: number): StackWin | undefined {
    return this.#stackWin('frame-data', offset) ?? this.#stackWin('fpo', offset);
  }

  /** Closes the reader. The cache cannot be used afterwards. */
  close(): void {
    this.#texts.clear();
    this.#pages.close();
    this.#reader.close();
  }

  #readFunction({ key, position }: IndexEntry, offset: number): FunctionRecord | undefined {
    const rest = this.#pages.cursor(position);
    if (offset >= key + rest.varint()) return undefined;
    const parameterSize = rest.varint();
    return { start: key, parameterSize, name: this.#text(position - rest.varint()), rest };
  }

  /** A PUBLIC has no size: it extends to the next function, but only names what is near enough. */
  #publicAt(offset: number, functionStart: number): CodePlace | undefined {
    const entry = this.#indexes.publics.floor(offset);
    if (entry === undefined || entry.key <= functionStart) return undefined;
    const cursor = this.#pages.cursor(entry.position);
    const parameterSize = cursor.varint();
    const isNear = offset - entry.key < MAX_PUBLIC_DISTANCE || this.#isSameCfiRange(entry.key, offset);
    const name = isNear ? withoutPlaceholder(this.#text(entry.position - cursor.varint())) : undefined;
    const place = { function: name, file: undefined, line: undefined, lineStart: undefined };
    return { ...place, functionStart: entry.key, parameterSize, inlines: [], hasMoreInlines: false };
  }

  /** Whether a range of unwind rules contains both offsets. Compilers write one range or more for each function. */
  #isSameCfiRange(start: number, offset: number): boolean {
    const entry = this.#indexes.cfi.floor(offset);
    return (
      entry !== undefined && entry.key <= start && offset < entry.key + this.#pages.cursor(entry.position).varint()
    );
  }

  #place({ start, parameterSize, name, rest }: FunctionRecord, offset: number): CodePlace {
    const row = findRow(rest, start, offset, LINE_COLUMNS);
    const line = { file: row === undefined ? undefined : this.#file(row.values[1]!), line: row?.values[0] };
    const calls = readCalls(rest, start, offset);
    // The line record belongs to the innermost call. The location of each outer function is that of its call.
    const inlines: SourcePlace[] = [];
    let site: Pick<SourcePlace, 'file' | 'line'> = line;
    for (const call of calls.slice(0, MAX_INLINES)) {
      inlines.push({ function: this.#origin(call.origin), ...site });
      site = this.#siteOf(call, line.file);
    }
    const hasMoreInlines = calls.length > inlines.length;
    if (hasMoreInlines) site = this.#siteOf(calls.at(-1)!, line.file);
    return {
      function: withoutPlaceholder(name),
      ...site,
      functionStart: start,
      lineStart: row?.start,
      parameterSize,
      inlines,
      hasMoreInlines,
    };
  }

  /** Symbol files from before 2021 do not contain the call's file. The line's file is the best guess. */
  #siteOf({ file, line }: InlinedCall, lineFile: string | undefined): Pick<SourcePlace, 'file' | 'line'> {
    return { file: file === 0 ? lineFile : this.#file(file - 1), line };
  }

  #stackWin(kind: StackWin['kind'], offset: number): StackWin | undefined {
    const entry = this.#indexes[kind === 'fpo' ? 'fpo' : 'frameData'].floor(offset);
    if (entry === undefined || entry.position === NO_RECORD) return undefined;
    const cursor = this.#pages.cursor(entry.position);
    return {
      kind,
      start: cursor.varint(),
      codeSize: cursor.varint(),
      prologSize: cursor.varint(),
      epilogSize: cursor.varint(),
      parameterSize: cursor.varint(),
      savedRegisterSize: cursor.varint(),
      localSize: cursor.varint(),
      maxStackSize: cursor.varint(),
      ...this.#programOrBasePointer(cursor, entry.position),
    };
  }

  #programOrBasePointer(cursor: PageCursor, position: number): Pick<StackWin, 'program' | 'allocatesBasePointer'> {
    if (cursor.varint() === 0) return { program: undefined, allocatesBasePointer: cursor.varint() > 0 };
    return { program: this.#text(position - cursor.varint()), allocatesBasePointer: false };
  }

  #file(id: number): string | undefined {
    const entry = this.#indexes.files.exact(id);
    return entry === undefined ? undefined : this.#text(entry.position);
  }

  #origin(id: number): string {
    const entry = this.#indexes.inlineOrigins.exact(id);
    return entry === undefined ? NO_NAME : this.#text(entry.position);
  }

  #text(position: number): string {
    return this.#texts.get(position, () => this.#pages.cursor(position).text());
  }
}

/** Reads the inlined calls at an offset, innermost first. */
function readCalls(rest: PageCursor, start: number, offset: number): InlinedCall[] {
  const depths = rest.varint();
  if (depths > MAX_INLINE_DEPTH) throw damaged(`${depths} nested inlined calls`);
  const calls: InlinedCall[] = [];
  for (let depth = 0; depth < depths; depth++) {
    const row = findRow(rest, start, offset, INLINE_COLUMNS);
    if (row === undefined) break;
    const [line, file, origin] = row.values as [number, number, number];
    calls.push({ line, file, origin });
  }
  return calls.reverse();
}

function withoutPlaceholder(name: string): string | undefined {
  return isPlaceholder(name) ? undefined : name;
}
