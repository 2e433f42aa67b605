// Names of functions, which an entry often has only through the entries that it refers to.

import type { Cursor } from '../cursor.ts';
import { withoutPart } from '../demangle.ts';
import { DebugSymbolsError } from '../error.ts';
import { skipForm } from './abbreviations.ts';
import { ATTRIBUTE } from './constants.ts';
import type { DwarfFile } from './dwarf-file.ts';
import { type EntryRef, Unit } from './unit.ts';

export type Name = {
  readonly text: string;
  /** Whether it is complete: with namespaces and parameters, if the language has them. */
  readonly isLinkage: boolean;
};

/** Entries refer to each other over a declaration and an abstract instance; a longer chain is a loop. */
const MAX_STEPS = 16;
/** The units of a program optimised as a whole refer to many others. */
const KEPT_UNITS = 100;
const KEPT_NAMES = 50_000;
/** Characters of names. A few long ones can be those of many entries. */
const KEPT_LENGTH = 16 * 1024 * 1024;

/**
 * Names by the position of the entry. The linkage name is preferred, from which overloads and namespaces are readable;
 * static functions and those of C have only a plain name.
 */
export class FunctionNames {
  readonly #demangle: (name: string) => string;
  readonly #names = new Map<DwarfFile, Map<number, Name | undefined>>();
  #keptNames = 0;
  #keptLength = 0;
  readonly #units = new Map<DwarfFile, Map<number, Unit>>();

  constructor(demangle: (name: string) => string) {
    this.#demangle = demangle;
  }

  /** The name of an entry; undefined if it has none. `unit` is being read. */
  nameAt(unit: Unit, offset: number): Name | undefined {
    return this.#nameOf({ file: unit.file, offset }, unit, MAX_STEPS);
  }

  #nameOf(ref: EntryRef, near: Unit, steps: number): Name | undefined {
    const known = this.#names.get(ref.file);
    if (known?.has(ref.offset)) return known.get(ref.offset);
    const name = steps === 0 ? undefined : this.#read(ref, near, steps);
    if (this.#keptNames >= KEPT_NAMES || this.#keptLength >= KEPT_LENGTH) {
      this.#names.clear();
      this.#keptNames = this.#keptLength = 0;
    }
    const names = this.#names.get(ref.file) ?? new Map<number, Name | undefined>();
    this.#names.set(ref.file, names.set(ref.offset, name));
    this.#keptNames += 1;
    this.#keptLength += name?.text.length ?? 0;
    return name;
  }

  #read({ file, offset }: EntryRef, near: Unit, steps: number): Name | undefined {
    const unit = this.#unitWith(file, offset, near);
    if (unit === undefined) return undefined;
    try {
      return unit.readAt(offset, (cursor) => this.#readEntry(unit, cursor, steps));
    } catch (error) {
      // A damaged reference leads anywhere.
      if (error instanceof DebugSymbolsError) return undefined;
      throw error;
    }
  }

  #readEntry(unit: Unit, cursor: Cursor, steps: number): Name | undefined {
    const code = cursor.uleb();
    if (code === 0) return undefined;
    const abbreviation = unit.abbreviation(code);
    const { attributes } = abbreviation;
    let plain: string | undefined;
    let target: EntryRef | undefined;
    for (let index = 0; index < attributes.length; index += 3) {
      const form = attributes[index + 1]!;
      switch (attributes[index]) {
        case ATTRIBUTE.linkageName:
        case ATTRIBUTE.mipsLinkageName: {
          const mangled = unit.readText(cursor, form);
          if (mangled === undefined || mangled === '') break;
          const whole = withoutPart(mangled);
          const text = this.#demangle(whole);
          // Names that were given in the source, such as with `asm`, are as complete as plain ones.
          return { text, isLinkage: text !== whole };
        }
        case ATTRIBUTE.name:
          plain = unit.readText(cursor, form);
          break;
        case ATTRIBUTE.abstractOrigin:
        case ATTRIBUTE.specification:
          target = unit.readRef(cursor, form);
          break;
        default:
          skipForm(cursor, form, unit.header.encoding);
      }
    }
    const referred = target && this.#nameOf(target, unit, steps - 1);
    return referred ?? (plain ? { text: plain, isLinkage: false } : undefined);
  }

  #unitWith(file: DwarfFile, offset: number, near: Unit): Unit | undefined {
    const { header } = near;
    if (near.file === file && offset >= header.firstEntry && offset < header.end) return near;
    const found = file.unitAt(offset);
    if (found === undefined) return undefined;
    let units = this.#units.get(file);
    if (units === undefined || units.size > KEPT_UNITS) {
      units = new Map();
      this.#units.set(file, units);
    }
    let unit = units.get(found.offset);
    if (unit === undefined) {
      unit = new Unit(file, found);
      units.set(found.offset, unit);
    }
    return unit;
  }
}
