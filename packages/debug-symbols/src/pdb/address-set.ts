// Remembers which addresses have a symbol already, in four bytes each: a large program has millions.

const EMPTY = 0xffffffff;

/** A set of 32-bit addresses, except 0xffffffff. */
export class AddressSet {
  /** A random odd factor keeps a malicious file from choosing addresses that all collide. */
  readonly #factor = Math.floor(Math.random() * 2 ** 31) * 2 + 1;
  #slots = new Uint32Array(1024).fill(EMPTY);
  #size = 0;

  /** Returns false if the address is there already. */
  add(address: number): boolean {
    if (this.#size * 2 >= this.#slots.length) this.#grow();
    const slot = this.#findSlot(address);
    if (this.#slots[slot] === address) return false;
    this.#slots[slot] = address;
    this.#size++;
    return true;
  }

  has(address: number): boolean {
    return this.#slots[this.#findSlot(address)] === address;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2).fill(EMPTY);
    for (const address of old) if (address !== EMPTY) this.#slots[this.#findSlot(address)] = address;
  }

  /** Returns the slot that has the address or could take it. */
  #findSlot(address: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const product = Math.imul(address, this.#factor);
    let slot = (product ^ (product >>> 15)) & mask;
    while (slots[slot] !== EMPTY && slots[slot] !== address) slot = (slot + 1) & mask;
    return slot;
  }
}
