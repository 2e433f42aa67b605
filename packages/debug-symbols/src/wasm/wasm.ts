// Reads the structure of WebAssembly modules: sections, functions and their names (WebAssembly Core Specification,
// chapter 5 and appendix 7.4).
import { createHash } from 'node:crypto';
import { type ByteSource, PartSource } from '../byte-source.ts';
import { Cursor } from '../cursor.ts';
import { DebugSymbolsError } from '../error.ts';

const MARK = [0x00, 0x61, 0x73, 0x6d];
const VERSION = 1;
const HEADER_BYTES = 8;
const SECTION = { custom: 0, imports: 2, code: 10 } as const;
const IMPORT = { function: 0, table: 1, memory: 2, global: 3, tag: 4 } as const;
/** The names of functions, in the section `name`. */
const FUNCTION_NAMES = 1;
const MAX_SECTIONS = 100_000;
const MAX_NAME = 65_536;
const ID_BYTES = 16;
const MAX_BUILD_ID = 65;
const PORTION = 1024 * 1024;

/** A section; `offset` is where its content starts in the file. */
type Section = { readonly offset: number; readonly size: number };

export type WasmFunction = { readonly name: string; readonly address: number };

export function isWasm(start: Uint8Array): boolean {
  return start.length >= HEADER_BYTES && MARK.every((byte, index) => start[index] === byte);
}

export class Wasm {
  readonly #source: ByteSource;
  readonly #sections = new Map<number, Section>();
  readonly #custom = new Map<string, Section>();

  constructor(source: ByteSource) {
    this.#source = source;
    const version = new Cursor(source.read(0, HEADER_BYTES), true, 4).u32();
    if (version !== VERSION)
      throw new DebugSymbolsError('unsupported', `WebAssembly of version ${version} is not supported`);
    this.#readSections();
  }

  #readSections(): void {
    let count = 0;
    for (let at = HEADER_BYTES; at < this.#source.size; ) {
      if (++count > MAX_SECTIONS) throw new DebugSymbolsError('too-large', 'the file has too many sections');
      const cursor = new Cursor(this.#source.read(at, Math.min(16, this.#source.size - at)));
      const id = cursor.u8();
      const size = cursor.uleb();
      const offset = at + cursor.at;
      if (offset + size > this.#source.size) throw new DebugSymbolsError('truncated', 'a section ends after the file');
      if (id === SECTION.custom) this.#addCustom({ offset, size });
      else if (!this.#sections.has(id)) this.#sections.set(id, { offset, size });
      at = offset + size;
    }
  }

  #addCustom({ offset, size }: Section): void {
    const cursor = new Cursor(this.#source.read(offset, Math.min(size, MAX_NAME)));
    const name = Buffer.from(cursor.take(cursor.uleb())).toString('utf8');
    if (!this.#custom.has(name)) this.#custom.set(name, { offset: offset + cursor.at, size: size - cursor.at });
  }

  /** The content of a custom section, such as `.debug_info`. */
  custom(name: string): ByteSource | undefined {
    const section = this.#custom.get(name);
    return section && new PartSource(this.#source, section.offset, section.size);
  }

  /** Where the code starts in the file, and its size. Addresses of DWARF count from there. */
  get code(): Section | undefined {
    return this.#sections.get(SECTION.code);
  }

  /** The id that the linker wrote with --build-id, or a tool such as `wasm-split`, which writes no length before it. */
  buildId(): Uint8Array | undefined {
    const section = this.custom('build_id');
    if (section === undefined || section.size === 0 || section.size > MAX_BUILD_ID) return undefined;
    const content = section.read(0, section.size);
    // An id of 16 bytes can begin with any, and linkers write none of 15.
    const hasLength = content[0] === content.length - 1 && content.length !== ID_BYTES;
    const id = hasLength ? content.subarray(1) : content;
    return id.length === 0 ? undefined : id;
  }

  /** Takes the place of an id: the hash of the code, which a module and its debug file have in common. */
  hashOfCode(): Uint8Array {
    const hash = createHash('sha256');
    const { offset = 0, size = 0 } = this.code ?? {};
    for (let at = 0; at < size; at += PORTION)
      hash.update(this.#source.read(offset + at, Math.min(PORTION, size - at)));
    return hash.digest().subarray(0, ID_BYTES);
  }

  /** The address of the file with the debug information. */
  externalDebugInfo(): string | undefined {
    const section = this.custom('external_debug_info');
    if (section === undefined || section.size > MAX_NAME) return undefined;
    const cursor = new Cursor(section.read(0, section.size));
    return Buffer.from(cursor.take(cursor.uleb())).toString('utf8') || undefined;
  }

  /** The functions with names, at their places in the code. What comes after damage is left out. */
  functions(): WasmFunction[] {
    const functions: WasmFunction[] = [];
    untilDamage(() => this.#readFunctions(functions));
    return functions;
  }

  #readFunctions(functions: WasmFunction[]): void {
    const names = this.#readNames();
    if (this.code === undefined || names.size === 0) return;
    const imported = this.#countImports();
    const cursor = new Cursor(this.#source.read(this.code.offset, this.code.size));
    const count = cursor.uleb();
    for (let index = 0; index < count; index += 1) {
      const size = cursor.uleb();
      const address = cursor.at;
      cursor.skip(size);
      const name = names.get(imported + index);
      if (name !== undefined && name !== '') functions.push({ name, address });
    }
  }

  #readNames(): Map<number, string> {
    const names = new Map<number, string>();
    const section = this.custom('name');
    if (section !== undefined) untilDamage(() => readNames(new Cursor(section.read(0, section.size)), names));
    return names;
  }

  /** Imported functions have the first numbers. */
  #countImports(): number {
    const section = this.#sections.get(SECTION.imports);
    if (section === undefined) return 0;
    const cursor = new Cursor(this.#source.read(section.offset, section.size));
    let functions = 0;
    for (let left = cursor.uleb(); left > 0; left -= 1) {
      cursor.skip(cursor.uleb());
      cursor.skip(cursor.uleb());
      const kind = cursor.u8();
      if (kind === IMPORT.function) functions += 1;
      skipImport(cursor, kind);
    }
    return functions;
  }
}

function skipImport(cursor: Cursor, kind: number): void {
  switch (kind) {
    case IMPORT.function:
      cursor.uleb();
      return;
    case IMPORT.table:
      skipType(cursor);
      skipLimits(cursor);
      return;
    case IMPORT.memory:
      skipLimits(cursor);
      return;
    case IMPORT.global:
      skipType(cursor);
      cursor.skip(1);
      return;
    case IMPORT.tag:
      cursor.skip(1);
      cursor.uleb();
      return;
    default:
      throw new DebugSymbolsError('unsupported', `imports of kind ${kind} are not supported`);
  }
}

/** References to types have a number after them. */
function skipType(cursor: Cursor): void {
  const type = cursor.u8();
  if (type === 0x63 || type === 0x64) cursor.sleb();
}

function skipLimits(cursor: Cursor): void {
  const flags = cursor.u8();
  cursor.uleb();
  if ((flags & 1) !== 0) cursor.uleb();
  // Pages of another size.
  if ((flags & 8) !== 0) cursor.uleb();
}

function readNames(cursor: Cursor, names: Map<number, string>): void {
  while (cursor.left > 0) {
    const kind = cursor.u8();
    const end = cursor.uleb() + cursor.at;
    if (end > cursor.end) throw new DebugSymbolsError('truncated', 'the names of functions are cut off');
    for (let left = kind === FUNCTION_NAMES ? cursor.uleb() : 0; left > 0; left -= 1) {
      const index = cursor.uleb();
      const name = cursor.take(cursor.uleb());
      names.set(index, Buffer.from(name.subarray(0, MAX_NAME)).toString('utf8'));
    }
    cursor.at = end;
  }
}

function untilDamage(read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof DebugSymbolsError)) throw error;
  }
}
