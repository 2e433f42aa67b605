// The memory of a dump: finds the region that contains an address, and reads words from it.
import type { Bytes } from './bytes.ts';
import type { Minidump } from './minidump.ts';
import { MEMORY_LIST, MEMORY64_LIST, type MemoryRegion } from './streams/memory.ts';
import { THREADS } from './streams/threads.ts';

/** Reads words of a dump's memory. */
export type MemoryReader = {
  /** Reads `size` bytes at `address` in the byte order of the dump; undefined if the dump does not contain them. */
  word(address: bigint, size: 1 | 2 | 4 | 8): bigint | undefined;
};

/**
 * Returns all memory of a dump: the stacks of the threads, the memory list, and the memory list of a full dump.
 *
 * The bytes of a stack can be listed with its thread, in a memory list, or both. In full Windows dumps, a thread's stack
 * has a size but position 0, and its bytes are in Memory64List. Looking them up by address finds them in any case.
 */
export function memoryOf(dump: Minidump): Memory {
  const stacks = (dump.stream(THREADS) ?? [])
    .filter(({ stack }) => stack.location.rva !== 0)
    .map(({ stack }) => ({ start: stack.start, bytes: dump.availableAt(stack.location) }));
  return new Memory([...stacks, ...(dump.stream(MEMORY_LIST) ?? []), ...(dump.stream(MEMORY64_LIST) ?? [])]);
}

/**
 * Regions of memory by address. Regions may overlap: for example, a small one around the crashing instruction can be
 * inside a larger one. A region that is completely inside another is dropped. Where two regions overlap at their ends,
 * they have the same bytes in any valid dump, and the region that ends later is used.
 */
export class Memory implements MemoryReader {
  /** Sorted by start, with ascending ends: the last region that starts at or below an address is the one to search. */
  readonly #regions: readonly MemoryRegion[];
  #last: MemoryRegion | undefined;

  constructor(regions: readonly MemoryRegion[]) {
    this.#regions = withoutCovered(regions);
  }

  word(address: bigint, size: 1 | 2 | 4 | 8): bigint | undefined {
    const region = this.regionAt(address);
    if (region === undefined) return undefined;
    const at = Number(address - region.start);
    return at + size <= region.bytes.size ? readWord(region.bytes, at, size) : undefined;
  }

  /** Returns the region that contains `address`. */
  regionAt(address: bigint): MemoryRegion | undefined {
    // Nearly all reads of an unwinder are in the same stack.
    if (this.#last === undefined || !contains(this.#last, address)) this.#last = this.#search(address);
    return this.#last;
  }

  /** Returns the region that contains `address`, or one that starts less than `gap` bytes above it. */
  regionAtOrAbove(address: bigint, gap: bigint): MemoryRegion | undefined {
    const region = this.regionAt(address);
    if (region !== undefined) return region;
    const next = this.#regions[this.#countUpTo(address)];
    return next !== undefined && next.start - address < gap ? next : undefined;
  }

  #search(address: bigint): MemoryRegion | undefined {
    const region = this.#regions[this.#countUpTo(address) - 1];
    return region !== undefined && contains(region, address) ? region : undefined;
  }

  /** The number of regions that start at or below `address`. */
  #countUpTo(address: bigint): number {
    let low = 0;
    let high = this.#regions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#regions[middle]!.start <= address) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function withoutCovered(regions: readonly MemoryRegion[]): MemoryRegion[] {
  const sorted = regions
    .filter(({ bytes }) => bytes.size > 0)
    .sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0));
  let covered = 0n;
  return sorted.filter(({ start, bytes }) => {
    const end = start + BigInt(bytes.size);
    if (end <= covered) return false;
    covered = end;
    return true;
  });
}

function contains({ start, bytes }: MemoryRegion, address: bigint): boolean {
  return address >= start && address - start < BigInt(bytes.size);
}

function readWord(bytes: Bytes, at: number, size: 1 | 2 | 4 | 8): bigint {
  if (size === 8) return bytes.u64(at);
  if (size === 4) return BigInt(bytes.u32(at));
  return BigInt(size === 2 ? bytes.u16(at) : bytes.u8(at));
}
