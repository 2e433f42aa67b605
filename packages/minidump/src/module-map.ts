// Finds the module that an address lies in.
import { hasPlace, type Module } from './streams/modules.ts';

type Piece = { readonly start: bigint; readonly end: bigint; readonly module: Module };

/**
 * The modules of a dump by address.
 *
 * Modules can overlap, which no loader does: Android lists a library whose relocations are packed with its end in the next one, and the
 * mappings of `/dev/ashmem` twice; damaged dumps hold anything. One at 0x1000 to 0x4000 and one at 0x3000 to 0x5000: the lower one keeps
 * what it has, and the other begins at 0x4000. So Breakpad does for Android, while for other systems it gives up the whole
 * list; rust-minidump keeps the lower one and forgets the other. Of two that begin at one address the first in the dump counts.
 *
 * A module of no bytes, or one that goes on past the end of all addresses (0x10001 bytes at 0xffffffffffff0000), holds
 * nothing. Breakpad gives up the list for either, rust-minidump forgets the module.
 */
export class ModuleMap {
  /** The program itself, which dumps have first; undefined when there are no modules. */
  readonly main: Module | undefined;
  /** By address, each of them once; those in which nothing is found too. */
  readonly byAddress: readonly Module[];
  /** They do not overlap; starts and ends rise. */
  readonly #pieces: readonly Piece[];

  constructor(modules: readonly Module[]) {
    this.main = modules[0];
    this.byAddress = modules.toSorted((a, b) => (a.base < b.base ? -1 : a.base > b.base ? 1 : 0));
    this.#pieces = cutOverlaps(this.byAddress);
  }

  /** One past the highest address of any module; 0n without modules. */
  get end(): bigint {
    return this.#pieces.at(-1)?.end ?? 0n;
  }

  /** The module that holds `address`. */
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
  let taken = 0n;
  for (const module of sorted.filter(hasPlace)) {
    const start = module.base > taken ? module.base : taken;
    const end = module.base + BigInt(module.size);
    if (start >= end) continue;
    pieces.push({ start, end, module });
    taken = end;
  }
  return pieces;
}
