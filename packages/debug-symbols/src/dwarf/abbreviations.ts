// Abbreviations: the shapes of the entries of a unit (DWARF 5, section 7.5.3).
import type { Cursor } from '../cursor.ts';
import { DebugSymbolsError } from '../error.ts';
import { FORM } from './constants.ts';

/** How the sizes of forms depend on the unit. */
export type Encoding = {
  readonly version: number;
  /** Bytes of an address. */
  readonly addressSize: number;
  /** Whether offsets in sections have 8 bytes. */
  readonly is64: boolean;
};

export type Abbreviation = {
  readonly tag: number;
  readonly hasChildren: boolean;
  /** Three numbers for each attribute: name, form, and the value of an implicit constant. */
  readonly attributes: readonly number[];
  /**
   * How to skip the attributes: a number of bytes, or the negative of a form of variable size. Consecutive forms of
   * fixed sizes are one number.
   */
  readonly skips: readonly number[];
};

/** Abbreviations by their code. */
export type Abbreviations = readonly (Abbreviation | undefined)[] | ReadonlyMap<number, Abbreviation>;

/** Codes are consecutive in practice; other tables are kept in a map. */
const MAX_DENSE_CODE = 100_000;
const MAX_ATTRIBUTES = 1000;

export function readAbbreviations(cursor: Cursor, encoding: Encoding): Abbreviations {
  const dense: (Abbreviation | undefined)[] = [];
  const sparse = new Map<number, Abbreviation>();
  for (let code = cursor.uleb(); code !== 0; code = cursor.uleb()) {
    const abbreviation = readAbbreviation(cursor, encoding);
    if (code <= MAX_DENSE_CODE && code <= dense.length + 1000) dense[code] = abbreviation;
    else sparse.set(code, abbreviation);
  }
  if (sparse.size === 0) return dense;
  for (const [code, abbreviation] of dense.entries()) if (abbreviation !== undefined) sparse.set(code, abbreviation);
  return sparse;
}

function readAbbreviation(cursor: Cursor, encoding: Encoding): Abbreviation {
  const tag = cursor.uleb();
  const hasChildren = cursor.u8() !== 0;
  const attributes: number[] = [];
  const skips: number[] = [];
  let fixed = 0;
  for (;;) {
    const name = cursor.uleb();
    const form = cursor.uleb();
    if (name === 0 && form === 0) break;
    if (attributes.length >= MAX_ATTRIBUTES * 3)
      throw new DebugSymbolsError('too-large', 'a debug entry has too many attributes');
    attributes.push(name, form, form === FORM.implicitConst ? cursor.sleb() : 0);
    const size = sizeOf(undefined, form, encoding);
    if (size !== VARIES) {
      fixed += size;
      continue;
    }
    if (fixed > 0) skips.push(fixed);
    fixed = 0;
    skips.push(-form);
  }
  if (fixed > 0) skips.push(fixed);
  return { tag, hasChildren, attributes, skips };
}

/** The size of a value is in the value. */
const VARIES = -1;

/**
 * The bytes of a value at the position of the cursor, which moves past its start if that has the size. Without a
 * cursor, VARIES for forms of variable size. Throws `unsupported` for an unknown form.
 */
function sizeOf(cursor: Cursor | undefined, form: number, { version, addressSize, is64 }: Encoding): number {
  const offset = is64 ? 8 : 4;
  switch (form) {
    case FORM.flagPresent:
    case FORM.implicitConst:
      return 0;
    case FORM.data1:
    case FORM.flag:
    case FORM.ref1:
    case FORM.strx1:
    case FORM.addrx1:
      return 1;
    case FORM.data2:
    case FORM.ref2:
    case FORM.strx2:
    case FORM.addrx2:
      return 2;
    case FORM.strx3:
    case FORM.addrx3:
      return 3;
    case FORM.data4:
    case FORM.ref4:
    case FORM.refSup4:
    case FORM.strx4:
    case FORM.addrx4:
      return 4;
    case FORM.data8:
    case FORM.ref8:
    case FORM.refSup8:
    case FORM.refSig8:
      return 8;
    case FORM.data16:
      return 16;
    case FORM.addr:
      return addressSize;
    case FORM.refAddr:
      return version <= 2 ? addressSize : offset;
    case FORM.strp:
    case FORM.lineStrp:
    case FORM.strpSup:
    case FORM.secOffset:
    case FORM.gnuRefAlt:
    case FORM.gnuStrpAlt:
      return offset;
    case FORM.block1:
      return cursor === undefined ? VARIES : cursor.u8();
    case FORM.block2:
      return cursor === undefined ? VARIES : cursor.u16();
    case FORM.block4:
      return cursor === undefined ? VARIES : cursor.u32();
    case FORM.block:
    case FORM.exprloc:
      return cursor === undefined ? VARIES : cursor.uleb();
    case FORM.string:
      if (cursor === undefined) return VARIES;
      cursor.skipText();
      return 0;
    case FORM.sdata:
    case FORM.udata:
    case FORM.refUdata:
    case FORM.strx:
    case FORM.addrx:
    case FORM.loclistx:
    case FORM.rnglistx:
    case FORM.gnuAddrIndex:
    case FORM.gnuStrIndex:
      if (cursor === undefined) return VARIES;
      cursor.uleb();
      return 0;
    case FORM.indirect:
      return cursor === undefined ? VARIES : sizeOf(cursor, directForm(cursor), { version, addressSize, is64 });
    default:
      throw new DebugSymbolsError('unsupported', `values of the DWARF form 0x${form.toString(16)} are not supported`);
  }
}

/** Moves past the attributes of an entry. */
export function skipAttributes(cursor: Cursor, { skips }: Abbreviation, encoding: Encoding): void {
  for (let index = 0; index < skips.length; index += 1) {
    const skip = skips[index]!;
    if (skip > 0) cursor.skip(skip);
    else skipForm(cursor, -skip, encoding);
  }
}

/** Moves past a value. */
export function skipForm(cursor: Cursor, form: number, encoding: Encoding): void {
  cursor.skip(sizeOf(cursor, form, encoding));
}

/** The form that an indirect value names. It can't be indirect again, nor one whose value is in the abbreviation. */
export function directForm(cursor: Cursor): number {
  const form = cursor.uleb();
  if (form === FORM.indirect || form === FORM.implicitConst)
    throw new DebugSymbolsError('malformed', 'an indirect DWARF form is indirect again');
  return form;
}
