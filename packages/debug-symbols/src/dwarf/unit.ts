// A unit whose entries are read: its bytes, its shapes, and where the values that its entries refer to begin.
import { Cursor } from '../cursor.ts';
import { DebugSymbolsError } from '../error.ts';
import { type Abbreviation, type Abbreviations, directForm, skipForm } from './abbreviations.ts';
import { ATTRIBUTE, FORM } from './constants.ts';
import type { DwarfFile } from './dwarf-file.ts';
import { readText } from './texts.ts';
import type { UnitHeader } from './unit-header.ts';

/** Where the contributions of a unit begin in sections of its file. A package of split units has many in one section. */
export type Contributions = {
  readonly abbreviations: number;
  readonly strings: number | undefined;
  readonly lines: number;
  readonly rangeLists: number | undefined;
};

const WHOLE_SECTIONS: Contributions = { abbreviations: 0, strings: undefined, lines: 0, rangeLists: undefined };

/** The entry to which an attribute refers. */
export type EntryRef = { readonly file: DwarfFile; readonly offset: number };

/** Larger units, which link-time optimisation makes, are read in windows. */
const MAX_WHOLE = 8 * 1024 * 1024;
const WINDOW = 1024 * 1024;
/** Nearly all entries are smaller. */
const SMALL_WINDOW = 1024;
/** Damaged files have references to what isn't an entry. Each would read the rest of the unit. */
const MAX_RETRIES = 1000;

/** A part of a unit. */
export type Window = {
  readonly cursor: Cursor;
  /** What is added to positions of the cursor for those in the section. */
  readonly base: number;
  /** Whether it goes to the end of the unit. */
  readonly isLast: boolean;
  /** What was asked for. */
  readonly size: number;
};

/** Whether an entry needs a larger window. */
export function isTruncated(error: unknown): boolean {
  return error instanceof DebugSymbolsError && error.code === 'truncated';
}

export class Unit {
  readonly file: DwarfFile;
  readonly header: UnitHeader;
  readonly contributions: Contributions;
  /** The whole unit; undefined if it is large. */
  readonly #bytes: Uint8Array | undefined;
  readonly abbreviations: Abbreviations;
  /** The unit that has the addresses: the skeleton of a split unit, and otherwise the unit itself. */
  readonly skeleton: Unit | undefined;
  #retries = 0;
  addressBase: number;
  stringOffsetsBase: number;
  rangeListsBase: number;
  /** The start of offsets into .debug_ranges of a split unit before DWARF 5. */
  rangesBase = 0;
  /** What the addresses in range lists are relative to. */
  lowPc = 0;
  name = '';
  folder = '';
  /** The position of the line program; undefined if the unit has none. */
  linesAt: number | undefined;
  dwoName: string | undefined;
  dwoId: bigint | undefined;
  language = 0;
  tag = 0;

  constructor(file: DwarfFile, header: UnitHeader, split?: { skeleton: Unit; contributions?: Contributions }) {
    this.file = file;
    this.header = header;
    this.skeleton = split?.skeleton;
    this.contributions = split?.contributions ?? WHOLE_SECTIONS;
    this.#bytes = header.end - header.offset > MAX_WHOLE ? undefined : file.bytesOf(header);
    this.abbreviations = file.abbreviationsOf(header, this.contributions.abbreviations);
    this.dwoId = header.dwoId;
    const { version, is64 } = header.encoding;
    // Without an attribute, the values of the unit come directly after the header of the section.
    const afterHeader = is64 ? 16 : 8;
    this.stringOffsetsBase = (this.contributions.strings ?? 0) + (version >= 5 ? afterHeader : 0);
    this.rangeListsBase = (this.contributions.rangeLists ?? 0) + (is64 ? 20 : 12);
    this.addressBase = split?.skeleton.addressBase ?? (version >= 5 ? afterHeader : 0);
    this.readAt(header.firstEntry, (cursor) => this.#readRoot(cursor));
    if (split !== undefined) {
      this.rangesBase = split.skeleton.rangesBase;
      this.lowPc = split.skeleton.lowPc;
      this.folder ||= split.skeleton.folder;
    }
  }

  /** What there is from an entry on: of a large unit, about `size` bytes. */
  windowAt(offset: number, size = WINDOW): Window {
    const { file, header } = this;
    if (this.#bytes !== undefined) {
      const cursor = new Cursor(this.#bytes, file.littleEndian, offset - header.offset);
      return { cursor, base: header.offset, isLast: true, size };
    }
    const left = Math.max(0, header.end - offset);
    const length = Math.min(size, left);
    // Small windows are at any place, and large ones follow each other.
    const source = size < WINDOW ? file.section('info') : file.source('info')!;
    const cursor = new Cursor(source.read(offset, length), file.littleEndian);
    return { cursor, base: offset, isLast: length === left, size };
  }

  /** Reads an entry. Of a large unit, `read` is called again with more if the bytes end. */
  readAt<Result>(offset: number, read: (cursor: Cursor) => Result): Result {
    if (this.#bytes !== undefined)
      return read(new Cursor(this.#bytes, this.file.littleEndian, offset - this.header.offset));
    for (let window = this.windowAt(offset, SMALL_WINDOW); ; window = this.windowAt(offset, window.size * 16)) {
      try {
        return read(window.cursor);
      } catch (error) {
        if (window.isLast || !isTruncated(error) || this.#retries >= MAX_RETRIES) throw error;
        this.#retries += 1;
      }
    }
  }

  /** Throws `malformed` if there is no such abbreviation. */
  abbreviation(code: number): Abbreviation {
    const { abbreviations } = this;
    const found = Array.isArray(abbreviations)
      ? (abbreviations[code] as Abbreviation | undefined)
      : (abbreviations as ReadonlyMap<number, Abbreviation>).get(code);
    if (found === undefined) throw new DebugSymbolsError('malformed', `the abbreviation ${code} is missing`);
    return found;
  }

  #readRoot(cursor: Cursor): void {
    const code = cursor.uleb();
    if (code === 0) return;
    const { attributes, tag } = this.abbreviation(code);
    this.tag = tag;
    // The bases can come after the values that need them.
    const start = cursor.at;
    for (const pass of [this.#readBase, this.#readRootValue]) {
      cursor.at = start;
      for (let index = 0; index < attributes.length; index += 3)
        pass.call(this, cursor, attributes[index]!, attributes[index + 1]!, attributes[index + 2]!);
    }
  }

  #readBase(cursor: Cursor, name: number, form: number, constant: number): void {
    switch (name) {
      case ATTRIBUTE.stringOffsetsBase:
        this.stringOffsetsBase = this.readNumber(cursor, form, constant);
        return;
      case ATTRIBUTE.addressBase:
      case ATTRIBUTE.gnuAddressBase:
        this.addressBase = this.readNumber(cursor, form, constant);
        return;
      case ATTRIBUTE.rangeListsBase:
        this.rangeListsBase = this.readNumber(cursor, form, constant);
        return;
      case ATTRIBUTE.gnuRangesBase:
        this.rangesBase = this.readNumber(cursor, form, constant);
        return;
      default:
        skipForm(cursor, form, this.header.encoding);
    }
  }

  #readRootValue(cursor: Cursor, name: number, form: number, constant: number): void {
    switch (name) {
      case ATTRIBUTE.name:
        this.name = this.readText(cursor, form) ?? '';
        return;
      case ATTRIBUTE.compilationFolder:
        this.folder = this.readText(cursor, form) ?? '';
        return;
      case ATTRIBUTE.statementList:
        this.linesAt = this.contributions.lines + this.readNumber(cursor, form, constant);
        return;
      case ATTRIBUTE.lowPc:
        this.lowPc = this.readAddress(cursor, form);
        return;
      case ATTRIBUTE.language:
        this.language = this.readNumber(cursor, form, constant);
        return;
      case ATTRIBUTE.dwoName:
      case ATTRIBUTE.gnuDwoName:
        this.dwoName = this.readText(cursor, form);
        return;
      case ATTRIBUTE.gnuDwoId: {
        const at = cursor.at;
        skipForm(cursor, form, this.header.encoding);
        const view = new DataView(cursor.bytes.buffer, cursor.bytes.byteOffset + at, 8);
        if (form === FORM.data8) this.dwoId = view.getBigUint64(0, this.file.littleEndian);
        return;
      }
      default:
        skipForm(cursor, form, this.header.encoding);
    }
  }

  /** A constant, an offset or an index. For other forms 0, and the value is skipped. */
  readNumber(cursor: Cursor, form: number, constant: number): number {
    switch (form) {
      case FORM.data1:
      case FORM.flag:
        return cursor.u8();
      case FORM.data2:
        return cursor.u16();
      case FORM.data4:
        return cursor.u32();
      case FORM.data8:
        return cursor.u64();
      case FORM.udata:
      case FORM.rnglistx:
      case FORM.loclistx:
        return cursor.uleb();
      case FORM.sdata:
        return cursor.sleb();
      case FORM.implicitConst:
        return constant;
      case FORM.secOffset:
        return cursor.word(this.header.encoding.is64);
      case FORM.indirect:
        return this.readNumber(cursor, directForm(cursor), constant);
      default:
        skipForm(cursor, form, this.header.encoding);
        return 0;
    }
  }

  /** An address. NaN if it isn't in the file. */
  readAddress(cursor: Cursor, form: number): number {
    switch (form) {
      case FORM.addr:
        return cursor.word(this.header.encoding.addressSize === 8);
      case FORM.addrx:
      case FORM.gnuAddrIndex:
        return this.addressAt(cursor.uleb());
      case FORM.addrx1:
        return this.addressAt(cursor.u8());
      case FORM.addrx2:
        return this.addressAt(cursor.u16());
      case FORM.addrx3:
        return this.addressAt(cursor.u24());
      case FORM.addrx4:
        return this.addressAt(cursor.u32());
      case FORM.indirect:
        return this.readAddress(cursor, directForm(cursor));
      default:
        skipForm(cursor, form, this.header.encoding);
        return Number.NaN;
    }
  }

  /** The address with this index. NaN if it isn't in the file. */
  addressAt(index: number): number {
    const { addressSize } = this.header.encoding;
    const section = (this.skeleton ?? this).file.section('addr');
    const at = this.addressBase + index * addressSize;
    if (at + addressSize > section.size) return Number.NaN;
    return new Cursor(section.read(at, addressSize), this.file.littleEndian).word(addressSize === 8);
  }

  /** A text; undefined for other forms, whose value is skipped, and for texts that are missing. */
  readText(cursor: Cursor, form: number): string | undefined {
    return readText(cursor, form, this);
  }

  /** The entry that a reference names; undefined for other forms, whose value is skipped. */
  readRef(cursor: Cursor, form: number): EntryRef | undefined {
    const { file } = this;
    const { offset } = this.header;
    const { is64, version, addressSize } = this.header.encoding;
    switch (form) {
      case FORM.ref1:
        return { file, offset: offset + cursor.u8() };
      case FORM.ref2:
        return { file, offset: offset + cursor.u16() };
      case FORM.ref4:
        return { file, offset: offset + cursor.u32() };
      case FORM.ref8:
        return { file, offset: offset + cursor.u64() };
      case FORM.refUdata:
        return { file, offset: offset + cursor.uleb() };
      case FORM.refAddr:
        return { file, offset: cursor.word(version <= 2 ? addressSize === 8 : is64) };
      case FORM.refSup4:
      case FORM.refSup8:
      case FORM.gnuRefAlt: {
        const at = form === FORM.refSup4 ? cursor.u32() : form === FORM.refSup8 ? cursor.u64() : cursor.word(is64);
        return file.supplementary && { file: file.supplementary, offset: at };
      }
      case FORM.indirect:
        return this.readRef(cursor, directForm(cursor));
      default:
        skipForm(cursor, form, this.header.encoding);
        return undefined;
    }
  }
}
