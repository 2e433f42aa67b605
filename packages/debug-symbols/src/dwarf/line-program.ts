// Line programs: which line of which file each instruction comes from (DWARF 5, section 6.2).
import type { ByteSource } from '../byte-source.ts';
import { Cursor } from '../cursor.ts';
import { DebugSymbolsError } from '../error.ts';
import { joinPath } from '../paths.ts';
import { type Encoding, skipForm } from './abbreviations.ts';
import { FORM } from './constants.ts';
import type { DwarfFile } from './dwarf-file.ts';
import { readText } from './texts.ts';

/** Rows by ascending address. Row `i` has the bytes from `starts[i]` to `ends[i]`. */
export type LineTable = {
  /** Paths by the number in rows and attributes; undefined for numbers without a file. */
  readonly files: readonly (string | undefined)[];
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  readonly fileOf: Uint32Array;
  readonly lineOf: Uint32Array;
};

const CONTENT = { path: 1, folder: 2 } as const;
const MAX_FILES = 4_000_000;
/** Characters of the paths of a program, of which many files can have the same long folder. */
const MAX_PATHS_LENGTH = 32 * 1024 * 1024;

type Header = {
  readonly cursor: Cursor;
  readonly version: number;
  readonly minimumLength: number;
  readonly maximumOperations: number;
  readonly isStatement: boolean;
  readonly lineBase: number;
  readonly lineRange: number;
  readonly opcodeBase: number;
  readonly operands: Uint8Array;
  readonly programAt: number;
  readonly files: (string | undefined)[];
  readonly folders: readonly string[];
  readonly paths: Paths;
};

type Place = {
  readonly file: DwarfFile;
  readonly offset: number;
  readonly folder: string;
  readonly addressSize: number;
};

/** Reads only the paths of a line program. */
export function readLineFiles(place: Place): readonly (string | undefined)[] {
  return readHeader(place)?.files ?? [];
}

/** Undefined if the program is missing, or of an unknown version. `isCode` says which addresses can have code. */
export function readLineTable(place: Place, isCode: (address: number) => boolean): LineTable | undefined {
  const header = readHeader(place);
  if (header === undefined) return undefined;
  const rows = new Rows(isCode);
  try {
    runProgram(header, place, rows);
  } catch (error) {
    // What came before the damage is kept.
    if (!(error instanceof DebugSymbolsError)) throw error;
  }
  return { files: header.files, ...rows.sorted() };
}

function readHeader({ file, offset, folder, addressSize }: Place): Header | undefined {
  const section = file.source('line');
  if (section === undefined || offset + 16 > section.size) return undefined;
  const start = new Cursor(section.read(offset, Math.min(12, section.size - offset)), file.littleEndian);
  let length = start.u32();
  const is64 = length === 0xffff_ffff;
  if (is64) length = start.u64();
  const at = offset + start.at;
  const cursor = new Cursor(readAtMost(section, at, length), file.littleEndian);
  const version = cursor.u16();
  if (version < 2 || version > 5) return undefined;
  if (version >= 5) cursor.skip(2);
  const headerLength = cursor.word(is64);
  const programAt = cursor.at + headerLength;
  const minimumLength = cursor.u8();
  const maximumOperations = version >= 4 ? cursor.u8() || 1 : 1;
  const isStatement = cursor.u8() !== 0;
  const lineBase = cursor.i8();
  const lineRange = cursor.u8();
  const opcodeBase = cursor.u8();
  const operands = cursor.take(Math.max(opcodeBase - 1, 0));
  const encoding = { version, addressSize, is64 };
  const paths = new Paths();
  const tables =
    version >= 5 ? readTables({ file, cursor, encoding, folder, paths }) : readOldTables(cursor, folder, paths);
  return {
    ...{ cursor, version, minimumLength, maximumOperations, isStatement, lineBase, lineRange, opcodeBase, operands },
    ...{ programAt, paths, ...tables },
  };
}

function readAtMost(section: ByteSource, at: number, length: number): Uint8Array {
  return section.read(at, Math.min(length, section.size - at));
}

/** Joins paths, and counts their total length. */
class Paths {
  #left = MAX_PATHS_LENGTH;

  join(folder: string, path: string): string {
    this.count(folder);
    this.count(path);
    return joinPath(folder, path);
  }

  /** Throws `too-large` if there is too much. */
  count(text: string): void {
    this.#left -= text.length;
    if (this.#left < 0) throw new DebugSymbolsError('too-large', 'a line program has too many long paths');
  }
}

function readOldTables(cursor: Cursor, folder: string, paths: Paths) {
  const folders = [folder];
  for (let path = cursor.text(); path !== ''; path = cursor.text()) folders.push(paths.join(folder, path));
  const files: (string | undefined)[] = [undefined];
  for (let path = cursor.text(); path !== ''; path = cursor.text())
    files.push(readOldFile(cursor, path, { folders, paths }));
  return { folders, files };
}

function readOldFile(cursor: Cursor, path: string, { folders, paths }: Pick<Header, 'folders' | 'paths'>): string {
  const index = cursor.uleb();
  cursor.uleb();
  cursor.uleb();
  return paths.join(folders[index] ?? folders[0] ?? '', path);
}

type TablesPlace = { file: DwarfFile; cursor: Cursor; encoding: Encoding; folder: string; paths: Paths };

function readTables(place: TablesPlace) {
  const folders = readEntries(place).map(({ path }) => place.paths.join(place.folder, path));
  const files = readEntries(place).map(({ path, folder }) =>
    place.paths.join(folders[folder] ?? folders[0] ?? '', path),
  );
  return { folders, files: files as (string | undefined)[] };
}

function readEntries({ file, cursor, encoding, paths }: TablesPlace): { path: string; folder: number }[] {
  // Line programs of split units refer to texts by index; the offsets come after a header.
  const texts = { file, header: { encoding }, stringOffsetsBase: encoding.is64 ? 16 : 8 };
  const formats: [content: number, form: number][] = [];
  for (let left = cursor.u8(); left > 0; left -= 1) formats.push([cursor.uleb(), cursor.uleb()]);
  const count = cursor.uleb();
  if (count > MAX_FILES || (formats.length === 0 && count > 0))
    throw new DebugSymbolsError('malformed', 'the files of a line program are damaged');
  const entries: { path: string; folder: number }[] = [];
  for (let left = count; left > 0; left -= 1) {
    let [path, folder] = ['', 0];
    for (const [content, form] of formats) {
      if (content === CONTENT.path) path = readText(cursor, form, texts) ?? '';
      else if (content === CONTENT.folder) folder = readIndex(cursor, form, encoding);
      else skipForm(cursor, form, encoding);
    }
    paths.count(path);
    entries.push({ path, folder });
  }
  return entries;
}

/** The number of a folder. For forms that it can't have 0, and the value is skipped. */
function readIndex(cursor: Cursor, form: number, encoding: Encoding): number {
  switch (form) {
    case FORM.udata:
      return cursor.uleb();
    case FORM.data1:
      return cursor.u8();
    case FORM.data2:
      return cursor.u16();
    case FORM.data4:
      return cursor.u32();
    default:
      skipForm(cursor, form, encoding);
      return 0;
  }
}

function runProgram(header: Header, { addressSize }: Place, rows: Rows): void {
  const { cursor, minimumLength, maximumOperations, lineBase, lineRange, opcodeBase, operands, files } = header;
  const isWide = addressSize === 8;
  cursor.at = header.programAt;
  let [address, operation, file, line] = [0, 0, 1, 1];
  const advance = (operations: number) => {
    if (maximumOperations === 1) {
      address += minimumLength * operations;
      return;
    }
    address += minimumLength * Math.floor((operation + operations) / maximumOperations);
    operation = (operation + operations) % maximumOperations;
  };
  while (cursor.left > 0) {
    const opcode = cursor.u8();
    if (opcode >= opcodeBase) {
      if (lineRange === 0) throw new DebugSymbolsError('malformed', 'a line program has no range of lines');
      const special = opcode - opcodeBase;
      advance((special / lineRange) | 0);
      line += lineBase + (special % lineRange);
      rows.add(address, file, line);
      continue;
    }
    switch (opcode) {
      case 0: {
        const end = cursor.uleb() + cursor.at;
        const extended = cursor.u8();
        if (extended === 1) {
          rows.endSequence(address);
          [address, operation, file, line] = [0, 0, 1, 1];
        } else if (extended === 2) {
          const size = end - cursor.at;
          address = size === 4 || (size !== 8 && !isWide) ? cursor.u32() : cursor.u64();
          operation = 0;
        } else if (extended === 3) {
          files.push(readOldFile(cursor, cursor.text(), header));
        }
        if (end > cursor.end) throw new DebugSymbolsError('truncated', 'a line program ends within an instruction');
        cursor.at = end;
        break;
      }
      case 1:
        rows.add(address, file, line);
        break;
      case 2:
        advance(cursor.uleb());
        break;
      case 3:
        line += cursor.sleb();
        break;
      case 4:
        file = cursor.uleb();
        break;
      case 5:
        cursor.uleb();
        break;
      case 6:
      case 7:
      case 10:
      case 11:
        break;
      case 8:
        if (lineRange === 0) throw new DebugSymbolsError('malformed', 'a line program has no range of lines');
        advance(((255 - opcodeBase) / lineRange) | 0);
        break;
      case 9:
        address += cursor.u16();
        operation = 0;
        break;
      case 12:
        cursor.uleb();
        break;
      default:
        for (let left = operands[opcode - 1] ?? 0; left > 0; left -= 1) cursor.uleb();
    }
  }
}

/** Collects the rows of a program in growing arrays. */
class Rows {
  #starts = new Float64Array(256);
  #ends = new Float64Array(256);
  #files = new Uint32Array(256);
  #lines = new Uint32Array(256);
  #count = 0;
  /** The first row of the sequence that is being read, and of each one before it. */
  #first = 0;
  readonly #sequences: number[] = [];
  #isSorted = true;
  /** Whether the rows of each sequence are sorted. */
  #isAscending = true;
  readonly #isCode: (address: number) => boolean;

  constructor(isCode: (address: number) => boolean) {
    this.#isCode = isCode;
  }

  add(address: number, file: number, line: number): void {
    const last = this.#count - 1;
    if (last >= this.#first) {
      if (address < this.#starts[last]!) {
        this.#isSorted = false;
        this.#isAscending = false;
      } else if (address === this.#starts[last]!) {
        // The row before has no bytes.
        this.#files[last] = file;
        this.#lines[last] = line;
        return;
      }
      this.#ends[last] = address;
    }
    if (this.#count === this.#starts.length) this.#grow();
    this.#starts[this.#count] = address;
    this.#files[this.#count] = file;
    this.#lines[this.#count] = line;
    this.#count += 1;
  }

  /** Rows of code that the linker has removed are dropped. */
  endSequence(address: number): void {
    if (this.#count > this.#first) {
      this.#ends[this.#count - 1] = address;
      if (!this.#isCode(this.#starts[this.#first]!)) this.#count = this.#first;
      else {
        if (this.#first > 0 && this.#starts[this.#first]! < this.#starts[this.#first - 1]!) this.#isSorted = false;
        this.#sequences.push(this.#first);
      }
    }
    this.#first = this.#count;
  }

  #grow(): void {
    const grown = <Kind extends Float64Array | Uint32Array>(before: Kind, after: Kind): Kind => {
      after.set(before);
      return after;
    };
    const size = this.#starts.length * 2;
    this.#starts = grown(this.#starts, new Float64Array(size));
    this.#ends = grown(this.#ends, new Float64Array(size));
    this.#files = grown(this.#files, new Uint32Array(size));
    this.#lines = grown(this.#lines, new Uint32Array(size));
  }

  sorted(): Omit<LineTable, 'files'> {
    // Rows after the last complete sequence have no end.
    const count = this.#first;
    const starts = this.#starts.subarray(0, count);
    if (this.#isSorted)
      return {
        starts,
        ends: this.#ends.subarray(0, count),
        fileOf: this.#files.subarray(0, count),
        lineOf: this.#lines.subarray(0, count),
      };
    const order = this.#orderOfSequences(count) ?? orderOf(starts);
    const rows = {
      ...{ starts: new Float64Array(count), ends: new Float64Array(count) },
      ...{ fileOf: new Uint32Array(count), lineOf: new Uint32Array(count) },
    };
    for (let row = 0; row < count; row += 1) {
      const from = order[row]!;
      rows.starts[row] = this.#starts[from]!;
      rows.ends[row] = this.#ends[from]!;
      rows.fileOf[row] = this.#files[from]!;
      rows.lineOf[row] = this.#lines[from]!;
    }
    return rows;
  }

  /** The order of the rows by that of their sequences; undefined if sequences overlap or aren't sorted, as in damaged files. */
  #orderOfSequences(count: number): Uint32Array | undefined {
    if (!this.#isAscending) return undefined;
    const endOf = (sequence: number) => this.#sequences[sequence + 1] ?? count;
    const sequences = this.#sequences.map((_, index) => index);
    sequences.sort((a, b) => this.#starts[this.#sequences[a]!]! - this.#starts[this.#sequences[b]!]!);
    const order = new Uint32Array(count);
    let row = 0;
    let [last, end] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const sequence of sequences) {
      const first = this.#sequences[sequence]!;
      const start = this.#starts[first]!;
      if (!(start > last && start >= end)) return undefined;
      for (let from = first; from < endOf(sequence); from += 1) order[row++] = from;
      last = this.#starts[endOf(sequence) - 1]!;
      end = this.#ends[endOf(sequence) - 1]!;
    }
    return order;
  }
}

/** Indexes by ascending value; those of equal values in their order. */
function orderOf(values: Float64Array): Uint32Array {
  const order = new Uint32Array(values.length);
  for (let index = 0; index < order.length; index += 1) order[index] = index;
  return order.sort((a, b) => values[a]! - values[b]! || a - b);
}
