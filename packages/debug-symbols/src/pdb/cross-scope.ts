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
const MAX_CACHED_EXPORTS = 500_000;

/** Turns numbers of functions that are valid in one module into those of records. */
export class CrossScopes {
  readonly #msf: Msf;
  readonly #strings: StringTable;
  readonly #modules: readonly Module[];
  /** Modules by name in lower case: the two places that have the name can differ in case. */
  #byName: Map<string, number> | undefined;
  readonly #exports = new Map<number, ReadonlyMap<number, number>>();
  #cached = 0;

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
    return index === undefined ? undefined : this.#readExports(index).get(local);
  }

  #readExports(index: number): ReadonlyMap<number, number> {
    const cached = this.#exports.get(index);
    if (cached !== undefined) return cached;
    const exports = new Map<number, number>();
    for (const { kind, bytes } of readSubsections(this.#msf, this.#modules[index]!)) {
      if (kind !== DEBUG_S_CROSSSCOPEEXPORTS) continue;
      for (let at = 0; at + 8 <= bytes.length; at += 8) exports.set(u32(bytes, at), u32(bytes, at + 4));
    }
    if (this.#cached > MAX_CACHED_EXPORTS) {
      this.#exports.clear();
      this.#cached = 0;
    }
    this.#exports.set(index, exports);
    this.#cached += exports.size;
    return exports;
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
  for (let at = 0; at + 8 <= bytes.length; ) {
    const end = at + 8 + u32(bytes, at + 4) * 4;
    imports.push({ module: u32(bytes, at), ids: bytes.subarray(at + 8, end) });
    at = end;
  }
  return imports;
}
