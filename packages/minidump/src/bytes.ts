// Reads numbers from untrusted bytes, in either byte order. Every access is bounds-checked.
import { MinidumpError } from './error.ts';

/**
 * A window on a file. Positions count from the start of the window. Access outside it throws a MinidumpError
 * `truncated`. All windows on a file share one view, so a dump with a hundred thousand memory regions needs little
 * memory.
 */
export class Bytes {
  readonly littleEndian: boolean;
  readonly size: number;
  readonly #view: DataView;
  readonly #start: number;

  /** A window on `size` bytes of `memory` from `start`; by default, on all of it. */
  constructor(memory: ArrayBufferView, littleEndian: boolean, start = 0, size = memory.byteLength) {
    this.littleEndian = littleEndian;
    this.size = size;
    this.#view =
      memory instanceof DataView ? memory : new DataView(memory.buffer, memory.byteOffset, memory.byteLength);
    this.#start = start;
  }

  /** The bytes in this window, sharing its memory. */
  get array(): Uint8Array {
    return new Uint8Array(this.#view.buffer, this.#view.byteOffset + this.#start, this.size);
  }

  u8(at: number): number {
    this.#check(at, 1);
    return this.#view.getUint8(this.#start + at);
  }

  u16(at: number): number {
    this.#check(at, 2);
    return this.#view.getUint16(this.#start + at, this.littleEndian);
  }

  u32(at: number): number {
    this.#check(at, 4);
    return this.#view.getUint32(this.#start + at, this.littleEndian);
  }

  u64(at: number): bigint {
    this.#check(at, 8);
    return this.#view.getBigUint64(this.#start + at, this.littleEndian);
  }

  /** Returns a window on `size` bytes at `at`, sharing the memory. */
  window(at: number, size: number): Bytes {
    this.#check(at, size);
    return new Bytes(this.#view, this.littleEndian, this.#start + at, size);
  }

  cursor(at = 0): Cursor {
    return new Cursor(this, at);
  }

  #check(at: number, size: number): void {
    if (at >= 0 && size >= 0 && at + size <= this.size) return;
    throw new MinidumpError('truncated', `${size} bytes at ${at} are outside the available ${this.size} bytes`);
  }
}

/** Reads consecutive fields, as in a C structure. */
export class Cursor {
  readonly bytes: Bytes;
  at: number;

  constructor(bytes: Bytes, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  get left(): number {
    return this.bytes.size - this.at;
  }

  u8(): number {
    return this.bytes.u8(this.#move(1));
  }

  u16(): number {
    return this.bytes.u16(this.#move(2));
  }

  u32(): number {
    return this.bytes.u32(this.#move(4));
  }

  u64(): bigint {
    return this.bytes.u64(this.#move(8));
  }

  /** Returns a window on the next `size` bytes and moves past them. */
  window(size: number): Bytes {
    return this.bytes.window(this.#move(size), size);
  }

  skip(size: number): void {
    this.#move(size);
  }

  #move(size: number): number {
    const { at } = this;
    this.at += size;
    return at;
  }
}
