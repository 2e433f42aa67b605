// Follows references from one module to functions of another, which link-time code generation leaves.
// The subsections are described in Microsoft's `cvinfo.h`, at `CrossScopeReferences` and `LocalIdAndGlobalIdPair`.
import { u32 } from './bytes.ts';
import type { Module } from './dbi.ts';
import {
  DEBUG_S_CROSSSCOPEEXPORTS,
  DEBUG_S_CROSSSCOPEIMPORTS,
  readSubsections,
  type Subsection,
} from './module-stream.ts';
import type { Msf } from './msf.ts';
import type { StringTable } from './string-table.ts';

/** A number with this bit has the index of an import in the next 11 bits, and of one of its functions in the last 20. */
const CROSS_SCOPE = 0x80000000;
const MAX_IMPORTS = 0x800;

/** Turns numbers of functions that are valid in one module into those of records. */
export class CrossScopes {
  readonly #msf: Msf;
  readonly #strings: StringTable;
  readonly #modules: readonly Module[];
  /** Modules by name in lower case: the two places that have the name can differ in case. */
  #byName: Map<string, number> | undefined;
  readonly #exports = new Map<number, Exports>();

  constructor(msf: Msf, strings: StringTable, modules: readonly Module[]) {
    this.#msf = msf;
    this.#strings = strings;
    this.#modules = modules;
  }

  /**
   * Returns a function that turns the numbers which a module uses into those of records; undefined for a reference that
   * leads nowhere.
   */
  resolver(subsections: readonly Subsection[]): (id: number) => number | undefined {
    const imports = subsections.filter(({ kind }) => kind === DEBUG_S_CROSSSCOPEIMPORTS).flatMap(readImports);
    return (id) => {
      if (id < CROSS_SCOPE) return id;
      const from = imports[(id >>> 20) & 0x7ff];
      const place = (id & 0xfffff) * 4;
      if (from === undefined || place + 4 > from.ids.length) return undefined;
      return this.#findExport(this.#strings.string(from.module), u32(from.ids, place));
    };
  }

  #findExport(name: string, local: number): number | undefined {
    this.#byName ??= new Map(this.#modules.map((module, index) => [module.name.toLowerCase(), index]));
    const index = this.#byName.get(name.toLowerCase());
    if (index === undefined) return undefined;
    const cached = this.#exports.get(index);
    if (cached !== undefined) return cached.find(local);
    const exports = new Exports(readSubsections(this.#msf, this.#modules[index]!));
    this.#exports.set(index, exports);
    return exports.find(local);
  }
}

/** The functions that a module offers to others: by their number in the module, that of the record. */
class Exports {
  readonly #locals: Uint32Array;
  readonly #records: Uint32Array;

  constructor(subsections: readonly Subsection[]) {
    const bytes = subsections.find(({ kind }) => kind === DEBUG_S_CROSSSCOPEEXPORTS)?.bytes ?? new Uint8Array();
    const order = Uint32Array.from({ length: Math.floor(bytes.length / 8) }, (_, index) => index);
    order.sort((a, b) => u32(bytes, a * 8) - u32(bytes, b * 8));
    this.#locals = order.map((index) => u32(bytes, index * 8));
    this.#records = order.map((index) => u32(bytes, index * 8 + 4));
  }

  find(local: number): number | undefined {
    let low = 0;
    let high = this.#locals.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#locals[middle]! < local) low = middle + 1;
      else high = middle;
    }
    return this.#locals[low] === local ? this.#records[low] : undefined;
  }
}

interface Import {
  /** Where the name of the module is in the string table. */
  readonly module: number;
  /** The numbers that functions have in that module, 32 bits each. */
  readonly ids: Uint8Array;
}

function readImports({ bytes }: Subsection): Import[] {
  const imports: Import[] = [];
  for (let at = 0; at + 8 <= bytes.length && imports.length < MAX_IMPORTS; ) {
    const end = at + 8 + u32(bytes, at + 4) * 4;
    imports.push({ module: u32(bytes, at), ids: bytes.subarray(at + 8, end) });
    at = end;
  }
  return imports;
}
