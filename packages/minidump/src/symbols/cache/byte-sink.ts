// A growing byte buffer in which one record of a symbol cache is assembled.

/** Space for any number, in bytes: a varint has at most eight. */
const MAX_NUMBER_SIZE = 16;

export class ByteSink {
  bytes: Uint8Array;
  /** The number of bytes written so far. */
  length = 0;
  #view: DataView;

  constructor(capacity = 4096) {
    this.bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.bytes.buffer);
  }

  clear(): void {
    this.length = 0;
  }

  /** Writes an unsigned number below 2^53: seven bits per byte, lowest bits first. */
  varint(value: number): void {
    if (this.length + MAX_NUMBER_SIZE > this.bytes.length) this.#grow(MAX_NUMBER_SIZE);
    const { bytes } = this;
    let rest = value;
    let at = this.length;
    while (rest >= 0x8000_0000) {
      bytes[at++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    while (rest >= 0x80) {
      bytes[at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    bytes[at++] = rest;
    this.length = at;
  }

  /** Writes a number between -2^52 and 2^52: 0, -1, 1, -2, 2 become the varints 0, 1, 2, 3, 4. */
  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  u32(value: number): void {
    const at = this.#take(4);
    this.#view.setUint32(at, value, true);
  }

  /** Writes an unsigned number below 2^53 in eight bytes. */
  u64(value: number): void {
    const at = this.#take(8);
    this.#view.setUint32(at, value % 0x1_0000_0000, true);
    this.#view.setUint32(at + 4, Math.floor(value / 0x1_0000_0000), true);
  }

  f64(value: number): void {
    const at = this.#take(8);
    this.#view.setFloat64(at, value, true);
  }

  /** Writes the bytes `source[from, to)`. */
  raw(source: Uint8Array, from = 0, to = source.length): void {
    const count = to - from;
    const at = this.#take(count);
    // Most pieces have a few bytes, for which creating a view would cost more than copying them one by one.
    if (count > 32) this.bytes.set(source.subarray(from, to), at);
    else for (let index = 0; index < count; index++) this.bytes[at + index] = source[from + index]!;
  }

  /** Writes the length of `source[from, to)` as a varint, then the bytes. */
  text(source: Uint8Array, from = 0, to = source.length): void {
    this.varint(to - from);
    this.raw(source, from, to);
  }

  #take(count: number): number {
    const at = this.length;
    if (at + count > this.bytes.length) this.#grow(count);
    this.length = at + count;
    return at;
  }

  #grow(room: number): void {
    const bytes = new Uint8Array(Math.max(this.bytes.length * 2, this.length + room));
    bytes.set(this.bytes);
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }
}
