// The functions of a symbol table. Their names stay in the file until they are needed, because there can be millions.
import { MemorySource, openShared, type SharedSource } from './byte-source.ts';
import { grow } from './grow.ts';
import { PagedSource } from './paged-source.ts';

/** Where names are: at a place in a source, up to a zero byte. */
export type SymbolNames = {
  readonly texts: PagedSource;
  /** Whether an underscore in front of a name doesn't belong to it. */
  readonly hasUnderscore?: boolean;
};

/** A table for other threads. */
export type SharedTable = {
  readonly addresses: Float64Array;
  readonly places: Float64Array;
  readonly texts: SharedSource;
  readonly hasUnderscore: boolean;
};

/** Bytes of names that are kept in memory. */
const KEPT_NAMES = 4 * 1024 * 1024;

export class SymbolTable {
  readonly #names: SymbolNames;
  #addresses: Float64Array = new Float64Array(256);
  #places: Float64Array = new Float64Array(256);
  #count = 0;
  #isSorted = true;

  constructor(names: SymbolNames) {
    this.#names = names;
  }

  static get empty(): SymbolTable {
    return new SymbolTable({ texts: new PagedSource(new MemorySource(new Uint8Array()), 0) });
  }

  add(address: number, place: number): void {
    const index = this.#count;
    if (index === this.#addresses.length) {
      this.#addresses = grow(this.#addresses);
      this.#places = grow(this.#places);
    }
    this.#addresses[index] = address;
    this.#places[index] = place;
    this.#count += 1;
    if (index > 0 && !(address >= this.#addresses[index - 1]!)) this.#isSorted = false;
  }

  /** A table of names that are in memory. */
  static of(symbols: Iterable<{ readonly name: string; readonly address: number }>): SymbolTable {
    const names: Buffer[] = [];
    const [addresses, places]: [number[], number[]] = [[], []];
    let end = 0;
    for (const { name, address } of symbols) {
      const bytes = Buffer.from(`${name}\0`);
      names.push(bytes);
      addresses.push(address);
      places.push(end);
      end += bytes.length;
    }
    const table = new SymbolTable({ texts: new PagedSource(new MemorySource(Buffer.concat(names)), KEPT_NAMES) });
    for (const [index, address] of addresses.entries()) table.add(address, places[index]!);
    return table;
  }

  /** The table for other threads; undefined if the names can't be shared. */
  share(): SharedTable | undefined {
    const texts = this.#names.texts.share();
    if (texts === undefined) return undefined;
    this.#sort();
    const [addresses, places] = [shared(this.#addresses, this.#count), shared(this.#places, this.#count)];
    [this.#addresses, this.#places] = [addresses, places];
    return { addresses, places, texts, hasUnderscore: this.#names.hasUnderscore === true };
  }

  static openShared({ addresses, places, texts, hasUnderscore }: SharedTable): SymbolTable {
    const table = new SymbolTable({ texts: new PagedSource(openShared(texts), KEPT_NAMES), hasUnderscore });
    table.#addresses = addresses;
    table.#places = places;
    table.#count = addresses.length;
    return table;
  }

  /** The name of the first symbol at an address; undefined if there is none. */
  nameAt(address: number): string | undefined {
    this.#sort();
    let [low, high] = [0, this.#count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#addresses[middle]! < address) low = middle + 1;
      else high = middle;
    }
    return low < this.#count && this.#addresses[low] === address ? this.#nameOf(low) : undefined;
  }

  /** Visits the symbols by ascending address. `name` reads the name. */
  each(visit: (address: number, name: () => string) => void): void {
    this.#sort();
    for (let index = 0; index < this.#count; index += 1) visit(this.#addresses[index]!, () => this.#nameOf(index));
  }

  #nameOf(index: number): string {
    const { texts, hasUnderscore } = this.#names;
    const name = texts.text(this.#places[index]!);
    return hasUnderscore === true && name.startsWith('_') ? name.slice(1) : name;
  }

  #sort(): void {
    if (this.#isSorted) return;
    const addresses = this.#addresses;
    const order = new Uint32Array(this.#count);
    for (let index = 0; index < order.length; index += 1) order[index] = index;
    order.sort((a, b) => addresses[a]! - addresses[b]! || a - b);
    this.#addresses = inOrder(addresses, order);
    this.#places = inOrder(this.#places, order);
    this.#isSorted = true;
  }
}

function inOrder(values: Float64Array, order: Uint32Array): Float64Array<ArrayBuffer> {
  const sorted = new Float64Array(order.length);
  for (let index = 0; index < order.length; index += 1) sorted[index] = values[order[index]!]!;
  return sorted;
}

function shared(values: Float64Array, count: number): Float64Array<SharedArrayBuffer> {
  const copy = new Float64Array(new SharedArrayBuffer(count * Float64Array.BYTES_PER_ELEMENT));
  copy.set(values.subarray(0, count));
  return copy;
}
