// The functions of a unit with their lines and inlined calls.
import type { Cursor } from '../cursor.ts';
import type { FunctionRecord, InlineRecord, LineRecord } from '../symbol-sink.ts';
import type { FunctionSink } from '../symbols/record-packer.ts';
import { type Abbreviation, skipAttributes, skipForm } from './abbreviations.ts';
import { ATTRIBUTE, FORM, TAG } from './constants.ts';
import type { LineTable } from './line-program.ts';
import type { FunctionNames } from './names.ts';
import { readRanges } from './ranges.ts';
import { isTruncated, type Unit, type Window } from './unit.ts';

/** What the unit is part of. */
export type Module = {
  readonly names: FunctionNames;
  readonly sink: FunctionSink;
  /** What is subtracted from addresses. */
  readonly base: number;
  /** Whether code can be at an address. It can't where the linker has removed it. */
  readonly isCode: (address: number) => boolean;
  /** Writes the path of a source file as the symbol file has it. */
  readonly formatPath: (path: string) => string;
  /** The readable name that the symbol table has for an address. */
  readonly symbolAt: (address: number) => string | undefined;
};

const NAMELESS = '<name omitted>';

type Inline = {
  readonly entry: number;
  readonly depth: number;
  readonly callFile: number;
  readonly callLine: number;
  readonly ranges: readonly number[];
};

type OpenFunction = { readonly entry: number; readonly ranges: readonly number[]; readonly inlines: Inline[] };

/** What an entry adds for those below it. */
type Level = { readonly open: OpenFunction | undefined; readonly depth: number };

const OUTSIDE: Level = { open: undefined, depth: 0 };
/** Deeper entries are read as if they were at this depth. Compilers don't nest blocks so deeply. */
const MAX_DEPTH = 100_000;

/** Sends the functions of a unit to the sink. `files` are the paths of its calls. */
export function readFunctions(
  unit: Unit,
  { lines, files }: { lines: LineTable | undefined; files: readonly (string | undefined)[] },
  module: Module,
): void {
  const writer = new FunctionWriter(unit, lines, files, module);
  const entries = new Entries(unit);
  const levels: Level[] = [];
  let level = OUTSIDE;
  while (entries.next(level.open !== undefined)) {
    const { at: entry, abbreviation, place } = entries;
    if (abbreviation === undefined) {
      if (levels.length === 0) break;
      const before = level;
      level = levels.pop()!;
      if (before.open !== undefined && before.open !== level.open) writer.write(before.open);
      continue;
    }
    const { tag, hasChildren } = abbreviation;
    let inner = level;
    if (tag === TAG.subprogram) {
      const { ranges } = place!;
      const open = ranges.length === 0 ? undefined : { entry, ranges, inlines: [] };
      inner = open === undefined ? OUTSIDE : { open, depth: 0 };
      if (open !== undefined && !hasChildren) writer.write(open);
    } else if (place !== undefined && level.open !== undefined) {
      if (place.ranges.length > 0) {
        level.open.inlines.push({ entry, depth: level.depth, ...place });
        inner = { open: level.open, depth: level.depth + 1 };
      }
    }
    if (hasChildren && levels.length < MAX_DEPTH) {
      levels.push(level);
      level = inner;
    }
  }
  // A unit that ends too early.
  if (level.open !== undefined) writer.write(level.open);
}

/** Most entries are smaller. */
const MARGIN = 16 * 1024;

/** Reads the entries of a unit one after the other. */
class Entries {
  readonly #unit: Unit;
  #window: Window;
  /** The position of the entry in the section. */
  at = 0;
  /** Undefined for the end of a list of entries. */
  abbreviation: Abbreviation | undefined;
  /** Only of functions, and of inlined calls if they are wanted. */
  place: Place | undefined;

  constructor(unit: Unit) {
    this.#unit = unit;
    this.#window = unit.windowAt(unit.header.firstEntry);
  }

  /** Reads the next entry. Returns false if there is none. */
  next(withInlines: boolean): boolean {
    const { cursor, base, isLast } = this.#window;
    if (cursor.left < MARGIN && !isLast) this.#window = this.#unit.windowAt(base + cursor.at);
    if (this.#window.cursor.left <= 0) return false;
    this.at = this.#window.base + this.#window.cursor.at;
    for (;;) {
      try {
        this.#read(this.#window.cursor, withInlines);
        return true;
      } catch (error) {
        if (this.#window.isLast || !isTruncated(error)) throw error;
        this.#window = this.#unit.windowAt(this.at, this.#window.size * 16);
      }
    }
  }

  #read(cursor: Cursor, withInlines: boolean): void {
    this.place = undefined;
    const code = cursor.uleb();
    this.abbreviation = code === 0 ? undefined : this.#unit.abbreviation(code);
    if (this.abbreviation === undefined) return;
    const { tag } = this.abbreviation;
    if (tag === TAG.subprogram || (withInlines && tag === TAG.inlinedSubroutine))
      this.place = readPlace(this.#unit, cursor, this.abbreviation);
    else skipAttributes(cursor, this.abbreviation, this.#unit.header.encoding);
  }
}

type Place = Pick<Inline, 'ranges' | 'callFile' | 'callLine'>;

function readPlace(unit: Unit, cursor: Cursor, { attributes }: Abbreviation): Place {
  let [low, high, callFile, callLine] = [Number.NaN, Number.NaN, 0, 0];
  let isSize = false;
  let ranges: number[] | undefined;
  for (let index = 0; index < attributes.length; index += 3) {
    const form = attributes[index + 1]!;
    const constant = attributes[index + 2]!;
    switch (attributes[index]) {
      case ATTRIBUTE.lowPc:
        low = unit.readAddress(cursor, form);
        break;
      case ATTRIBUTE.highPc:
        isSize = !isAddress(form);
        high = isSize ? unit.readNumber(cursor, form, constant) : unit.readAddress(cursor, form);
        break;
      case ATTRIBUTE.ranges:
        ranges = readRanges(unit, unit.readNumber(cursor, form, constant), form);
        break;
      case ATTRIBUTE.callFile:
        callFile = unit.readNumber(cursor, form, constant);
        break;
      case ATTRIBUTE.callLine:
        callLine = unit.readNumber(cursor, form, constant);
        break;
      default:
        skipForm(cursor, form, unit.header.encoding);
    }
  }
  if (ranges === undefined) {
    const end = isSize ? low + high : high;
    ranges = end > low ? [low, end] : [];
  }
  return { ranges, callFile, callLine };
}

function isAddress(form: number): boolean {
  return (
    form === FORM.addr ||
    form === FORM.addrx ||
    (form >= FORM.addrx1 && form <= FORM.addrx4) ||
    form === FORM.gnuAddrIndex
  );
}

/** Turns entries into records: one for each range of a function, such as its cold part. */
class FunctionWriter {
  readonly #unit: Unit;
  readonly #lines: LineTable | undefined;
  readonly #paths: readonly (string | undefined)[];
  readonly #module: Module;
  /** Numbers of the sink, by the number in the line table, and in the attributes of calls. */
  readonly #lineFiles: number[] = [];
  readonly #callFiles: number[] = [];

  constructor(unit: Unit, lines: LineTable | undefined, paths: readonly (string | undefined)[], module: Module) {
    this.#unit = unit;
    this.#lines = lines;
    this.#paths = paths;
    this.#module = module;
  }

  write({ entry, ranges, inlines }: OpenFunction): void {
    const { sink, base, isCode } = this.#module;
    let name: string | undefined;
    for (let index = 0; index < ranges.length; index += 2) {
      const [start, end] = [ranges[index]!, ranges[index + 1]!];
      if (!isCode(start)) continue;
      name ??= this.#nameOf(entry, ranges[0]!);
      const record: FunctionRecord = {
        address: start - base,
        size: end - start,
        name,
        parameterSize: 0,
        lines: this.#linesBetween(start, end),
        inlines: this.#inlinesBetween(inlines, start, end),
      };
      sink.function(record);
    }
  }

  /** Static functions have their complete name only in the symbol table. */
  #nameOf(entry: number, address: number): string {
    const name = this.#module.names.nameAt(this.#unit, entry);
    if (name?.isLinkage === true) return name.text;
    return this.#module.symbolAt(address) ?? name?.text ?? NAMELESS;
  }

  /** Neighbouring rows of the same line are joined. */
  #linesBetween(start: number, end: number): LineRecord[] {
    const lines: LineRecord[] = [];
    if (this.#lines === undefined) return lines;
    const { starts, ends, fileOf, lineOf } = this.#lines;
    const { base } = this.#module;
    let at = start;
    for (let row = firstEndingAfter(ends, start); row < starts.length && starts[row]! < end; row += 1) {
      const from = Math.max(starts[row]!, at);
      const to = Math.min(ends[row]!, end);
      if (to <= from) continue;
      at = to;
      const file = this.#lineFile(fileOf[row]!);
      const line = lineOf[row]!;
      const last = lines.at(-1);
      if (last !== undefined && last.file === file && last.line === line && last.address + last.size === from - base)
        last.size += to - from;
      else lines.push({ address: from - base, size: to - from, line, file });
    }
    return lines;
  }

  #inlinesBetween(inlines: readonly Inline[], start: number, end: number): InlineRecord[] {
    const records: InlineRecord[] = [];
    const { base, names, sink } = this.#module;
    for (const { entry, depth, callFile, callLine, ranges } of inlines) {
      const inside = clip(ranges, start, end, base);
      if (inside.length === 0) continue;
      const origin = sink.origin(names.nameAt(this.#unit, entry)?.text ?? NAMELESS);
      records.push({ depth, callLine, callFile: this.#callFile(callFile), origin, ranges: inside });
    }
    return records;
  }

  #lineFile(number: number): number {
    this.#lineFiles[number] ??= this.#file(this.#lines?.files[number]);
    return this.#lineFiles[number];
  }

  #callFile(number: number): number {
    this.#callFiles[number] ??= this.#file(this.#paths[number]);
    return this.#callFiles[number];
  }

  #file(path: string | undefined): number {
    const { sink, formatPath } = this.#module;
    return sink.file(path === undefined ? '<unknown>' : formatPath(path));
  }
}

/** Pairs of an address and a size, for what is between start and end. */
function clip(ranges: readonly number[], start: number, end: number, base: number): number[] {
  const pairs: [address: number, size: number][] = [];
  for (let index = 0; index < ranges.length; index += 2) {
    const from = Math.max(ranges[index]!, start);
    const to = Math.min(ranges[index + 1]!, end);
    if (to > from) pairs.push([from - base, to - from]);
  }
  return (pairs.length > 1 ? pairs.sort((a, b) => a[0] - b[0]) : pairs).flat();
}

/** Rows don't overlap in practice, so their ends ascend as well. */
function firstEndingAfter(ends: Float64Array, address: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle]! <= address) low = middle + 1;
    else high = middle;
  }
  return low;
}
