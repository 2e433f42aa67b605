// The memory that a dump holds: finds the piece that an address lies in, and reads words from it.
import type { Bytes } from './bytes.ts';
import type { Minidump } from './minidump.ts';
import { MEMORY_LIST, type MemoryRegion } from './streams/memory.ts';
import { MEMORY64_LIST } from './streams/memory64.ts';
import { THREADS } from './streams/threads.ts';

/** What unwinding reads: a word, or undefined where the dump has no memory. */
export type MemoryReader = {
  /** The little- or big-endian word of `size` bytes at `address`, as the dump’s CPU reads it. */
  word(address: bigint, size: 1 | 2 | 4 | 8): bigint | undefined;
};

/**
 * All memory of a dump: stacks of threads, memory list, and the list of a full dump.
 *
 * Where a thread’s stack lies in the file is told twice, and a writer may tell it only once: in full dumps of Windows the
 * stack of a thread has its size and position 0, and the bytes stand in Memory64List. Looking up by address finds them wherever they are.
 */
export function memoryOf(dump: Minidump): Memory {
  const stacks = (dump.stream(THREADS) ?? [])
    .filter(({ stack }) => stack.location.rva !== 0)
    .map(({ stack }) => ({ start: stack.start, bytes: dump.atMost(stack.location) }));
  return new Memory([...stacks, ...(dump.stream(MEMORY_LIST) ?? []), ...(dump.stream(MEMORY64_LIST) ?? [])]);
}

/**
 * Regions of memory by address. Regions may overlap: a small one around the crashing instruction, or a part of a stack, lies within a
 * larger one. One that another holds wholly is left out; where two share a border strip, they hold the same bytes in any sane dump,
 * and the one that goes on further counts.
 */
export class Memory implements MemoryReader {
  /** Starts never fall and ends rise, so that the last one that begins at or below an address is the one to ask. */
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

  /** The region that holds `address`. */
  regionAt(address: bigint): MemoryRegion | undefined {
    // An unwinder stays in one stack for nearly all of its reads.
    if (this.#last === undefined || !contains(this.#last, address)) this.#last = this.#search(address);
    return this.#last;
  }

  /** The region that holds `address`, or else one that begins less than `gap` bytes above it. */
  regionAtOrAbove(address: bigint, gap: bigint): MemoryRegion | undefined {
    const held = this.regionAt(address);
    if (held !== undefined) return held;
    const next = this.#regions[this.#countUpTo(address)];
    return next !== undefined && next.start - address < gap ? next : undefined;
  }

  #search(address: bigint): MemoryRegion | undefined {
    const found = this.#regions[this.#countUpTo(address) - 1];
    return found !== undefined && contains(found, address) ? found : undefined;
  }

  /** How many regions begin at or below `address`. */
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
