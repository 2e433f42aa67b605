// A list of records by address, in arrays of numbers, because a large program has millions.
import { grow } from '../grow.ts';
import type { TextStore } from './text-store.ts';

export class RecordList {
  readonly #texts: TextStore;
  #addresses = new Float64Array(256);
  #sizes = new Float64Array(256);
  #places = new Float64Array(256);
  #lengths = new Uint32Array(256);
  #count = 0;
  #isSorted = true;

  constructor(texts: TextStore) {
    this.#texts = texts;
  }

  get count(): number {
    return this.#count;
  }

  add(address: number, size: number, text: string): void {
    this.addPlaced(address, size, this.#texts.append(text));
  }

  /** Adds a record whose text was appended to the texts last. */
  addPlaced(address: number, size: number, place: number): void {
    const index = this.#count;
    if (index === this.#addresses.length) this.#grow();
    if (index > 0 && !(address >= this.#addresses[index - 1]!)) this.#isSorted = false;
    this.#addresses[index] = address;
    this.#sizes[index] = size;
    this.#places[index] = place;
    this.#lengths[index] = this.#texts.length;
    this.#count += 1;
  }

  address(index: number): number {
    return this.#addresses[index]!;
  }

  text(index: number): Uint8Array {
    return this.#texts.read(this.#places[index]!, this.#lengths[index]!);
  }

  /** The indexes of the records by ascending address; of several at one address, in the order in which they came. */
  order(): Uint32Array {
    const order = new Uint32Array(this.#count);
    for (let index = 0; index < order.length; index += 1) order[index] = index;
    const addresses = this.#addresses;
    return this.#isSorted ? order : order.sort((a, b) => addresses[a]! - addresses[b]! || a - b);
  }

  /** Tests whether an address is in a record so far. */
  coverage(): (address: number) => boolean {
    const order = this.order();
    const addresses = this.#addresses;
    const sizes = this.#sizes;
    return (address) => {
      let [low, high] = [0, order.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (addresses[order[middle]!]! <= address) low = middle + 1;
        else high = middle;
      }
      const found = order[low - 1];
      return found !== undefined && address < addresses[found]! + sizes[found]!;
    };
  }

  #grow(): void {
    this.#addresses = grow(this.#addresses);
    this.#sizes = grow(this.#sizes);
    this.#places = grow(this.#places);
    this.#lengths = grow(this.#lengths);
  }
}
