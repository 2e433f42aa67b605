// Reads the numbers of binary formats one after the other. Every access is checked against the bounds.
import { DebugSymbolsError } from './error.ts';

/**
 * Longer texts are cut off, such as names of functions. Without a limit, a few that many records refer to, or one in a
 * table without ends, would fill the memory.
 */
export const MAX_TEXT = 65_536;

/**
 * A position in bytes. 64-bit numbers are returned as numbers, because all that is read with them are addresses, sizes
 * and offsets; above 2^53, they lose their last bits and are outside of every file.
 */
export class Cursor {
  readonly bytes: Uint8Array;
  readonly littleEndian: boolean;
  at: number;
  /** The position after the last readable byte. */
  end: number;

  constructor(bytes: Uint8Array, littleEndian = true, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.littleEndian = littleEndian;
    this.at = at;
    this.end = end;
  }

  get left(): number {
    return this.end - this.at;
  }

  u8(): number {
    if (this.at >= this.end) throw this.#truncated(1);
    return this.bytes[this.at++]!;
  }

  i8(): number {
    return (this.u8() << 24) >> 24;
  }

  u16(): number {
    const at = this.#take(2);
    const { bytes } = this;
    return this.littleEndian ? bytes[at]! | (bytes[at + 1]! << 8) : (bytes[at]! << 8) | bytes[at + 1]!;
  }

  u24(): number {
    const at = this.#take(3);
    const { bytes } = this;
    return this.littleEndian
      ? bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16)
      : (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
  }

  u32(): number {
    const at = this.#take(4);
    const { bytes } = this;
    return this.littleEndian
      ? (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
      : ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
  }

  u64(): number {
    const first = this.u32();
    const second = this.u32();
    return this.littleEndian ? first + second * 0x1_0000_0000 : first * 0x1_0000_0000 + second;
  }

  i16(): number {
    return (this.u16() << 16) >> 16;
  }

  i32(): number {
    return this.u32() | 0;
  }

  i64(): number {
    const first = this.u32();
    const second = this.u32();
    return this.littleEndian ? first + (second | 0) * 0x1_0000_0000 : (first | 0) * 0x1_0000_0000 + second;
  }

  /** A number of 8 or 4 bytes. */
  word(is64: boolean): number {
    return is64 ? this.u64() : this.u32();
  }

  /** An unsigned number in LEB128. */
  uleb(): number {
    const { bytes, end } = this;
    let at = this.at;
    if (at >= end) throw this.#truncated(1);
    let byte = bytes[at++]!;
    if (byte < 0x80) {
      this.at = at;
      return byte;
    }
    let value = byte & 0x7f;
    let scale = 128;
    do {
      if (at >= end) throw this.#truncated(1);
      byte = bytes[at++]!;
      value += (byte & 0x7f) * scale;
      scale *= 128;
    } while (byte >= 0x80);
    this.at = at;
    return value;
  }

  /** A signed number in LEB128. */
  sleb(): number {
    let value = 0;
    let scale = 1;
    let byte = 0;
    do {
      byte = this.u8();
      value += (byte & 0x7f) * scale;
      scale *= 128;
    } while (byte >= 0x80);
    return (byte & 0x40) === 0 ? value : value - scale;
  }

  /** The next `length` bytes, sharing their memory. */
  take(length: number): Uint8Array {
    const at = this.#take(length);
    return this.bytes.subarray(at, at + length);
  }

  skip(length: number): void {
    this.#take(length);
  }

  /** A text that ends with a zero byte, as UTF-8. It is skipped to its end even if it is cut off. */
  text(): string {
    const start = this.at;
    this.skipText();
    const length = Math.min(MAX_TEXT, this.at - 1 - start);
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset + start, length).toString('utf8');
  }

  skipText(): void {
    const zero = this.bytes.indexOf(0, this.at);
    if (zero < 0 || zero >= this.end) throw this.#truncated(1);
    this.at = zero + 1;
  }

  #take(length: number): number {
    const { at } = this;
    if (length < 0 || at + length > this.end) throw this.#truncated(length);
    this.at = at + length;
    return at;
  }

  #truncated(length: number): DebugSymbolsError {
    return new DebugSymbolsError(
      'truncated',
      `it ends early or is damaged: ${length} bytes at ${this.at} are outside the available ${this.end} bytes`,
    );
  }
}
