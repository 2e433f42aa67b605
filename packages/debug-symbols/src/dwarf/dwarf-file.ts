// The sections of a file with DWARF, and its units.
import { type ByteSource, MemorySource } from '../byte-source.ts';
import { Cursor } from '../cursor.ts';
import { DebugSymbolsError } from '../error.ts';
import { PagedSource } from '../paged-source.ts';
import { type Abbreviations, readAbbreviations } from './abbreviations.ts';
import { readUnitHeader, type UnitHeader } from './unit-header.ts';

/** Where the sections are. Each name is that of ELF without `.debug_`; Mach-O and PE have the same ones. */
export type SectionFinder = (name: DwarfSection) => ByteSource | undefined;

export const SECTIONS = [
  ...(['info', 'abbrev', 'line', 'str', 'line_str', 'str_offsets', 'addr', 'ranges', 'rnglists'] as const),
] as const;

export type DwarfSection = (typeof SECTIONS)[number];

/** What a list is, or what was read of it up to the end of the bytes that were there. */
export type ReadList<Kind> = Kind | { readonly cut: Kind };

const NOTHING = new PagedSource(new MemorySource(new Uint8Array()), 0);
/** Bytes of a section that are kept. Names are anywhere in their section, and all else is near to what was read before. */
const KEPT: Partial<Record<DwarfSection, number>> = { str: 8 * 1024 * 1024, info: 16 * 1024 * 1024 };
const KEPT_OF_OTHERS = 2 * 1024 * 1024;
/** Most lists are shorter. */
const FIRST_READ = 4096;
const MAX_UNITS = 5_000_000;
/** Units that other units refer to are kept up to this size together. */
const KEPT_BYTES = 8 * 1024 * 1024;

export class DwarfFile {
  readonly littleEndian: boolean;
  /** What dwz moved into another file, to which references of this one lead. */
  supplementary: DwarfFile | undefined;
  readonly #find: SectionFinder;
  readonly #sections = new Map<DwarfSection, PagedSource>();
  readonly #abbreviations = new Map<string, Abbreviations>();
  readonly #kept = new Map<number, Uint8Array>();
  #keptBytes = 0;
  #units: UnitHeader[] | undefined;

  constructor(find: SectionFinder, littleEndian: boolean) {
    this.#find = find;
    this.littleEndian = littleEndian;
  }

  /** A section that is read piece by piece. */
  source(name: DwarfSection): ByteSource | undefined {
    return this.#find(name);
  }

  /** A section for small reads; empty if the file has no such section. */
  section(name: DwarfSection): PagedSource {
    let section = this.#sections.get(name);
    if (section === undefined) {
      const source = this.#find(name);
      section = source === undefined ? NOTHING : new PagedSource(source, KEPT[name] ?? KEPT_OF_OTHERS);
      this.#sections.set(name, section);
    }
    return section;
  }

  /** Reads a list of unknown size. `read` returns what is `cut` if the bytes end, and is called again with more. */
  readList<Kind extends object>(name: DwarfSection, offset: number, read: (cursor: Cursor) => ReadList<Kind>): Kind {
    const section = this.section(name);
    const at = Math.min(offset, section.size);
    const left = section.size - at;
    for (let size = FIRST_READ; ; size *= 16) {
      const length = Math.min(size, left);
      try {
        const list = read(new Cursor(section.read(at, length), this.littleEndian));
        if (!('cut' in list)) return list;
        if (length === left) return list.cut;
      } catch (error) {
        if (length === left || !(error instanceof DebugSymbolsError) || error.code !== 'truncated') throw error;
      }
    }
  }

  /** The units by ascending offset. Those after a damaged header are not found. */
  get units(): readonly UnitHeader[] {
    this.#units ??= this.#readUnits();
    return this.#units;
  }

  #readUnits(): UnitHeader[] {
    const info = this.#find('info');
    const units: UnitHeader[] = [];
    for (let at = 0; info !== undefined && at + 11 < info.size; ) {
      const unit = readUnitHeader(info.read(at, Math.min(64, info.size - at)), at, this.littleEndian, info.size);
      if (unit === undefined) break;
      units.push(unit);
      if (units.length > MAX_UNITS) throw new DebugSymbolsError('too-large', 'the file has too many DWARF units');
      at = unit.end;
    }
    return units;
  }

  /** The unit with the entry at this offset. */
  unitAt(offset: number): UnitHeader | undefined {
    const { units } = this;
    let [low, high] = [0, units.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (units[middle]!.end <= offset) low = middle + 1;
      else high = middle;
    }
    const unit = units[low];
    return unit !== undefined && offset >= unit.firstEntry ? unit : undefined;
  }

  /** The bytes of a unit with its header. */
  bytesOf(unit: UnitHeader): Uint8Array {
    const kept = this.#kept.get(unit.offset);
    if (kept !== undefined) return kept;
    const bytes = this.#find('info')!.read(unit.offset, unit.end - unit.offset);
    for (const [offset, other] of this.#kept) {
      if (this.#keptBytes + bytes.length <= KEPT_BYTES) break;
      this.#kept.delete(offset);
      this.#keptBytes -= other.length;
    }
    this.#kept.set(unit.offset, bytes);
    this.#keptBytes += bytes.length;
    return bytes;
  }

  abbreviationsOf({ abbreviationsAt, encoding }: UnitHeader, base = 0): Abbreviations {
    const { version, addressSize, is64 } = encoding;
    const key = `${base + abbreviationsAt} ${version} ${addressSize} ${is64}`;
    let found = this.#abbreviations.get(key);
    if (found === undefined) {
      if (this.#abbreviations.size >= 100) this.#abbreviations.clear();
      found = this.readList('abbrev', base + abbreviationsAt, (cursor) => readAbbreviations(cursor, encoding));
      this.#abbreviations.set(key, found);
    }
    return found;
  }
}
