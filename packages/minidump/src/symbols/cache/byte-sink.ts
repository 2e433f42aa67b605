// Bytes that grow as numbers are written: where one record of a symbol cache is put together.

/** Every number takes at most ten bytes. */
const ROOM = 16;

export class ByteSink {
  bytes: Uint8Array;
  /** Bytes written so far. */
  length = 0;
  #view: DataView;

  constructor(capacity = 4096) {
    this.bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.bytes.buffer);
  }

  clear(): void {
    this.length = 0;
  }

  /** An unsigned number below 2^53, seven bits a byte, the lowest first. */
  varint(value: number): void {
    if (this.length + ROOM > this.bytes.length) this.#grow(ROOM);
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

  /** A number between -2^52 and 2^52: 0, -1, 1, -2, 2 become the varints 0, 1, 2, 3, 4. */
  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  u32(value: number): void {
    const at = this.#take(4);
    this.#view.setUint32(at, value, true);
  }

  /** An unsigned number below 2^53 in eight bytes. */
  u64(value: number): void {
    const at = this.#take(8);
    this.#view.setUint32(at, value % 0x1_0000_0000, true);
    this.#view.setUint32(at + 4, Math.floor(value / 0x1_0000_0000), true);
  }

  f64(value: number): void {
    const at = this.#take(8);
    this.#view.setFloat64(at, value, true);
  }

  /** `source[from, to)` as it is. */
  raw(source: Uint8Array, from = 0, to = source.length): void {
    const at = this.#take(to - from);
    this.bytes.set(source.subarray(from, to), at);
  }

  /** `source[from, to)` after its length. */
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
