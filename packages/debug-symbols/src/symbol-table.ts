// The functions of a symbol table. Their names stay in the file until they are needed, because there can be millions.
import { grow } from './grow.ts';

export class SymbolTable {
  readonly #readName: (place: number) => string;
  #addresses = new Float64Array(256);
  #places = new Float64Array(256);
  #count = 0;
  #order: Uint32Array | undefined;

  /** `readName` returns the name at a place. */
  constructor(readName: (place: number) => string) {
    this.#readName = readName;
  }

  add(address: number, place: number): void {
    if (this.#count === this.#addresses.length) {
      this.#addresses = grow(this.#addresses);
      this.#places = grow(this.#places);
    }
    this.#addresses[this.#count] = address;
    this.#places[this.#count] = place;
    this.#count += 1;
    this.#order = undefined;
  }

  /** A table of names that are in memory. */
  static of(symbols: Iterable<{ readonly name: string; readonly address: number }>): SymbolTable {
    const names: string[] = [];
    const table = new SymbolTable((place) => names[place]!);
    for (const { name, address } of symbols) table.add(address, names.push(name) - 1);
    return table;
  }

  /** The name of the first symbol at an address; undefined if there is none. */
  nameAt(address: number): string | undefined {
    const order = this.#sorted();
    let [low, high] = [0, order.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#addresses[order[middle]!]! < address) low = middle + 1;
      else high = middle;
    }
    const found = order[low];
    return found === undefined || this.#addresses[found] !== address ? undefined : this.#readName(this.#places[found]!);
  }

  /** Visits the symbols by ascending address. `name` reads the name. */
  each(visit: (address: number, name: () => string) => void): void {
    for (const index of this.#sorted()) visit(this.#addresses[index]!, () => this.#readName(this.#places[index]!));
  }

  #sorted(): Uint32Array {
    if (this.#order !== undefined) return this.#order;
    const addresses = this.#addresses;
    const order = new Uint32Array(this.#count);
    for (let index = 0; index < order.length; index += 1) order[index] = index;
    this.#order = order.sort((a, b) => addresses[a]! - addresses[b]! || a - b);
    return this.#order;
  }
}
