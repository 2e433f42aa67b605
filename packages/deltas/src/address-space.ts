// The bytes of several files as one sequence, so that a patch can refer to each with one number.
import type { Entry, FileEntry, Manifest } from './manifest.ts';

/** Reads `length` bytes of an entry's content, from `offset` on. The result is only read before the next call. */
export type ReadContent = (entry: number, offset: number, length: number) => Buffer;

type Located = { readonly entry: number; readonly start: number; readonly size: number };

/** Files one after the other. */
export class AddressSpace {
  readonly #files: readonly Located[];
  readonly #starts: ReadonlyMap<number, number>;
  /** Bytes of all files. */
  readonly size: number;

  /** `indices` are the numbers of the files among the entries, in their order. */
  constructor(entries: readonly Entry[], indices: Iterable<number>) {
    let start = 0;
    this.#files = Array.from(indices, (entry) => {
      const { size } = entries[entry] as FileEntry;
      start += size;
      return { entry, start: start - size, size };
    });
    this.#starts = new Map(this.#files.map((file) => [file.entry, file.start]));
    this.size = start;
  }

  get files(): readonly Located[] {
    return this.#files;
  }

  /** Where the content of an entry starts; undefined if it isn't one of the files. */
  startOf(entry: number): number | undefined {
    return this.#starts.get(entry);
  }

  /** The file at `address`, which is below `size`. */
  locate(address: number): Located {
    let [low, high] = [0, this.#files.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#files[middle]!.start <= address) low = middle;
      else high = middle - 1;
    }
    return this.#files[low]!;
  }

  /** The parts of files between two addresses. */
  *partsOf(address: number, length: number): Generator<{ entry: number; offset: number; length: number }> {
    for (let at = address; at < address + length; ) {
      const { entry, start, size } = this.locate(at);
      const part = Math.min(address + length, start + size) - at;
      yield { entry, offset: at - start, length: part };
      at += part;
    }
  }
}

/** The numbers of the files of a tree that aren't empty. */
export function filesOf(entries: readonly Entry[]): number[] {
  return entries.flatMap((entry, index) => (entry.type === 'file' && entry.size > 0 ? [index] : []));
}

/** Where each new file probably continues an old one: at its path. */
export function counterpartsOf(old: Manifest, next: Manifest, oldSpace: AddressSpace): Map<number, number> {
  const places = new Map(old.entries.map(({ path }, index) => [path, oldSpace.startOf(index)]));
  return new Map(
    next.entries.flatMap(({ path }, index) => {
      const start = places.get(path);
      return start === undefined ? [] : [[index, start] as const];
    }),
  );
}
