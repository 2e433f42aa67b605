// Finds the module that contains an address.
import { hasValidRange, type Module } from './streams/modules.ts';

type Piece = { readonly start: bigint; readonly end: bigint; readonly module: Module };

/**
 * The modules of a dump by address.
 *
 * Modules in a dump can overlap, although no loader maps them that way: on Android, a library with packed relocations
 * seems to extend into the next one, and mappings of `/dev/ashmem` are listed twice. If one module covers 0x1000 to
 * 0x4000 and another 0x3000 to 0x5000, the lower one keeps its range and the other starts at 0x4000. Breakpad does the
 * same for Android but drops the whole list for other systems; rust-minidump drops the upper module. Of two modules at
 * the same address, the first in the dump is used.
 *
 * A module that is empty or extends past the end of the address space (0x10001 bytes at 0xffffffffffff0000) contains no
 * addresses. For these, Breakpad drops the whole list, and rust-minidump drops the module.
 */
export class ModuleMap {
  /** The executable, which is the first module of a dump; undefined if there are no modules. */
  readonly main: Module | undefined;
  /** All modules by address, even if they contain no addresses. */
  readonly byAddress: readonly Module[];
  /** Disjoint and sorted by address. */
  readonly #pieces: readonly Piece[];

  constructor(modules: readonly Module[]) {
    this.main = modules[0];
    this.byAddress = modules.toSorted((a, b) => (a.base < b.base ? -1 : a.base > b.base ? 1 : 0));
    this.#pieces = cutOverlaps(this.byAddress);
  }

  /** The lowest address of any module; 0n without modules. */
  get start(): bigint {
    return this.#pieces[0]?.start ?? 0n;
  }

  /** One past the highest address of any module; 0n without modules. */
  get end(): bigint {
    return this.#pieces.at(-1)?.end ?? 0n;
  }

  /** Returns the module that contains `address`. */
  at(address: bigint): Module | undefined {
    let low = 0;
    let high = this.#pieces.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#pieces[middle]!.start <= address) low = middle + 1;
      else high = middle;
    }
    const piece = this.#pieces[low - 1];
    return piece !== undefined && address < piece.end ? piece.module : undefined;
  }
}

function cutOverlaps(sorted: readonly Module[]): Piece[] {
  const pieces: Piece[] = [];
  let previousEnd = 0n;
  for (const module of sorted.filter(hasValidRange)) {
    const start = module.base > previousEnd ? module.base : previousEnd;
    const end = module.base + BigInt(module.size);
    if (start >= end) continue;
    pieces.push({ start, end, module });
    previousEnd = end;
  }
  return pieces;
}
