// Remembers which ranges of the image have a record already, in a few bytes each: a large program has millions.

const SIZE_BITS = 2 ** 21;

/** A set of ranges of 32-bit addresses. */
export class CoveredRanges {
  /** Each range in one number: the start above the size, which is cut to 2 MiB. */
  #ranges = new Float64Array(1024);
  #count = 0;
  #sorted = true;
  /** For each range, the largest end of this range and those before it, since ranges can contain others. */
  #ends = new Float64Array();

  add(start: number, size: number): void {
    if (this.#count === this.#ranges.length) {
      const larger = new Float64Array(this.#count * 2);
      larger.set(this.#ranges);
      this.#ranges = larger;
    }
    this.#ranges[this.#count++] = start * SIZE_BITS + Math.min(size, SIZE_BITS - 1);
    this.#sorted = false;
  }

  /** Whether one of the ranges contains the address. The first call after an addition sorts the ranges. */
  has(address: number): boolean {
    if (!this.#sorted) this.#sort();
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ranges[middle]! < (address + 1) * SIZE_BITS) low = middle + 1;
      else high = middle;
    }
    return low > 0 && address < this.#ends[low - 1]!;
  }

  #sort(): void {
    const ranges = this.#ranges.subarray(0, this.#count).sort();
    this.#ends = new Float64Array(this.#count);
    let end = 0;
    for (let index = 0; index < this.#count; index++) {
      end = Math.max(end, Math.floor(ranges[index]! / SIZE_BITS) + (ranges[index]! % SIZE_BITS));
      this.#ends[index] = end;
    }
    this.#sorted = true;
  }
}
