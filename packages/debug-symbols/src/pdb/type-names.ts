// Writes types as they appear in the names of functions, such as `eng::Body const&` or `void (*)(int)`.
//
// The style is that of Mozilla's dump_syms, so that a function has the same name whichever tool converted its PDB:
// `const` follows what it applies to, except at the start of a type without a pointer; `volatile` is left out; the
// parameters are separated by a comma and a space. A pointer to a data member names its class here, as C++ does, where
// dump_syms repeats the type of the member.
import { readString, u16, u32 } from './bytes.ts';
import { FIRST_RECORD, primitivePointerSize, primitiveType } from './primitive-types.ts';
import type { TypeRecord, TypeStream } from './type-stream.ts';

export const LF_MODIFIER = 0x1001;
export const LF_POINTER = 0x1002;
export const LF_PROCEDURE = 0x1008;
export const LF_MFUNCTION = 0x1009;
const LF_BITFIELD = 0x1205;
const LF_ARRAY = 0x1503;
const LF_CLASS = 0x1504;
const LF_STRUCTURE = 0x1505;
const LF_UNION = 0x1506;
const LF_ENUM = 0x1507;
const LF_ALIAS = 0x150a;
const LF_INTERFACE = 0x1519;
const LF_CLASS2 = 0x1608;
const LF_STRUCTURE2 = 0x1609;
const LF_UNION2 = 0x160a;
const LF_INTERFACE2 = 0x160b;

/** Flags of structures: without members and size; inside of a function; with a mangled name after the plain one. */
const FORWARD_REFERENCE = 0x80;
const SCOPED = 0x100;
const HAS_UNIQUE_NAME = 0x200;

const MAX_NESTING = 24;
/** Types that are compared with a declaration, in all. Damaged files can have the same hash for all types. */
const MAX_COMPARED = 5_000_000;
const MAX_PARAMETERS = 256;
/** Characters. Longer names are cut. */
const MAX_NAME = 16_384;
/** Characters of the names that are kept. */
const MAX_CACHED = 8_000_000;
/** Characters of all types that the name of one function needs. Damaged files could have endless ones. */
const MAX_FORMATTED = 4_000_000;
const NO_NAME = '<unknown type>';

interface Pointer {
  /** `*`, `&` or `&&`, or a class and `::*`. */
  readonly symbol: string;
  readonly constant: boolean;
}

/** The name of a type, and how many types are in each other in it. */
interface Kept {
  readonly name: string;
  readonly height: number;
}

/** Makes the names of types, and keeps the latest. */
export class TypeNames {
  readonly #types: TypeStream;
  readonly #names = new Map<number, Kept>();
  readonly #parameters = new Map<number, Kept>();
  /** How deep the type that is being named is in others, and how deep others are in the types named inside of it. */
  #nesting = 0;
  #height = 0;
  /** The length of all names that are kept, and what it was before the current function. */
  #characters = 0;
  #before = 0;
  #compared = 0;
  #isExact = true;

  constructor(types: TypeStream) {
    this.#types = types;
  }

  /** The name of a type by its number. */
  name(index: number): string {
    return this.#cached(this.#names, index, () => this.#format(index));
  }

  /**
   * The parameters of a function type, such as `(int, char const*) const`. Anything else gives `()`: assembly code, for
   * example, has no type.
   */
  signature(type: number): string {
    const record = this.#types.record(type);
    if (record?.kind === LF_PROCEDURE) return `(${this.#parameterList(u32(record.bytes, 8))})`;
    if (record?.kind !== LF_MFUNCTION) return '()';
    const owner = u32(record.bytes, 4);
    const pointer = u32(record.bytes, 8);
    const parameters = this.#parameterList(u32(record.bytes, 16));
    const target = this.#targetOf(pointer);
    if (target === undefined) return `(${parameters})`;
    if (target.type === owner || this.name(target.type) === this.name(owner)) {
      return `(${parameters})${target.constant ? ' const' : ''}`;
    }
    // Rust's functions that belong to a type have their first parameter in the place of `this`, whatever its type is.
    return `(${[this.name(pointer), parameters].filter((name) => name !== '').join(', ')})`;
  }

  #cached(cache: Map<number, Kept>, index: number, format: () => string): string {
    if (this.#nesting === 0) this.#start();
    const kept = cache.get(index);
    if (kept !== undefined) {
      this.#height = Math.max(this.#height, kept.height);
      if (this.#nesting + kept.height > MAX_NESTING) this.#isExact = false;
      return kept.name;
    }
    // Damaged files have types that contain themselves.
    if (this.#nesting >= MAX_NESTING || this.#characters - this.#before > MAX_FORMATTED) {
      this.#isExact = false;
      return NO_NAME;
    }
    const around = this.#height;
    this.#height = 0;
    this.#nesting++;
    const name = format();
    this.#nesting--;
    const cut = name.length > MAX_NAME ? name.slice(0, MAX_NAME) : name;
    this.#characters += cut.length + 1;
    const height = this.#height + 1;
    cache.set(index, { name: cut, height });
    this.#height = Math.max(around, height);
    return cut;
  }

  /**
   * Whether no name so far was cut, nor could have been if the types had been named in another order. Otherwise, names
   * can depend on those before them, which only damaged files bring about.
   */
  get isExact(): boolean {
    return this.#isExact && this.#characters <= MAX_FORMATTED && this.#compared <= MAX_COMPARED;
  }

  /** Forgets the names if there are too many, but not while one is made of others. */
  #start(): void {
    this.#height = 0;
    if (this.#characters > MAX_CACHED) {
      this.#isExact = false;
      this.#names.clear();
      this.#parameters.clear();
      this.#characters = 0;
    }
    this.#before = this.#characters;
  }

  #format(index: number): string {
    const pointers: Pointer[] = [];
    let base = index;
    let constant = false;
    for (let steps = 0; steps < MAX_NESTING; steps++) {
      if (base < FIRST_RECORD) {
        if (primitivePointerSize(base) > 0) pointers.push({ symbol: '*', constant });
        const { name } = primitiveType(base);
        return formatPointers(name, constant && primitivePointerSize(base) === 0, pointers);
      }
      const record = this.#types.record(base);
      if (record?.kind === LF_MODIFIER) {
        constant ||= (u16(record.bytes, 4) & 1) !== 0;
      } else if (record?.kind === LF_POINTER) {
        pointers.push(this.#pointer(record.bytes, constant));
        constant = false;
      } else {
        return this.#formatBase(record, constant, pointers);
      }
      base = u32(record.bytes, 0);
    }
    return NO_NAME;
  }

  #pointer(bytes: Uint8Array, modified: boolean): Pointer {
    const attributes = u32(bytes, 4);
    const constant = modified || (attributes & 0x400) !== 0;
    switch ((attributes >>> 5) & 7) {
      case 1:
        return { symbol: '&', constant };
      case 2:
      case 3:
        return { symbol: `${this.name(u32(bytes, 8))}::*`, constant };
      case 4:
        return { symbol: '&&', constant };
      default:
        return { symbol: '*', constant };
    }
  }

  #formatBase(record: TypeRecord | undefined, constant: boolean, pointers: Pointer[]): string {
    if (record === undefined) return formatPointers(NO_NAME, constant, pointers);
    const { kind, bytes } = record;
    if (kind !== LF_PROCEDURE && kind !== LF_MFUNCTION) {
      return formatPointers(this.#baseName(kind, bytes), constant, pointers);
    }
    const parameters = this.#parameterList(u32(bytes, kind === LF_PROCEDURE ? 8 : 16));
    // The type of the pointer has the class already.
    const isOfMember = pointers.at(-1)?.symbol.endsWith('::*');
    const owner = kind === LF_MFUNCTION && !isOfMember ? `${this.name(u32(bytes, 4))}::` : '';
    return `${this.name(u32(bytes, 0))} (${owner}${joinPointers(pointers)})(${parameters})`;
  }

  #baseName(kind: number, bytes: Uint8Array): string {
    switch (kind) {
      case LF_ARRAY:
        return this.#arrayName(bytes);
      case LF_BITFIELD:
        return this.name(u32(bytes, 0));
      default: {
        const at = nameOffset(kind, bytes);
        return at < 0 ? NO_NAME : cleanName(readString(bytes, at, bytes.length));
      }
    }
  }

  /** An array has the size of all of its elements; the number of elements follows from it. */
  #arrayName(bytes: Uint8Array): string {
    let element = u32(bytes, 0);
    let size = readNumber(bytes, 8).value;
    let dimensions = '';
    for (let depth = 0; depth < MAX_NESTING; depth++) {
      const record = this.#types.record(element);
      const isArray = record?.kind === LF_ARRAY;
      const elementSize = isArray ? readNumber(record.bytes, 8).value : this.#size(element);
      dimensions += elementSize > 0 ? `[${Math.floor(size / elementSize)}]` : '[]';
      if (!isArray) break;
      element = u32(record.bytes, 0);
      size = elementSize;
    }
    return this.name(element) + dimensions;
  }

  #size(type: number): number {
    let index = type;
    for (let steps = 0; steps < MAX_NESTING; steps++) {
      if (index < FIRST_RECORD) return primitivePointerSize(index) || primitiveType(index).size;
      const record = this.#types.record(index);
      if (record === undefined) return 0;
      const { kind, bytes } = record;
      if (kind === LF_POINTER) return (u32(bytes, 4) >>> 13) & 0x3f;
      if (kind === LF_ENUM) index = u32(bytes, 4);
      else if (kind === LF_MODIFIER) index = u32(bytes, 0);
      else return structureSize(kind, bytes) || this.#definedSize(kind, bytes);
    }
    return 0;
  }

  /** The size of a structure by the record of its declaration, which has none. */
  #definedSize(kind: number, bytes: Uint8Array): number {
    const properties = u16(bytes, propertiesOffset(kind));
    if ((properties & FORWARD_REFERENCE) === 0) return 0;
    const name = readNameBytes(kind, bytes);
    const isScoped = (properties & (SCOPED | HAS_UNIQUE_NAME)) === (SCOPED | HAS_UNIQUE_NAME);
    const hashed = isScoped ? readNameBytes(kind, bytes, name.length + 1) : name;
    for (const candidate of this.#types.candidates(hashed)) {
      if (++this.#compared > MAX_COMPARED) return 0;
      const record = this.#types.record(candidate);
      if (record === undefined || nameOffset(record.kind, record.bytes) < 0) continue;
      const isDeclaration = (u16(record.bytes, propertiesOffset(record.kind)) & FORWARD_REFERENCE) !== 0;
      if (isDeclaration || !isSameName(name, readNameBytes(record.kind, record.bytes))) continue;
      return structureSize(record.kind, record.bytes);
    }
    return 0;
  }

  #parameterList(index: number): string {
    return this.#cached(this.#parameters, index, () => {
      const bytes = this.#types.record(index)?.bytes ?? new Uint8Array();
      const count = Math.min(u32(bytes, 0), Math.floor(bytes.length / 4) - 1, MAX_PARAMETERS);
      const names: string[] = [];
      for (let at = 4; names.length < count; at += 4) names.push(this.name(u32(bytes, at)));
      return names.join(', ');
    });
  }

  /** What a pointer points to; undefined for anything else. */
  #targetOf(index: number): { type: number; constant: boolean } | undefined {
    if (index < FIRST_RECORD) {
      return primitivePointerSize(index) > 0 ? { type: index & 0xff, constant: false } : undefined;
    }
    const pointer = this.#types.record(index);
    if (pointer?.kind !== LF_POINTER) return undefined;
    const type = u32(pointer.bytes, 0);
    const target = this.#types.record(type);
    if (target?.kind !== LF_MODIFIER) return { type, constant: false };
    return { type: u32(target.bytes, 0), constant: (u16(target.bytes, 4) & 1) !== 0 };
  }
}

/** Both MSVC and clang quote the namespaces without a name; C++ programmers and demanglers don't. */
export function cleanName(name: string): string {
  return name.includes('`anonymous') ? name.replaceAll(/`anonymous[- ]namespace'/g, '(anonymous namespace)') : name;
}

function formatPointers(base: string, constant: boolean, pointers: Pointer[]): string {
  if (pointers.length === 0) return constant ? `const ${base}` : base;
  const space = pointers.at(-1)!.symbol.endsWith('::*') ? ' ' : '';
  return `${base}${constant ? ' const' : ''}${space}${joinPointers(pointers)}`;
}

/** Writes the pointers from the innermost to the outermost: they were collected the other way round. */
function joinPointers(pointers: Pointer[]): string {
  return pointers
    .toReversed()
    .map(({ symbol, constant }) => (constant ? `${symbol} const` : symbol))
    .join('');
}

/** Where the name is in the record of a type that has one; -1 for other kinds. */
function nameOffset(kind: number, bytes: Uint8Array): number {
  if (kind === LF_ENUM) return 12;
  if (kind === LF_ALIAS) return 4;
  const size = sizeOffset(kind, bytes);
  return size < 0 ? -1 : readNumber(bytes, size).end;
}

function structureSize(kind: number, bytes: Uint8Array): number {
  const at = sizeOffset(kind, bytes);
  return at < 0 ? 0 : readNumber(bytes, at).value;
}

function sizeOffset(kind: number, bytes: Uint8Array): number {
  switch (kind) {
    case LF_CLASS:
    case LF_STRUCTURE:
    case LF_INTERFACE:
      return 16;
    case LF_UNION:
      return 8;
    // The newer forms have a count of members of variable size first.
    case LF_CLASS2:
    case LF_STRUCTURE2:
    case LF_INTERFACE2:
      return readNumber(bytes, 16).end;
    case LF_UNION2:
      return readNumber(bytes, 8).end;
    default:
      return -1;
  }
}

/** The name of a structure, or what follows it after `skip` bytes. */
function readNameBytes(kind: number, bytes: Uint8Array, skip = 0): Uint8Array {
  const start = nameOffset(kind, bytes) + skip;
  const end = bytes.indexOf(0, start);
  return bytes.subarray(start, end < 0 ? bytes.length : end);
}

function isSameName(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** Where the flags of a structure are in its record. */
function propertiesOffset(kind: number): number {
  return kind >= LF_CLASS2 ? 0 : 2;
}

/** Reads a number of variable size: small ones are in place, others follow a code for their type. */
function readNumber(bytes: Uint8Array, at: number): { value: number; end: number } {
  const code = u16(bytes, at);
  if (code < 0x8000) return { value: code, end: at + 2 };
  switch (code) {
    case 0x8000:
      return { value: bytes[at + 2] ?? 0, end: at + 3 };
    case 0x8001:
    case 0x8002:
      return { value: u16(bytes, at + 2), end: at + 4 };
    case 0x8003:
    case 0x8004:
      return { value: u32(bytes, at + 2), end: at + 6 };
    case 0x8009:
    case 0x800a:
      return { value: u32(bytes, at + 2) + u32(bytes, at + 6) * 2 ** 32, end: at + 10 };
    default:
      return { value: 0, end: at + 2 };
  }
}
