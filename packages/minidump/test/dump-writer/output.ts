// A file under construction: writes numbers in the dump's byte order, and returns the locations of what it writes.

export type Endian = 'little' | 'big';

/** A location in the file. `rva` is the offset from the start of the file, in bytes. */
export type Place = { readonly rva: number; readonly size: number };

/** The location of a missing part. */
export const NOWHERE: Place = { rva: 0, size: 0 };

export class Output {
  readonly endian: Endian;
  readonly #little: boolean;
  #bytes = new Uint8Array(4096);
  #view = new DataView(this.#bytes.buffer);
  #size = 0;

  constructor(endian: Endian) {
    this.endian = endian;
    this.#little = endian === 'little';
  }

  /** The offset of the next byte. */
  get size(): number {
    return this.#size;
  }

  /** A copy of everything that was written. */
  get bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#size);
  }

  u8(value: number): this {
    const at = this.#grow(1);
    this.#view.setUint8(at, value);
    return this;
  }

  u16(...values: readonly number[]): this {
    const at = this.#grow(2 * values.length);
    for (const [index, value] of values.entries()) this.#view.setUint16(at + 2 * index, value, this.#little);
    return this;
  }

  u32(...values: readonly number[]): this {
    const at = this.#grow(4 * values.length);
    for (const [index, value] of values.entries()) this.#view.setUint32(at + 4 * index, value, this.#little);
    return this;
  }

  u64(...values: readonly (bigint | number)[]): this {
    const at = this.#grow(8 * values.length);
    for (const [index, value] of values.entries()) this.#view.setBigUint64(at + 8 * index, BigInt(value), this.#little);
    return this;
  }

  raw(bytes: Uint8Array): this {
    const at = this.#grow(bytes.length);
    this.#bytes.set(bytes, at);
    return this;
  }

  zeros(count: number): this {
    this.#grow(count);
    return this;
  }

  /** Writes a `MINIDUMP_LOCATION_DESCRIPTOR`. */
  place({ rva, size }: Place): this {
    return this.u32(size, rva);
  }

  /** A GUID from its 32 hex digits: a number of 32 bits, two of 16, and eight bytes. */
  guid(digits: string): this {
    const part = (from: number, to: number) => Number.parseInt(digits.slice(from, to), 16);
    return this.u32(part(0, 8))
      .u16(part(8, 12), part(12, 16))
      .raw(Uint8Array.fromHex(digits.slice(16)));
  }

  /** Writes UTF-16 in a field of `size` bytes, cut off or padded with zeros. */
  utf16Field(text: string, size: number): this {
    const units = Array.from({ length: size / 2 }, (_, index) => text.charCodeAt(index) || 0);
    return this.u16(...units);
  }

  /** Writes a part at the next multiple of 4, and returns its location. */
  put(write: (output: this) => unknown): Place {
    this.zeros(-this.#size & 3);
    const rva = this.#size;
    write(this);
    return { rva, size: this.#size - rva };
  }

  /** Writes bytes and returns their location; NOWHERE if there are none. */
  putBytes(bytes: Uint8Array | undefined): Place {
    return bytes === undefined || bytes.length === 0 ? NOWHERE : this.put(() => this.raw(bytes));
  }

  /** Writes a `MINIDUMP_STRING`: the length in bytes, UTF-16, and a NUL that the length does not include. */
  putUtf16(text: string): Place {
    return this.put(() => this.u32(text.length * 2).utf16Field(text, text.length * 2 + 2));
  }

  /** Writes Crashpad's string: the length in bytes, UTF-8, and a NUL that the length does not include. */
  putUtf8(text: string): Place {
    const bytes = new TextEncoder().encode(text);
    return this.put(() => this.u32(bytes.length).raw(bytes).u8(0));
  }

  /** Overwrites bytes at `at`, then continues at the previous position. */
  patch(at: number, write: (output: this) => unknown): void {
    const size = this.#size;
    this.#size = at;
    write(this);
    this.#size = size;
  }

  #grow(count: number): number {
    const at = this.#size;
    this.#size += count;
    if (this.#size > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#size, 2 * this.#bytes.length));
      larger.set(this.#bytes);
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    return at;
  }
}
